package projector

import (
	"cmp"

	"pawl/schemas"
)

// foldStatus folds a delivery of a status page: the components that it shows, each
// by its own clock, and the incident.
func (h *Held) foldStatus(event schemas.Event) Outcome {
	var outcome Outcome
	for _, said := range event.Components {
		held := h.Components[said.Key]
		after, part := FoldComponent(held, said, event)
		if after != held {
			h.Components[said.Key] = after
			h.changed.components[said.Key] = after
		}
		outcome.join(part)
	}
	if event.Incident == nil {
		return outcome
	}
	held := h.Incidents[event.Entity]
	after, part := FoldIncident(held, event)
	if after != held {
		h.Incidents[event.Entity] = after
		h.changed.incidents[event.Entity] = after
	}
	return incidentOutcome(part, outcome)
}

// join adds the outcome of a part: what changed anything is applied.
func (o *Outcome) join(part Outcome) {
	if part.Verdict == schemas.Applied || o.Verdict == "" {
		o.Verdict, o.Reason = part.Verdict, part.Reason
	}
	o.FutureTime = o.FutureTime || part.FutureTime
	o.Transitions = append(o.Transitions, part.Transitions...)
}

// incidentOutcome is that of an incident's delivery: the incident's own verdict,
// unless a component that it shows was changed alone.
func incidentOutcome(incident, components Outcome) Outcome {
	if incident.Verdict != schemas.Applied && components.Verdict == schemas.Applied {
		incident.Reason = joinReasons("a component that it shows was not known like that", incident.Reason)
		incident.Verdict = schemas.Applied
	}
	incident.FutureTime = incident.FutureTime || components.FutureTime
	incident.Transitions = append(components.Transitions, incident.Transitions...)
	return incident
}

// ChangedComponents returns the components that folding changed, sorted by key.
func (h *Held) ChangedComponents() []*schemas.StatusComponent {
	return sortedRows(h.changed.components, cmp.Compare[schemas.EntityKey])
}

// ChangedIncidents returns the incidents that folding changed, sorted by key.
func (h *Held) ChangedIncidents() []*schemas.StatusIncident {
	return sortedRows(h.changed.incidents, cmp.Compare[schemas.EntityKey])
}
