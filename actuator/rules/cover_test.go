package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator/rules"
	"pawl/schemas"
)

const covered = `
conditions: {ready: 'pr.state == "open" && !pr.draft', unused: pr.locked}
rules:
  - {name: merge, on: [labels_changed], when: 'ready && pr.approvals >= 1', mutate: {merge: }}
  - {name: own, on: [labels_changed], when: pr.draft, include_own: false, mutate: {close: true}}
  - {name: never, on: [merged], when: pr.draft, mutate: {close: true}}
  - {name: plain, on: [labels_changed], mutate: {close: true}}
`

func TestCover_SaysWhatNoStoryReached(t *testing.T) {
	t.Parallel()
	set := parse(t, covered)
	cover := set.Cover()
	want := []string{
		"rule merge: no transition reached it", "rule own: no transition reached it", "rule never: no transition reached it",
		"rule plain: no transition reached it",
		"condition ready: `pr.state == \"open\"` was never asked", "condition ready: `!pr.draft` was never asked",
		"condition unused: `pr.locked` was never asked",
	}
	if diff := cmp.Diff(cover.Missing(), want); diff != "" {
		t.Errorf("of nothing, -got +want:\n%s", diff)
	}

	on := transition(nil)
	if diff := cmp.Diff(cover.Decide(on), set.Decide(on)); diff != "" {
		t.Errorf("it decides otherwise, -cover +set:\n%s", diff)
	}
	want = []string{
		"rule merge: `ready` was never false", "rule merge: `pr.approvals >= 1` was never false",
		"rule own: `pr.draft` was never true", "rule never: no transition reached it",
		"condition ready: `pr.state == \"open\"` was never false", "condition ready: `!pr.draft` was never false",
		"condition unused: `pr.locked` was never asked",
	}
	if diff := cmp.Diff(cover.Missing(), want); diff != "" {
		t.Errorf("of one that is wanted, -got +want:\n%s", diff)
	}

	closedUnapproved := *on.PullRequest
	closedUnapproved.State, closedUnapproved.Approvals = schemas.Closed, 0
	if holds, _ := cover.Again("merge", on, rules.Now{PullRequest: &closedUnapproved}); holds {
		t.Error("it still holds")
	}
	want = []string{
		"rule merge: `pr.approvals >= 1` was never false", // it was, but `ready` had decided
		"rule own: `pr.draft` was never true", "rule never: no transition reached it",
		"condition ready: `!pr.draft` was never false", "condition unused: `pr.locked` was never asked",
	}
	if diff := cmp.Diff(cover.Missing(), want); diff != "" {
		t.Errorf("after another look, -got +want:\n%s", diff)
	}
}

func TestCover_AnOwnEchoReachesNoRule(t *testing.T) {
	t.Parallel()
	cover := parse(t, "providers: {github.com: {login: alice}}\nrules: [{name: x, on: [labels_changed], when: pr.draft, mutate: {close: true}}]\n").Cover()
	cover.Decide(transition(nil))
	if diff := cmp.Diff(cover.Missing(), []string{"rule x: no transition reached it"}); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}
