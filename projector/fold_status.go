package projector

import (
	"cmp"
	"slices"
	"time"

	"pawl/schemas"
)

// FoldComponent returns a component's row after one snapshot of it, with the
// transition that it makes. The component has a clock of its own, also where an
// incident shows it: what is older than the row changes nothing (I5).
//
// The first sight of a component that is operational is no news. Two snapshots of
// one instant are told apart by the status that each says was before it; where
// that cannot tell, the worse one stands and the row asks for a read (I6).
func FoldComponent(held *schemas.StatusComponent, said schemas.ComponentSnapshot, event schemas.Event) (*schemas.StatusComponent, Outcome) {
	at, future := providerTime(said.UpdatedAt, event.ReceivedAt)
	next := schemas.StatusComponent{
		EntityKey: said.Key, Instance: said.Instance, PageID: said.PageID, ComponentID: said.ComponentID,
	}
	order := 0
	if held != nil {
		next = *held
		order = compareTimes(at, held.ProviderUpdatedAt)
		switch {
		case order > 0:
			next.NeedsRead = false // what contradicted each other is past
		case order == 0 && !at.IsZero() && said.Status != held.Status:
			order, next.NeedsRead = standOfComponents(held, said)
		}
	}
	if order < 0 {
		return keepComponent(held, next.NeedsRead), Outcome{Verdict: schemas.Stale, Reason: "the component is known as it was later", FutureTime: future}
	}
	next.Name = said.Name.Or(next.Name)
	next.Description = said.Description.Or(next.Description)
	next.GroupID = said.GroupID.Or(next.GroupID)
	next.Status = said.Status
	if said.Before.Known && said.Before.Value != said.Status {
		next.Before = said.Before.Value
	}
	next.ProviderUpdatedAt = latest(at, next.ProviderUpdatedAt)
	if held != nil && next == *held {
		return held, Outcome{Verdict: schemas.Unchanged, Reason: "the row says the same already", FutureTime: future}
	}
	next.Version++
	outcome := Outcome{Verdict: schemas.Applied, FutureTime: future}
	if from, changed := componentBefore(held, said); changed {
		transition := schemas.NewTransition(next.EntityKey, schemas.KindComponentChanged, text(string(from)), text(string(next.Status)), causeOf(event))
		transition.Component = &next
		outcome.Transitions = []schemas.Transition{transition}
	}
	return &next, outcome
}

// keepComponent keeps the row, with a mark where the order was a guess.
func keepComponent(held *schemas.StatusComponent, needsRead bool) *schemas.StatusComponent {
	if held.NeedsRead == needsRead {
		return held
	}
	marked := *held
	marked.NeedsRead = needsRead
	marked.Version++
	return &marked
}

// componentBefore returns what the status was before, and whether it changed.
func componentBefore(held *schemas.StatusComponent, said schemas.ComponentSnapshot) (schemas.ComponentStatus, bool) {
	if held != nil {
		return held.Status, held.Status != said.Status
	}
	if said.Before.Value == said.Status {
		return "", said.Status != schemas.ComponentOperational
	}
	return said.Before.Value, said.Status != schemas.ComponentOperational
}

// standOfComponents orders two snapshots of one instant that differ: negative
// where the row is the later one. A guess is to be read.
func standOfComponents(held *schemas.StatusComponent, said schemas.ComponentSnapshot) (order int, guess bool) {
	follows := said.Before.Known && said.Before.Value == held.Status
	leads := held.Before != "" && held.Before == said.Status
	switch {
	case follows && !leads:
		return 1, held.NeedsRead
	case leads && !follows:
		return -1, held.NeedsRead
	}
	return cmp.Compare(said.Status.Rank(), held.Status.Rank()), true
}

// FoldIncident returns an incident's row after one snapshot of it, with the
// transition that it makes. A snapshot is whole; of two with one clock the one
// with more updates is the later, then the one whose status is further on.
func FoldIncident(held *schemas.StatusIncident, event schemas.Event) (*schemas.StatusIncident, Outcome) {
	said := event.Incident
	at, future := providerTime(said.UpdatedAt, event.ReceivedAt)
	next := schemas.StatusIncident{
		EntityKey: event.Entity, Instance: said.Instance, PageID: said.PageID, IncidentID: said.IncidentID, Components: []string{},
	}
	if held != nil {
		next = *held
		if standOfIncidents(held, said, at) < 0 {
			return held, Outcome{Verdict: schemas.Stale, Reason: "the incident is known as it was later", FutureTime: future}
		}
	}
	takeIncident(&next, said, event)
	next.ProviderUpdatedAt = latest(at, next.ProviderUpdatedAt)
	if held != nil && sameIncident(held, &next) {
		return held, Outcome{Verdict: schemas.Unchanged, Reason: "the row says the same already", FutureTime: future}
	}
	next.NeedsRead = held != nil && !at.IsZero() && at.Equal(held.ProviderUpdatedAt) && said.Updates == held.Updates
	next.Version++
	outcome := Outcome{Verdict: schemas.Applied, FutureTime: future}
	if kind, changed := incidentKind(held, &next); changed {
		transition := schemas.NewTransition(next.EntityKey, kind, text(incidentBefore(held)), text(string(next.Status)), causeOf(event))
		transition.Incident = &next
		outcome.Transitions = []schemas.Transition{transition}
	}
	return &next, outcome
}

func takeIncident(next *schemas.StatusIncident, said *schemas.IncidentSnapshot, event schemas.Event) {
	next.Name = said.Name.Or(next.Name)
	next.Status = said.Status
	next.Impact = said.Impact.Or(next.Impact)
	next.Maintenance = next.Maintenance || said.Maintenance
	next.URL = said.URL.Or(next.URL)
	next.Components = said.Components.Or(next.Components)
	next.UpdateID = said.UpdateID.Or(next.UpdateID)
	next.Body = said.Body.Or(next.Body)
	next.Updates = said.Updates
	next.CreatedAt = keepTime(next.CreatedAt, timeOf(said.CreatedAt, event))
	if said.ResolvedAt.Known {
		next.ResolvedAt = timeOf(said.ResolvedAt, event)
	}
	next.ScheduledFor = plannedTime(said.ScheduledFor, next.ScheduledFor)
	next.ScheduledUntil = plannedTime(said.ScheduledUntil, next.ScheduledUntil)
}

// plannedTime is a time that is to come: it may lie ahead, unlike a clock.
func plannedTime(said schemas.Stated[time.Time], held time.Time) time.Time {
	if !said.Known {
		return held
	}
	return said.Value.UTC()
}

// standOfIncidents is negative where the row is the later one.
func standOfIncidents(held *schemas.StatusIncident, said *schemas.IncidentSnapshot, at time.Time) int {
	if order := compareTimes(at, held.ProviderUpdatedAt); order != 0 || at.IsZero() {
		return order
	}
	return cmp.Or(cmp.Compare(said.Updates, held.Updates), cmp.Compare(said.Status.Rank(), held.Status.Rank()))
}

// sameIncident compares two rows but for needs_read, which follows from the rest.
func sameIncident(a, b *schemas.StatusIncident) bool {
	return a.Name == b.Name && a.Status == b.Status && a.Impact == b.Impact && a.Maintenance == b.Maintenance &&
		a.URL == b.URL && slices.Equal(a.Components, b.Components) &&
		a.UpdateID == b.UpdateID && a.Body == b.Body && a.Updates == b.Updates &&
		a.CreatedAt.Equal(b.CreatedAt) && a.ResolvedAt.Equal(b.ResolvedAt) &&
		a.ScheduledFor.Equal(b.ScheduledFor) && a.ScheduledUntil.Equal(b.ScheduledUntil) &&
		a.ProviderUpdatedAt.Equal(b.ProviderUpdatedAt)
}

// incidentKind returns what kind of change two rows are apart. The text of an
// update that was edited is none.
func incidentKind(before, after *schemas.StatusIncident) (schemas.Kind, bool) {
	wasOpen := before != nil && !before.Status.IsOver()
	switch {
	case after.Status.IsOver() && (before == nil || wasOpen):
		return schemas.KindIncidentResolved, true
	case before == nil, !wasOpen && !after.Status.IsOver():
		return schemas.KindIncidentOpened, true
	}
	changed := before.Status != after.Status || before.Impact != after.Impact || before.Name != after.Name || before.UpdateID != after.UpdateID
	return schemas.KindIncidentChanged, changed
}

func incidentBefore(held *schemas.StatusIncident) string {
	if held == nil {
		return ""
	}
	return string(held.Status)
}
