package actuator

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Reasons why a call was not started. Nothing was sent.
var (
	errMargin  = errors.New("the lease is too near its end to start a call")
	errDrained = errors.New("the actor is stopping")
)

// errCallTimeout is the cause of the end of a call's context.
var errCallTimeout = errors.New("the provider did not answer in time")

// gate stands before every call to a provider: acting sees the provider through
// it only, so that no call can pass it by (I9).
type gate struct {
	provider Provider
	instance string
	// until is the end of the time in which calls may be started.
	until   time.Time
	timeout time.Duration
	drained <-chan struct{}
}

// open returns the context of one call, or why it may not be started. The call
// itself is not cut short by a drain: its outcome would be unknown.
func (g *gate) open(ctx context.Context) (context.Context, context.CancelFunc, error) {
	select {
	case <-g.drained:
		return nil, nil, errDrained
	default:
	}
	if !time.Now().Before(g.until) {
		return nil, nil, errMargin
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), g.timeout, errCallTimeout)
	return ctx, cancel, nil
}

func pass[T any](ctx context.Context, g *gate, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel, err := g.open(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer cancel()
	got, err := call(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errCallTimeout) {
		err = fmt.Errorf("%w after %s: %w", errCallTimeout, g.timeout, err)
	}
	return got, err
}

func passDone(ctx context.Context, g *gate, call func(context.Context) error) error {
	_, err := pass(ctx, g, func(ctx context.Context) (struct{}, error) { return struct{}{}, call(ctx) })
	return err
}

// Login implements Provider.
func (g *gate) Login(ctx context.Context) (string, error) { return pass(ctx, g, g.provider.Login) }

// PullRequest implements Provider.
func (g *gate) PullRequest(ctx context.Context, ref Ref) (Live, error) {
	return pass(ctx, g, func(ctx context.Context) (Live, error) { return g.provider.PullRequest(ctx, ref) })
}

// Comments implements Provider.
func (g *gate) Comments(ctx context.Context, ref Ref, page int) (comments []LiveComment, next int, err error) {
	comments, err = pass(ctx, g, func(ctx context.Context) (read []LiveComment, err error) {
		read, next, err = g.provider.Comments(ctx, ref, page)
		return read, err
	})
	return comments, next, err
}

// CreateComment implements Provider.
func (g *gate) CreateComment(ctx context.Context, ref Ref, body string) error {
	return passDone(ctx, g, func(ctx context.Context) error { return g.provider.CreateComment(ctx, ref, body) })
}

// DeleteComment implements Provider.
func (g *gate) DeleteComment(ctx context.Context, ref Ref, id int64) error {
	return passDone(ctx, g, func(ctx context.Context) error { return g.provider.DeleteComment(ctx, ref, id) })
}

// Merge implements Provider.
func (g *gate) Merge(ctx context.Context, ref Ref, params MergeParams) (string, error) {
	return pass(ctx, g, func(ctx context.Context) (string, error) { return g.provider.Merge(ctx, ref, params) })
}

// Close implements Provider.
func (g *gate) Close(ctx context.Context, ref Ref) error {
	return passDone(ctx, g, func(ctx context.Context) error { return g.provider.Close(ctx, ref) })
}

// AddLabels implements Provider.
func (g *gate) AddLabels(ctx context.Context, ref Ref, labels []string) error {
	return passDone(ctx, g, func(ctx context.Context) error { return g.provider.AddLabels(ctx, ref, labels) })
}

// RemoveLabel implements Provider.
func (g *gate) RemoveLabel(ctx context.Context, ref Ref, label string) error {
	return passDone(ctx, g, func(ctx context.Context) error { return g.provider.RemoveLabel(ctx, ref, label) })
}
