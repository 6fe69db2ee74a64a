package actuator

import (
	"context"
	"fmt"
)

// mergeEffect: the head that was decided on is merged. The provider compares
// the sha, so a second merge, or one of another head, does nothing.
type mergeEffect struct {
	provider Provider
	ref      Ref
	params   MergeParams
	// report appends a live read to the log, for the fold to see the new head.
	report func(context.Context, Live) error
}

// look tells our merge from somebody's of another head. A head that moved is
// told to the log: the fold and the rules decide again on it, nothing here
// merges what was not decided on (case 12).
func (e *mergeEffect) look(ctx context.Context) (sight, error) {
	live, err := e.provider.PullRequest(ctx, e.ref)
	switch {
	case err != nil:
		return sight{}, err
	case live.Merged && live.HeadSHA == e.params.SHA:
		return sight{found: true, reason: "found merged as " + live.MergeCommitSHA}, nil
	case live.Merged:
		return sight{gone: true, reason: fmt.Sprintf("found merged at head %s, not %s", live.HeadSHA, e.params.SHA)}, nil
	case live.HeadSHA != e.params.SHA:
		reason := fmt.Sprintf("head moved from %s to %s", e.params.SHA, live.HeadSHA)
		return sight{gone: true, reason: reason}, e.report(ctx, live)
	case live.Closed:
		return sight{gone: true, reason: "found closed"}, nil
	}
	return sight{}, nil
}

func (e *mergeEffect) change(ctx context.Context) (string, error) {
	sha, err := e.provider.Merge(ctx, e.ref, e.params)
	return "merged as " + sha, err
}
