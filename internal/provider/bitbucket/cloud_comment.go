package bitbucket

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// commentPrefix begins the actions about comments.
const commentPrefix = "comment_"

// cloudCommentPayload is the payload of the comment events. The pull request in
// it is read for its number alone: its time is not the comment's.
type cloudCommentPayload struct {
	PullRequest struct {
		ID int64 `json:"id"`
	} `json:"pullrequest"`
	Repository cloudRepository `json:"repository"`
	Actor      *account        `json:"actor"`
	Comment    cloudComment    `json:"comment"`
}

type cloudComment struct {
	ID      int64           `json:"id"`
	Parent  payload.Present `json:"parent"`
	Inline  payload.Present `json:"inline"`
	Content content         `json:"content"`
	User    *account        `json:"user"`
	Links   struct {
		HTML struct {
			Href *string `json:"href"`
		} `json:"html"`
	} `json:"links"`
	CreatedOn  payload.Moment `json:"created_on"`
	UpdatedOn  payload.Moment `json:"updated_on"`
	Resolution struct {
		CreatedOn payload.Moment `json:"created_on"`
	} `json:"resolution"`
}

func decodeCloudComment(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said cloudCommentPayload
	change, isChange := cloudCommentChange(record.Action)
	if !isChange && record.Action != "comment_resolved" && record.Action != "comment_reopened" {
		return notFolded(event, record), nil
	}
	if err := read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	if err := checkCloudPullRequest(record, said.Repository, said.PullRequest.ID); err != nil {
		return schemas.Event{}, err
	}
	if said.Comment.ID <= 0 {
		return schemas.Event{}, payload.Errorf(eventKey(record), "comment.id is missing")
	}
	instance := payload.Instance(record.Key)
	event.Entity = schemas.PullRequestKey(instance, said.Repository.id(), said.PullRequest.ID)
	event.Sender = actorOf(said.Actor)
	switch {
	case isChange:
		event.Comment = said.Comment.snapshot(instance, event.Entity, change)
	case bool(said.Comment.Parent):
		event.Ignored = "a thread is resolved by its first comment, and this is a reply"
	default:
		event.Thread = said.Comment.thread(record.Action == "comment_resolved")
	}
	return event, nil
}

func cloudCommentChange(action string) (schemas.CommentChange, bool) {
	switch action {
	case "comment_created":
		return schemas.CommentCreated, true
	case "comment_updated":
		return schemas.CommentEdited, true
	case "comment_deleted":
		return schemas.CommentDeleted, true
	}
	return "", false
}

// snapshot: a deletion moves updated_on and empties the text.
func (c *cloudComment) snapshot(instance string, parent schemas.EntityKey, change schemas.CommentChange) *schemas.CommentSnapshot {
	snapshot := &schemas.CommentSnapshot{
		Key:       schemas.CommentKey(instance, itoa(c.ID)),
		Kind:      schemas.CommentConversation,
		Change:    change,
		Parent:    parent,
		Thread:    c.opens(),
		Author:    actorOf(c.User),
		Body:      payload.Text(c.Content.Raw),
		URL:       payload.Text(c.Links.HTML.Href).Value,
		CreatedAt: c.CreatedOn.Stated(),
		UpdatedAt: c.UpdatedOn.Stated(),
	}
	if c.Inline {
		snapshot.Kind = schemas.CommentReview
	}
	if change == schemas.CommentDeleted {
		snapshot.Body = schemas.Stated[string]{}
		snapshot.RemovedAt = c.UpdatedOn.Stated()
	}
	return snapshot
}

// opens returns the thread that a comment opens: its own id, for a comment on a
// line. A reply names the comment it answers, which may be a reply itself, so no
// payload tells the thread that a reply belongs to.
func (c *cloudComment) opens() string {
	if !bool(c.Inline) || bool(c.Parent) {
		return ""
	}
	return itoa(c.ID)
}

// thread has a time where it was resolved. Opening it again takes the
// resolution away, and nothing says when.
func (c *cloudComment) thread(resolved bool) *schemas.ThreadSnapshot {
	thread := &schemas.ThreadSnapshot{ID: itoa(c.ID), Resolved: resolved}
	if resolved {
		thread.UpdatedAt = c.Resolution.CreatedOn.Stated()
	}
	return thread
}
