package actuator

import (
	"context"
	"strings"
	"time"
)

// statusEffect: the newest status of a context is the one that is wanted.
type statusEffect struct {
	provider statusReporter
	ref      Ref
	// since is when this was decided, of a mutation that was tried before.
	// Whatever was set after that may be a later decision's, and stands.
	since  time.Time
	params StatusParams
}

func (e *statusEffect) look(ctx context.Context) (sight, error) {
	live, found, err := e.provider.CommitStatus(ctx, e.ref, e.params.SHA, e.params.Context)
	switch {
	case err != nil || !found:
		return sight{}, err
	case e.isShown(live):
		return sight{found: true, reason: "the status is there"}, nil
	case !e.since.IsZero() && live.At.After(e.since):
		return sight{found: true, reason: "a later status was set since: " + live.State}, nil
	}
	return sight{}, nil
}

func (e *statusEffect) isShown(live StatusParams) bool {
	return strings.EqualFold(live.Context, e.params.Context) && live.State == e.params.State &&
		live.Description == e.params.Description && live.TargetURL == e.params.TargetURL
}

func (e *statusEffect) change(ctx context.Context) (string, error) {
	return "", e.provider.CreateCommitStatus(ctx, e.ref, e.params)
}
