package schemas

import "time"

// ComponentStatus is what a status page says of a component.
type ComponentStatus string

// The statuses of a component. Unknown is what a page says in a word that is not
// known: it never counts as operational.
const (
	ComponentOperational      ComponentStatus = "operational"
	ComponentUnderMaintenance ComponentStatus = "under_maintenance"
	ComponentUnknown          ComponentStatus = "unknown"
	ComponentDegraded         ComponentStatus = "degraded_performance"
	ComponentPartialOutage    ComponentStatus = "partial_outage"
	ComponentMajorOutage      ComponentStatus = "major_outage"
)

// ComponentStatuses returns all statuses, the worst last.
func ComponentStatuses() []ComponentStatus {
	return []ComponentStatus{
		ComponentOperational, ComponentUnderMaintenance, ComponentUnknown, ComponentDegraded,
		ComponentPartialOutage, ComponentMajorOutage,
	}
}

// Rank orders the statuses: the worse, the greater.
func (s ComponentStatus) Rank() int {
	for rank, status := range ComponentStatuses() {
		if s == status {
			return rank
		}
	}
	return ComponentUnknown.Rank()
}

// IncidentStatus is how far an incident or a maintenance is.
type IncidentStatus string

// The statuses of an incident, and of a scheduled maintenance.
const (
	IncidentUnknown       IncidentStatus = "unknown"
	IncidentScheduled     IncidentStatus = "scheduled"
	IncidentInvestigating IncidentStatus = "investigating"
	IncidentInProgress    IncidentStatus = "in_progress"
	IncidentIdentified    IncidentStatus = "identified"
	IncidentMonitoring    IncidentStatus = "monitoring"
	IncidentVerifying     IncidentStatus = "verifying"
	IncidentResolved      IncidentStatus = "resolved"
	IncidentCompleted     IncidentStatus = "completed"
	IncidentPostmortem    IncidentStatus = "postmortem"
)

// IncidentStatuses returns all statuses, in the order in which an incident goes
// through them.
func IncidentStatuses() []IncidentStatus {
	return []IncidentStatus{
		IncidentUnknown, IncidentScheduled, IncidentInvestigating, IncidentInProgress, IncidentIdentified,
		IncidentMonitoring, IncidentVerifying, IncidentResolved, IncidentCompleted, IncidentPostmortem,
	}
}

// Rank orders the statuses of one incident: the further, the greater.
func (s IncidentStatus) Rank() int {
	for rank, status := range IncidentStatuses() {
		if s == status {
			return rank
		}
	}
	return IncidentUnknown.Rank()
}

// IsOver reports whether the incident or the maintenance has ended.
func (s IncidentStatus) IsOver() bool {
	switch s {
	case IncidentResolved, IncidentCompleted, IncidentPostmortem:
		return true
	case IncidentUnknown, IncidentScheduled, IncidentInvestigating, IncidentInProgress, IncidentIdentified,
		IncidentMonitoring, IncidentVerifying:
		return false
	}
	return false
}

// StatusComponent is the folded state of one component of a status page: the row
// of pawl.status_component, the component of a transition and of a rule.
type StatusComponent struct {
	EntityKey   EntityKey       `json:"entity_key"`
	Instance    string          `json:"instance"`
	PageID      string          `json:"page_id"`
	ComponentID string          `json:"component_id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	GroupID     string          `json:"group_id"`
	Status      ComponentStatus `json:"status"`
	// ProviderUpdatedAt is the component's own watermark, in milliseconds.
	ProviderUpdatedAt time.Time `json:"provider_updated_at,omitzero"`
	Version           int64     `json:"version"`
	NeedsRead         bool      `json:"needs_read"`

	// Before is the status that the newest folded delivery says was before its
	// own. It tells two deliveries of one instant apart.
	Before ComponentStatus `json:"-"`
}

// StatusIncident is the folded state of one incident or scheduled maintenance of a
// status page: the row of pawl.status_incident, the incident of a transition and of
// a rule.
type StatusIncident struct {
	EntityKey   EntityKey      `json:"entity_key"`
	Instance    string         `json:"instance"`
	PageID      string         `json:"page_id"`
	IncidentID  string         `json:"incident_id"`
	Name        string         `json:"name"`
	Status      IncidentStatus `json:"status"`
	Impact      string         `json:"impact"`
	Maintenance bool           `json:"maintenance"`
	URL         string         `json:"url"`
	// Components are the names of the components that the newest snapshot names,
	// sorted.
	Components []string `json:"components"`
	// UpdateID and Body are of the newest update that was posted, by when it was
	// made and not by the time it is shown under.
	UpdateID string `json:"update_id"`
	Body     string `json:"body"`
	// Updates counts the updates that the newest snapshot has.
	Updates int64 `json:"updates"`

	CreatedAt      time.Time `json:"created_at,omitzero"`
	ResolvedAt     time.Time `json:"resolved_at,omitzero"`
	ScheduledFor   time.Time `json:"scheduled_for,omitzero"`
	ScheduledUntil time.Time `json:"scheduled_until,omitzero"`
	// ProviderUpdatedAt is the incident's own watermark: the newest time at which
	// it, or one of its updates, was changed.
	ProviderUpdatedAt time.Time `json:"provider_updated_at,omitzero"`
	Version           int64     `json:"version"`
	NeedsRead         bool      `json:"needs_read"`
}
