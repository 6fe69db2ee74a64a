package rules_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// partsOf reads the values of a decision.
func partsOf(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, d rules.Decision,
) []rules.Part {
	t.Helper()
	if d.Values == nil {
		return nil
	}
	var parts []rules.Part
	if err := json.Unmarshal(d.Values, &parts); err != nil {
		t.Fatalf("%v: %s", err, d.Values)
	}
	return parts
}

func TestValues_AreThoseOfEachPart(t *testing.T) {
	t.Parallel()
	set := parse(t, `
conditions: {ready: '!pr.draft && pr.state == "open"'}
rules:
  - name: x
    on: [labels_changed]
    when: |
      ready && pr.approvals > 1 && "<b>" in pr.labels && pr.labels[3] == "x" && pr.body.matches("(a|b)*c") && true
    mutate: {close: true}
`)
	got := partsOf(t, set.Decide(transition(nil))[0])
	want := []rules.Part{
		{Text: "ready", Value: yes(), Parts: []rules.Part{
			{Text: "!pr.draft", Value: yes(), Variables: map[string]string{"pr.draft": "false"}},
			{Text: `pr.state == "open"`, Value: yes(), Variables: map[string]string{"pr.state": `"open"`}},
		}},
		{Text: "pr.approvals > 1", Value: no(), Variables: map[string]string{"pr.approvals": "1"}},
		{Text: `"<b>" in pr.labels`, Value: no(), Variables: map[string]string{"pr.labels": `["automerge"]`}},
		{Text: `pr.labels[3] == "x"`, Error: "index out of bounds: 3", Variables: map[string]string{"pr.labels": `["automerge"]`}},
		{Text: `pr.body.matches("(a|b)*c")`, Variables: map[string]string{"pr.body": `""`}}, // dear, and it is decided
		{Text: "true", Value: yes()},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestValues_AreThereWhereTheConditionWasAsked(t *testing.T) {
	t.Parallel()
	set := parse(t, "providers: {github.com: {login: alice}}\nrules: [{name: x, on: [labels_changed], when: pr.draft, mutate: {close: true}}, {name: y, on: [labels_changed], include_own: true, mutate: {close: true}}]\n")
	for _, d := range set.Decide(transition(nil)) {
		if d.Values != nil {
			t.Errorf("%s: %s", d.Reason, d.Values)
		}
	}
	got := parse(t, "rules: [{name: x, on: [labels_changed], when: '!pr.draft', mutate: {comment: {body: '{{pr.body}}'}}}]\n").Decide(transition(nil))[0]
	if got.Outcome != rules.OutcomeError || len(partsOf(t, got)) != 1 {
		t.Errorf("%s: %s: %s, want the values of a decision that ended in an error", got.Outcome, got.Reason, got.Values)
	}
}

// TestValues_AreShort: at most 4 KB of JSON, whatever rules and values are, and
// what is left out is counted.
func TestValues_AreShort(t *testing.T) {
	t.Parallel()
	fields := []string{"pr.title", "pr.body", "pr.author", "pr.milestone", "pr.head_ref", "actor.login", `checks["é"]`, "transition.cause.event", "c0", "c1"}
	conditions := "conditions:\n  c0: 'pr.title != \"\" && pr.body != \"\" && pr.milestone != \"\"'\n  c1: 'c0 && " +
		strings.Repeat("pr.head_ref != \"\" && ", 40) + "c0'\n"
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		for _, field := range rapid.SliceOfN(rapid.SampledFrom(fields), 1, 60).Draw(t, "fields") {
			if field[0] == 'c' && field[1] != 'h' {
				parts = append(parts, field)
				continue
			}
			parts = append(parts, field+` != "`+strings.Repeat("é", rapid.IntRange(0, 200).Draw(t, "length"))+`"`)
		}
		joint := rapid.SampledFrom([]string{" && ", " || "}).Draw(t, "joint")
		set, err := rules.Parse("pawl.yaml", fmt.Appendf(nil, "%srules: [{name: x, on: [labels_changed], mutate: {close: true}, when: '%s'}]\n", conditions, strings.Join(parts, joint)))
		if err != nil {
			t.Fatal(err)
		}
		on := transition(func(t2 *schemas.Transition) {
			text := func(name string) string {
				return strings.Repeat(rapid.SampledFrom([]string{"\x00", "<", "\u2028", "\"", "🙂", "a"}).Draw(t, name), 200)
			}
			t2.PullRequest.Title, t2.PullRequest.Body, t2.PullRequest.HeadRef = text("title"), text("body"), text("head")
			t2.PullRequest.Milestone, t2.Cause.Sender.Login = text("milestone"), text("login")
		})
		got := set.Decide(on)[0]
		if len(got.Values) > 4096 {
			t.Fatalf("%d bytes", len(got.Values))
		}
		found := partsOf(t, got)
		if strings.Contains(string(got.Values), `\u0000`) {
			t.Fatalf("PostgreSQL takes no NUL: %s", got.Values)
		}
		counted := 0
		for _, part := range found {
			if counted += part.More; part.Text != "" {
				counted++
			}
		}
		want := len(parts)
		if joint == " || " {
			want = 1
		}
		if counted != want {
			t.Fatalf("%d parts, want %d: %s", counted, want, got.Values)
		}
	})
}

// TestCost_IsNotCountedOnlyWhereItCannotMatter: a condition decides the same on
// an ordinary pull request as on one that is not, in all that it asks for.
func TestCost_IsNotCountedOnlyWhereItCannotMatter(t *testing.T) {
	t.Parallel()
	for _, condition := range []string{
		`pr.state == "open"`, `"automerge" in pr.labels`, `pr.labels.exists(l, l.startsWith("auto"))`, `pr.title.contains("pawl")`,
		`checks["build"] == "success"`, `checks.all(n, checks[n] == "success")`, `pr.labels[5] == "x"`, `pr.merged_at > pr.created_at`,
		`reviews.exists(r, r.state == "approved")`, `pr.title.matches("^Add")`, `pr.title.split(" ").size() == 3`, `pr.draft`,
	} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			ordinary := transition(nil)
			for name, change := range map[string]func(*schemas.Transition){
				"a long text":       func(t *schemas.Transition) { t.PullRequest.DequeuedReason = strings.Repeat("x", 70_000) },
				"a long list":       func(t *schemas.Transition) { t.PullRequest.Assignees = make([]string, 1001) },
				"a list of texts":   func(t *schemas.Transition) { t.PullRequest.Assignees = []string{strings.Repeat("x", 70_000)} },
				"a long transition": func(t *schemas.Transition) { t.From = schemas.Value{List: make([]string, 1001)} },
				"a long cause":      func(t *schemas.Transition) { t.Cause.Event = strings.Repeat("x", 70_000) },
			} {
				got, want := one(t, condition, transition(change)), one(t, condition, ordinary)
				if got.Outcome != want.Outcome || got.Outcome != rules.OutcomeMutate && got.Reason != want.Reason {
					t.Errorf("%s: %s: %s, want %s: %s", name, got.Outcome, got.Reason, want.Outcome, want.Reason)
				}
			}
		})
	}
}
