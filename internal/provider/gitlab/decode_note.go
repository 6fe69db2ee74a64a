package gitlab

import (
	"fmt"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// notePayload is the payload of event note. The merge request in it is partial:
// it names what the note is on, and is no snapshot.
type notePayload struct {
	EventType    string          `json:"event_type"`
	User         *user           `json:"user"`
	Project      project         `json:"project"`
	ProjectID    int64           `json:"project_id"`
	MergeRequest mergeRequestRef `json:"merge_request"`
	Attributes   note            `json:"object_attributes"`
}

// note is a comment. GitLab sends no event when it is deleted.
type note struct {
	ID           int64           `json:"id"`
	Action       string          `json:"action"`        // absent before GitLab 16.11
	On           string          `json:"noteable_type"` //nolint:misspell // the word is GitLab's
	Type         string          `json:"type"`
	System       bool            `json:"system"`   // written by GitLab: "added 1 commit"
	Internal     bool            `json:"internal"` // for members of the project only
	AuthorID     int64           `json:"author_id"`
	DiscussionID string          `json:"discussion_id"`
	Position     payload.Present `json:"position"` // a line of the changes
	Text         *string         `json:"note"`
	URL          *string         `json:"url"`
	ResolvedAt   payload.Moment  `json:"resolved_at"`
	CreatedAt    payload.Moment  `json:"created_at"`
	UpdatedAt    payload.Moment  `json:"updated_at"`
}

// The types of notes that belong to a thread which can be resolved.
const (
	typeDiffNote       = "DiffNote"
	typeDiscussionNote = "DiscussionNote"
)

func decodeNote(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said notePayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	event.Action = payload.Action(said.Attributes.Action, record)
	event.Sender = said.User.actor()
	change, why := said.change(event.Action)
	if why != "" {
		event.Ignored = why
		return event, nil
	}
	if err := said.check(record.Event); err != nil {
		return schemas.Event{}, err
	}
	instance := payload.Instance(record.Key)
	event.Entity = schemas.PullRequestKey(instance, itoa(said.places().id()), said.MergeRequest.IID)
	event.Comment = said.comment(instance, event.Entity, change)
	event.Thread = said.Attributes.thread()
	return event, nil
}

// change returns what happened to the comment, or why it is not folded.
func (p *notePayload) change(action string) (change schemas.CommentChange, ignored string) {
	switch on := p.standsOn(); {
	case on != "MergeRequest":
		return "", fmt.Sprintf("comment on %s, not a merge request", on)
	case p.Attributes.System:
		return "", "a note that GitLab wrote itself is no comment"
	}
	switch action {
	case "", "create":
		return schemas.CommentCreated, ""
	case "update":
		return schemas.CommentEdited, ""
	}
	return "", fmt.Sprintf("action %s of a note is not folded", action)
}

// standsOn is what the note is on. A payload that does not say so says it by the
// object that is in it.
func (p *notePayload) standsOn() string {
	switch {
	case p.Attributes.On != "":
		return payload.Clean(p.Attributes.On)
	case p.MergeRequest.IID != 0:
		return "MergeRequest"
	}
	return "thing that is not named"
}

func (p *notePayload) places() places {
	return places{exact: p.MergeRequest.TargetProjectID, project: p.Project.ID, top: p.ProjectID}
}

func (p *notePayload) check(event string) error {
	if err := p.places().check(event, "merge_request.target_project_id"); err != nil {
		return err
	}
	if err := checkNumber(event, "merge_request.iid", p.MergeRequest.IID); err != nil {
		return err
	}
	return checkNumber(event, "object_attributes.id", p.Attributes.ID)
}

func (p *notePayload) comment(instance string, parent schemas.EntityKey, change schemas.CommentChange) *schemas.CommentSnapshot {
	n := &p.Attributes
	return &schemas.CommentSnapshot{
		Key:       schemas.CommentKey(instance, itoa(n.ID)),
		Kind:      n.kind(),
		Change:    change,
		Parent:    parent,
		Thread:    n.threadID(),
		Author:    p.author(),
		Body:      p.body(),
		URL:       payload.Text(n.URL).Value,
		CreatedAt: n.CreatedAt.Stated(),
		UpdatedAt: n.UpdatedAt.Stated(),
	}
}

// author is who acted, unless the ids say that the note is another's.
func (p *notePayload) author() schemas.Actor {
	if p.User != nil && p.User.ID != 0 && p.Attributes.AuthorID != 0 && p.User.ID != p.Attributes.AuthorID {
		return schemas.Actor{}
	}
	return p.User.actor()
}

// body is not stated for an internal note. It counts as a comment, but its text
// is for the members of the project, and the tables and rules have other readers.
func (p *notePayload) body() schemas.Stated[string] {
	if p.Attributes.Internal || p.EventType == "confidential_note" {
		return schemas.Stated[string]{}
	}
	return payload.Text(p.Attributes.Text)
}

func (n *note) kind() schemas.CommentKind {
	if n.Type == typeDiffNote || bool(n.Position) {
		return schemas.CommentReview
	}
	return schemas.CommentConversation
}

// threadID is empty for a note that cannot be resolved.
func (n *note) threadID() string {
	if n.Type == typeDiffNote || n.Type == typeDiscussionNote {
		return payload.Clean(n.DiscussionID)
	}
	return ""
}

// thread is nil where the payload does not say whether the thread is resolved.
func (n *note) thread() *schemas.ThreadSnapshot {
	id := n.threadID()
	if id == "" || (!n.ResolvedAt.Set && !n.ResolvedAt.Null) {
		return nil
	}
	return &schemas.ThreadSnapshot{ID: id, Resolved: n.ResolvedAt.Set, UpdatedAt: n.UpdatedAt.Stated()}
}
