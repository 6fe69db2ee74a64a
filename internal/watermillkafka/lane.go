package watermillkafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

// What one fetch brings.
const (
	fetchBytes = 1 << 20
	fetchWait  = 500 * time.Millisecond
)

// serve starts a lane for each partition of a generation, and what commits
// their offsets. It does not wait: the group does, before the next generation.
func (s *subscription) serve(ctx context.Context, generation *kafka.Generation) {
	commits := newCommitter(generation, s.topic, s.cfg)
	assigned := generation.Assignments[s.topic]
	commits.lanes.Add(len(assigned))
	s.lanes.Add(len(assigned))
	for _, assignment := range assigned {
		l := &lane{subscription: s, commits: commits, partition: assignment.ID, next: assignment.Offset}
		generation.Start(func(alive context.Context) {
			defer s.lanes.Done()
			defer commits.lanes.Done()
			l.run(ctx, alive)
		})
	}
	generation.Start(commits.run)
	s.cfg.Log.InfoContext(ctx, "partitions assigned", "topic", s.topic, "partitions", len(assigned), "generation", generation.ID)
}

// lane hands out the messages of one partition, for one generation. It must not
// return before the generation ends: that would end it for the other lanes.
type lane struct {
	*subscription
	commits   *committer
	partition int
	next      int64 // the offset to hand out next, or kafka.FirstOffset
}

// run takes two contexts: the subscription's, which the messages are given, and
// the generation's, which bounds all of it.
func (l *lane) run(ctx, alive context.Context) {
	pause := firstPause
	for alive.Err() == nil {
		records, err := l.fetch(alive)
		if err != nil {
			l.missed(alive, err)
			sleep(alive, pause)
			pause = longer(pause)
			continue
		}
		pause = firstPause
		for _, r := range records {
			if !l.deliver(ctx, alive, r) {
				return
			}
			l.next = r.place.Offset + 1
			l.commits.mark(l.partition, l.next)
		}
	}
}

// fetch returns the records from next on, none if there are none yet.
func (l *lane) fetch(alive context.Context) ([]fetched, error) {
	response, err := l.cluster.Client.Fetch(alive, &kafka.FetchRequest{
		Topic: l.topic, Partition: l.partition, Offset: l.next,
		MinBytes: 1, MaxBytes: fetchBytes, MaxWait: fetchWait,
	})
	if err != nil {
		return nil, err
	}
	if response.Error != nil {
		return nil, response.Error
	}
	if l.next == kafka.FirstOffset && response.LogStartOffset >= 0 {
		l.next = response.LogStartOffset // or each fetch would look it up
	}
	return readAll(response.Records, Place{Topic: l.topic, Partition: l.partition}, l.next)
}

// missed deals with a fetch that failed.
func (l *lane) missed(alive context.Context, err error) {
	if alive.Err() != nil {
		return
	}
	if errors.Is(err, kafka.OffsetOutOfRange) {
		l.cfg.Log.WarnContext(alive, "the log does not have the offset, going on from its first one",
			"topic", l.topic, "partition", l.partition, "offset", l.next)
		l.next = kafka.FirstOffset
		return
	}
	l.cfg.Log.WarnContext(alive, "fetch failed, trying again", "topic", l.topic, "partition", l.partition, "err", err)
}

// answer is what became of a message that was handed out.
type answer int

const (
	acked answer = iota
	nacked
	lost // the generation ended first
)

// deliver hands a record out until it is acked. It reports false when the
// generation ended first.
func (l *lane) deliver(ctx, alive context.Context, r fetched) bool {
	for pause := l.cfg.NackPause; ; pause = min(2*pause, l.cfg.MaxNackPause) {
		switch l.handOut(ctx, alive, r) {
		case acked:
			return true
		case lost:
			return false
		case nacked:
			if !sleep(alive, pause) {
				return false
			}
		}
	}
}

// errGenerationEnded is the cause of the context of a message whose partition
// was lost.
var errGenerationEnded = fmt.Errorf("the partition was lost: %w", kafka.ErrGenerationEnded)

// handOut hands a record out once and waits for the answer.
func (l *lane) handOut(ctx, alive context.Context, r fetched) answer {
	if !l.inFlight.begin() {
		<-alive.Done() // Close was called: the others drain
		return lost
	}
	defer l.inFlight.end()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(context.Canceled) // watermill: the context ends with Ack and Nack
	m := r.message(ctx)
	select {
	case l.out <- m:
	case <-alive.Done():
		return lost
	case <-l.closing:
		return nacked // nobody has it
	}
	select {
	case <-m.Acked():
		return acked
	case <-m.Nacked():
		return nacked
	case <-alive.Done():
		cancel(errGenerationEnded)
		return lost
	}
}

// inFlight counts the messages that are out and not answered.
type inFlight struct {
	mu       sync.Mutex // mu guards what follows
	count    int
	draining bool
	idle     chan struct{} // closed once draining and count is 0
}

func newInFlight() *inFlight { return &inFlight{idle: make(chan struct{})} }

// begin counts one more, unless draining.
func (f *inFlight) begin() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.draining {
		return false
	}
	f.count++
	return true
}

func (f *inFlight) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count--
	if f.draining && f.count == 0 {
		close(f.idle)
	}
}

// drain lets no more begin, and returns what is closed when all have ended. It
// is called once.
func (f *inFlight) drain() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.draining = true
	if f.count == 0 {
		close(f.idle)
	}
	return f.idle
}
