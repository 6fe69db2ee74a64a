package actuator

import (
	"context"
	"slices"
)

// labelsEffect: the labels are there, or none of them is. Labels are a set, so
// to do it twice is to do it once.
type labelsEffect struct {
	provider Provider
	ref      Ref
	remove   bool
	decided  []string // the labels that the decision saw
	Labels   []string `json:"labels"`

	left []string // what the look found to do
}

func (e *labelsEffect) look(ctx context.Context) (sight, error) {
	live, err := e.provider.PullRequest(ctx, e.ref)
	if err != nil {
		return sight{}, err
	}
	e.left = slices.DeleteFunc(slices.Clone(e.Labels), func(label string) bool { return live.hasLabel(label) != e.remove })
	switch {
	case len(e.left) > 0:
		return sight{begun: e.begun(live)}, nil
	case e.remove:
		return sight{found: true, reason: "none of the labels is there"}, nil
	}
	return sight{found: true, reason: "the labels are there"}, nil
}

func (e *labelsEffect) change(ctx context.Context) (string, error) {
	if !e.remove {
		return "", e.provider.AddLabels(ctx, e.ref, e.left)
	}
	return "", inTurn(e.left, func(label string) error { return e.provider.RemoveLabel(ctx, e.ref, label) })
}

// begun reports whether one of the labels to remove was there when it was
// decided and is not now: each is a call of its own.
func (e *labelsEffect) begun(live Live) bool {
	return e.remove && slices.ContainsFunc(e.Labels, func(label string) bool {
		return (Live{Labels: e.decided}).hasLabel(label) && !live.hasLabel(label)
	})
}
