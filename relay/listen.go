package relay

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// listenCheck is how often a silent connection is asked whether it lives.
const listenCheck = 30 * time.Second

// listen wakes the relay on each NOTIFY pawl_outbox, until ctx ends. While it
// has no connection the poll is the net.
func (r *Relay) listen(ctx context.Context) {
	for backoff := firstBackoff; ctx.Err() == nil; backoff = min(2*backoff, r.cfg.MaxBackoff) {
		began := time.Now()
		err := r.listenOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > r.cfg.MaxBackoff {
			backoff = firstBackoff
		}
		r.cfg.Log.WarnContext(ctx, "listening for the outbox failed, trying again", "backoff", backoff, "err", err)
		sleep(ctx, backoff)
	}
}

// listenOnce listens on one connection, which is taken out of the pool for good,
// until that fails.
func (r *Relay) listenOnce(ctx context.Context) error {
	pooled, err := r.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	conn := pooled.Hijack()
	defer closeConn(ctx, conn)
	if _, err := conn.Exec(ctx, "listen pawl_outbox"); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	for {
		r.signal() // the first time for what was committed before we listened
		if err := awaitNotification(ctx, conn); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
}

// awaitNotification waits for a notification. A connection that is silent for
// long may be dead without a word, so it is asked now and then.
func awaitNotification(ctx context.Context, conn *pgx.Conn) error {
	for {
		wait, cancel := context.WithTimeout(ctx, listenCheck)
		_, err := conn.WaitForNotification(wait)
		silent := wait.Err() != nil && ctx.Err() == nil
		cancel()
		if err == nil || !silent {
			return err
		}
		ask, cancel := context.WithTimeout(ctx, databaseTime)
		err = conn.Ping(ask)
		cancel()
		if err != nil {
			return err
		}
	}
}

func closeConn(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // it served nothing that could be lost
}
