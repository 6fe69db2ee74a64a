package linear

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// decode reads a record into an event. It is pure.
func decode(record schemas.Record) (schemas.Event, error) {
	event := payload.NewEvent(record)
	if record.Event != eventComment {
		event.Ignored = fmt.Sprintf("event %s is not folded", payload.Clean(record.Event))
		return event, nil
	}
	return decodeComment(event, record)
}

// commentPayload is what is sent when a comment is made, changed or removed.
type commentPayload struct {
	Action      string         `json:"action"`
	CreatedAt   payload.Moment `json:"createdAt"` // when it happened
	URL         *string        `json:"url"`       // absent of a removal
	Data        comment        `json:"data"`
	Actor       *person        `json:"actor"`
	UpdatedFrom struct {
		UpdatedAt payload.Moment `json:"updatedAt"`
	} `json:"updatedFrom"`
}

type comment struct {
	ID        string         `json:"id"`
	Body      *string        `json:"body"`
	CreatedAt payload.Moment `json:"createdAt"`
	UpdatedAt payload.Moment `json:"updatedAt"`

	IssueID            *string `json:"issueId"`
	Issue              issue   `json:"issue"`
	DocumentContentID  *string `json:"documentContentId"`
	ProjectUpdateID    *string `json:"projectUpdateId"`
	InitiativeUpdateID *string `json:"initiativeUpdateId"`
	PostID             *string `json:"postId"`
	ProjectID          *string `json:"projectId"`
	InitiativeID       *string `json:"initiativeId"`

	User         *person `json:"user"`
	BotActor     *person `json:"botActor"`
	ExternalUser *person `json:"externalUser"`
}

type person struct {
	Name *string `json:"name"`
	Type *string `json:"type"`
}

type issue struct {
	ID         string `json:"id"`
	Identifier string `json:"identifier"`
}

func decodeComment(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said commentPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	event.Action = payload.Action(said.Action, record)
	change, known := changeOf(event.Action)
	switch {
	case said.Data.ID == "":
		return schemas.Event{}, payload.Errorf(record.Event, "data.id is missing")
	case !isID(said.Data.ID):
		return schemas.Event{}, payload.Errorf(record.Event, "data.id is %.100q, which is not an id", payload.Clean(said.Data.ID))
	}
	instance := payload.Instance(record.Key)
	event.Entity = schemas.CommentKey(instance, strings.Clone(said.Data.ID))
	event.Sender = actorOf(said.Actor, nil)
	issueID := cmp.Or(payload.Text(said.Data.IssueID).Value, payload.Clean(said.Data.Issue.ID))
	switch {
	case !known:
		event.Ignored = fmt.Sprintf("action %q of a comment is not folded", event.Action)
		return event, nil
	case issueID == "":
		event.Ignored = "the comment is on " + said.Data.place() + " and not on an issue"
		return event, nil
	case !isID(issueID):
		return schemas.Event{}, payload.Errorf(record.Event, "data.issueId is %.100q, which is not an id", issueID)
	}
	event.Comment = &schemas.CommentSnapshot{
		Key:        event.Entity,
		Kind:       schemas.CommentIssue,
		Change:     change,
		Parent:     schemas.IssueKey(instance, issueID),
		Issue:      said.Data.Issue.identifier(payload.Text(said.URL).Value),
		Author:     said.Data.author(),
		Body:       payload.Text(said.Data.Body),
		URL:        payload.Text(said.URL).Value,
		CreatedAt:  said.Data.CreatedAt.Stated(),
		UpdatedAt:  said.Data.UpdatedAt.Stated(),
		PreviousAt: said.UpdatedFrom.UpdatedAt.Stated(),
	}
	if change == schemas.CommentDeleted {
		event.Comment.RemovedAt = said.CreatedAt.Stated()
	}
	return event, nil
}

func changeOf(action string) (schemas.CommentChange, bool) {
	switch action {
	case "create":
		return schemas.CommentCreated, true
	case "update":
		return schemas.CommentEdited, true
	case "remove":
		return schemas.CommentDeleted, true
	}
	return "", false
}

// place is what a comment that is on no issue is on.
func (c *comment) place() string {
	for _, on := range [...]struct {
		id   *string
		name string
	}{
		{c.DocumentContentID, "a document"},
		{c.ProjectUpdateID, "a project update"},
		{c.InitiativeUpdateID, "an initiative update"},
		{c.PostID, "a post"},
		{c.ProjectID, "a project"},
		{c.InitiativeID, "an initiative"},
	} {
		if on.id != nil {
			return on.name
		}
	}
	return "something that it does not name"
}

// author is the person, or the app that wrote in its own name.
func (c *comment) author() schemas.Actor {
	if c.User == nil && c.ExternalUser == nil && c.BotActor != nil {
		return schemas.Actor{Login: payload.Text(c.BotActor.Name).Value, IsBot: true}
	}
	return actorOf(c.User, c.ExternalUser)
}

// actorOf returns the first who is there. Linear has no logins: people are shown by
// their names.
func actorOf(first, second *person) schemas.Actor {
	who := first
	if who == nil {
		who = second
	}
	if who == nil {
		return schemas.Actor{}
	}
	kind := payload.Text(who.Type).Value
	return schemas.Actor{Login: payload.Text(who.Name).Value, IsBot: kind != "" && kind != "user"}
}

var (
	identifierPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*-[0-9]+$`)
	addressPattern    = regexp.MustCompile(`/issue/([A-Za-z][A-Za-z0-9_]*-[0-9]+)(?:[/?#]|$)`)
)

// identifier is the name of the issue, ENG-123: as the payload says it, or else from
// the address of the comment. Samples before 2026 have it in the address alone.
func (i issue) identifier(address string) string {
	if identifierPattern.MatchString(i.Identifier) {
		return strings.ToUpper(i.Identifier)
	}
	if found := addressPattern.FindStringSubmatch(address); found != nil {
		return strings.ToUpper(found[1])
	}
	return ""
}
