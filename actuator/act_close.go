package actuator

import "context"

// closeEffect: the pull request is closed without being merged.
type closeEffect struct {
	provider Provider
	ref      Ref
}

func (e *closeEffect) look(ctx context.Context) (sight, error) {
	live, err := e.provider.PullRequest(ctx, e.ref)
	switch {
	case err != nil:
		return sight{}, err
	case live.Merged:
		return sight{gone: true, reason: "found merged"}, nil
	case live.Closed:
		return sight{found: true, reason: "found closed"}, nil
	}
	return sight{}, nil
}

func (e *closeEffect) change(ctx context.Context) (string, error) {
	return "", e.provider.Close(ctx, e.ref)
}
