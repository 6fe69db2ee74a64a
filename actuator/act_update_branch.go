package actuator

import (
	"context"
	"fmt"
)

// updateBranchEffect: the base is merged into the head that was decided on.
type updateBranchEffect struct {
	provider interface {
		reader
		branchUpdater
	}
	ref Ref
	SHA string `json:"sha"`
}

// look tells our update, a merge of the head decided on, from a push: its first
// parent is that head.
func (e *updateBranchEffect) look(ctx context.Context) (sight, error) {
	live, err := e.provider.PullRequest(ctx, e.ref)
	switch {
	case err != nil:
		return sight{}, err
	case live.Merged, live.Closed:
		return sight{gone: true, reason: "found closed"}, nil
	case live.HeadSHA == e.SHA:
		return sight{}, nil
	}
	parents, err := e.provider.Parents(ctx, e.ref, live.HeadSHA)
	if err != nil {
		return sight{}, err
	}
	if len(parents) == 2 && parents[0] == e.SHA {
		return sight{found: true, reason: "found updated to " + live.HeadSHA}, nil
	}
	return sight{gone: true, reason: fmt.Sprintf("head moved from %s to %s", e.SHA, live.HeadSHA)}, nil
}

func (e *updateBranchEffect) change(ctx context.Context) (string, error) {
	err := e.provider.UpdateBranch(ctx, e.ref, e.SHA)
	if refusalOf(err) == refusedCurrent {
		return "the branch has all of its base", nil
	}
	return "", err
}
