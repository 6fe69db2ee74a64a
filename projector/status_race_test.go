package projector_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"pawl/schemas"
)

func statusRecord(id string, key schemas.EntityKey, event, value string) schemas.Record {
	return schemas.Record{
		Key: key, ID: schemas.DeliveryID(id), Source: "status", Provider: "statuspage", Event: event,
		ReceivedAt: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), ContentType: schemas.ContentTypeJSON, Body: []byte(value),
	}
}

func outage(number, ms int, id string) schemas.Record {
	at := fmt.Sprintf("2026-01-01T00:00:05.%03dZ", ms)
	value := fmt.Sprintf(`{"page":{"id":"pg1"},"component":{"id":"c%d","page_id":"pg1","name":"API","status":"major_outage","updated_at":%q},
		"component_update":{"id":"u-%d","component_id":"c%d","old_status":"operational","new_status":"major_outage","created_at":%q}}`, number, at, number, number, at)
	return statusRecord(id, schemas.ComponentKey("statuspage.io", "pg1", fmt.Sprint("c", number)), "component_update", value)
}

func incidentShowing(number, ms int, status string) schemas.Record {
	at := fmt.Sprintf("2026-01-01T00:00:05.%03dZ", ms)
	value := fmt.Sprintf(`{"page":{"id":"pg1"},"incident":{"id":"i%d","page_id":"pg1","name":"Down","status":"investigating","impact":"major","updated_at":"2026-01-01T00:00:09.000Z",
		"incident_updates":[],"components":[{"id":"c%d","page_id":"pg1","name":"API","status":%q,"updated_at":%q}]}}`, number, number, status, at)
	return statusRecord(fmt.Sprint("i-", number), schemas.IncidentKey("statuspage.io", "pg1", fmt.Sprint("i", number)), "incident", value)
}

// TestI4_ComponentAndIncidentRace: a component's own delivery and an incident that
// shows an older state of it are on two partitions and come at once. The row ends
// as the newer one says, and the outage is told once; likewise of two deliveries of
// one change.
func TestI4_ComponentAndIncidentRace(t *testing.T) {
	t.Parallel()
	pairs := 1000
	if testing.Short() {
		pairs = 100
	}
	pool := newPool(t)
	own, other := newPartition(t, pool, 0), newPartition(t, pool, 1)
	for number := 1; number <= pairs; number++ {
		first, second := outage(number, 3, fmt.Sprint("d-", number)), incidentShowing(number, 0, "operational")
		if number%2 == 0 {
			second = outage(number, 3, fmt.Sprint("e-", number))
		}
		var both sync.WaitGroup
		both.Go(func() { own.apply(first) })
		both.Go(func() { other.apply(second) })
		both.Wait()
	}
	wrong := columnOf(t, pool, `select count(*)::text from pawl.status_component where status <> 'major_outage'`)
	untold := columnOf(t, pool, `select count(*)::text from (
		select c.entity_key from pawl.status_component c
		  left join pawl.transition t on t.entity_key = c.entity_key and t.kind = 'component_changed' and t.to_value = 'major_outage'
		 group by c.entity_key having count(t.id) <> 1) x`)
	shown := columnOf(t, pool, `select not_operational::text from pawl.status_summary where page_id = 'pg1'`)
	if wrong != "0" || untold != "0" || shown != fmt.Sprint(pairs) {
		t.Errorf("%s components have the wrong status, of %s the outage is not told once; the page shows %s of %d", wrong, untold, shown, pairs)
	}
}

// TestI5_OlderIncidentWaitsForTheComponent holds the transaction of an outage open
// before its commit, while an incident that shows an older state is folded.
func TestI5_OlderIncidentWaitsForTheComponent(t *testing.T) {
	t.Parallel()
	if got := raceComponent(t, false); got != "major_outage" {
		t.Errorf("status %s, want major_outage", got)
	}
}

// TestI5_WithoutTheLockTheOlderStateWins shows that the test before can fail.
func TestI5_WithoutTheLockTheOlderStateWins(t *testing.T) {
	t.Parallel()
	if got := raceComponent(t, true); got != "partial_outage" {
		t.Errorf("status %s: the race did not happen, and the other test proves nothing", got)
	}
}

// raceComponent folds an outage and an older incident so that their transactions
// overlap, and returns the component's status.
func raceComponent(t *testing.T, unmet bool) string {
	t.Helper()
	pool := newPool(t)
	own, incidents := newPartition(t, pool, 0), newPartition(t, pool, 1)
	incidents.apply(incidentShowing(1, 0, "operational"))
	if unmet {
		own.applier.SetUnmet()
		incidents.applier.SetUnmet()
	}
	older := incidentShowing(1, 2, "partial_outage")
	older.ID = "i-older"
	overlap(own, incidents, outage(1, 3, "d-1"), older)
	return columnOf(t, pool, `select status from pawl.status_component`)
}
