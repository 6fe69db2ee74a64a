package github

import (
	"fmt"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// issueCommentPayload is the payload of event issue_comment. Pull requests are
// issues at GitHub: a comment is on one where issue.pull_request is there.
type issueCommentPayload struct {
	Action string `json:"action"`
	Issue  struct {
		Number      int64           `json:"number"`
		PullRequest payload.Present `json:"pull_request"`
	} `json:"issue"`
	Comment struct {
		ID        int64          `json:"id"`
		Body      *string        `json:"body"`
		User      *user          `json:"user"`
		URL       *string        `json:"html_url"`
		CreatedAt payload.Moment `json:"created_at"`
		UpdatedAt payload.Moment `json:"updated_at"`
	} `json:"comment"`
	Repository repository `json:"repository"`
	Sender     *user      `json:"sender"`
}

func decodeIssueComment(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said issueCommentPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	event.Action = eventAction(said.Action, record)
	event.Sender = actorOf(said.Sender)
	if !said.Issue.PullRequest {
		event.Ignored = "comment on an issue, not a pull request"
		return event, nil
	}
	change := schemas.CommentChange(event.Action)
	switch change {
	case schemas.CommentCreated, schemas.CommentEdited, schemas.CommentDeleted:
	default:
		event.Ignored = fmt.Sprintf("action %s of a comment is not folded", event.Action)
		return event, nil
	}
	if err := said.check(record.Event); err != nil {
		return schemas.Event{}, err
	}
	instance := payload.Instance(record.Key)
	event.Entity = schemas.PullRequestKey(instance, itoa(said.Repository.ID), said.Issue.Number)
	event.Comment = said.snapshot(instance, event.Entity, change)
	return event, nil
}

func (p *issueCommentPayload) check(event string) error {
	if err := checkEntity(event, p.Repository, p.Issue.Number, "issue.number"); err != nil {
		return err
	}
	if p.Comment.ID <= 0 {
		return payload.Errorf(event, "comment.id is missing")
	}
	return nil
}

func (p *issueCommentPayload) snapshot(instance string, parent schemas.EntityKey, change schemas.CommentChange) *schemas.CommentSnapshot {
	comment := &p.Comment
	return &schemas.CommentSnapshot{
		Key:       schemas.CommentKey(instance, itoa(comment.ID)),
		Change:    change,
		Parent:    parent,
		Author:    actorOf(comment.User),
		Body:      payload.Text(comment.Body),
		URL:       payload.Text(comment.URL).Value,
		CreatedAt: comment.CreatedAt.Stated(),
		UpdatedAt: comment.UpdatedAt.Stated(),
	}
}
