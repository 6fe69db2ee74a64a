package projector_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"pawl/projector"
	"pawl/schemas"
)

func milli(ms int) schemas.Stated[time.Time] {
	return schemas.Say(time.Date(2026, 1, 1, 0, 0, 0, ms*int(time.Millisecond), time.UTC))
}

func shown(status, before schemas.ComponentStatus, ms int) schemas.ComponentSnapshot {
	made := schemas.ComponentSnapshot{
		Key: "statuspage.io:pg1/c1", Instance: "statuspage.io", PageID: "pg1", ComponentID: "c1",
		Name: schemas.Say("API"), Status: status, UpdatedAt: milli(ms),
	}
	if before != "" {
		made.Before = schemas.Say(before)
	}
	return made
}

func foldShown(snapshots ...schemas.ComponentSnapshot) (*schemas.StatusComponent, []projector.Outcome) {
	var row *schemas.StatusComponent
	var outcomes []projector.Outcome
	for _, said := range snapshots {
		var outcome projector.Outcome
		row, outcome = projector.FoldComponent(row, said, schemas.Event{Source: "status", DeliveryID: "d-1"})
		outcomes = append(outcomes, outcome)
	}
	return row, outcomes
}

// TestI5_OlderComponentChangesNothing, wherever it was shown.
func TestI5_OlderComponentChangesNothing(t *testing.T) {
	t.Parallel()
	row, outcomes := foldShown(
		shown(schemas.ComponentMajorOutage, schemas.ComponentOperational, 371),
		shown(schemas.ComponentOperational, "", 370))
	if row.Status != schemas.ComponentMajorOutage || outcomes[1].Verdict != schemas.Stale || len(outcomes[1].Transitions) != 0 {
		t.Errorf("%s, %+v", row.Status, outcomes[1])
	}
}

// TestI6_ComponentsOfOneInstantFollowEachOther: what each says was before tells
// the order, whichever comes first.
func TestI6_ComponentsOfOneInstantFollowEachOther(t *testing.T) {
	t.Parallel()
	down := shown(schemas.ComponentMajorOutage, schemas.ComponentOperational, 5)
	partly := shown(schemas.ComponentPartialOutage, schemas.ComponentMajorOutage, 5)
	for _, order := range [][]schemas.ComponentSnapshot{{down, partly}, {partly, down}, {down, partly, down}} {
		if row, _ := foldShown(order...); row.Status != schemas.ComponentPartialOutage || row.NeedsRead {
			t.Errorf("%s, needs read: %t", row.Status, row.NeedsRead)
		}
	}
}

// TestI6_ContradictionOfOneInstantIsTheWorse, and is to be read.
func TestI6_ContradictionOfOneInstantIsTheWorse(t *testing.T) {
	t.Parallel()
	down, up := shown(schemas.ComponentMajorOutage, "", 5), shown(schemas.ComponentOperational, "", 5)
	for _, order := range [][]schemas.ComponentSnapshot{{down, up}, {up, down}} {
		if row, _ := foldShown(order...); row.Status != schemas.ComponentMajorOutage || !row.NeedsRead {
			t.Errorf("%s, needs read: %t", row.Status, row.NeedsRead)
		}
	}
}

// TestI6_LaterDeliveryEndsAContradiction, of a component and of an incident.
func TestI6_LaterDeliveryEndsAContradiction(t *testing.T) {
	t.Parallel()
	component, _ := foldShown(shown(schemas.ComponentMajorOutage, "", 5), shown(schemas.ComponentOperational, "", 5), shown(schemas.ComponentOperational, "", 6))
	if component.NeedsRead || component.Status != schemas.ComponentOperational {
		t.Errorf("component: %s, needs read: %t", component.Status, component.NeedsRead)
	}
	first, second := incident(schemas.IncidentIdentified, 5, 1, "a"), incident(schemas.IncidentIdentified, 5, 1, "b")
	if row, _ := foldIncidents(first, second); !row.NeedsRead {
		t.Error("incident: two texts of one instant do not ask for a read")
	}
	if row, _ := foldIncidents(first, second, incident(schemas.IncidentIdentified, 6, 2, "c")); row.NeedsRead {
		t.Error("incident: it still asks for a read")
	}
}

func TestComponent_FirstSight(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		said schemas.ComponentSnapshot
		want int
		from string
	}{
		{"operational is no news", shown(schemas.ComponentOperational, schemas.ComponentMajorOutage, 5), 0, ""},
		{"an outage", shown(schemas.ComponentMajorOutage, schemas.ComponentOperational, 5), 1, "operational"},
		{"an outage that an incident shows", shown(schemas.ComponentMajorOutage, "", 5), 1, ""},
		{"a word that is not known", shown(schemas.ComponentUnknown, schemas.ComponentOperational, 5), 1, "operational"},
	} {
		_, outcomes := foldShown(test.said)
		found := outcomes[0].Transitions
		if len(found) != test.want || len(found) == 1 && found[0].From.Text != test.from {
			t.Errorf("%s: %+v", test.name, found)
		}
	}
}

// TestI7_FutureClockOfAComponentIsUnknown: it must not freeze the row.
func TestI7_FutureClockOfAComponentIsUnknown(t *testing.T) {
	t.Parallel()
	event := schemas.Event{ReceivedAt: milli(0).Value}
	row, outcome := projector.FoldComponent(nil, shown(schemas.ComponentMajorOutage, "", 48*60*60*1000), event)
	if !outcome.FutureTime || !row.ProviderUpdatedAt.IsZero() {
		t.Errorf("future: %t, clock %s", outcome.FutureTime, row.ProviderUpdatedAt)
	}
}

// TestI5_AnyOrderOfComponentsEndsTheSame, doubled too.
func TestI5_AnyOrderOfComponentsEndsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var chain []schemas.ComponentSnapshot
		before := schemas.ComponentOperational
		for ms := range rapid.IntRange(1, 6).Draw(t, "changes") {
			status := rapid.SampledFrom(schemas.ComponentStatuses()).Draw(t, "status")
			chain = append(chain, shown(status, before, 10*ms))
			before = status
		}
		want, _ := foldShown(chain...)
		got, _ := foldShown(rapid.Permutation(append(chain, chain...)).Draw(t, "order")...)
		if got.Status != want.Status || !got.ProviderUpdatedAt.Equal(want.ProviderUpdatedAt) {
			t.Fatalf("%s at %s, in order %s at %s", got.Status, got.ProviderUpdatedAt, want.Status, want.ProviderUpdatedAt)
		}
	})
}

func incident(status schemas.IncidentStatus, ms int, updates int64, body string) schemas.Event {
	return schemas.Event{
		Entity: "statuspage.io:pg1!i1", Source: "status", DeliveryID: "d-1",
		Incident: &schemas.IncidentSnapshot{
			Instance: "statuspage.io", PageID: "pg1", IncidentID: "i1", Name: schemas.Say("Slow"), Status: status,
			UpdateID: schemas.Say(string(status)), Body: schemas.Say(body), Updates: updates, UpdatedAt: milli(ms),
		},
	}
}

func foldIncidents(events ...schemas.Event) (*schemas.StatusIncident, []schemas.Kind) {
	var row *schemas.StatusIncident
	var found []schemas.Kind
	for _, event := range events {
		var outcome projector.Outcome
		row, outcome = projector.FoldIncident(row, event)
		for _, transition := range outcome.Transitions {
			found = append(found, transition.Kind)
		}
	}
	return row, found
}

// TestI6_IncidentsOfOneInstantGoForward: more updates, then the later status.
func TestI6_IncidentsOfOneInstantGoForward(t *testing.T) {
	t.Parallel()
	first, second := incident(schemas.IncidentInvestigating, 5, 1, "Looking."), incident(schemas.IncidentResolved, 5, 2, "Fixed.")
	for _, order := range [][]schemas.Event{{first, second}, {second, first}} {
		if row, _ := foldIncidents(order...); row.Status != schemas.IncidentResolved || row.Body != "Fixed." {
			t.Errorf("%s: %s", row.Status, row.Body)
		}
	}
}

func TestIncident_Transitions(t *testing.T) {
	t.Parallel()
	edited := incident(schemas.IncidentInvestigating, 9, 1, "Looking into it.")
	for _, test := range []struct {
		name   string
		events []schemas.Event
		want   []schemas.Kind
	}{
		{"a whole life", []schemas.Event{
			incident(schemas.IncidentInvestigating, 1, 1, "a"), incident(schemas.IncidentIdentified, 2, 2, "b"), incident(schemas.IncidentResolved, 3, 3, "c"),
		}, []schemas.Kind{schemas.KindIncidentOpened, schemas.KindIncidentChanged, schemas.KindIncidentResolved}},
		{
			"seen when it is over",
			[]schemas.Event{incident(schemas.IncidentResolved, 3, 3, "c"), incident(schemas.IncidentInvestigating, 1, 1, "a")},
			[]schemas.Kind{schemas.KindIncidentResolved},
		},
		{
			"goes on after its end",
			[]schemas.Event{incident(schemas.IncidentResolved, 3, 1, "c"), incident(schemas.IncidentInvestigating, 4, 2, "a")},
			[]schemas.Kind{schemas.KindIncidentResolved, schemas.KindIncidentOpened},
		},
		{
			"the text of an update is edited",
			[]schemas.Event{incident(schemas.IncidentInvestigating, 1, 1, "a"), edited},
			[]schemas.Kind{schemas.KindIncidentOpened},
		},
	} {
		_, got := foldIncidents(test.events...)
		if len(got) != len(test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s: %v, want %v", test.name, got, test.want)
			}
		}
	}
}
