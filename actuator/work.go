package actuator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/actuator/rules"
)

// retryPause is the pause after the database failed us.
const retryPause = time.Second

// Run acts until the context ends. Then it starts no further call, finishes the
// ones that are out, and gives back what it holds. It returns nil.
//
// One connection listens for new mutations and wakes a worker; the worker that
// finds work wakes the next, so one notification starts as many as there is
// work for. Polling is the net under it, and finds what is due at a time.
func (a *Actuator) Run(ctx context.Context) error {
	var running sync.WaitGroup
	running.Go(func() { a.learnLogins(ctx) })
	running.Go(func() { a.listen(ctx) })
	for range a.config.Workers {
		running.Go(func() { a.work(ctx) })
	}
	running.Wait()
	return nil
}

func (a *Actuator) work(ctx context.Context) {
	for ctx.Err() == nil {
		worked, err := a.Pass(ctx)
		switch {
		case err != nil:
			a.log.WarnContext(ctx, "work is looked for again", "err", err)
			pause(ctx, retryPause)
		case !worked:
			a.sleep(ctx)
		}
	}
}

// signal wakes one worker, if one sleeps.
func (a *Actuator) signal() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func (a *Actuator) sleep(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-a.wake:
	}
}

// listen wakes a worker with each notification, and at the latest each Poll.
func (a *Actuator) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := a.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		a.log.WarnContext(ctx, "not listening for mutations, polling", "err", err)
		a.signal()
		pause(ctx, a.config.Poll)
	}
}

// follow holds a connection of its own: what is listened for belongs to a
// session, and does not go back into the pool.
func (a *Actuator) follow(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, a.store.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connect to listen: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "listen pawl_mutation"); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	for {
		if err := a.store.wakeWaiting(ctx); err != nil {
			return err
		}
		a.signal()
		wait, cancel := context.WithTimeout(ctx, a.config.Poll)
		_, err := conn.WaitForNotification(wait)
		timedOut := wait.Err() != nil
		cancel()
		if ctx.Err() != nil || (err != nil && !timedOut) {
			return errors.Join(ctx.Err(), err)
		}
		if conn.IsClosed() {
			return errors.New("the listening connection was closed")
		}
	}
}

// learnLogins asks each provider who we are there, until it says: the rules
// must know our own echo.
func (a *Actuator) learnLogins(ctx context.Context) {
	for instance, provider := range a.providers {
		for !a.learnLogin(ctx, instance, provider) {
			pause(ctx, 30*retryPause)
			if ctx.Err() != nil {
				return
			}
		}
	}
}

func (a *Actuator) learnLogin(ctx context.Context, instance string, provider Provider) bool {
	call, cancel := context.WithTimeoutCause(ctx, a.config.CallTimeout, errCallTimeout)
	defer cancel()
	login, err := provider.Login(call)
	if err != nil {
		a.log.WarnContext(ctx, "own login not known yet", "instance", instance, "err", err)
		return false
	}
	if login == "" {
		a.log.WarnContext(ctx, "own login cannot be asked for, name it under providers", "instance", instance)
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.logins[instance] = login
	return true
}

// ruleSet returns the rules of the moment, with our logins made known to them.
func (a *Actuator) ruleSet() *rules.Set {
	set := a.rules()
	a.mu.Lock()
	defer a.mu.Unlock()
	for instance, login := range a.logins {
		set.SetOwn(instance, login)
	}
	return set
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
