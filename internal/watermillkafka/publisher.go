package watermillkafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"
	"golang.org/x/sync/errgroup"
)

// The errors of Publish and Subscribe, beside those of Kafka and of contexts.
var (
	// ErrClosed: the publisher or subscriber is closed.
	ErrClosed = errors.New("closed")
	// ErrTooLarge: the topic takes no record of that size, now or later.
	ErrTooLarge = errors.New("the topic does not take a record of this size")
)

// errPublishTimeout is the cause of a Publish that ran out of time.
var errPublishTimeout = errors.New("publish timeout")

// PublisherConfig holds what may be left to its default.
type PublisherConfig struct {
	// Timeout bounds one Publish with all its attempts. Default 10 s.
	Timeout time.Duration
	// AttemptTimeout bounds one produce request. Default 5 s.
	AttemptTimeout time.Duration
	// Compression of the batches. Default zstd; NoCompression turns it off.
	Compression   kafka.Compression
	NoCompression bool
	// MaxBatchBytes bounds one batch before compression; a larger record goes
	// alone. Default 900 kB: a topic with Kafka's own defaults takes it.
	MaxBatchBytes int
	Log           *slog.Logger
}

func (c PublisherConfig) withDefaults() PublisherConfig {
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.AttemptTimeout = cmp.Or(c.AttemptTimeout, 5*time.Second)
	c.MaxBatchBytes = cmp.Or(c.MaxBatchBytes, 900_000)
	if c.Compression == 0 && !c.NoCompression {
		c.Compression = kafka.Zstd
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Publisher appends messages to Kafka topics. It is a message.Publisher, and
// safe for concurrent use.
type Publisher struct {
	client *kafka.Client
	cfg    PublisherConfig

	mu      sync.Mutex // mu guards closed, and running against Close
	closed  bool
	running sync.WaitGroup
}

var _ message.Publisher = (*Publisher)(nil)

// NewPublisher returns a publisher. It does not wait for Kafka: Publish does.
func NewPublisher(client *kafka.Client, cfg PublisherConfig) *Publisher {
	return &Publisher{client: client, cfg: cfg.withDefaults()}
}

// Publish appends the messages, and returns nil once every in-sync replica has
// all of them. An error means that any number of them may be in the log, now or
// a little later. The call ends with the context of the first message.
//
// A message with the metadata partition_key goes to that key's partition, by
// Java's murmur2. Those of one call without it go to one partition, any.
func (p *Publisher) Publish(topic string, messages ...*message.Message) error {
	if len(messages) == 0 {
		return nil
	}
	if !p.enter() {
		return fmt.Errorf("publish to %s: %w", topic, ErrClosed)
	}
	defer p.running.Done()
	ctx, cancel := context.WithTimeoutCause(messages[0].Context(), p.cfg.Timeout, errPublishTimeout)
	defer cancel()

	count, err := p.partitions(ctx, topic)
	if err != nil {
		return err
	}
	byPartition := divide(messages, count)
	var appends errgroup.Group
	for _, partition := range slices.Sorted(maps.Keys(byPartition)) {
		appends.Go(func() error {
			return p.appendAll(ctx, target{topic, partition}, byPartition[partition])
		})
	}
	return appends.Wait()
}

// enter registers a Publish, unless the publisher is closed.
func (p *Publisher) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.running.Add(1)
	return true
}

// Close takes no more messages, and waits for the calls that run: they are
// bounded by the timeout.
func (p *Publisher) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.running.Wait()
	return nil
}

// partitions returns the partition count of a topic. It waits for a topic that
// is not there: one that was made just now is not known to the transport yet.
func (p *Publisher) partitions(ctx context.Context, topic string) (int, error) {
	for pause := firstPause; ; pause = longer(pause) {
		count, err := countPartitions(ctx, p.client, topic)
		if err == nil {
			return count, nil
		}
		if !mayRetry(err) || !sleep(ctx, pause) {
			return 0, fmt.Errorf("publish to %s: look up partitions: %w", topic, because(ctx, err))
		}
	}
}

// countPartitions asks the transport, which asks the brokers now and then.
func countPartitions(ctx context.Context, client *kafka.Client, topic string) (int, error) {
	metadata, err := client.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{topic}})
	if err != nil {
		return 0, err
	}
	if err := metadata.Topics[0].Error; err != nil {
		return 0, err
	}
	if len(metadata.Topics[0].Partitions) == 0 {
		return 0, kafka.LeaderNotAvailable
	}
	return len(metadata.Topics[0].Partitions), nil
}

// divide sorts messages into partitions and keeps their order.
func divide(messages []*message.Message, count int) map[int][]record {
	numbers := make([]int, count)
	for i := range numbers {
		numbers[i] = i
	}
	keyless := rand.IntN(count)
	byPartition := make(map[int][]record)
	for _, m := range messages {
		r := toRecord(m)
		partition := keyless
		if r.key != nil {
			partition = kafka.Murmur2Balancer{Consistent: true}.Balance(kafka.Message{Key: r.key}, numbers...)
		}
		byPartition[partition] = append(byPartition[partition], r)
	}
	return byPartition
}

// appendAll appends the records of one partition, batch after batch: the next
// is not sent before the log has the last.
func (p *Publisher) appendAll(ctx context.Context, to target, records []record) error {
	for len(records) > 0 {
		n := p.batch(records)
		if err := p.append(ctx, to, records[:n]); err != nil {
			return fmt.Errorf("publish to %s: %w", to, err)
		}
		records = records[n:]
	}
	return nil
}

// batch returns how many of the records go into one request, at least one.
func (p *Publisher) batch(records []record) int {
	size := 0
	for n, r := range records {
		size += r.size()
		if n > 0 && size > p.cfg.MaxBatchBytes {
			return n
		}
	}
	return len(records)
}

// append appends one batch. It tries again as long as that may help and there
// is time.
func (p *Publisher) append(ctx context.Context, to target, batch []record) error {
	for pause := firstPause; ; pause = longer(pause) {
		err := p.produce(ctx, to, batch)
		if err == nil {
			return nil // durable: every in-sync replica has the batch
		}
		if isTooLarge(err) {
			return p.appendHalves(ctx, to, batch, err)
		}
		if !mayRetry(err) || !sleep(ctx, pause) {
			return because(ctx, err)
		}
		p.cfg.Log.WarnContext(ctx, "publish failed, trying again", "topic", to.topic, "partition", to.partition,
			"records", len(batch), "err", err)
	}
}

// appendHalves appends a batch that the topic found too large in parts.
func (p *Publisher) appendHalves(ctx context.Context, to target, batch []record, cause error) error {
	if len(batch) == 1 {
		return fmt.Errorf("%w: %w", ErrTooLarge, cause)
	}
	half := len(batch) / 2
	if err := p.append(ctx, to, batch[:half]); err != nil {
		return err
	}
	return p.append(ctx, to, batch[half:])
}
