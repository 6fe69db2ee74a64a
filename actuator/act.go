package actuator

import (
	"context"
	"encoding/json"
	"fmt"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// effect is what one mutation wants to be seen at the provider. One kind a file.
type effect interface {
	// look compares what the provider shows with what is wanted.
	look(ctx context.Context) (sight, error)
	// change makes the difference go away. It returns what there is to say.
	change(ctx context.Context) (string, error)
}

// sight is what a look found.
type sight struct {
	// found: the effect is there. gone: it cannot be wanted any more.
	found, gone bool
	// begun: a part of the effect is there that was not when it was decided.
	begun  bool
	reason string
}

// outcome returns how a look settles the mutation, if it does.
func (s sight) outcome() (outcome, bool) {
	switch {
	case s.found:
		return found(s.reason), true
	case s.gone:
		return skipped(s.reason), true
	}
	return outcome{}, false
}

// act brings the provider to what the mutation wants: look, compare, change.
//
// The first attempt asks the condition before it looks: nothing can have been
// done yet. Later ones look first. If an earlier attempt had its effect, that
// effect may be the reason why the condition does not hold any more, and to
// skip would give back a key that was spent (I11).
func (a *Actuator) act(ctx context.Context, m mutation, held lease) outcome {
	ctx, noted := withEvidence(ctx)
	return noted.on(a.attempt(ctx, m, held))
}

func (a *Actuator) attempt(ctx context.Context, m mutation, held lease) outcome {
	g := &gate{provider: a.providers[instanceOf(m)], instance: instanceOf(m), until: held.until, timeout: a.config.CallTimeout, drained: ctx.Done()}
	if err := a.knowStatuses(ctx, &m); err != nil {
		return retry(err.Error(), retryPause)
	}
	e, err := a.effectOf(m, g)
	if err != nil {
		return dead(err.Error())
	}
	if m.Attempt == 1 {
		if o, denied := a.denied(m); denied {
			return o
		}
	}
	seen, err := e.look(ctx)
	if err != nil {
		return a.failed(m, classify(err))
	}
	noteLook(ctx, seen)
	if o, settled := seen.outcome(); settled {
		return o
	}
	if m.Attempt > a.config.MaxAttempts {
		return dead(fmt.Sprintf("%d attempts ended without a word", m.Attempt-1))
	}
	// What was begun is ended: its own part may be why the condition is gone.
	if m.Attempt > 1 && !seen.begun {
		if o, denied := a.denied(m); denied {
			return o
		}
	}
	a.onStep(stepLooked, m)
	return a.change(ctx, m, e)
}

// change makes the call that changes. Its failure is not believed before
// another look, unless the provider said that it did nothing.
func (a *Actuator) change(ctx context.Context, m mutation, e effect) outcome {
	said, err := e.change(ctx)
	if err == nil {
		return done(said)
	}
	f := classify(err)
	switch f.verdict {
	case notStarted, limited, transient:
		return a.failed(m, f)
	case permanent, gone, unknown:
	}
	seen, err := e.look(ctx)
	if err != nil {
		return a.failed(m, f)
	}
	noteLook(ctx, seen)
	if o, settled := seen.outcome(); settled {
		o.effected = o.label == "found" && f.verdict == unknown
		o.reason += " (after: " + f.Error() + ")"
		return o
	}
	return a.failed(m, f)
}

// effectOf returns the effect of a mutation, behind the gate.
func (a *Actuator) effectOf(m mutation, g *gate) (effect, error) {
	if m.Kind == schemas.MutateNotify {
		return a.makeNotify(m, g)
	}
	pr := newestOf(m).PullRequest
	if pr == nil {
		return nil, fmt.Errorf("transition %s carries no pull request", m.TransitionID) // unreachable unless rules decide without one
	}
	ref := Ref{Repository: pr.Repository, RepositoryID: pr.RepositoryID, Number: pr.Number}
	if m.Kind == schemas.MutateBridgeComment {
		return a.makeBridge(m, g, ref)
	}
	if g.provider == nil {
		return nil, noProvider(m)
	}
	makeEffect, ok := effectMakers()[m.Kind]
	if !ok {
		return nil, fmt.Errorf("mutation of unknown kind %q", m.Kind)
	}
	return makeEffect(making{mutation: m, gate: g, ref: ref, author: pr.Author, report: a.reporter(m, ref)})
}

func noProvider(m mutation) error {
	return fmt.Errorf("no provider is configured for %q: add it under providers", instanceOf(m))
}

func params(m mutation, into any) error {
	if err := json.Unmarshal(m.Params, into); err != nil {
		return fmt.Errorf("parameters of %s: %w", m.Kind, err)
	}
	return nil
}

// newestOf is the row, or the one that the transition carries where the row is not
// there. A pull request's row knows the repository's newest name.
func newestOf(m mutation) rules.Now {
	if !m.Newest.IsUnknown() {
		return m.Newest
	}
	return rules.NowOf(m.Transition)
}

func instanceOf(m mutation) string {
	parsed, err := schemas.ParseKey(m.Entity)
	if err != nil {
		return ""
	}
	return parsed.Instance
}
