package statuspage

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
	case eventComponent:
		return decodeComponent(event, record)
	case eventIncident:
		return decodeIncident(event, record)
	}
	event.Ignored = fmt.Sprintf("event %s is not folded", payload.Clean(record.Event))
	return event, nil
}

// page is the status page that every payload we fold must name.
type page struct {
	ID string `json:"id"`
}

// reader has what the parts of one payload share.
type reader struct {
	event    string
	instance string
	page     string
}

// newReader holds the page's id against what a key can be.
func newReader(record schemas.Record, on page) (reader, error) {
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

// plain is a word of a status without what pages write differently:
// UNDERMAINTENANCE and under_maintenance are one.
func plain(word string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "", "\t", "", "\n", "", "\r", "").Replace(strings.ToLower(word))
}

// wordOf returns the status that a word is, or unknown.
func wordOf[S ~string](word string, statuses []S, unknown S) S {
	word = plain(word)
	for _, status := range statuses {
		if plain(string(status)) == word {
			return status
		}
	}
	return unknown
}

// newestOf returns the element that was made last, the first of those that were
// made at once, or nil. One whose time is not known is older than all others.
func newestOf[T any](list []*T, at func(*T) payload.Moment) *T {
	var newest *T
	for _, element := range list {
		if element != nil && (newest == nil || at(element).At.After(at(newest).At)) {
			newest = element
		}
	}
	return newest
}
