package projector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go"
)

// Config says what to fold and as whom.
type Config struct {
	Brokers []string
	// Dialer is used for the consumer group; nil is a plain one.
	Dialer *kafka.Dialer
	Topic  string
	// Group is the consumer group that shares the partitions.
	Group string
	// Owner names this projector in the checkpoint.
	Owner string
	// MaxRecords caps a transaction; 0 is 1000.
	MaxRecords int
	// Links finds the issues that a pull request names; nil finds none.
	Links FindLinks
}

const (
	heartbeatInterval = 500 * time.Millisecond
	sessionTimeout    = 6 * time.Second
	rebalanceTimeout  = 8 * time.Second
	joinBackoff       = 500 * time.Millisecond
	retryPause        = 500 * time.Millisecond
	hintInterval      = time.Second
	// stoppedRecheck is how often a stopped partition is looked at again.
	stoppedRecheck = 15 * time.Second
	// stuckAfter is how long a batch may take before the worker gives its
	// generation up: heartbeats run apart from it, so a wedged one would keep
	// its partition for ever.
	stuckAfter = 60 * time.Second
)

// Projector folds the partitions that a consumer group assigns to it.
type Projector struct {
	config  Config
	pool    *pgxpool.Pool
	client  *kafka.Client
	decode  Decode
	log     *slog.Logger
	metrics *metrics

	mu      sync.Mutex // mu guards what follows
	joined  bool
	stopped map[int]string
}

// New returns a projector. The pool's connections should carry
// statement_timeout and lock_timeout below stuckAfter.
func New(config Config, pool *pgxpool.Pool, client *kafka.Client, decode Decode, log *slog.Logger, registerer prometheus.Registerer) *Projector {
	config.MaxRecords = cmp.Or(config.MaxRecords, 1000)
	return &Projector{
		config: config, pool: pool, client: client, decode: decode, log: log,
		metrics: newMetrics(registerer), stopped: make(map[int]string),
	}
}

// Ready returns nil when the projector is a member of its group and none of its
// partitions is stopped.
func (p *Projector) Ready() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.joined {
		return errors.New("projector has not joined its consumer group")
	}
	for partition, reason := range p.stopped {
		return fmt.Errorf("projector stopped %s/%d: %s", p.config.Topic, partition, reason)
	}
	return nil
}

// Run folds until the context ends. It returns nil then, and an error only if
// the group cannot be made at all.
func (p *Projector) Run(ctx context.Context) error {
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID:                     p.config.Group,
		Brokers:                p.config.Brokers,
		Dialer:                 p.config.Dialer,
		Topics:                 []string{p.config.Topic},
		HeartbeatInterval:      heartbeatInterval,
		SessionTimeout:         sessionTimeout,
		RebalanceTimeout:       rebalanceTimeout,
		JoinGroupBackoff:       joinBackoff,
		WatchPartitionChanges:  true,
		PartitionWatchInterval: 5 * time.Second,
		StartOffset:            kafka.FirstOffset,
	})
	if err != nil {
		return fmt.Errorf("join group %s: %w", p.config.Group, err)
	}
	defer group.Close()
	for {
		generation, err := group.Next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			// Every error of the coordinator's connection heals by joining
			// again, io.EOF among them.
			p.setJoined(false)
			p.log.WarnContext(ctx, "joining the consumer group again", "err", err)
			pause(ctx, retryPause)
			continue
		}
		p.serve(generation)
	}
}

func (p *Projector) setJoined(joined bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.joined = joined
}

// serve starts a worker for each partition of a generation. The generation
// lasts until a worker returns or the group rebalances.
func (p *Projector) serve(generation *kafka.Generation) {
	p.mu.Lock()
	p.joined = true
	clear(p.stopped)
	p.mu.Unlock()
	for _, assigned := range generation.Assignments[p.config.Topic] {
		generation.Start(func(ctx context.Context) {
			w := &worker{Projector: p, generation: generation, partition: assigned.ID}
			w.run(ctx)
		})
	}
}

// worker folds one partition for the length of one generation.
type worker struct {
	*Projector
	generation *kafka.Generation
	partition  int
	checkpoint Checkpoint
	lag        *lag
}

// run claims the partition and folds it until the generation ends. To return
// sooner ends the generation for all its partitions: that is how a fenced or a
// wedged worker makes way.
func (w *worker) run(ctx context.Context) {
	next, ok := w.claim(ctx)
	if !ok {
		return
	}
	defer w.metrics.forget(w.checkpoint)
	w.lag = w.metrics.follow(w.checkpoint, next)
	hint := newHint(w.generation, w.config.Topic, w.partition, next)
	hintCtx, stopHints := context.WithCancel(ctx)
	var hinting sync.WaitGroup
	defer hinting.Wait()
	defer stopHints()
	hinting.Go(func() { hint.run(hintCtx) })
	for ctx.Err() == nil {
		err := w.follow(ctx, next, hint)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, ErrFenced) {
			w.metrics.fenced.Inc()
			w.log.WarnContext(ctx, "partition has another owner", "topic", w.config.Topic, "partition", w.partition, "err", err)
			pause(ctx, retryPause)
			return
		}
		w.rest(ctx, err)
		// Unknown is not failed: the stored checkpoint says how far it got.
		next = w.reread(ctx, next)
	}
}

// claim takes the partition, trying until the database answers.
func (w *worker) claim(ctx context.Context) (next int64, ok bool) {
	for ctx.Err() == nil {
		checkpoint, next, err := Claim(ctx, w.pool, w.config.Topic, w.partition, w.config.Owner)
		if err == nil {
			w.checkpoint = checkpoint
			w.log.InfoContext(ctx, "partition claimed", "topic", w.config.Topic, "partition", w.partition, "checkpoint", next, "epoch", checkpoint.Epoch)
			return next, true
		}
		w.log.WarnContext(ctx, "partition not claimed yet", "topic", w.config.Topic, "partition", w.partition, "err", err)
		pause(ctx, retryPause)
	}
	return 0, false
}

// rest says what went wrong and waits before the next try.
func (w *worker) rest(ctx context.Context, err error) {
	var stop *stopError
	if !errors.As(err, &stop) {
		w.log.WarnContext(ctx, "partition is read again from its checkpoint", "topic", w.config.Topic, "partition", w.partition, "err", err)
		pause(ctx, retryPause)
		return
	}
	w.log.ErrorContext(ctx, "partition stopped", "topic", w.config.Topic, "partition", w.partition, "err", stop)
	w.setStopped(ctx, stop)
	w.lag.fetched(Batch{LogEnd: stop.end})
	pause(ctx, stoppedRecheck)
}

// setStopped tells readiness, the metrics and the checkpoint that the partition
// is stopped, or with an empty reason that it is folded again.
func (w *worker) setStopped(ctx context.Context, stop *stopError) {
	w.mu.Lock()
	w.stopped[w.partition] = stop.reason
	gauge := 1.0
	if stop.reason == "" {
		delete(w.stopped, w.partition)
		gauge = 0
	}
	w.metrics.stopped.WithLabelValues(w.config.Topic, strconv.Itoa(w.partition)).Set(gauge)
	w.mu.Unlock()
	if err := w.checkpoint.stop(ctx, w.pool, stop.reason, stop.start, stop.end); err != nil {
		w.log.WarnContext(ctx, "stop not noted", "topic", w.config.Topic, "partition", w.partition, "err", err)
	}
}

// resume ends a stop for a checkpoint that lies in the log again, whether or
// not there is a record to fold. A stop for what could not be written lasts
// until it is.
func (w *worker) resume(ctx context.Context, fetched Batch) {
	w.mu.Lock()
	_, stopped := w.stopped[w.partition]
	w.mu.Unlock()
	if stopped && len(fetched.Records) == 0 {
		w.setStopped(ctx, &stopError{start: fetched.LogStart, end: fetched.LogEnd})
	}
}

// reread returns the stored checkpoint; if it cannot be read now, the old one,
// whose next use the compare will judge.
func (w *worker) reread(ctx context.Context, next int64) int64 {
	stored, err := w.checkpoint.Read(ctx, w.pool)
	if err != nil {
		return next
	}
	return stored
}

// follow folds from an offset until something fails. Fetching and decoding run
// ahead by one batch.
func (w *worker) follow(ctx context.Context, next int64, hint *hint) error {
	ctx, cancel := context.WithCancelCause(ctx)
	batches := make(chan Batch, 1) // one batch ahead
	f := &fetcher{client: w.client, topic: w.config.Topic, partition: w.partition, decode: w.decode, maxRecords: w.config.MaxRecords}
	f.fetched = func(fetched Batch) {
		w.lag.fetched(fetched)
		w.resume(ctx, fetched)
	}
	var fetching sync.WaitGroup
	defer fetching.Wait()
	defer cancel(nil)
	fetching.Go(func() {
		defer close(batches)
		cancel(f.follow(ctx, next, batches))
	})
	applier := NewApplier(w.pool, w.checkpoint, w.config.Links)
	for batch := range batches {
		if err := w.apply(ctx, applier, batch); err != nil {
			return err
		}
		hint.next.Store(batch.Next)
	}
	return context.Cause(ctx)
}

// apply applies one batch within stuckAfter. The fetch side's error must not
// cut a batch short that was read before it.
func (w *worker) apply(ctx context.Context, applier *Applier, batch Batch) error {
	begun := time.Now()
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), stuckAfter,
		fmt.Errorf("a batch of %d records took longer than %s", len(batch.Records), stuckAfter))
	defer cancel()
	results, err := applier.Apply(ctx, batch)
	now := time.Now()
	w.metrics.applied(batch.Records[:len(results)], results, now)
	if err != nil {
		return err
	}
	w.markFolding()
	w.lag.applied(batch)
	w.metrics.apply.Observe(now.Sub(begun).Seconds())
	return nil
}

// markFolding ends a stop after a commit, which cleared it in the checkpoint.
func (w *worker) markFolding() {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.stopped, w.partition)
	w.metrics.stopped.WithLabelValues(w.config.Topic, strconv.Itoa(w.partition)).Set(0)
}

// hint commits the checkpoint to Kafka now and then, for tools that show lag.
type hint struct {
	generation *kafka.Generation
	topic      string
	partition  int

	next      atomic.Int64
	committed int64 // of run alone
}

func newHint(generation *kafka.Generation, topic string, partition int, next int64) *hint {
	h := &hint{generation: generation, topic: topic, partition: partition, committed: next}
	h.next.Store(next)
	return h
}

// run commits until the context ends, and once more then. A failed hint is no
// failure: the next one carries more.
func (h *hint) run(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, hintInterval)
		h.commit()
	}
}

func (h *hint) commit() {
	next := h.next.Load()
	if next == h.committed {
		return
	}
	if h.generation.CommitOffsets(map[string]map[int]int64{h.topic: {h.partition: next}}) == nil {
		h.committed = next
	}
}

// pause waits, or returns when the context ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
