package page

import (
	"cmp"
	"strings"
	"time"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// incidentPayload is what is sent when an incident or a scheduled maintenance is
// made or changed: the whole of it.
type incidentPayload struct {
	Page     onPage   `json:"page"`
	Incident incident `json:"incident"`
	// Maintenance is where Instatus and Better Stack have scheduled maintenances.
	Maintenance *incident `json:"maintenance"`
}

type incident struct {
	ID             string         `json:"id"`
	PageID         string         `json:"page_id"`
	Name           *string        `json:"name"`
	Status         string         `json:"status"`
	Impact         *string        `json:"impact"`
	Shortlink      *string        `json:"shortlink"`
	URL            *string        `json:"url"` // of Instatus
	CreatedAt      payload.Moment `json:"created_at"`
	UpdatedAt      payload.Moment `json:"updated_at"`
	ResolvedAt     payload.Moment `json:"resolved_at"`
	ScheduledFor   payload.Moment `json:"scheduled_for"`
	ScheduledUntil payload.Moment `json:"scheduled_until"`
	StartsAt       payload.Moment `json:"starts_at"` // of a maintenance at Better Stack
	EndsAt         payload.Moment `json:"ends_at"`
	Components     []*component   `json:"components"`
	Updates        []*update      `json:"incident_updates"`
	// MaintenanceUpdates are those of a maintenance at Instatus and Better Stack.
	MaintenanceUpdates []*update `json:"maintenance_updates"`
}

// update is what was posted to an incident. Its display_at is not read: it can be
// set back.
type update struct {
	ID        *string        `json:"id"`
	Body      *string        `json:"body"`
	CreatedAt payload.Moment `json:"created_at"`
	UpdatedAt payload.Moment `json:"updated_at"`
}

func (u *update) createdAt() payload.Moment { return u.CreatedAt }

func decodeIncident(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said incidentPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	read, err := newReader(record, said.Page)
	if err != nil {
		return schemas.Event{}, err
	}
	shown, path := &said.Incident, "incident"
	if record.Event == eventMaintenance && said.Maintenance != nil {
		shown, path = said.Maintenance, "maintenance"
		shown.ScheduledFor, shown.ScheduledUntil = stated(shown.ScheduledFor, shown.StartsAt), stated(shown.ScheduledUntil, shown.EndsAt)
	}
	shown.Updates = append(shown.Updates, shown.MaintenanceUpdates...)
	if err := read.checkID(path+".id", shown.ID); err != nil {
		return schemas.Event{}, err
	}
	if err := read.checkPage(path+".page_id", shown.PageID); err != nil {
		return schemas.Event{}, err
	}
	event.Components, err = read.components(shown.Components, shown.clock())
	if err != nil {
		return schemas.Event{}, err
	}
	event.Incident = read.incident(shown)
	event.Incident.Maintenance = event.Incident.Maintenance || record.Event == eventMaintenance
	event.Entity = schemas.IncidentKey(read.instance, read.page, shown.ID)
	return event, nil
}

// stated is the first of two members for one time that is there.
func stated(first, second payload.Moment) payload.Moment {
	if first == (payload.Moment{}) {
		return second
	}
	return first
}

func (r reader) incident(shown *incident) *schemas.IncidentSnapshot {
	made := &schemas.IncidentSnapshot{
		Instance:       r.instance,
		PageID:         r.page,
		IncidentID:     strings.Clone(shown.ID),
		Name:           payload.NonEmpty(shown.Name),
		Status:         incidentStatus(shown.Status),
		Impact:         payload.Text(shown.Impact),
		URL:            payload.Text(cmp.Or(shown.Shortlink, shown.URL)),
		Components:     payload.Names(shown.Components, (*component).name),
		Updates:        int64(len(shown.Updates)),
		CreatedAt:      shown.CreatedAt.Stated(),
		ResolvedAt:     shown.ResolvedAt.StatedOrNull(),
		ScheduledFor:   shown.ScheduledFor.StatedOrNull(),
		ScheduledUntil: shown.ScheduledUntil.StatedOrNull(),
		UpdatedAt:      shown.clock(),
	}
	made.Maintenance = shown.ScheduledFor.Set || shown.ScheduledUntil.Set || isMaintenance(made.Status)
	if newest := newestOf(shown.Updates, (*update).createdAt); newest != nil {
		made.UpdateID, made.Body = payload.NonEmpty(newest.ID), payload.Text(newest.Body)
	}
	return made
}

// incidentStatus is a status by its word. Instatus says of a maintenance that is to
// come that it has not started yet.
func incidentStatus(word string) schemas.IncidentStatus {
	if plain(word) == "notstartedyet" {
		return schemas.IncidentScheduled
	}
	return WordOf(word, schemas.IncidentStatuses(), schemas.IncidentUnknown)
}

func (c *component) name() string { return payload.Text(c.Name).Value }

// clock is the newest time at which the incident or one of its updates was
// changed: an update can be edited later.
func (i *incident) clock() schemas.Stated[time.Time] {
	newest := i.UpdatedAt
	for _, posted := range i.Updates {
		if posted != nil && posted.UpdatedAt.At.After(newest.At) {
			newest = posted.UpdatedAt
		}
	}
	return newest.Stated()
}

// isMaintenance reports whether only a scheduled maintenance has a status.
func isMaintenance(status schemas.IncidentStatus) bool {
	switch status {
	case schemas.IncidentScheduled, schemas.IncidentInProgress, schemas.IncidentVerifying, schemas.IncidentCompleted:
		return true
	case schemas.IncidentUnknown, schemas.IncidentInvestigating, schemas.IncidentIdentified,
		schemas.IncidentMonitoring, schemas.IncidentResolved, schemas.IncidentPostmortem:
		return false
	}
	return false
}
