package gitea

import (
	"fmt"
	"time"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// commentPayload is the payload of a comment on an issue or a pull request.
type commentPayload struct {
	Action  string `json:"action"`
	Comment struct {
		ID        int64          `json:"id"`
		Body      *string        `json:"body"`
		User      *user          `json:"user"`
		URL       *string        `json:"html_url"`
		CreatedAt payload.Moment `json:"created_at"`
		UpdatedAt payload.Moment `json:"updated_at"`
	} `json:"comment"`
	Issue       issue      `json:"issue"`
	IsPull      bool       `json:"is_pull"`
	PullRequest numbered   `json:"pull_request"`
	Repository  repository `json:"repository"`
	Sender      *user      `json:"sender"`
}

// issue is what a comment is on. Pull requests are issues at Gitea.
type issue struct {
	Number      int64           `json:"number"`
	PullRequest payload.Present `json:"pull_request"`
	UpdatedAt   payload.Moment  `json:"updated_at"`
}

// numbered is the pull request of a comment in versions that send it.
type numbered struct {
	Number int64 `json:"number"`
}

// place is where a comment stands.
type place struct {
	issue       issue
	isPull      bool
	pullRequest numbered
}

// onPullRequest reports whether the comment is on a pull request. Versions differ
// in how they tell: by is_pull, by issue.pull_request, or by a pull request
// beside the issue.
func (p place) onPullRequest() bool {
	return p.isPull || bool(p.issue.PullRequest) || p.pullRequest.Number != 0
}

// number returns the number of the pull request, and 0 for a plain issue.
func (p place) number() int64 {
	switch {
	case !p.onPullRequest():
		return 0
	case p.issue.Number != 0:
		return p.issue.Number
	}
	return p.pullRequest.Number
}

func decodeComment(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said commentPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	event.Action = payload.Action(said.Action, record)
	event.Sender = said.Sender.actor()
	at := place{said.Issue, said.IsPull, said.PullRequest}
	if !at.onPullRequest() {
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
	if err := checkEntity(record.Event, said.Repository, at.number(), "issue.number"); err != nil {
		return schemas.Event{}, err
	}
	if said.Comment.ID <= 0 {
		return schemas.Event{}, payload.Errorf(record.Event, "comment.id is missing")
	}
	instance := payload.Instance(record.Key)
	event.Entity = schemas.PullRequestKey(instance, itoa(said.Repository.ID), at.number())
	event.Comment = said.snapshot(instance, event.Entity, change)
	return event, nil
}

// snapshot is of a comment under the pull request itself. One on a line of its
// changes comes as part of a review when it is made; its edits and its removal
// come here, and nothing in them tells that it is one.
func (p *commentPayload) snapshot(instance string, parent schemas.EntityKey, change schemas.CommentChange) *schemas.CommentSnapshot {
	comment := &p.Comment
	snapshot := &schemas.CommentSnapshot{
		Key:       schemas.CommentKey(instance, itoa(comment.ID)),
		Kind:      schemas.CommentConversation,
		Change:    change,
		Parent:    parent,
		Author:    comment.User.actor(),
		Body:      payload.Text(comment.Body),
		URL:       payload.Text(comment.URL).Value,
		CreatedAt: comment.CreatedAt.Stated(),
		UpdatedAt: comment.UpdatedAt.Stated(),
	}
	if change == schemas.CommentDeleted {
		snapshot.RemovedAt = p.removedAt()
	}
	return snapshot
}

// removedAt is the time of the issue. Some versions read the issue before they
// remove the comment; then the comment's own time is later, and nearer.
func (p *commentPayload) removedAt() schemas.Stated[time.Time] {
	issue, comment := p.Issue.UpdatedAt.Stated(), p.Comment.UpdatedAt.Stated()
	if issue.Known && comment.Value.After(issue.Value) {
		return comment
	}
	return issue
}
