package actuator

import (
	"context"
	"time"

	"pawl/actuator/rules"
)

// Pass claims one entity that has a mutation due and serves it: its mutations
// in order, until none is due. It reports false where nothing is due, or where
// the rules say to plan only. Run calls it all the time; it is exported for
// tests and tools that want one step.
func (a *Actuator) Pass(ctx context.Context) (worked bool, err error) {
	a.askAgain(ctx)
	if !a.acting() {
		return false, nil
	}
	held, found, err := a.store.claim(ctx, a.config.Owner, a.config.Lease)
	if err != nil || !found {
		return false, err
	}
	a.signal() // there may be more: let another worker look
	if err := a.serve(ctx, held); err != nil {
		// The lease is released below all the same: what was claimed under it is
		// looked at again by whoever comes next.
		a.log.WarnContext(ctx, "entity not served to its end", "entity", held.entity, "fence", held.fence, "err", err)
	}
	return true, a.store.release(ctx, held)
}

func (a *Actuator) acting() bool { return a.rules().Mode == rules.ModeAct }

// serve acts on the entity's mutations in the order of their ids. One that has
// to wait ends it, and so does a stop: nobody waits holding a lease.
func (a *Actuator) serve(ctx context.Context, held lease) error {
	for ctx.Err() == nil && a.acting() {
		// Counted from before the statement is sent, so that the local deadline
		// is never later than the database's.
		held.until = time.Now().Add(a.config.Lease - a.config.Margin)
		m, found, err := a.store.take(ctx, held, a.config.Owner, a.config.Lease)
		if err != nil && found {
			_, err = a.settle(ctx, m, held, dead(err.Error()))
			return err
		}
		if err != nil || !found {
			return err
		}
		a.onStep(stepClaimed, m)
		o := a.act(ctx, m, held)
		a.onStep(stepActed, m)
		if settled, err := a.settle(ctx, m, held, o); err != nil || !settled {
			return err
		}
	}
	return nil
}
