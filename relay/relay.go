// Package relay publishes what the projector committed: transitions from the
// outbox to pawl.transitions, and dead letters to pawl.dead-letters.
//
// The promise: every outbox row is published at least once, and an entity's
// transitions in the order in which they were folded. Readers deduplicate by
// ce_id, which two publishings of one transition share (I8).
//
//	          NOTIFY pawl_outbox, or the poll as the net under it
//	                       │
//	                       ▼
//	dispatch ──▶ a worker a shard, each in one transaction:
//	             lock shard ─▶ read rows ─▶ publish ─▶ delete rows ─▶ commit
//	                 │ taken                   │ failed
//	                 ▼                         ▼
//	             leave it to the other     roll back, wait longer, again
//
// Storage: the tables outbox and dead_letter. A row is in the outbox until the
// log has it; the relay itself keeps nothing.
//
// Order. A shard is the hash of the partition key that a row is published under,
// so an entity's rows are in one shard, whichever record caused them: a result of
// a commit changes pull requests of any partition. Their ids rise in the order of
// commit, because a transaction holds the row of the pull request from before it
// folds until it ends, and the next one numbers its rows after that. One relay at
// a time serves a shard, under an advisory lock that ends with the transaction,
// and publishes its rows by id. Any number of relays may run; they share the
// shards as they come.
//
// Failure. A crash before the commit publishes the batch again. A relay that
// lost its session in the middle may append late, after another has published
// the same rows: these are repeats, and the first sight of each is in order.
// Kafka away: the rows stay, each shard tries again by itself, later and later.
// A shard that fails holds back no other. Database away: likewise.
//
// Why the transaction stays open while Kafka is asked: the lock must hold until
// the rows are gone, and PostgreSQL ends both together, whatever happens to the
// relay. A lease in a table would need a clock and a fence for the same. The
// publish is bounded, and a relay that stands still loses its session.
package relay

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/schemas"
)

// Config holds what may be left to its default.
type Config struct {
	// PollInterval is how often the tables are looked at without being woken.
	// Default 1 s. Dead letters wake nobody, so it is their delay.
	PollInterval time.Duration
	// BatchRows is how many rows one transaction publishes. Default 500.
	BatchRows int
	// PublishTimeout bounds one publish. Default 10 s.
	PublishTimeout time.Duration
	// MaxBackoff bounds the pause after failures. Default 10 s.
	MaxBackoff time.Duration
	// MeasureInterval is how often the gauges are read. Default 5 s.
	MeasureInterval time.Duration
	// Registerer takes the metrics. Nil registers them nowhere.
	Registerer prometheus.Registerer
	Log        *slog.Logger
}

func (c Config) withDefaults() Config {
	c.PollInterval = cmp.Or(c.PollInterval, time.Second)
	c.BatchRows = cmp.Or(c.BatchRows, 500)
	c.PublishTimeout = cmp.Or(c.PublishTimeout, 10*time.Second)
	c.MaxBackoff = cmp.Or(c.MaxBackoff, 10*time.Second)
	c.MeasureInterval = cmp.Or(c.MeasureInterval, 5*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

const (
	firstBackoff = 100 * time.Millisecond
	// databaseTime is what a transaction may take beside its publish.
	databaseTime = 10 * time.Second
	// stopGrace is how long a batch that is under way may go on after a stop:
	// to cut it off would publish it twice.
	stopGrace = 3 * time.Second
)

// Relay publishes outbox rows and dead letters.
type Relay struct {
	pool      *pgxpool.Pool
	publisher message.Publisher
	topics    schemas.Topics
	cfg       Config
	metrics   *metrics
	wake      chan struct{} // of size 1: look at the tables
}

// New returns a relay. The publisher must return nil only once the log has every
// message, keep the order of messages of one partition_key within a call, and
// end with the messages' context.
func New(pool *pgxpool.Pool, publisher message.Publisher, topics schemas.Topics, cfg Config) *Relay {
	cfg = cfg.withDefaults()
	return &Relay{
		pool: pool, publisher: publisher, topics: topics, cfg: cfg,
		metrics: newMetrics(cfg.Registerer), wake: make(chan struct{}, 1),
	}
}

// Run relays until ctx ends, and then finishes what is under way. What fails is
// logged, counted and tried again, so it returns nil.
func (r *Relay) Run(ctx context.Context) error {
	var running sync.WaitGroup
	running.Go(func() { r.listen(ctx) })
	running.Go(func() { r.measure(ctx) })
	r.dispatch(ctx, &running)
	running.Wait()
	return nil
}

// signal makes dispatch look at the tables.
func (r *Relay) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// dispatch wakes a worker for each shard that has rows, and the one for dead
// letters, each time it is woken itself.
func (r *Relay) dispatch(ctx context.Context, running *sync.WaitGroup) {
	deadLetters := newWorker(r, "dead letters", r.publishDeadLetters)
	running.Go(func() { deadLetters.run(ctx) })
	shards := make(map[int]*worker)
	for backoff := firstBackoff; ; {
		deadLetters.signal()
		pause := r.cfg.PollInterval
		if err := r.wakeShards(ctx, running, shards); err != nil && ctx.Err() == nil {
			r.cfg.Log.WarnContext(ctx, "outbox cannot be read, trying again", "backoff", backoff, "err", err)
			pause, backoff = backoff, min(2*backoff, r.cfg.MaxBackoff)
		} else {
			backoff = firstBackoff
		}
		if !r.await(ctx, pause) {
			return
		}
	}
}

// await waits to be woken, or for the pause. It reports false when ctx ended.
func (r *Relay) await(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	case <-r.wake:
	}
	return true
}

// wakeShards wakes the workers of the shards that have rows. A worker lives as
// long as the relay: there are only a few shards.
func (r *Relay) wakeShards(ctx context.Context, running *sync.WaitGroup, workers map[int]*worker) error {
	ask, cancel := context.WithTimeout(ctx, databaseTime)
	defer cancel()
	rows, err := r.pool.Query(ask, listShards)
	if err != nil {
		return fmt.Errorf("list shards: %w", err)
	}
	shards, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return fmt.Errorf("list shards: %w", err)
	}
	for _, shard := range shards {
		w, ok := workers[shard]
		if !ok {
			w = newWorker(r, fmt.Sprintf("shard %d", shard), func(ctx context.Context) (bool, error) {
				return r.publishShard(ctx, shard)
			})
			workers[shard] = w
			running.Go(func() { w.run(ctx) })
		}
		w.signal()
	}
	return nil
}
