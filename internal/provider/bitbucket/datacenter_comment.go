package bitbucket

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// dcCommentPrefix begins the actions about comments.
const dcCommentPrefix = "comment:"

// dcCommentPayload is the payload of the comment events. The pull request in it
// is read for its key alone. Nothing in it tells a thread: commentParentId may
// be a reply itself, and no event says that a thread was resolved.
type dcCommentPayload struct {
	Date        payload.Moment `json:"date"`
	Actor       *person        `json:"actor"`
	PullRequest struct {
		ID    int64 `json:"id"`
		ToRef struct {
			Repository *dcRepository `json:"repository"`
		} `json:"toRef"`
	} `json:"pullRequest"`
	Comment struct {
		ID          int64           `json:"id"`
		Text        *string         `json:"text"`
		Author      *person         `json:"author"`
		Anchor      payload.Present `json:"anchor"`
		CreatedDate payload.Moment  `json:"createdDate"`
		UpdatedDate payload.Moment  `json:"updatedDate"`
	} `json:"comment"`
}

func decodeDCComment(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	change, isChange := dcCommentChange(record.Action)
	if !isChange {
		return notFolded(event, record), nil
	}
	var said dcCommentPayload
	if err := read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	if err := checkDCPullRequest(record, said.PullRequest.ID, said.PullRequest.ToRef.Repository); err != nil {
		return schemas.Event{}, err
	}
	if said.Comment.ID <= 0 {
		return schemas.Event{}, payload.Errorf(eventKey(record), "comment.id is missing")
	}
	instance := payload.Instance(record.Key)
	event.Entity = schemas.PullRequestKey(instance, itoa(said.PullRequest.ToRef.Repository.ID), said.PullRequest.ID)
	event.Sender = personOf(said.Actor)
	event.Comment = said.snapshot(instance, event.Entity, change)
	return event, nil
}

func dcCommentChange(action string) (schemas.CommentChange, bool) {
	switch action {
	case "comment:added":
		return schemas.CommentCreated, true
	case "comment:edited":
		return schemas.CommentEdited, true
	case "comment:deleted":
		return schemas.CommentDeleted, true
	}
	return "", false
}

// snapshot: a deletion keeps updatedDate, so it has the time of its event.
func (p *dcCommentPayload) snapshot(instance string, parent schemas.EntityKey, change schemas.CommentChange) *schemas.CommentSnapshot {
	comment := &p.Comment
	snapshot := &schemas.CommentSnapshot{
		Key:       schemas.CommentKey(instance, itoa(comment.ID)),
		Kind:      schemas.CommentConversation,
		Change:    change,
		Parent:    parent,
		Author:    personOf(comment.Author),
		Body:      payload.Text(comment.Text),
		CreatedAt: comment.CreatedDate.Stated(),
		UpdatedAt: comment.UpdatedDate.Stated(),
	}
	if comment.Anchor {
		snapshot.Kind = schemas.CommentReview
	}
	if change == schemas.CommentDeleted {
		snapshot.RemovedAt = p.Date.Stated()
	}
	return snapshot
}
