package watermillkafka

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

// commitPause is the pause after a commit that failed, before the generation is
// given up: what cannot be committed now would be delivered again at once.
const commitPause = 500 * time.Millisecond

// committer commits the offsets of one generation behind the acks. A lane acks
// in order, so what it marked last covers all before it.
type committer struct {
	generation *kafka.Generation
	topic      string
	every      time.Duration
	log        *slog.Logger
	lanes      sync.WaitGroup // those of this generation
	wake       chan struct{}  // of size 1: something is marked

	mu    sync.Mutex // mu guards marks
	marks map[int]int64
}

func newCommitter(generation *kafka.Generation, topic string, cfg SubscriberConfig) *committer {
	return &committer{
		generation: generation, topic: topic, every: cfg.CommitEvery, log: cfg.Log,
		wake: make(chan struct{}, 1), marks: make(map[int]int64),
	}
}

// mark notes the next offset of a partition.
func (c *committer) mark(partition int, next int64) {
	c.mu.Lock()
	c.marks[partition] = next
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *committer) takeMarks() map[int]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	marks := c.marks
	c.marks = make(map[int]int64)
	return marks
}

// run commits what is marked until the generation ends, and then what is left.
// The group takes a commit of a generation that is ending until the next one is
// there; if it comes too late, messages are delivered again.
func (c *committer) run(alive context.Context) {
	for {
		select {
		case <-alive.Done():
			c.lanes.Wait()
			_ = c.commit() // logged; there is nobody left to act on it
			return
		case <-c.wake:
		}
		if c.commit() != nil {
			// The group or its coordinator moved on. Returning ends the
			// generation, and the next one starts from what is committed.
			sleep(alive, commitPause)
			return
		}
		sleep(alive, c.every)
	}
}

// commit commits the marks in one request, in the name of this generation: the
// coordinator refuses it once another one has begun.
func (c *committer) commit() error {
	marks := c.takeMarks()
	if len(marks) == 0 {
		return nil
	}
	err := c.generation.CommitOffsets(map[string]map[int]int64{c.topic: marks})
	if err != nil {
		c.log.Warn("offsets were not committed, messages will be delivered again", "topic", c.topic,
			"generation", c.generation.ID, "err", err)
	}
	return err
}
