package rules_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator/rules"
	"pawl/schemas"
)

const component = schemas.EntityKey("statuspage.io:pg1/c1")

// gated is a pull request's transition with the statuses of components.
func gated(statuses map[schemas.EntityKey]schemas.ComponentStatus) schemas.Transition {
	return transition(func(t *schemas.Transition) { t.Statuses = statuses })
}

func is(status schemas.ComponentStatus) map[schemas.EntityKey]schemas.ComponentStatus {
	return map[schemas.EntityKey]schemas.ComponentStatus{component: status}
}

const gate = `
conditions:
  up: status("statuspage.io:pg1/c1") != "major_outage"
rules:
  - name: merge
    on: [labels_changed]
    when: pr.state == "open" && up && status("statuspage.io:pg1/c2") != "major_outage"
    once: head
    mutate: {merge: {}}
  - name: say
    on: [labels_changed]
    mutate: {comment: {body: 'It is {{status("statuspage.io:pg1/c1")}}.'}}
  - name: other
    on: [labels_changed]
    mutate: {close: true}
`

// TestStatus_ValuesOfTheCall: what is not known is unknown, and never operational.
func TestStatus_ValuesOfTheCall(t *testing.T) {
	t.Parallel()
	set := parse(t, gate)
	for _, test := range []struct {
		name     string
		statuses map[schemas.EntityKey]schemas.ComponentStatus
		outcome  rules.Outcome
		reason   string
		text     string
	}{
		{"operational", is(schemas.ComponentOperational), rules.OutcomeMutate, "", "It is operational."},
		{
			"out", is(schemas.ComponentMajorOutage), rules.OutcomeNo,
			`up is false: status("statuspage.io:pg1/c1") != "major_outage" is false: status("statuspage.io:pg1/c1") = "major_outage"`, "It is major_outage.",
		},
		{"none known", nil, rules.OutcomeMutate, "", "It is unknown."},
		{"another is known", map[schemas.EntityKey]schemas.ComponentStatus{"statuspage.io:pg1/c9": "x"}, rules.OutcomeMutate, "", "It is unknown."},
	} {
		decisions := set.Decide(gated(test.statuses))
		got := decisions[0]
		if got.Outcome != test.outcome || test.reason != "" && got.Reason != test.reason {
			t.Errorf("%s: %s %s", test.name, got.Outcome, got.Reason)
		}
		if text := string(decisions[1].Mutations[0].Params); !strings.Contains(text, test.text) {
			t.Errorf("%s: %s, want %s", test.name, text, test.text)
		}
	}
}

// TestStatus_WhatTheRulesRead, through shared conditions and in texts too.
func TestStatus_WhatTheRulesRead(t *testing.T) {
	t.Parallel()
	set := parse(t, gate)
	both := []schemas.EntityKey{component, "statuspage.io:pg1/c2"}
	if diff := cmp.Diff(set.Reads(), both); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	for rule, want := range map[string][]schemas.EntityKey{"merge": both, "say": {component}, "other": nil} {
		info, _ := set.Rule(rule)
		if diff := cmp.Diff(info.Reads, want); diff != "" {
			t.Errorf("%s, -got +want:\n%s", rule, diff)
		}
	}
}

// TestStatus_WaitsOnlyWhereAStatusAloneIsTheReason: what is false beside it would be
// false still when the status changes.
func TestStatus_WaitsOnlyWhereAStatusAloneIsTheReason(t *testing.T) {
	t.Parallel()
	set := parse(t, gate)
	out := is(schemas.ComponentMajorOutage)
	for _, test := range []struct {
		name string
		on   schemas.Transition
		want []schemas.EntityKey
	}{
		{"the condition holds", gated(nil), nil},
		{"a status alone", gated(out), []schemas.EntityKey{component}},
		{
			"two statuses", gated(map[schemas.EntityKey]schemas.ComponentStatus{component: schemas.ComponentMajorOutage, "statuspage.io:pg1/c2": schemas.ComponentMajorOutage}),
			[]schemas.EntityKey{component, "statuspage.io:pg1/c2"},
		},
		{"it is closed as well", transition(func(t *schemas.Transition) { t.Statuses, t.PullRequest.State = out, schemas.Closed }), nil},
	} {
		if diff := cmp.Diff(set.Decide(test.on)[0].WaitsFor, test.want); diff != "" {
			t.Errorf("%s, -got +want:\n%s", test.name, diff)
		}
		if diff := cmp.Diff(set.WaitsFor("merge", test.on, rules.NowOf(test.on)), test.want); diff != "" {
			t.Errorf("%s, asked again, -got +want:\n%s", test.name, diff)
		}
	}
}

// TestStatus_DecidedAgainItHasTheSameKey: what was refused acts once it is decided
// again, under the key that it would have had.
func TestStatus_DecidedAgainItHasTheSameKey(t *testing.T) {
	t.Parallel()
	set := parse(t, gate)
	on := gated(is(schemas.ComponentMajorOutage))
	refused := set.Decide(on)[0]
	on.Statuses = is(schemas.ComponentDegraded)
	again, listens := set.DecideAgain("merge", on)
	if refused.Outcome != rules.OutcomeNo || !listens || again.Outcome != rules.OutcomeMutate || again.Mutations[0].Key != set.Decide(on)[0].Mutations[0].Key {
		t.Errorf("%+v, then %+v", refused, again)
	}
	on.Kind = schemas.KindMerged
	if _, listens := set.DecideAgain("merge", on); listens {
		t.Error("it listens to what it does not listen to")
	}
	if _, listens := set.DecideAgain("gone", on); listens {
		t.Error("a rule that is no more listens")
	}
}

// TestStatus_AgainNamesWhatChanged, on the newest statuses.
func TestStatus_AgainNamesWhatChanged(t *testing.T) {
	t.Parallel()
	set := parse(t, gate)
	on := gated(is(schemas.ComponentOperational))
	holds, reason := set.Again("merge", on, rules.Now{PullRequest: on.PullRequest, Statuses: is(schemas.ComponentMajorOutage)})
	want := `up is false: status("statuspage.io:pg1/c1") != "major_outage" is false: status("statuspage.io:pg1/c1") = "major_outage" (was "operational")`
	if holds || reason != want {
		t.Errorf("%t %s", holds, reason)
	}
	explained, err := set.Explain("merge", rules.Now{PullRequest: on.PullRequest, Statuses: is(schemas.ComponentMajorOutage)})
	if err != nil || explained.Holds != rules.HoldsNot {
		t.Errorf("%+v, %v", explained, err)
	}
}
