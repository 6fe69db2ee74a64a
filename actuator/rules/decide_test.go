package rules_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// one returns the decision of a rule with one condition that closes.
func one(t *testing.T, when string, on schemas.Transition) rules.Decision {
	t.Helper()
	set := parse(t, "rules:\n  - name: x\n    on: ["+string(on.Kind)+"]\n    when: |\n      "+when+"\n    mutate: {close: true}\n")
	decisions := set.Decide(on)
	if len(decisions) != 1 {
		t.Fatalf("%d decisions, want 1", len(decisions))
	}
	return decisions[0]
}

func TestDecide_ReasonNamesWhatIsFalse(t *testing.T) {
	t.Parallel()
	draft := transition(func(t *schemas.Transition) { t.PullRequest.Draft = true })
	for _, test := range []struct {
		name, when string
		on         schemas.Transition
		outcome    rules.Outcome
		reason     string
	}{
		{"a count", `pr.approvals >= 2`, transition(nil), rules.OutcomeNo, `pr.approvals >= 2 is false: pr.approvals = 1`},
		{
			"the first false part", `pr.state == "open" && !pr.draft && "hold" in pr.labels && pr.approvals > 9`, draft,
			rules.OutcomeNo, `!pr.draft is false: pr.draft = true`,
		},
		{
			"a list", `"hold" in pr.labels`, transition(nil),
			rules.OutcomeNo, `"hold" in pr.labels is false: pr.labels = ["automerge"]`,
		},
		{
			"two values, each once", `pr.author == transition.cause.sender.login && (pr.author != pr.author || pr.approvals > 2)`, transition(nil),
			rules.OutcomeNo, `pr.author != pr.author || pr.approvals > 2 is false: pr.author = "alice", pr.approvals = 1`,
		},
		{
			"a macro as it is written", `pr.labels.exists(l, l.startsWith("size/"))`, transition(nil),
			rules.OutcomeNo, `pr.labels.exists(l, l.startsWith("size/")) is false: pr.labels = ["automerge"]`,
		},
		{
			"has", `has(comment.body)`, commentTransition(func(t *schemas.Transition) { t.Kind, t.Comment = schemas.KindOpened, nil }),
			rules.OutcomeNo, `has(comment.body) is false: comment.body = null`,
		},
		{
			"an object", `comment == null`, commentTransition(nil),
			rules.OutcomeNo, `comment == null is false: comment = "github.com:comment/12"`,
		},
		{
			"an object within", `transition.cause == null || transition == null || pr == null`, transition(func(t *schemas.Transition) { t.ID = "an-id" }),
			rules.OutcomeNo, `transition.cause == null || transition == null || pr == null is false: ` +
				`transition.cause = "d-1", transition = "an-id", pr = "github.com:101#7"`,
		},
		{
			"a time", `pr.created_at > timestamp("2027-01-01T00:00:00Z")`, transition(nil), rules.OutcomeNo,
			`pr.created_at > timestamp("2027-01-01T00:00:00Z") is false: pr.created_at = 2026-01-02T03:04:05Z`,
		},
		{"nothing but false", `false`, transition(nil), rules.OutcomeNo, `false is false`},
		{
			"lines are joined", "pr.draft ||\n        pr.locked", transition(nil),
			rules.OutcomeNo, `pr.draft || pr.locked is false: pr.draft = false, pr.locked = false`,
		},
		{
			"an error", `pr.merged_at > pr.created_at`, transition(nil), rules.OutcomeError,
			`pr.merged_at > pr.created_at cannot be evaluated: no such overload: _>_: pr.merged_at = null, pr.created_at = 2026-01-02T03:04:05Z`,
		},
		{
			"false wins over an error", `pr.merged_at > pr.created_at && pr.draft`, transition(nil),
			rules.OutcomeNo, `pr.draft is false: pr.draft = false`,
		},
		{
			"an error wins over true", `pr.labels[4] == "x" && !pr.draft`, transition(nil), rules.OutcomeError,
			`pr.labels[4] == "x" cannot be evaluated: index out of bounds: 4: pr.labels = ["automerge"]`,
		},
		{
			"a field of null", `comment.author == "x" || has(comment.author)`,
			commentTransition(func(t *schemas.Transition) { t.Kind, t.Comment = schemas.KindOpened, nil }), rules.OutcomeError,
			`comment.author == "x" || has(comment.author) cannot be evaluated: comment is null and has no field author: comment.author = null`,
		},
		{
			"labels that are not stated on one side", `"automerge" in transition.from`,
			transition(func(t *schemas.Transition) { t.From = schemas.Value{} }), rules.OutcomeNo,
			`"automerge" in transition.from is false: transition.from = []`,
		},
		{
			"a side that is unknown", `transition.from != null`,
			transition(func(t *schemas.Transition) { t.Kind, t.From = schemas.KindHeadChanged, schemas.Value{} }), rules.OutcomeNo,
			`transition.from != null is false: transition.from = null`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := one(t, test.when, test.on)
			want := rules.Decision{Rule: "x", Entity: "github.com:101#7", Outcome: test.outcome, Reason: test.reason}
			want.Entity = test.on.Entity
			if test.on.Kind == schemas.KindCommentCreated {
				want.Entity = "github.com:101#7"
			}
			if diff := cmp.Diff(got, want, ignoreValues); diff != "" {
				t.Errorf("-got +want:\n%s", diff)
			}
		})
	}
}

// ignoreValues is for tests that are not about them.
var ignoreValues = cmpopts.IgnoreFields(rules.Decision{}, "Values")

func TestDecide_ReasonIsShort(t *testing.T) {
	t.Parallel()
	long := transition(func(t *schemas.Transition) { t.PullRequest.Body = strings.Repeat("é", 70_000) })
	got := one(t, `pr.body == "`+strings.Repeat("é", 1000)+`"`, long)
	if length := len([]rune(got.Reason)); length > 300 {
		t.Errorf("a reason of %d characters: %s", length, got.Reason)
	}
	if !strings.HasSuffix(got.Reason, `: pr.body = "`+strings.Repeat("é", 78)+"…") {
		t.Errorf("the value is not cut to 80 characters: %s", got.Reason)
	}
}

func TestDecide_CostIsBounded(t *testing.T) {
	t.Parallel()
	// the labels of a payload that lies: many more than GitHub allows
	many := transition(func(t *schemas.Transition) {
		t.PullRequest.Labels = strings.Split(strings.Repeat("x", 5000), "")
	})
	got := one(t, `pr.labels.exists(a, pr.labels.exists(b, a != b))`, many)
	if got.Outcome != rules.OutcomeError || !strings.Contains(got.Reason, "cost limit exceeded") {
		t.Errorf("%s: %.300s, want an error about the cost", got.Outcome, got.Reason)
	}
}

func TestDecide_AsksOnlyRulesThatListenInTheirOrder(t *testing.T) {
	t.Parallel()
	set := parse(t, `
rules:
  - {name: c, on: [labels_changed], mutate: {close: true}}
  - {name: b, on: [merged], mutate: {close: true}}
  - {name: a, on: [opened, labels_changed], mutate: {close: true}}
`)
	var got []string
	for _, d := range set.Decide(transition(nil)) {
		got = append(got, d.Rule)
	}
	if diff := cmp.Diff(got, []string{"c", "a"}); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	if got := set.Decide(transition(func(t *schemas.Transition) { t.Kind = schemas.KindReopened })); got != nil {
		t.Errorf("decisions %v of a kind nobody listens to", got)
	}
}

func TestDecide_RendersEachMutationInOrder(t *testing.T) {
	t.Parallel()
	set := parse(t, `
rules:
  - name: all
    on: [labels_changed]
    mutate:
      - comment: {body: "<b>{{pr.title}}</b> & {{ pr.labels }}, {{pr.number}}\n"}
        close: {}
      - merge: {method: squash, title: "{{pr.title}} (#{{pr.number}})\n", message: "{{pr.milestone}} "}
      - merge:
      - add_labels: ["{{pr.state}}", " a b ", open]
      - remove_labels: {labels: ["{{pr.base_ref}}"]}
      - close: true
`)
	type rendered struct {
		Position     int
		Kind, Params string
	}
	var got []rendered
	for _, m := range set.Decide(transition(nil))[0].Mutations {
		got = append(got, rendered{m.Position, string(m.Kind), string(m.Params)})
	}
	want := []rendered{
		{0, "comment", `{"body":"<b>Add a pawl</b> & automerge, 7\n"}`},
		{1, "close", `{}`},
		{2, "merge", `{"method":"squash","sha":"6dcb09b5","title":"Add a pawl (#7)","queue":true,"auto_merge":false}`},
		{3, "merge", `{"method":"merge","sha":"6dcb09b5","queue":true,"auto_merge":false}`},
		{4, "add_labels", `{"labels":["open","a b"]}`},
		{5, "remove_labels", `{"labels":["main"]}`},
		{6, "close", `{}`},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestDecide_CarriesTheDecidedHead(t *testing.T) {
	t.Parallel()
	set := parse(t, "rules:\n  - {name: m, on: [labels_changed], once: entity, mutate: {merge: {method: rebase}}}\n")
	noHead := transition(func(t *schemas.Transition) { t.PullRequest.HeadSHA = "" })
	got := set.Decide(noHead)[0]
	want := rules.Decision{
		Rule: "m", Entity: "github.com:101#7", Outcome: rules.OutcomeError,
		Reason: "merge: the head sha is unknown, so it cannot be said what to act on",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	got = set.Decide(transition(nil))[0]
	if params := string(got.Mutations[0].Params); params != `{"method":"rebase","sha":"6dcb09b5","queue":true,"auto_merge":false}` {
		t.Errorf("params %s", params)
	}
}

func TestDecide_AnErrorInOneMutationWantsNone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, mutate, reason string }{
		{
			"a template", `{close: true, comment: {body: "{{pr.labels[7]}}"}}`,
			"comment.body: {{pr.labels[7]}} cannot be evaluated: index out of bounds: 7",
		},
		{
			"a value that is no text", `{close: true, comment: {body: "{{dyn(pr)}}"}}`,
			"comment.body: {{dyn(pr)}} cannot be written: a PullRequest is no text",
		},
		{
			"a list in a list", `{close: true, comment: {body: "{{dyn([[1]])}}"}}`,
			"comment.body: {{dyn([[1]])}} cannot be written: a list in a list is no text",
		},
		{
			"an object in a list", `{close: true, comment: {body: "{{[dyn(pr)]}}"}}`,
			"comment.body: {{[dyn(pr)]}} cannot be written: a PullRequest is no text",
		},
		{"a comment of nothing", `{close: true, comment: {body: "{{pr.milestone}} "}}`, "comment.body: nothing is left of the text"},
		{"a label of nothing", `{close: true, add_labels: [a, "{{pr.milestone}}"]}`, "add_labels: nothing is left of the label {{pr.milestone}}"},
		{"a label", `{close: true, remove_labels: ["{{pr.labels[7]}}"]}`, "remove_labels: {{pr.labels[7]}} cannot be evaluated: index out of bounds: 7"},
		{"a title", `{merge: {title: "{{pr.labels[7]}}"}}`, "merge.title: {{pr.labels[7]}} cannot be evaluated: index out of bounds: 7"},
		{"a message", `{merge: {message: "{{pr.labels[7]}}"}}`, "merge.message: {{pr.labels[7]}} cannot be evaluated: index out of bounds: 7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set := parse(t, "rules:\n  - {name: x, on: [labels_changed], mutate: "+test.mutate+"}\n")
			got := set.Decide(transition(nil))[0]
			want := rules.Decision{Rule: "x", Entity: "github.com:101#7", Outcome: rules.OutcomeError, Reason: test.reason}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("-got +want:\n%s", diff)
			}
		})
	}
}

func TestDecide_WhatATransitionLacksIsAnError(t *testing.T) {
	t.Parallel()
	set := parse(t, "rules:\n  - {name: x, on: [labels_changed, comment_created], once: head, mutate: {close: true}}\n")
	for _, test := range []struct {
		name   string
		on     schemas.Transition
		reason string
	}{
		{"the pull request", transition(func(t *schemas.Transition) { t.PullRequest = nil }), "the transition carries no pull request"},
		{"the comment", commentTransition(func(t *schemas.Transition) { t.Comment = nil }), "the transition carries no comment"},
		{"the entity", transition(func(t *schemas.Transition) { t.Entity = "" }), "the transition names no entity"},
		{"a key", transition(func(t *schemas.Transition) { t.Entity = "a\x00b" }), "the transition's entity is no key"},
		{"the head", transition(func(t *schemas.Transition) { t.PullRequest.HeadSHA = "" }), "once: head: the head sha is unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := set.Decide(test.on)[0]
			if got.Outcome != rules.OutcomeError || got.Reason != test.reason {
				t.Errorf("%s: %s, want error: %s", got.Outcome, got.Reason, test.reason)
			}
		})
	}
}

func TestDecide_CommentsActOnTheirPullRequest(t *testing.T) {
	t.Parallel()
	set := parse(t, `
rules:
  - name: command
    on: [comment_created]
    when: comment.body.lowerAscii().trim() == "/merge" && comment.author == "bob"
    mutate: {comment: {body: "{{comment.author}} on {{transition.entity}}, {{comment.created_at}}"}}
`)
	for _, parent := range []schemas.EntityKey{"github.com:101#7", ""} {
		got := set.Decide(commentTransition(func(t *schemas.Transition) { t.Comment.Parent = parent }))[0]
		if got.Entity != "github.com:101#7" || got.Outcome != rules.OutcomeMutate {
			t.Fatalf("%s on %s: %s", got.Outcome, got.Entity, got.Reason)
		}
		if params := string(got.Mutations[0].Params); params != `{"body":"bob on github.com:comment/12, "}` {
			t.Errorf("params %s", params)
		}
	}
}

// TestI3_SameTransitionSameDecisions: also after a trip through JSON, also by
// another Set of the same rules, and whatever the transition is.
func TestI3_SameTransitionSameDecisions(t *testing.T) {
	t.Parallel()
	first, second := parse(t, everyScope), parse(t, everyScope)
	rapid.Check(t, func(t *rapid.T) {
		drawn := drawTransition(t)
		want := first.Decide(drawn)
		if diff := cmp.Diff(second.Decide(drawn), want); diff != "" {
			t.Fatalf("-second +first:\n%s", diff)
		}
		if diff := cmp.Diff(second.Decide(published(t, drawn)), want, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("-published +first:\n%s", diff)
		}
		for _, d := range want {
			if (d.Outcome == rules.OutcomeMutate) != (len(d.Mutations) > 0) || d.Reason == "" {
				t.Fatalf("a decision %+v", d)
			}
		}
	})
}

// published is the transition as another process reads it.
func published(t *rapid.T, drawn schemas.Transition) schemas.Transition {
	text, err := json.Marshal(drawn)
	if err != nil {
		t.Fatal(err)
	}
	var read schemas.Transition
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// TestDecide_PartsYieldWhatTheWholeYields: splitting a condition at its && is
// no change of its meaning.
func TestDecide_PartsYieldWhatTheWholeYields(t *testing.T) {
	t.Parallel()
	whole, err := rules.NewTemplates()
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{
		`pr.draft`, `!pr.draft`, `pr.labels[0] == "wip"`, `"automerge" in pr.labels`, `pr.approvals / (pr.approvals - 1) > 0`,
		`(pr.draft || pr.labels[1] == "wip")`, `(pr.draft && pr.labels[1] == "wip")`, `pr.title != "\u0000\n\\\"🙂"`,
		`pr.merged_at > pr.created_at`, `pr.labels.all(l, l != "" && l != "wip")`, `(pr.draft ? pr.approvals > 1 : false)`,
		`transition.to != ["a"]`, `"x" in transition.to`, `has(pr.merged_at)`, `true`,
	}
	rapid.Check(t, func(rt *rapid.T) {
		condition := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 6).Draw(rt, "parts"), " && ")
		on := transition(func(t *schemas.Transition) { t.PullRequest = drawPullRequest(rt) })
		if rapid.Bool().Draw(rt, "times unknown") {
			on.PullRequest.MergedAt = time.Time{}
		}
		got := one(t, condition, on)
		if want := whole.AskWhole(condition, on); got.Outcome != want {
			rt.Fatalf("%s: %s (%s), want %s", condition, got.Outcome, got.Reason, want)
		}
	})
}
