package page

import (
	"fmt"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// decode reads a record into an event. It is pure. The error wraps
// payload.ErrPayload.
func decode(record schemas.Record) (schemas.Event, error) {
	event := payload.NewEvent(record)
	switch record.Event {
	case eventComponent:
		return decodeComponent(event, record)
	case eventIncident, eventMaintenance:
		return decodeIncident(event, record)
	}
	event.Ignored = fmt.Sprintf("event %s is not folded", payload.Clean(record.Event))
	return event, nil
}

// onPage is the status page that every payload we fold must name.
type onPage struct {
	ID string `json:"id"`
}

// reader has what the parts of one payload share.
type reader struct {
	event    string
	instance string
	page     string
}

// newReader holds the page's id against what a key can be.
func newReader(record schemas.Record, on onPage) (reader, error) {
	made := reader{record.Event, payload.Instance(record.Key), strings.Clone(on.ID)}
	return made, made.checkID("page.id", on.ID)
}

// checkID names an id that can be in no key.
func (r reader) checkID(path, id string) error {
	switch {
	case id == "":
		return payload.Errorf(r.event, "%s is missing", path)
	case !schemas.IsPageID(id):
		return payload.Errorf(r.event, "%s is %.100q, which is not an id of a status page", path, payload.Clean(id))
	}
	return nil
}

// checkPage names a part that says it is of another page.
func (r reader) checkPage(path, id string) error {
	if id != "" && id != r.page {
		return payload.Errorf(r.event, "%s is %.100q, but page.id is %.100q", path, payload.Clean(id), r.page)
	}
	return nil
}
