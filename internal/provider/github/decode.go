package github

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pawl/schemas"
)

// ErrPayload is wrapped by the errors of Decode: the body is not the payload of
// its event, and never will be. The record becomes a dead letter.
var ErrPayload = errors.New("payload cannot be decoded")

// decode reads a record into an event. It is pure.
func decode(record schemas.Record) (schemas.Event, error) {
	event := schemas.Event{
		Entity:      record.Key,
		Source:      record.Source,
		DeliveryID:  record.ID,
		Provider:    record.Provider,
		Name:        record.Event,
		Action:      record.Action,
		ReceivedAt:  record.ReceivedAt,
		TraceParent: record.TraceParent,
	}
	switch record.Event {
	case eventPullRequest:
		return decodePullRequest(event, record)
	case eventIssueComment:
		return decodeIssueComment(event, record)
	case eventPing:
		event.Ignored = "a ping says that the webhook is set up"
	default:
		event.Ignored = fmt.Sprintf("event %s is not folded", clean(record.Event))
	}
	return event, nil
}

// instanceOf returns the provider's host that a key is of: what stands before
// its last colon.
func instanceOf(key schemas.EntityKey) string {
	text := string(key)
	if colon := strings.LastIndexByte(text, ':'); colon >= 0 {
		return text[:colon]
	}
	return text
}

// repository is the repository that every payload we fold must name.
type repository struct {
	ID       int64  `json:"id"`
	FullName string `json:"full_name"`
}

// user is an account. GitHub sends null for one that was deleted (a ghost).
type user struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

func (u user) actor() schemas.Actor {
	login := clean(u.Login)
	return schemas.Actor{Login: login, IsBot: u.Type == "Bot" || strings.HasSuffix(login, "[bot]")}
}

// read decodes a body into a payload. The error names the field that is wrong.
func read(record schemas.Record, payload any) error {
	err := unmarshal(record.Body, payload)
	if err == nil {
		return nil
	}
	var wrong *typeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return payloadError(record.Event, "%s is a %s, want %s", wrong.Field, wrong.Value, kindOf(wrong))
	}
	if errors.As(err, &wrong) {
		return payloadError(record.Event, "it is a %s, want an object", wrong.Value)
	}
	return fmt.Errorf("%w: %s: it is not JSON: %w", ErrPayload, clean(record.Event), err)
}

func payloadError(event, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrPayload, clean(event), fmt.Sprintf(format, args...))
}

// kindOf names a Go type in the words of JSON.
func kindOf(wrong *typeError) string {
	switch wrong.Type.Kind().String() {
	case "int64", "int":
		return "a whole number"
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "slice":
		return "an array"
	}
	return "an object"
}

// checkEntity holds the numbers that make a pull request's key against what a
// key can be.
func checkEntity(event string, repo repository, number int64, path string) error {
	switch {
	case repo.ID == 0:
		return payloadError(event, "repository.id is missing")
	case repo.ID < 0:
		return payloadError(event, "repository.id is %d, want a positive number", repo.ID)
	case number == 0:
		return payloadError(event, "%s is missing", path)
	case number < 0:
		return payloadError(event, "%s is %d, want a positive number", path, number)
	}
	return nil
}

// eventAction returns the action of a payload. A payload without one leaves
// what the record says: outside producers may state it in ce_type alone.
func eventAction(stated string, record schemas.Record) string {
	if stated == "" {
		return clean(record.Action)
	}
	return clean(stated)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
