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
		return sight{}, nil
	case e.remove:
		return sight{found: true, reason: "none of the labels is there"}, nil
	}
	return sight{found: true, reason: "the labels are there"}, nil
}

func (e *labelsEffect) change(ctx context.Context) (string, error) {
	if !e.remove {
		return "", e.provider.AddLabels(ctx, e.ref, e.left)
	}
	for _, label := range e.left {
		if err := e.provider.RemoveLabel(ctx, e.ref, label); err != nil {
			return "", err
		}
	}
	return "", nil
}
