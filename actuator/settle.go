package actuator

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"pawl/schemas"
)

// outcome is how a claim ends.
type outcome struct {
	state  schemas.MutationState
	reason string
	// label is the outcome in metrics: finer than the state.
	label string
	// after is the pause before the next attempt of a pending mutation.
	after time.Duration
	// uncounted: nothing was sent, the attempt does not count.
	uncounted bool
	// effected: a call that changes was answered with success.
	effected bool
	// waitsFor are the components that alone are why it is skipped, and asked the
	// statuses that were read for it.
	waitsFor []schemas.EntityKey
	asked    map[schemas.EntityKey]schemas.ComponentStatus
	// seen, sent and answer are the evidence of the attempt.
	seen, sent, answer string
}

func done(reason string) outcome {
	return outcome{state: schemas.MutationDone, label: "done", reason: reason, effected: true}
}

func found(reason string) outcome {
	return outcome{state: schemas.MutationDone, label: "found", reason: reason}
}

func skipped(reason string) outcome {
	return outcome{state: schemas.MutationSkipped, label: "skipped", reason: reason}
}

func dead(reason string) outcome {
	return outcome{state: schemas.MutationDead, label: "dead", reason: reason}
}

func retry(reason string, after time.Duration) outcome {
	return outcome{state: schemas.MutationPending, label: "retry", reason: reason, after: after}
}

// failed turns a failure into an outcome, after the look that an unknown one
// asks for found nothing.
func (a *Actuator) failed(m mutation, f failure) outcome {
	switch f.verdict {
	case notStarted:
		o := retry(f.Error(), 0)
		o.label, o.uncounted = "given_back", f.drained()
		return o
	case limited:
		o := retry(f.Error(), f.wait)
		o.label, o.uncounted = "rate_limited", true
		return o
	case permanent:
		return dead(f.Error())
	case transient, gone, unknown:
	}
	if m.Attempt >= a.config.MaxAttempts {
		return dead(fmt.Sprintf("%d attempts failed, the last: %s", m.Attempt, f.Error()))
	}
	return retry(f.Error(), a.backoff(m.Attempt))
}

// maxBackoff is the longest pause between two attempts.
const maxBackoff = 5 * time.Minute

// backoffFrom doubles a pause with each attempt, and takes a random part off,
// so that what failed together does not come back together.
func backoffFrom(first time.Duration) func(attempt int) time.Duration {
	return func(attempt int) time.Duration {
		pause := first
		for range attempt - 1 {
			pause = min(2*pause, maxBackoff)
		}
		return pause/2 + rand.N(pause/2+1)
	}
}

// settle ends the claim of a mutation. It reports false where the claim was
// another's by now: nothing was changed then, and the entity is left alone.
func (a *Actuator) settle(ctx context.Context, m mutation, held lease, o outcome) (bool, error) {
	settled, followed, err := a.store.settle(ctx, m, held.fence, &o)
	if err != nil {
		return false, err
	}
	if !settled {
		a.fenced(ctx, m, held, o)
		return false, nil
	}
	a.metrics.mutations.WithLabelValues(string(m.Kind), o.label).Inc()
	a.metrics.count(followed)
	if received := m.Transition.Cause.ReceivedAt; o.effected && !received.IsZero() {
		a.metrics.toMutation.Observe(time.Since(received).Seconds())
	}
	level := slog.LevelInfo
	if o.state == schemas.MutationDead {
		level = slog.LevelError
	}
	a.log.Log(ctx, level, "mutation settled", "entity", m.Entity, "kind", m.Kind, "rule", m.Rule, "mutation_id", m.ID,
		"transition_id", m.TransitionID, "idempotency_key", m.IdempotencyKey, "attempt", m.Attempt, "fence", held.fence,
		"outcome", o.label, "reason", o.reason, "elapsed", time.Since(held.until.Add(a.config.Margin-a.config.Lease)))
	return true, nil
}

// fenced counts a settle that came too late. Where the late actor made an
// effect, the mutation is to be looked at once more: another may have made it
// too (hard part 4).
func (a *Actuator) fenced(ctx context.Context, m mutation, held lease, o outcome) {
	a.metrics.fencedSettles.Inc()
	a.log.WarnContext(ctx, "settle refused, another actor has claimed since", "entity", m.Entity, "kind", m.Kind,
		"mutation_id", m.ID, "fence", held.fence, "outcome", o.label)
	if !o.effected {
		return
	}
	a.mu.Lock()
	a.late[m.ID] = struct{}{}
	a.mu.Unlock()
	a.askAgain(ctx)
}

// askAgain asks for another look at mutations that a late settle of ours was
// about, as soon as their holders have settled them.
func (a *Actuator) askAgain(ctx context.Context) {
	a.mu.Lock()
	ids := make([]int64, 0, len(a.late))
	for id := range a.late {
		ids = append(ids, id)
	}
	a.mu.Unlock()
	slices.Sort(ids)
	for _, id := range ids {
		asked, err := a.store.lookAgain(ctx, id)
		if err != nil {
			a.log.WarnContext(ctx, "another look not asked for yet", "mutation_id", id, "err", err)
		}
		if !asked {
			continue
		}
		a.mu.Lock()
		delete(a.late, id)
		a.mu.Unlock()
		a.signal()
	}
}
