package actuator

import "context"

// gatedTracker is a tracker behind the gate: every call passes it (I9).
type gatedTracker struct {
	gate    *gate
	tracker Tracker
}

// Issue implements Tracker.
func (g gatedTracker) Issue(ctx context.Context, identifier string) (LiveIssue, bool, error) {
	return passFound(ctx, g.gate, func(ctx context.Context) (LiveIssue, bool, error) { return g.tracker.Issue(ctx, identifier) })
}

// IssueComment implements Tracker.
func (g gatedTracker) IssueComment(ctx context.Context, id string) (LiveIssueComment, bool, error) {
	return passFound(ctx, g.gate, func(ctx context.Context) (LiveIssueComment, bool, error) { return g.tracker.IssueComment(ctx, id) })
}

// passFound passes a call that may find nothing.
func passFound[T any](ctx context.Context, g *gate, call func(context.Context) (T, bool, error)) (read T, found bool, err error) {
	read, err = pass(ctx, g, func(ctx context.Context) (read T, err error) {
		read, found, err = call(ctx)
		return read, err
	})
	return read, found, err
}

// CreateIssueComment implements Tracker.
func (g gatedTracker) CreateIssueComment(ctx context.Context, issueID, id, body string) error {
	return passDone(ctx, g.gate, func(ctx context.Context) error { return g.tracker.CreateIssueComment(ctx, issueID, id, body) })
}

// UpdateIssueComment implements Tracker.
func (g gatedTracker) UpdateIssueComment(ctx context.Context, id, body string) error {
	return passDone(ctx, g.gate, func(ctx context.Context) error { return g.tracker.UpdateIssueComment(ctx, id, body) })
}

// DeleteIssueComment implements Tracker.
func (g gatedTracker) DeleteIssueComment(ctx context.Context, id string) error {
	return passDone(ctx, g.gate, func(ctx context.Context) error { return g.tracker.DeleteIssueComment(ctx, id) })
}
