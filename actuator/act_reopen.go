package actuator

import "context"

// reopenEffect: the pull request is open again.
type reopenEffect struct {
	provider interface {
		reader
		reopener
	}
	ref Ref
}

func (e *reopenEffect) look(ctx context.Context) (sight, error) {
	live, err := e.provider.PullRequest(ctx, e.ref)
	switch {
	case err != nil:
		return sight{}, err
	case live.Merged:
		return sight{gone: true, reason: "found merged"}, nil
	case !live.Closed:
		return sight{found: true, reason: "found open"}, nil
	}
	return sight{}, nil
}

func (e *reopenEffect) change(ctx context.Context) (string, error) {
	return "", e.provider.Reopen(ctx, e.ref)
}
