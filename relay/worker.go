package relay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"
)

// worker empties one shard, or the dead letters. It fails alone.
type worker struct {
	relay *Relay
	name  string
	step  func(context.Context) (more bool, err error)
	wake  chan struct{} // of size 1
}

func newWorker(r *Relay, name string, step func(context.Context) (bool, error)) *worker {
	return &worker{relay: r, name: name, step: step, wake: make(chan struct{}, 1)}
}

func (w *worker) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *worker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
			w.drain(ctx)
		}
	}
}

// drain takes step after step until there is nothing left. After a failure it
// tries again by itself, later and later.
func (w *worker) drain(ctx context.Context) {
	backoff := firstBackoff
	for ctx.Err() == nil {
		more, err := w.once(ctx)
		if err == nil {
			if !more {
				return
			}
			backoff = firstBackoff
			continue
		}
		w.relay.metrics.failures.Inc()
		w.relay.cfg.Log.WarnContext(ctx, "relay failed, trying again", "worker", w.name, "backoff", backoff, "err", err)
		if !sleep(ctx, backoff) {
			return
		}
		backoff = min(2*backoff, w.relay.cfg.MaxBackoff)
	}
}

// errStepTimeout is the cause of a step that took too long.
var errStepTimeout = errors.New("relay step timeout")

// once takes one step. When ctx ends it may go on for stopGrace.
func (w *worker) once(ctx context.Context) (bool, error) {
	late, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), w.relay.cfg.PublishTimeout+databaseTime, errStepTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		if sleep(late, stopGrace) {
			cancel()
		}
	})
	defer stop()
	return w.step(late)
}

// lockClass is the first half of the relay's advisory locks: "pawl". The second
// half is the shard.
const lockClass = 0x7061776c

// lock takes a shard for the transaction, and reports false if another relay
// has it.
func (r *Relay) lock(ctx context.Context, tx pgx.Tx, shard int) (bool, error) {
	idle := (r.cfg.PublishTimeout + databaseTime).Milliseconds()
	var taken bool
	err := tx.QueryRow(ctx, lockShard, lockClass, shard, fmt.Sprintf("%dms", idle)).Scan(&taken, nil)
	if err != nil {
		return false, fmt.Errorf("lock shard %d: %w", shard, err)
	}
	return taken, nil
}

// publish appends messages to a topic, all in one call: the publisher keeps
// their order.
func (r *Relay) publish(ctx context.Context, topic string, messages []*message.Message) error {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.PublishTimeout)
	defer cancel()
	for _, m := range messages {
		m.SetContext(ctx)
	}
	if err := r.publisher.Publish(topic, messages...); err != nil {
		return fmt.Errorf("publish %d records to %s: %w", len(messages), topic, err)
	}
	return nil
}

// rollBack ends a transaction that was not committed; after a commit it does
// nothing. Its error says no more than that the session is gone, and with it
// the transaction.
func rollBack(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = tx.Rollback(ctx)
}

// sleep waits, and reports false when ctx ended first.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
