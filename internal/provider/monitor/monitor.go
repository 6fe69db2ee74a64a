// Package monitor reads deliveries of home-made monitors: the outline of package page,
// as small as schemas/monitor.v1.schema.json says. Whoever sends them keeps a clock for
// each component and each incident, updated_at, and proves itself by the token in the
// path.
//
// A service's payload is read as far as it goes. This shape is ours, so what it lacks is
// somebody's mistake, and is a dead letter that says so: without a clock two states
// could not be told apart, and without a status there is none.
package monitor

import (
	"pawl/internal/provider/page"
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// Name is the provider's name.
const Name = "monitor"

// Provider reads the deliveries of home-made monitors.
type Provider struct{ page.Provider }

// New returns the provider.
func New() Provider { return Provider{page.New(Name, "monitor")} }

// shape is what each delivery has to have.
type shape struct {
	Component   *part `json:"component"`
	Incident    *part `json:"incident"`
	Maintenance *part `json:"maintenance"`
}

type part struct {
	Status    string         `json:"status"`
	UpdatedAt payload.Moment `json:"updated_at"`
}

// Decode reads a record into an event. It is pure. The error wraps
// payload.ErrPayload, and names what is missing.
func (p Provider) Decode(record schemas.Record) (schemas.Event, error) {
	var said shape
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	if err := said.check(record.Event); err != nil {
		return schemas.Event{}, err
	}
	return p.Provider.Decode(record)
}

func (s shape) check(event string) error {
	found := 0
	for _, of := range [...]struct {
		path string
		part *part
	}{{"component", s.Component}, {"incident", s.Incident}, {"maintenance", s.Maintenance}} {
		if of.part == nil {
			continue
		}
		found++
		switch {
		case of.part.Status == "":
			return payload.Errorf(event, "%s.status is missing", of.path)
		case of.part.UpdatedAt.At.IsZero():
			return payload.Errorf(event, "%s.updated_at is missing or no time: it tells which of two states is the newer", of.path)
		}
	}
	if found != 1 {
		return payload.Errorf(event, "there are %d of component, incident and maintenance, want one: send one delivery for each", found)
	}
	return nil
}
