package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// shared are conditions that use each other, in another order than they stand.
const shared = `
rules:
  - name: merge
    on: [labels_changed, comment_created]
    when: ready && "automerge" in pr.labels && !blocked
    mutate: {comment: {body: "ready: {{ready}}, blocked: {{blocked}}"}}
  - name: either
    on: [labels_changed]
    when: ready || pr.locked
    mutate: {close: true}
conditions:
  ready: open && green
  green: checks["build"] == "success" && pr.approvals_of_head >= 1
  open: pr.state == "open" && !pr.draft
  blocked: '"hold" in pr.labels || pr.changes_requested > 0'
  broken: pr.labels[9] == "x"
`

func TestConditions_AreShownByNameAndWhatWasFalseWithin(t *testing.T) {
	t.Parallel()
	set := parse(t, shared)
	for _, test := range []struct {
		name, rule string
		change     func(*schemas.PullRequest)
		want       string
	}{
		{
			"two levels down", "merge", func(pr *schemas.PullRequest) { pr.Draft = true },
			`ready is false: open is false: !pr.draft is false: pr.draft = true`,
		},
		{
			"beside a part of the rule's own", "merge", func(pr *schemas.PullRequest) { pr.Labels = nil },
			`"automerge" in pr.labels is false: pr.labels = []`,
		},
		{
			"denied", "merge", func(pr *schemas.PullRequest) { pr.ChangesRequested = 2 },
			`!blocked is false: blocked = true`,
		},
		{
			"within an expression", "either", func(pr *schemas.PullRequest) { pr.Checks = nil },
			`ready || pr.locked is false: ready = false (green is false), pr.locked = false`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			on := transition(func(t *schemas.Transition) { t.PullRequest.ApprovalsOfHead = 1; test.change(t.PullRequest) })
			for _, d := range set.Decide(on) {
				if d.Rule == test.rule && d.Reason != test.want {
					t.Errorf("%s: %s, want %s", d.Outcome, d.Reason, test.want)
				}
			}
		})
	}
}

func TestConditions_HoldInTextsToo(t *testing.T) {
	t.Parallel()
	on := transition(func(t *schemas.Transition) { t.PullRequest.ApprovalsOfHead = 1 })
	got := parse(t, shared).Decide(on)[0]
	if got.Outcome != rules.OutcomeMutate || string(got.Mutations[0].Params) != `{"body":"ready: true, blocked: false"}` {
		t.Errorf("%s: %s: %+v", got.Outcome, got.Reason, got.Mutations)
	}
}

func TestConditions_AgainNamesTheValueThatChangedWithin(t *testing.T) {
	t.Parallel()
	on := transition(func(t *schemas.Transition) { t.PullRequest.ApprovalsOfHead = 1 })
	now := *on.PullRequest
	now.ApprovalsOfHead = 0
	holds, reason := parse(t, shared).Again("merge", on, rules.Now{PullRequest: &now})
	want := `ready is false: green is false: pr.approvals_of_head >= 1 is false: pr.approvals_of_head = 0 (was 1)`
	if holds || reason != want {
		t.Errorf("%t: %s, want %s", holds, reason, want)
	}
}

func TestConditions_AnErrorWithinIsNamed(t *testing.T) {
	t.Parallel()
	set := parse(t, `
conditions: {first: 'pr.labels[9] == "x"', second: first}
rules: [{name: x, on: [labels_changed], when: second && !pr.locked, mutate: {close: true}}]
`)
	got := set.Decide(transition(nil))[0]
	want := `second cannot be evaluated: first cannot be evaluated: pr.labels[9] == "x" cannot be evaluated: ` +
		`index out of bounds: 9: pr.labels = ["automerge"]`
	if got.Outcome != rules.OutcomeError || got.Reason != want {
		t.Errorf("%s: %s, want %s", got.Outcome, got.Reason, want)
	}
	got = set.Decide(transition(func(t *schemas.Transition) { t.PullRequest.Locked = true }))[0]
	if got.Outcome != rules.OutcomeNo {
		t.Errorf("%s: %s, want no: false wins over an error", got.Outcome, got.Reason)
	}
}

// TestConditions_MeanWhatTheyStandFor: a condition by name decides as its text
// in its place.
func TestConditions_MeanWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	parts := []string{
		`pr.draft`, `!pr.draft && pr.approvals > 1`, `pr.labels[0] == "wip"`, `checks["build"] == "success"`, `reviews.size() > 0`,
		`pr.merged_at > pr.created_at`, `(pr.draft || pr.labels[1] == "wip")`,
	}
	rapid.Check(t, func(rt *rapid.T) {
		var named, written []string
		conditions := "conditions:\n"
		for i, part := range rapid.SliceOfN(rapid.SampledFrom(parts), 1, 4).Draw(rt, "parts") {
			conditions += fmt.Sprintf("  c%d: '%s'\n", i, part)
			named, written = append(named, fmt.Sprintf("c%d", i)), append(written, "("+part+")")
		}
		joint := rapid.SampledFrom([]string{" && ", " || "}).Draw(rt, "joint")
		on := transition(func(t *schemas.Transition) { t.PullRequest = drawPullRequest(rt) })
		rule := "rules: [{name: x, on: [labels_changed], mutate: {close: true}, when: '%s'}]\n"
		got := parse(t, conditions+fmt.Sprintf(rule, strings.Join(named, joint))).Decide(on)[0]
		want := parse(t, fmt.Sprintf(rule, strings.Join(written, joint))).Decide(on)[0]
		if got.Outcome != want.Outcome {
			rt.Fatalf("%s: %s, want %s: %s", got.Outcome, got.Reason, want.Outcome, want.Reason)
		}
	})
}

func TestConditions_AreAskedOnceForAllRules(t *testing.T) {
	t.Parallel()
	text := "conditions: {dear: 'pr.labels.exists(a, pr.labels.exists(b, a != b && a == \"z\"))'}\nrules:\n"
	for i := range 200 {
		text += fmt.Sprintf("  - {name: r%d, on: [labels_changed], when: dear, mutate: {close: true}}\n", i)
	}
	many := transition(func(t *schemas.Transition) { t.PullRequest.Labels = strings.Split(strings.Repeat("x", 150), "") })
	decisions := parse(t, text).Decide(many)
	if len(decisions) != 200 {
		t.Fatalf("%d decisions", len(decisions))
	}
	for _, d := range decisions {
		if diff := cmp.Diff(d.Reason, decisions[0].Reason); diff != "" || d.Outcome != rules.OutcomeNo {
			t.Fatalf("%s: %s", d.Outcome, diff)
		}
	}
}
