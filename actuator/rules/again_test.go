package rules_test

import (
	"testing"

	"pgregory.net/rapid"

	"pawl/actuator/rules"
	"pawl/schemas"
)

func TestAgain_NamesTheValueThatChanged(t *testing.T) {
	t.Parallel()
	set := parse(t, `
rules:
  - name: green
    on: [labels_changed]
    when: pr.state == "open" && !pr.draft && "automerge" in pr.labels && pr.approvals >= 1
    mutate: {merge: }
  - {name: always, on: [labels_changed], mutate: {close: true}}
  - {name: first-label, on: [labels_changed], when: 'pr.labels[0] != ""', mutate: {close: true}}
  - {name: never, on: [labels_changed], when: pr.draft, mutate: {close: true}}
`)
	for _, test := range []struct {
		name, rule string
		change     func(*schemas.PullRequest)
		holds      bool
		reason     string
	}{
		{"nothing changed", "green", func(*schemas.PullRequest) {}, true, ""},
		{"something else changed", "green", func(pr *schemas.PullRequest) { pr.Title = "x" }, true, ""},
		{
			"closed meanwhile", "green", func(pr *schemas.PullRequest) { pr.State = schemas.Closed }, false,
			`pr.state == "open" is false: pr.state = "closed" (was "open")`,
		},
		{
			"the label is gone", "green", func(pr *schemas.PullRequest) { pr.Labels = nil }, false,
			`"automerge" in pr.labels is false: pr.labels = [] (was ["automerge"])`,
		},
		{
			"it cannot be asked", "first-label", func(pr *schemas.PullRequest) { pr.Labels = nil }, false,
			`pr.labels[0] != "" cannot be evaluated: index out of bounds: 0: pr.labels = []`,
		},
		{"it never held", "never", func(*schemas.PullRequest) {}, false, `pr.draft is false: pr.draft = false`},
		{"no condition", "always", func(pr *schemas.PullRequest) { pr.State = schemas.Merged }, true, ""},
		{"the rule is gone", "gone", func(*schemas.PullRequest) {}, false, `there is no rule "gone" any more`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			on := transition(nil)
			now := *on.PullRequest
			test.change(&now)
			holds, reason := set.Again(test.rule, on, rules.Now{PullRequest: &now})
			if holds != test.holds || reason != test.reason {
				t.Errorf("%t, %q, want %t, %q", holds, reason, test.holds, test.reason)
			}
		})
	}
	if holds, reason := set.Again("green", transition(nil), rules.Now{}); holds || reason != "the pull request is unknown" {
		t.Errorf("%t, %q without a row", holds, reason)
	}
}

// TestAgain_TheTransitionStaysAsItWas: pr is asked anew, transition and comment
// are not.
func TestAgain_TheTransitionStaysAsItWas(t *testing.T) {
	t.Parallel()
	set := parse(t, "rules:\n  - {name: x, on: [comment_created], when: 'comment.body == \"/merge\" && transition.to == \"live\" && pr.draft', mutate: {close: true}}\n")
	on := commentTransition(nil)
	now := *on.PullRequest
	now.Draft = true
	if holds, reason := set.Again("x", on, rules.Now{PullRequest: &now}); !holds {
		t.Error(reason)
	}
}

// TestAgain_OnTheSameStateIsTheDecision: what was decided holds until a value
// changes.
func TestAgain_OnTheSameStateIsTheDecision(t *testing.T) {
	t.Parallel()
	set := parse(t, everyScope)
	rapid.Check(t, func(t *rapid.T) {
		drawn := drawTransition(t)
		for _, d := range set.Decide(drawn) {
			holds, reason := set.Again(d.Rule, drawn, rules.Now{PullRequest: drawn.PullRequest})
			if len(d.Mutations) > 0 && !holds {
				t.Fatalf("%s: %s", d.Rule, reason)
			}
			if holds == (reason != "") {
				t.Fatalf("%t with reason %q", holds, reason)
			}
		}
		set.Again("each", drawn, rules.Now{})
		set.Again("head", drawn, rules.Now{PullRequest: drawPullRequest(t)})
	})
}
