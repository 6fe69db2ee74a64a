package page

import (
	"cmp"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// routing is the few fields that make a key.
type routing struct {
	Page            lenient[named] `json:"page"`
	Component       lenient[named] `json:"component"`
	ComponentUpdate lenient[struct {
		ID          string `json:"id"`
		ComponentID string `json:"component_id"`
	}] `json:"component_update"`
	Incident lenient[struct {
		ID      string              `json:"id"`
		Name    string              `json:"name"`
		Updates lenient[[]*natural] `json:"incident_updates"`
	}] `json:"incident"`
	Maintenance lenient[struct {
		ID      string              `json:"id"`
		Name    string              `json:"name"`
		Updates lenient[[]*natural] `json:"maintenance_updates"`
	}] `json:"maintenance"`
}

type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// natural is what tells the updates of an incident apart.
type natural struct {
	ID        string         `json:"id"`
	CreatedAt payload.Moment `json:"created_at"`
}

// event is told by what is there: pages send no name that could be relied on.
func (r *routing) event() string {
	switch {
	case r.ComponentUpdate.There:
		return eventComponent
	case r.Incident.There:
		return eventIncident
	case r.Maintenance.There:
		return eventMaintenance
	case r.Component.There:
		return eventComponent
	}
	return eventOther
}

// key returns the partition key and what people call the entity. The error names
// the id that can be in no key.
func (r *routing) key(instance string) (schemas.EntityKey, string, error) {
	page := r.Page.Value.ID
	switch r.event() {
	case eventComponent:
		id := cmp.Or(r.Component.Value.ID, r.ComponentUpdate.Value.ComponentID)
		subject := page + "/" + cmp.Or(r.Component.Value.Name, id)
		return schemas.ComponentKey(instance, page, id), subject, checkIDs(page, "component.id", id)
	case eventIncident:
		id := r.Incident.Value.ID
		subject := page + "!" + cmp.Or(r.Incident.Value.Name, id)
		return schemas.IncidentKey(instance, page, id), subject, checkIDs(page, "incident.id", id)
	case eventMaintenance:
		id := r.Maintenance.Value.ID
		subject := page + "!" + cmp.Or(r.Maintenance.Value.Name, id)
		return schemas.IncidentKey(instance, page, id), subject, checkIDs(page, "maintenance.id", id)
	}
	return schemas.InstanceKey(instance), "", nil
}

// naturalID is the page's own id of what changed, or empty.
func (r *routing) naturalID() string {
	switch r.event() {
	case eventComponent:
		return r.ComponentUpdate.Value.ID
	case eventIncident:
		return newestID(r.Incident.Value.Updates.Value)
	case eventMaintenance:
		return newestID(r.Maintenance.Value.Updates.Value)
	}
	return ""
}

func newestID(updates []*natural) string {
	if newest := newestOf(updates, (*natural).createdAt); newest != nil {
		return newest.ID
	}
	return ""
}

func (n *natural) createdAt() payload.Moment { return n.CreatedAt }
