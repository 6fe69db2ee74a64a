package page

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// component is a component of a page.
type component struct {
	ID          string           `json:"id"`
	PageID      string           `json:"page_id"`
	GroupID     payload.Nullable `json:"group_id"`
	Name        *string          `json:"name"`
	Description payload.Nullable `json:"description"`
	Status      string           `json:"status"`
	UpdatedAt   payload.Moment   `json:"updated_at"`
}

// componentPayload is what is sent when the status of a component changes.
type componentPayload struct {
	Page      onPage    `json:"page"`
	Component component `json:"component"`
	Update    struct {
		ComponentID string         `json:"component_id"`
		OldStatus   *string        `json:"old_status"`
		NewStatus   string         `json:"new_status"`
		CreatedAt   payload.Moment `json:"created_at"`
	} `json:"component_update"`
}

func decodeComponent(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said componentPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	read, err := newReader(record, said.Page)
	if err != nil {
		return schemas.Event{}, err
	}
	shown := said.Component
	shown.ID = cmp.Or(shown.ID, said.Update.ComponentID)
	shown.Status = cmp.Or(shown.Status, said.Update.NewStatus)
	if err := read.checkID("component.id", shown.ID); err != nil {
		return schemas.Event{}, err
	}
	snapshot, err := read.component("component", &shown)
	if err != nil {
		return schemas.Event{}, err
	}
	if before := payload.NonEmpty(said.Update.OldStatus); before.Known {
		snapshot.Before = schemas.Say(componentStatus(before.Value))
	}
	if !snapshot.UpdatedAt.Known {
		snapshot.UpdatedAt = said.Update.CreatedAt.Stated()
	}
	event.Entity = snapshot.Key
	event.Components = []schemas.ComponentSnapshot{snapshot}
	return event, nil
}

// component returns what is said of a component whose id can be in a key. The
// path names it in errors.
func (r reader) component(path string, shown *component) (schemas.ComponentSnapshot, error) {
	if err := r.checkPage(path+".page_id", shown.PageID); err != nil {
		return schemas.ComponentSnapshot{}, err
	}
	switch {
	case shown.GroupID.Wrong != nil:
		return schemas.ComponentSnapshot{}, payload.Errorf(r.event, "%s.group_id is not a string", path)
	case shown.Description.Wrong != nil:
		return schemas.ComponentSnapshot{}, payload.Errorf(r.event, "%s.description is not a string", path)
	}
	return schemas.ComponentSnapshot{
		Key:         schemas.ComponentKey(r.instance, r.page, shown.ID),
		Instance:    r.instance,
		PageID:      r.page,
		ComponentID: strings.Clone(shown.ID),
		Name:        payload.NonEmpty(shown.Name),
		Description: shown.Description.Stated(),
		GroupID:     shown.GroupID.Stated(),
		Status:      componentStatus(shown.Status),
		UpdatedAt:   shown.UpdatedAt.Stated(),
	}, nil
}

// components returns what an incident shows of the components it affects, in the
// order of their keys and the newest of each. Those without a clock have the
// incident's.
func (r reader) components(list []*component, clock schemas.Stated[time.Time]) ([]schemas.ComponentSnapshot, error) {
	var made []schemas.ComponentSnapshot
	for _, shown := range list {
		if shown == nil || !schemas.IsPageID(shown.ID) {
			continue
		}
		snapshot, err := r.component("incident.components", shown)
		if err != nil {
			return nil, err
		}
		if !snapshot.UpdatedAt.Known {
			snapshot.UpdatedAt = clock
		}
		made = append(made, snapshot)
	}
	slices.SortStableFunc(made, func(a, b schemas.ComponentSnapshot) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), b.UpdatedAt.Value.Compare(a.UpdatedAt.Value))
	})
	return slices.CompactFunc(made, func(a, b schemas.ComponentSnapshot) bool { return a.Key == b.Key }), nil
}

// componentStatus never takes a word that it does not know for operational.
func componentStatus(word string) schemas.ComponentStatus {
	switch plain(word) { // Better Stack has words of its own
	case "degraded":
		return schemas.ComponentDegraded
	case "downtime":
		return schemas.ComponentMajorOutage
	case "maintenance":
		return schemas.ComponentUnderMaintenance
	}
	return WordOf(word, schemas.ComponentStatuses(), schemas.ComponentUnknown)
}
