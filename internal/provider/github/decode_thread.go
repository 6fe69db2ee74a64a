package github

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// reviewThreadPayload is the payload of event pull_request_review_thread. Its
// clock is nullable and may be absent.
type reviewThreadPayload struct {
	Action      string         `json:"action"`
	UpdatedAt   payload.Moment `json:"updated_at"`
	PullRequest pullRequestRef `json:"pull_request"`
	Thread      struct {
		NodeID   string          `json:"node_id"`
		Comments []threadComment `json:"comments"`
	} `json:"thread"`
	Repository repository `json:"repository"`
	Sender     *user      `json:"sender"`
}

// threadComment is one comment of a thread.
type threadComment struct {
	ID int64 `json:"id"`
}

// The actions of a review thread.
const (
	threadResolved   = "resolved"
	threadUnresolved = "unresolved"
)

func decodeReviewThread(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said reviewThreadPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	event.Action = payload.Action(said.Action, record)
	event.Sender = actorOf(said.Sender)
	if event.Action != threadResolved && event.Action != threadUnresolved {
		event.Ignored = notFolded(event.Action, "a review thread")
		return event, nil
	}
	id := said.id()
	if id == "" {
		return schemas.Event{}, payload.Errorf(record.Event, "thread.comments and thread.node_id are missing")
	}
	entity, err := pullRequestKey(record, said.Repository, said.PullRequest.Number, "pull_request.number")
	if err != nil {
		return schemas.Event{}, err
	}
	event.Entity = entity
	event.Thread = &schemas.ThreadSnapshot{
		ID:        id,
		Resolved:  event.Action == threadResolved,
		UpdatedAt: firstStated(said.UpdatedAt, said.PullRequest.UpdatedAt),
	}
	return event, nil
}

// id is the id of the thread's first comment, which has the smallest: a review
// comment names its thread by that id too, and never by the node id.
func (p *reviewThreadPayload) id() string {
	var first int64
	for _, comment := range p.Thread.Comments {
		if comment.ID > 0 && (first == 0 || comment.ID < first) {
			first = comment.ID
		}
	}
	if first == 0 {
		return payload.Clean(p.Thread.NodeID)
	}
	return itoa(first)
}
