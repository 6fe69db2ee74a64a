// Package own reads and makes the records that Pawl itself appends to the log,
// under the provider "pawl". There is one kind: the deliveries that the edge
// refused. A refused delivery never enters the log, because nobody proved who
// sent it; that a source refuses what it gets must be seen all the same, by
// whoever asks why nothing arrives.
//
// A record of refusals counts. It holds no header and no byte of a refused
// request.
package own

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// Name is the provider of the records that Pawl makes.
const Name = "pawl"

// EventRefusals is the event of deliveries that were refused.
const EventRefusals = "refusals"

// Refusals are the deliveries that one source refused for one reason, in a time.
type Refusals struct {
	Source  string `json:"source"`
	Outcome string `json:"outcome"` // as in pawl_ingest_deliveries_total
	// Reason is a sentence for people, made of constants and of names of the
	// configuration.
	Reason  string    `json:"reason"`
	Count   int64     `json:"count"`
	FirstAt time.Time `json:"first_at"`
	LastAt  time.Time `json:"last_at"`
}

// Record makes the record, under the key of the source's instance. Its id is
// derived from its content, so that one which is appended twice is a duplicate.
func (r Refusals) Record(instance string) (schemas.Record, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return schemas.Record{}, fmt.Errorf("record refusals of source %s: %w", r.Source, err)
	}
	sum := sha256.Sum256(body)
	return schemas.Record{
		Key:         schemas.InstanceKey(instance),
		ID:          schemas.DeliveryID(EventRefusals + "-" + hex.EncodeToString(sum[:16])),
		Source:      r.Source,
		Provider:    Name,
		Event:       EventRefusals,
		ReceivedAt:  r.LastAt,
		ContentType: schemas.ContentTypeJSON,
		Body:        body,
	}, nil
}

// fields are those of Refusals that are told, as far as a record states them:
// anyone may produce to the log.
type fields struct {
	Source  *string        `json:"source"`
	Outcome *string        `json:"outcome"`
	Reason  *string        `json:"reason"`
	Count   *int64         `json:"count"`
	FirstAt payload.Moment `json:"first_at"`
	LastAt  payload.Moment `json:"last_at"`
}

// DecodeRefusals reads a record of Pawl's own. Nothing is folded from it; the
// reason why it is ignored is what it has to say.
func DecodeRefusals(record schemas.Record) (schemas.Event, error) {
	event := payload.NewEvent(record)
	if record.Event != EventRefusals {
		event.Ignored = fmt.Sprintf("event %s is not folded", payload.Clean(record.Event))
		return event, nil
	}
	var said fields
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	switch {
	case said.Outcome == nil || *said.Outcome == "":
		return schemas.Event{}, payload.Errorf(record.Event, "outcome is missing")
	case said.Count == nil || *said.Count < 1:
		return schemas.Event{}, payload.Errorf(record.Event, "count is missing, or less than 1")
	}
	event.Ignored = said.sentence(record.Source)
	return event, nil
}

// maxTold bounds each text that is told, in bytes.
const maxTold = 300

func (f *fields) sentence(source string) string {
	if f.Source != nil && *f.Source != "" {
		source = *f.Source
	}
	text := fmt.Sprintf("source %s refused %s: ", bounded(source), deliveries(*f.Count))
	if f.Reason != nil && *f.Reason != "" {
		text += bounded(*f.Reason)
	} else {
		text += bounded(*f.Outcome)
	}
	return text + " (" + bounded(*f.Outcome) + f.span() + ")"
}

func deliveries(count int64) string {
	if count == 1 {
		return "1 delivery"
	}
	return fmt.Sprintf("%d deliveries", count)
}

// span says when, as far as it is known.
func (f *fields) span() string {
	first, last := f.FirstAt.At, f.LastAt.At
	switch {
	case last.IsZero():
		return ""
	case first.IsZero() || first.Equal(last):
		return ", at " + last.Format(time.RFC3339)
	}
	return ", from " + first.Format(time.RFC3339) + " to " + last.Format(time.RFC3339)
}

func bounded(text string) string {
	if len(text) > maxTold {
		text = text[:maxTold]
	}
	return payload.Clean(text)
}
