package github

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// issueCommentPayload is the payload of event issue_comment. Pull requests are
// issues at GitHub: a comment is on one where issue.pull_request is there.
type issueCommentPayload struct {
	Action string `json:"action"`
	Issue  struct {
		Number      int64           `json:"number"`
		UpdatedAt   payload.Moment  `json:"updated_at"`
		PullRequest payload.Present `json:"pull_request"`
	} `json:"issue"`
	Comment    comment    `json:"comment"`
	Repository repository `json:"repository"`
	Sender     *user      `json:"sender"`
}

// reviewCommentPayload is the payload of event pull_request_review_comment.
type reviewCommentPayload struct {
	Action      string         `json:"action"`
	PullRequest pullRequestRef `json:"pull_request"`
	Comment     comment        `json:"comment"`
	Repository  repository     `json:"repository"`
	Sender      *user          `json:"sender"`
}

// comment is a comment of either kind. The ids of the two kinds are counted
// apart, so one number may name two comments.
type comment struct {
	ID        int64          `json:"id"`
	Body      *string        `json:"body"`
	User      *user          `json:"user"`
	URL       *string        `json:"html_url"`
	CreatedAt payload.Moment `json:"created_at"`
	UpdatedAt payload.Moment `json:"updated_at"`
	// InReplyTo is the first comment of the thread, for review comments that
	// answer one.
	InReplyTo int64 `json:"in_reply_to_id"`
}

func decodeIssueComment(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said issueCommentPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	event.Action = payload.Action(said.Action, record)
	event.Sender = actorOf(said.Sender)
	if !said.Issue.PullRequest {
		event.Ignored = "comment on an issue, not a pull request"
		return event, nil
	}
	change, ok := commentChange(event.Action)
	if !ok {
		event.Ignored = notFolded(event.Action, "a comment")
		return event, nil
	}
	parent, err := said.Comment.parent(record, said.Repository, said.Issue.Number, "issue.number")
	if err != nil {
		return schemas.Event{}, err
	}
	event.Entity = parent
	event.Comment = said.Comment.snapshot(parent, change, said.Issue.UpdatedAt)
	event.Comment.Key = schemas.CommentKey(payload.Instance(record.Key), itoa(said.Comment.ID))
	event.Comment.Kind = schemas.CommentConversation
	return event, nil
}

func decodeReviewComment(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said reviewCommentPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	event.Action = payload.Action(said.Action, record)
	event.Sender = actorOf(said.Sender)
	change, ok := commentChange(event.Action)
	if !ok {
		event.Ignored = notFolded(event.Action, "a review comment")
		return event, nil
	}
	parent, err := said.Comment.parent(record, said.Repository, said.PullRequest.Number, "pull_request.number")
	if err != nil {
		return schemas.Event{}, err
	}
	event.Entity = parent
	event.Comment = said.Comment.snapshot(parent, change, said.PullRequest.UpdatedAt)
	event.Comment.Key = schemas.CommentKey(payload.Instance(record.Key), "review-"+itoa(said.Comment.ID))
	event.Comment.Kind = schemas.CommentReview
	event.Comment.Thread = said.Comment.thread()
	return event, nil
}

// commentChange returns what an action did to a comment, if it did something.
func commentChange(action string) (schemas.CommentChange, bool) {
	switch change := schemas.CommentChange(action); change {
	case schemas.CommentCreated, schemas.CommentEdited, schemas.CommentDeleted:
		return change, true
	}
	return "", false
}

// parent returns the key of the pull request that the comment stands under, once
// the comment has an id.
func (c *comment) parent(record schemas.Record, repo repository, number int64, path string) (schemas.EntityKey, error) {
	parent, err := pullRequestKey(record, repo, number, path)
	if err != nil {
		return "", err
	}
	return parent, payload.CheckPositive(record.Event, c.ID, "comment.id")
}

// snapshot takes the clock of what the comment stands under: a deleted comment
// keeps its own updated_at, and only its parent's tells when it went.
func (c *comment) snapshot(parent schemas.EntityKey, change schemas.CommentChange, parentClock payload.Moment) *schemas.CommentSnapshot {
	snapshot := &schemas.CommentSnapshot{
		Change:    change,
		Parent:    parent,
		Author:    actorOf(c.User),
		Body:      payload.Text(c.Body),
		URL:       payload.Text(c.URL).Value,
		CreatedAt: c.CreatedAt.Stated(),
		UpdatedAt: c.UpdatedAt.Stated(),
	}
	if change == schemas.CommentDeleted {
		snapshot.RemovedAt = parentClock.Stated()
	}
	return snapshot
}

// thread is the id of the thread's first comment: all answers name the first.
func (c *comment) thread() string {
	if c.InReplyTo > 0 {
		return itoa(c.InReplyTo)
	}
	return itoa(c.ID)
}
