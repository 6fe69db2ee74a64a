package actuator

import (
	"context"
	"fmt"
)

// mergeEffect: the head that was decided on is merged, or the provider merges it
// by its own means. The provider compares the sha, so a second merge, or one of
// another head, does nothing.
//
//	merge ──405 merge queue──▶ enqueue ──refused──▶ auto-merge, if wanted
//	   └────405 requirements──▶ auto-merge, if wanted
type mergeEffect struct {
	provider interface {
		reader
		merger
		queuer
	}
	ref    Ref
	params MergeParams
	// asked: it may stand in the queue by an earlier attempt, or by this one.
	asked bool
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
	case live.AutoMerge && e.params.AutoMerge:
		return sight{found: true, reason: "auto-merge is on"}, nil
	}
	return e.lookInQueue(ctx)
}

// lookInQueue asks for the queue only where it may have been put there: the
// first attempt finds out by merging.
func (e *mergeEffect) lookInQueue(ctx context.Context) (sight, error) {
	if !e.asked || !e.params.Queue {
		return sight{}, nil
	}
	queued, err := e.provider.InQueue(ctx, e.ref)
	if err != nil || !queued {
		return sight{}, err
	}
	return sight{found: true, reason: "found in the merge queue"}, nil
}

func (e *mergeEffect) change(ctx context.Context) (string, error) {
	sha, err := e.provider.Merge(ctx, e.ref, e.params)
	switch why := refusalOf(err); {
	case err == nil:
		return "merged as " + sha, nil
	case why == refusedForQueue && e.params.Queue:
		return e.enqueue(ctx)
	case why == refusedUnmet && e.params.AutoMerge:
		return e.autoMerge(ctx, string(why))
	}
	return "", err
}

func (e *mergeEffect) enqueue(ctx context.Context) (string, error) {
	e.asked = true
	err := e.provider.Enqueue(ctx, e.ref, e.params.SHA)
	if err != nil && e.params.AutoMerge && classify(err).verdict == permanent {
		return e.autoMerge(ctx, "the merge queue refuses it")
	}
	return "put into the merge queue: " + string(refusedForQueue), err
}

func (e *mergeEffect) autoMerge(ctx context.Context, why string) (string, error) {
	return "auto-merge switched on: " + why, e.provider.EnableAutoMerge(ctx, e.ref, e.params)
}
