package actuator_test

import (
	"testing"
	"time"

	"pawl/actuator"
	"pawl/internal/notify"
	"pawl/schemas"
)

const statusRules = `
rules:
  - name: tell-status
    on: [component_changed]
    mutate: {notify: {url: "env:HOOK", text: "{{component.name}}: {{transition.from}} to {{component.status}}"}}
`

// changed is a component that goes from one status to another. The version orders
// its rows.
func changed(from, to schemas.ComponentStatus, version int64) schemas.Transition {
	row := &schemas.StatusComponent{
		EntityKey: "statuspage.io:pg1/c1", Instance: "statuspage.io", PageID: "pg1", ComponentID: "c1", Name: "API", Status: to, Version: version,
	}
	cause := schemas.Cause{Source: "status", DeliveryID: schemas.DeliveryID(to), Provider: "statuspage", Event: "component_update"}
	made := schemas.NewTransition(row.EntityKey, schemas.KindComponentChanged, schemas.Value{Text: string(from)}, schemas.Value{Text: string(to)}, cause)
	made.Component = row
	return made
}

// TestI10_ComponentIsToldOnceAndInOrder: an outage that could not be told at first
// is told before the recovery, and a transition that comes twice is told once.
func TestI10_ComponentIsToldOnceAndInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, statusRules)
	n := &notifier{fails: []error{&notify.SendError{Verdict: notify.Later, Reason: "503"}}}
	a := r.actor("a", actuator.Config{Notifier: n, Resolve: resolveHook, Backoff: time.Millisecond})
	down := changed(schemas.ComponentOperational, schemas.ComponentMajorOutage, 2)
	up := changed(schemas.ComponentMajorOutage, schemas.ComponentOperational, 3)
	for _, transition := range []schemas.Transition{down, down, up, down} {
		r.decide(a, transition)
	}
	deadline := time.Now().Add(30 * time.Second)
	for len(n.all()) < 3 && time.Now().Before(deadline) {
		r.passes(a)
	}
	var texts []string
	for _, message := range n.all() {
		texts = append(texts, message.message.Text)
	}
	const outage, recovery = "API: operational to major_outage", "API: major_outage to operational"
	if len(texts) != 3 || texts[0] != outage || texts[1] != outage || texts[2] != recovery {
		t.Errorf("told %q, want the outage, again after it failed, and then the recovery", texts)
	}
	if got := query[string](r, `select string_agg(state, ' ' order by id) from pawl.mutation`); got != "done done" {
		t.Errorf("mutations: %s", got)
	}
}

// TestI11_FlapIsCancelled: what waits is asked again on the component's later
// state, and gives its key back.
func TestI11_FlapIsCancelled(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
rules:
  - name: down
    on: [component_changed]
    after: 2m
    when: component.status == "major_outage"
    mutate: {notify: {url: "env:HOOK", text: "{{component.name}} is down"}}
`)
	n := new(notifier)
	a := r.actor("a", actuator.Config{Notifier: n, Resolve: resolveHook})
	r.decide(a, changed(schemas.ComponentOperational, schemas.ComponentMajorOutage, 2))
	r.decide(a, changed(schemas.ComponentMajorOutage, schemas.ComponentOperational, 3))
	r.passes(a)
	if got := query[string](r, `select state from pawl.mutation`); got != "cancelled" || len(n.all()) != 0 {
		t.Errorf("%s, %d messages", got, len(n.all()))
	}
}
