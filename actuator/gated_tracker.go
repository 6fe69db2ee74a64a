package actuator

import "context"

// gatedTracker is a tracker behind the gate: every call passes it (I9).
type gatedTracker struct {
	gate    *gate
	tracker Tracker
}

// Issue implements Tracker.
func (g gatedTracker) Issue(ctx context.Context, identifier string) (issue LiveIssue, found bool, err error) {
	issue, err = pass(ctx, g.gate, func(ctx context.Context) (read LiveIssue, err error) {
		read, found, err = g.tracker.Issue(ctx, identifier)
		return read, err
	})
	return issue, found, err
}

// IssueComment implements Tracker.
func (g gatedTracker) IssueComment(ctx context.Context, id string) (comment LiveIssueComment, found bool, err error) {
	comment, err = pass(ctx, g.gate, func(ctx context.Context) (read LiveIssueComment, err error) {
		read, found, err = g.tracker.IssueComment(ctx, id)
		return read, err
	})
	return comment, found, err
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
