package actuator

import (
	"context"
	"errors"
	"fmt"
)

const queryIssue = `query($id: String!) { issue(id: $id) { id identifier } }`

// Issue implements Tracker.
func (l *Linear) Issue(ctx context.Context, identifier string) (LiveIssue, bool, error) {
	var shown struct{ Issue LiveIssue }
	err := l.call(ctx, graphCall{}, queryIssue, map[string]any{"id": identifier}, &shown)
	if isNotFound(err) {
		return LiveIssue{}, false, nil
	}
	if err != nil {
		return LiveIssue{}, false, fmt.Errorf("look for issue %s: %w", identifier, err)
	}
	return shown.Issue, shown.Issue.ID != "", nil
}

const queryComment = `query($id: String!) { comment(id: $id) { id body issue { id } } }`

// IssueComment implements Tracker.
func (l *Linear) IssueComment(ctx context.Context, id string) (LiveIssueComment, bool, error) {
	var shown struct {
		Comment struct {
			ID, Body string
			Issue    struct{ ID string }
		}
	}
	err := l.call(ctx, graphCall{}, queryComment, map[string]any{"id": id}, &shown)
	if isNotFound(err) {
		return LiveIssueComment{}, false, nil
	}
	if err != nil {
		return LiveIssueComment{}, false, fmt.Errorf("look for comment %s: %w", id, err)
	}
	found := LiveIssueComment{ID: shown.Comment.ID, IssueID: shown.Comment.Issue.ID, Body: shown.Comment.Body}
	return found, found.ID != "", nil
}

const createComment = `mutation($input: CommentCreateInput!) { payload: commentCreate(input: $input) { success } }`

// CreateIssueComment implements Tracker. Linear takes the id from the caller, and
// refuses a second comment with it (schema.graphql, CommentCreateInput.id).
func (l *Linear) CreateIssueComment(ctx context.Context, issueID, id, body string) error {
	input := map[string]any{"id": id, "issueId": issueID, "body": body}
	return wrapTracker("create", id, l.change(ctx, "create "+id, createComment, map[string]any{"input": input}))
}

const updateComment = `mutation($id: String!, $input: CommentUpdateInput!) { payload: commentUpdate(id: $id, input: $input) { success } }`

// UpdateIssueComment implements Tracker.
func (l *Linear) UpdateIssueComment(ctx context.Context, id, body string) error {
	variables := map[string]any{"id": id, "input": map[string]any{"body": body}}
	return wrapTracker("edit", id, l.change(ctx, "edit "+id, updateComment, variables))
}

const deleteComment = `mutation($id: String!) { payload: commentDelete(id: $id) { success } }`

// DeleteIssueComment implements Tracker.
func (l *Linear) DeleteIssueComment(ctx context.Context, id string) error {
	err := l.change(ctx, "delete "+id, deleteComment, map[string]any{"id": id})
	if isNotFound(err) {
		return nil
	}
	return wrapTracker("delete", id, err)
}

// change makes a call that changes. One that says that it had no success did nothing.
func (l *Linear) change(ctx context.Context, key, text string, variables map[string]any) error {
	var said struct{ Payload struct{ Success bool } }
	if err := l.call(ctx, graphCall{change: true, key: key}, text, variables, &said); err != nil {
		return err
	}
	if !said.Payload.Success {
		return &linearError{status: 200, message: "success is false", change: true}
	}
	return nil
}

func isNotFound(err error) bool {
	failed, ok := errors.AsType[*linearError](err)
	return ok && failed.isNotFound()
}

func wrapTracker(what, id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s comment %s: %w", what, id, err)
}
