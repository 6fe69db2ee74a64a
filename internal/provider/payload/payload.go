// Package payload reads the fields of webhook payloads: JSON in which a field
// can be absent, null, or of another type than documented, times in every shape
// that providers send, and text that PostgreSQL would refuse.
//
// Three things are kept apart that encoding/json puts together: a field that is
// not there says nothing, null says that there is no value, and a value of a
// wrong type is an error that names the field. The types here are fields of the
// providers' own small structs; the functions turn them into schemas.Stated.
//
// It reads with goccy/go-json, which takes a tenth of encoding/json's time for a
// payload of 24 KB, and is held against it in differential and fuzz tests.
package payload

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-json"

	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// ErrPayload is wrapped by the errors of decoding: the body is not the payload
// of its event, and never will be. The record becomes a dead letter.
var ErrPayload = errors.New("payload cannot be decoded")

// TypeError tells a field of a wrong type from text that is not JSON.
type TypeError = json.UnmarshalTypeError

// Unmarshal is the only way in which payloads are read.
func Unmarshal(data []byte, into any) error { return json.Unmarshal(data, into) }

// IsTypeError reports whether the text is JSON, and only a field of it is of
// another type than wanted.
func IsTypeError(err error) bool {
	var wrong *TypeError
	return errors.As(err, &wrong)
}

// Read decodes a record's body. The error wraps ErrPayload and names the field
// that is wrong.
func Read(record schemas.Record, into any) error {
	err := Unmarshal(record.Body, into)
	if err == nil {
		return nil
	}
	var wrong *TypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return Errorf(record.Event, "%s is a %s, want %s", wrong.Field, wrong.Value, kindOf(wrong))
	}
	if errors.As(err, &wrong) {
		return Errorf(record.Event, "it is a %s, want an object", wrong.Value)
	}
	return fmt.Errorf("%w: %s: it is not JSON: %w", ErrPayload, Clean(record.Event), err)
}

// Errorf returns an error about the payload of an event. It wraps ErrPayload.
func Errorf(event, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrPayload, Clean(event), fmt.Sprintf(format, args...))
}

// kindOf names a Go type in the words of JSON.
func kindOf(wrong *TypeError) string {
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

// ReadRouting reads the few fields that make a key, as far as they are of the
// right type. Only text that is not JSON is an error; it wraps webhook.ErrBody.
func ReadRouting(body []byte, into any) error {
	err := Unmarshal(body, into)
	if err == nil || IsTypeError(err) {
		return nil
	}
	return fmt.Errorf("%w: it is not JSON: %w", webhook.ErrBody, err)
}

// Subject is what people call an entity of a repository, acme/api#7. It is empty
// where the repository's name is.
func Subject(repository, rest string) string {
	if repository == "" {
		return ""
	}
	return repository + rest
}

// Action returns the action of a payload. A payload without one leaves what the
// record says: outside producers may state it in ce_type alone.
func Action(stated string, record schemas.Record) string {
	if stated == "" {
		return Clean(record.Action)
	}
	return Clean(stated)
}

// CheckPositive names a number that no key can have. The path names its field.
func CheckPositive(event string, number int64, path string) error {
	switch {
	case number == 0:
		return Errorf(event, "%s is missing", path)
	case number < 0:
		return Errorf(event, "%s is %d, want a positive number", path, number)
	}
	return nil
}

// NewEvent returns the event of a record, with all that stands in the record.
func NewEvent(record schemas.Record) schemas.Event {
	return schemas.Event{
		Entity:      record.Key,
		Source:      record.Source,
		DeliveryID:  record.ID,
		Provider:    record.Provider,
		Name:        record.Event,
		Action:      record.Action,
		ReceivedAt:  record.ReceivedAt,
		TraceParent: record.TraceParent,
	}
}

// Instance returns the provider's host that a key is of: what stands before its
// last colon.
func Instance(key schemas.EntityKey) string {
	text := string(key)
	if colon := strings.LastIndexByte(text, ':'); colon >= 0 {
		return text[:colon]
	}
	return text
}

// Clean returns a copy of text that PostgreSQL takes: without NUL, and with
// U+FFFD for each byte that is not UTF-8. The copy keeps the payload that the
// text was cut from out of memory.
func Clean(text string) string {
	if utf8.ValidString(text) && !strings.Contains(text, "\x00") {
		return strings.Clone(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if r != 0 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// IsSHA reports whether a text can be the name of a commit, whole or
// abbreviated.
func IsSHA(text string) bool {
	return text != "" && len(text) <= maxSHA && !strings.ContainsFunc(text, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
}

const maxSHA = 64
