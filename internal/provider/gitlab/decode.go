package gitlab

import (
	"fmt"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// decode reads a record into an event. It is pure.
func decode(record schemas.Record) (schemas.Event, error) {
	event := payload.NewEvent(record)
	switch record.Event {
	case eventMergeRequest:
		return decodeMergeRequest(event, record)
	case eventNote:
		return decodeNote(event, record)
	case eventPipeline:
		return decodePipeline(event, record)
	case "project_create", "project_update", "project_rename", "project_transfer", "project_destroy":
		return decodeProject(event, record)
	case "build":
		event.Ignored = "a job is not folded, its pipeline is"
	default:
		event.Ignored = fmt.Sprintf("event %s is not folded", payload.Clean(record.Event))
	}
	return event, nil
}

// user is an account. Its e-mail is not read: GitLab may write "[REDACTED]".
type user struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
	// State is of reviewers alone: what they said last.
	State string `json:"state"`
}

func (u *user) name() string { return u.Username }

// actor returns the account as an actor; nil is unknown.
func (u *user) actor() schemas.Actor {
	if u == nil {
		return schemas.Actor{}
	}
	login := payload.Clean(u.Username)
	return schemas.Actor{Login: login, IsBot: isBot(login)}
}

// isBot goes by the names that GitLab gives: project_17_bot_6ab3, of an access
// token of a project (or group), and service_account_…. Payloads say no more.
func isBot(login string) bool {
	if strings.HasPrefix(login, "service_account_") {
		return true
	}
	for _, owner := range []string{"project_", "group_"} {
		rest, owned := strings.CutPrefix(login, owner)
		if !owned {
			continue
		}
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		return digits > 0 && strings.HasPrefix(rest[digits:], "_bot")
	}
	return false
}

// label is one label.
type label struct {
	Title string `json:"title"`
}

func (l *label) name() string { return l.Title }

// nullable is a field whose null means something else than its absence.
type nullable[T any] struct {
	Value T
	There bool  // the field is there
	Wrong error // it is there and of another type
}

// UnmarshalJSON keeps the value or the error.
func (n *nullable[T]) UnmarshalJSON(data []byte) error {
	*n = nullable[T]{There: true}
	if string(data) != "null" {
		n.Wrong = payload.Unmarshal(data, &n.Value)
	}
	return nil
}

// stated returns the value; null is stated and zero.
func (n nullable[T]) stated() schemas.Stated[T] {
	return schemas.Stated[T]{Value: n.Value, Known: n.There}
}
