package story_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/story"
)

// waiting is a rule that waits for a draft, and one that says so at once.
const waiting = `-- pawl.yaml --
rules:
  - {name: stale, on: [opened, converted_to_draft], after: 336h, when: pr.draft, mutate: {comment: {body: "Still wanted?"}}}
  - {name: label, on: [converted_to_draft], once: entity, mutate: {add_labels: [draft]}}
  - {name: status, on: [opened], mutate: {commit_status: {context: pawl, state: pending}}}
`

func draftAt(name, action string, minute, draft string) string {
	return http(name, "pull_request", `{"action":"`+action+`","number":7,`+repository+`,"pull_request":{"number":7,"state":"open",
		"head":{"sha":"aaaa"},"draft":`+draft+`,"updated_at":"2026-01-01T00:`+minute+`:00Z"}}`)
}

func drafts() string {
	return draftAt("01", "opened", "00", "true") + draftAt("02", "ready_for_review", "01", "false") +
		draftAt("03", "converted_to_draft", "02", "true") + draftAt("04", "ready_for_review", "03", "false") +
		draftAt("05", "converted_to_draft", "04", "true")
}

// TestWant_DecisionsAndStates: what is wanted of decisions and mutations is
// found, and what is not so fails and says what is.
func TestWant_DecisionsAndStates(t *testing.T) {
	t.Parallel()
	const status = `{rule: status, kind: commit_status, state: pending}`
	const labelled = `{entity: acme/api#7, rule: label}`
	tests := []struct{ name, want, diff string }{
		{"all that was planned", `mutations: [{rule: stale, state: planned}, ` + labelled + `, ` + status + `]`, ""},
		{"some that were given up", `mutations: [{rule: stale}, ` + labelled + `, ` + status + `, {rule: stale, state: cancelled}]`, ""},
		{"too many that were given up", `mutations: [` + strings.Repeat(`{rule: stale, state: cancelled},`, 3) + `{rule: stale}, ` + labelled + `, ` + status + `]`, "mutation not cancelled"},
		{"one that is in another state", `mutations: [{rule: label, state: skipped}, {rule: stale}, {rule: label}, ` + status + `]`, "mutation not skipped: {\"rule\":\"label\",\"state\":\"skipped\"} (it is planned)"},
		{"a parameter of that name", `mutations: [{rule: status, state: success}]`, `mutation not planned: {"rule":"status","state":"success"}`},
		{"a cancelled one is not planned", `mutations: [{rule: stale}, {rule: stale}, {rule: label}, ` + status + `]`, "(it is cancelled: pr.draft is false"},
		{
			"decisions, with a part of the reason",
			`decisions: [{rule: stale, outcome: mutate, reason: waits 336h}, {entity: acme/api#7, rule: label, outcome: repeat, reason: held by an earlier}]`, "",
		},
		{"a decision twice", `decisions: [{rule: status}, {rule: status}]`, `decision not made: {"rule":"status"}; there were:` + "\n  status on opened: mutate: "},
		{"a decision of another outcome", `decisions: [{rule: label, outcome: no}]`, "label on converted_to_draft: repeat: add_labels: its key is held"},
		{"a decision of no rule", `decisions: [{rule: lable}]`, "no such rule was asked"},
		{"an unknown field of a decision", `decisions: [{rules: x}]`, "unknown field"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := story.Test("x", []byte(waiting+drafts()+"-- want.yaml --\n"+tt.want+"\n"), story.Options{})
			got := strings.Join(report.Diffs, "\n")
			if report.OK != (tt.diff == "") || !strings.Contains(got, tt.diff) {
				t.Errorf("ok %t, diffs %q, want %q", report.OK, got, tt.diff)
			}
		})
	}
}

// TestRun_DelaysFollowTheTimeOfReceipt: what came due between two deliveries was
// done then, and no later state takes it back.
func TestRun_DelaysFollowTheTimeOfReceipt(t *testing.T) {
	t.Parallel()
	late := strings.Replace(draftAt("02", "ready_for_review", "01", "false"), "\n\n", "\nPawl-Received-At: 2026-01-15T00:00:00Z\n\n", 1)
	text := waiting + draftAt("01", "opened", "00", "true") + late + "-- want.yaml --\nmutations: [{rule: stale}, {rule: status}]\n"
	if report := story.Test("x", []byte(text), story.Options{}); !report.OK {
		t.Error(strings.Join(report.Diffs, "\n"))
	}
	early := strings.Replace(text, "2026-01-15T00:00:00Z", "2026-01-14T23:59:59Z", 1)
	report := story.Test("x", []byte(early), story.Options{})
	if got := strings.Join(report.Diffs, "\n"); !strings.Contains(got, "(it is cancelled: pr.draft is false") {
		t.Errorf("a second earlier: %q", got)
	}
}

// TestRun_ARowThatChangedWithoutATransition is seen when the time comes, and
// cancels nothing before.
func TestRun_ARowThatChangedWithoutATransition(t *testing.T) {
	t.Parallel()
	const rule = `-- pawl.yaml --
rules: [{name: nudge, on: [opened], after: 1h, when: size(pr.assignees) == 0, mutate: {comment: {body: hm}}}]
`
	const opened = `{"action":"opened","number":7,` + repository + `,"pull_request":{"number":7,"state":"open","assignees":[],"updated_at":"2026-01-01T00:00:00Z"}}`
	const assigned = `{"action":"assigned","number":7,` + repository + `,"pull_request":{"number":7,"state":"open","assignees":[{"login":"ann"}],"updated_at":"2026-01-01T00:00:05Z"}}`
	text := rule + http("01", "pull_request", opened) + http("02", "pull_request", assigned) +
		"-- want.yaml --\ntransitions: {acme/api#7: [opened]}\nmutations: [{rule: nudge, state: skipped}]\n"
	if report := story.Test("x", []byte(text), story.Options{}); !report.OK {
		t.Error(strings.Join(report.Diffs, "\n"))
	}
}

// TestCoverage_MergesStoriesThatShareTheirRules and keeps others apart.
func TestCoverage_MergesStoriesThatShareTheirRules(t *testing.T) {
	t.Parallel()
	const rules = `-- pawl.yaml --
rules:
  - {name: greet, on: [opened], when: pr.draft || pr.number == 1, mutate: {comment: {body: hi}}}
  - {name: bye, on: [closed], mutate: {comment: {body: bye}}}
`
	coverage := new(story.Coverage)
	test := func(name, text string) {
		t.Helper()
		report := story.Test(name, []byte(text+"-- want.yaml --\n"), story.Options{Coverage: coverage, Orders: 10})
		if !report.OK {
			t.Fatal(report.Diffs)
		}
	}
	const reached = "rule greet: `pr.draft || pr.number == 1` was never "
	test("a", rules+draftAt("01", "opened", "00", "true"))
	want := []story.Covered{{Stories: []string{"a"}, Rules: 2, Missing: []string{reached + "false", "rule bye: no transition reached it"}}}
	if diff := cmp.Diff(coverage.Report(), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	test("b", rules+draftAt("01", "opened", "00", "false"))
	test("c", strings.Replace(rules, "hi", "ho", 1)+draftAt("01", "opened", "00", "false"))
	test("without rules", draftAt("01", "opened", "00", "false"))
	want = []story.Covered{
		{Stories: []string{"a", "b"}, Rules: 2, Missing: []string{"rule bye: no transition reached it"}},
		{Stories: []string{"c"}, Rules: 2, Missing: []string{reached + "true", "rule bye: no transition reached it"}},
	}
	if diff := cmp.Diff(coverage.Report(), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}
