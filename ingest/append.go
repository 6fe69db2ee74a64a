package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"pawl/schemas"
)

// Place is where a record stands in the log.
type Place struct {
	Partition int
	Offset    int64
}

// Appender makes records durable. It is safe for concurrent use.
//
// Append returns nil only when every in-sync replica has the record (I1), and
// records with one key are in the log in the order in which their Appends were
// called (I2). An error means an unknown outcome: the record may or may not be
// in the log, or may come to be there yet. Whoever sent it sends it again, and
// the fold knows a delivery id it has seen.
//
// The body belongs to the appender until Append has returned nil; after an
// error it must not be changed any more.
type Appender interface {
	Append(ctx context.Context, record schemas.Record) (Place, error)
	// Ready returns nil if an Append would be likely to succeed now.
	Ready(ctx context.Context) error
}

// The errors of Append, beside those of the context.
var (
	// ErrBusy: the queue is full. Nothing of the record is kept.
	ErrBusy = errors.New("the append queue is full")
	// ErrClosed: the appender is closed. Nothing of the record is kept.
	ErrClosed = errors.New("the appender is closed")
	// ErrLog: the log refused the record, or could not be asked.
	ErrLog = errors.New("the log did not take the record")
)

// AppenderConfig holds what may be left to its default.
type AppenderConfig struct {
	// Compression of the batches. Default zstd; NoCompression turns it off.
	Compression   kafka.Compression
	NoCompression bool
	// MaxBatchBytes and MaxBatchRecords bound one batch; a record larger than
	// that goes alone. Defaults 1 MB and 2000.
	MaxBatchBytes   int
	MaxBatchRecords int
	// MaxQueueBytes bounds what waits, over all partitions. Default 128 MB.
	MaxQueueBytes int64
	// MaxInFlight bounds the requests in flight over all partitions; they take
	// turns in the order in which they asked. Default: one a partition. Set it
	// to 1 for a broker that does one thing at a time, as the embedded one does:
	// requests that wait at the broker wait in vain, and while they wait here,
	// their batches fill. With a real cluster a bound couples its brokers.
	MaxInFlight int
	// AttemptTimeout bounds one produce request. Default 5 s: less than the
	// time an Append is waited for, so that one lost connection costs no
	// delivery.
	AttemptTimeout time.Duration
	// RefreshEvery is how often the topic's partitions are looked up. Default
	// 5 s.
	RefreshEvery time.Duration
	Log          *slog.Logger
}

func (c AppenderConfig) withDefaults() AppenderConfig {
	c.MaxBatchBytes = cmp.Or(c.MaxBatchBytes, 1<<20)
	c.MaxBatchRecords = cmp.Or(c.MaxBatchRecords, 2000)
	c.MaxQueueBytes = cmp.Or(c.MaxQueueBytes, 128<<20)
	c.AttemptTimeout = cmp.Or(c.AttemptTimeout, 5*time.Second)
	c.RefreshEvery = cmp.Or(c.RefreshEvery, 5*time.Second)
	if c.Compression == 0 && !c.NoCompression {
		c.Compression = kafka.Zstd
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// KafkaAppender is the Appender over a Kafka topic. It commits in groups: each
// partition has one goroutine with one produce request in flight, and what
// arrives meanwhile is the next batch. There is no timer: a record that comes
// alone goes at once, and the more come, the fuller the batches.
//
//	Append ─▶ partition by murmur2(key) ─▶ queue ─▶ batch ─▶ produce, acks=all ─▶ answer all
//	                                        ▲                   │ one in flight
//	                                        └── arrivals wait ──┘ a partition
//
// A batch whose request failed is sent again, as it is and before any later
// one, until it succeeds or nobody waits for it any more: so order holds, and
// a batch can be in the log twice, but never out of order.
//
// kafka-go's Writer is not used: its batches are cut by a timer, which either
// delays a lone record or leaves batches small under load.
type KafkaAppender struct {
	client *kafka.Client
	topic  string
	cfg    AppenderConfig

	layout  atomic.Pointer[layout]
	known   chan struct{} // closed once the layout is known
	queued  atomic.Int64  // bytes over all partitions
	turns   chan struct{} // one token a request in flight; nil: no bound
	stop    context.CancelFunc
	running sync.WaitGroup

	mu     sync.RWMutex // mu guards closed, and layout against Close
	closed bool
	reason atomic.Pointer[error] // why the layout is not known
}

// layout is the partitions of the topic at one time.
type layout struct {
	numbers []int
	lanes   []*lane
}

// NewKafkaAppender starts an appender to a topic. It does not wait for Kafka:
// Append does, as long as its context allows. Give the client's Transport a
// MetadataTTL of a second or two, since kafka-go asks for a new leader no
// sooner. Close must be called.
func NewKafkaAppender(client *kafka.Client, topic string, cfg AppenderConfig) *KafkaAppender {
	ctx, stop := context.WithCancel(context.Background())
	a := &KafkaAppender{
		client: client,
		topic:  topic,
		cfg:    cfg.withDefaults(),
		known:  make(chan struct{}),
		stop:   stop,
	}
	if a.cfg.MaxInFlight > 0 {
		a.turns = make(chan struct{}, a.cfg.MaxInFlight)
	}
	a.running.Go(func() { a.watch(ctx) })
	return a
}

// Append makes a record durable. See Appender.
func (a *KafkaAppender) Append(ctx context.Context, record schemas.Record) (Place, error) {
	select {
	case <-a.known:
	case <-ctx.Done():
		return Place{}, a.unknownTopic(ctx)
	}
	waiting := newPending(record)
	if err := a.enqueue(waiting); err != nil {
		return Place{}, err
	}
	select {
	case <-waiting.done:
		return waiting.place, waiting.err
	case <-ctx.Done():
		waiting.abandoned.Store(true)
		return Place{}, fmt.Errorf("append %s: %w", record.Key, context.Cause(ctx))
	}
}

func (a *KafkaAppender) unknownTopic(ctx context.Context) error {
	err := fmt.Errorf("%w: the partitions of topic %s are not known: %w", ErrLog, a.topic, context.Cause(ctx))
	if reason := a.reason.Load(); reason != nil {
		err = fmt.Errorf("%w: %w", err, *reason)
	}
	return err
}

// enqueue puts a record into its partition's queue.
func (a *KafkaAppender) enqueue(waiting *pending) error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.closed {
		return ErrClosed
	}
	queued := a.queued.Add(waiting.size)
	// A record may pass alone whatever its size, or none of that size ever could.
	if queued > a.cfg.MaxQueueBytes && queued > waiting.size {
		a.queued.Add(-waiting.size)
		return fmt.Errorf("%w: %d bytes wait for topic %s", ErrBusy, queued-waiting.size, a.topic)
	}
	at := a.layout.Load()
	at.lanes[partitionOf(waiting.message.Key, at.numbers)].push(waiting)
	return nil
}

// enter waits for a turn to have a request in flight. Waiters are served in
// order, so no partition starves.
func (a *KafkaAppender) enter(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	if a.turns == nil {
		return true
	}
	select {
	case a.turns <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// reenter is enter for one who must have a turn, if only to give it back. It
// waits no longer than others have theirs: AttemptTimeout.
func (a *KafkaAppender) reenter() {
	if a.turns != nil {
		a.turns <- struct{}{}
	}
}

func (a *KafkaAppender) leave() {
	if a.turns != nil {
		<-a.turns
	}
}

// partitionOf returns the partition of a key as the Java client does, so that
// producers in any language agree (I2).
func partitionOf(key []byte, numbers []int) int {
	return kafka.Murmur2Balancer{Consistent: true}.Balance(kafka.Message{Key: key}, numbers...)
}

// Ready asks a broker for an answer, and the layout for partitions.
func (a *KafkaAppender) Ready(ctx context.Context) error {
	a.mu.RLock()
	closed := a.closed
	a.mu.RUnlock()
	if closed {
		return ErrClosed
	}
	if a.layout.Load() == nil {
		if reason := a.reason.Load(); reason != nil {
			return *reason
		}
		return fmt.Errorf("the partitions of topic %s are not known yet", a.topic)
	}
	// A connection from before a broker's restart fails once.
	_, err := a.client.ApiVersions(ctx, &kafka.ApiVersionsRequest{})
	if err != nil && ctx.Err() == nil {
		_, err = a.client.ApiVersions(ctx, &kafka.ApiVersionsRequest{})
	}
	if err != nil {
		return fmt.Errorf("no broker answers: %w", err)
	}
	return nil
}

// Close takes no more records and waits until those it has are answered. When
// ctx ends first, the rest is given up, and its callers get ErrClosed.
func (a *KafkaAppender) Close(ctx context.Context) error {
	a.mu.Lock()
	a.closed = true
	at := a.layout.Load()
	a.mu.Unlock()

	drained := make(chan struct{})
	go func() {
		defer close(drained)
		if at == nil {
			return
		}
		for _, l := range at.lanes {
			l.drain()
		}
	}()
	var err error
	select {
	case <-drained:
	case <-ctx.Done():
		err = fmt.Errorf("close appender: %d bytes are given up: %w", a.queued.Load(), context.Cause(ctx))
	}
	a.stop()
	a.running.Wait()
	return err
}

// watch keeps the layout until ctx ends.
func (a *KafkaAppender) watch(ctx context.Context) {
	ticker := time.NewTicker(a.cfg.RefreshEvery)
	defer ticker.Stop()
	for {
		wait := ticker.C
		if err := a.refresh(ctx); err != nil && a.layout.Load() == nil {
			a.reason.Store(&err)
			wait = time.After(min(a.cfg.RefreshEvery, 200*time.Millisecond))
		}
		select {
		case <-ctx.Done():
			return
		case <-wait:
		}
	}
}

// refresh looks the partitions up and starts a lane for each new one. The
// number only grows: Kafka takes no partition away from a topic.
func (a *KafkaAppender) refresh(ctx context.Context) error {
	ask, cancel := context.WithTimeout(ctx, a.cfg.AttemptTimeout)
	defer cancel()
	metadata, err := a.client.Metadata(ask, &kafka.MetadataRequest{Topics: []string{a.topic}})
	if err != nil {
		return fmt.Errorf("look up topic %s: %w", a.topic, err)
	}
	topic := metadata.Topics[0]
	if topic.Error != nil {
		return fmt.Errorf("look up topic %s: %w", a.topic, topic.Error)
	}
	a.grow(ctx, len(topic.Partitions))
	return nil
}

func (a *KafkaAppender) grow(ctx context.Context, count int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.layout.Load()
	if a.closed || count == 0 || before != nil && count <= len(before.lanes) {
		return
	}
	after := &layout{}
	if before != nil {
		after.lanes = append(after.lanes, before.lanes...)
	}
	for number := len(after.lanes); number < count; number++ {
		l := newLane(a, number)
		after.lanes = append(after.lanes, l)
		a.running.Go(func() { l.run(ctx) })
	}
	for number := range count {
		after.numbers = append(after.numbers, number)
	}
	a.layout.Store(after)
	if before == nil {
		close(a.known)
		return
	}
	a.cfg.Log.InfoContext(ctx, "topic has more partitions", "topic", a.topic, "partitions", count)
}
