package rules_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pawl/actuator/rules"
	"pawl/schemas"
)

const explained = `
conditions: {ready: 'pr.state == "open" && !pr.draft'}
rules:
  - name: merge
    on: [labels_changed, checks_changed]
    when: ready && "automerge" in pr.labels && checks["build"] == "success" && pr.approvals >= 2
    once: head
    after: 2h
    mutate: {merge: {method: squash}, comment: {body: x}}
  - {name: told, on: [labels_changed], when: '!pr.draft && "x" in transition.to && actor.login != "bot"', mutate: {close: true}}
  - {name: either, on: [labels_changed], when: 'pr.draft || transition.kind == "opened"', mutate: {close: true}}
  - {name: command, on: [comment_created], when: 'comment.body == "/merge" && has(comment.author)', mutate: {close: true}}
  - {name: none, on: [labels_changed], when: 'comment == null && pr.state == "open"', mutate: {close: true}}
  - {name: broken, on: [labels_changed], when: 'pr.labels[4] == "x"', mutate: {close: true}}
  - {name: always, on: [merged], include_own: true, mutate: {close: true}}
  - {name: elsewhere, on: [merged], repositories: [other/*], mutate: {close: true}}
`

func yes() *bool { return new(true) }

func no() *bool { return new(false) }

func TestExplain_SaysWhyARuleWouldNotAct(t *testing.T) {
	t.Parallel()
	got, err := parse(t, explained).Explain("merge", rules.Now{PullRequest: transition(func(t *schemas.Transition) { t.PullRequest.Checks = nil }).PullRequest})
	if err != nil {
		t.Fatal(err)
	}
	want := rules.Explanation{
		Rule: "merge", Entity: "github.com:101#7", On: []schemas.Kind{schemas.KindLabelsChanged, schemas.KindChecksChanged},
		Holds: rules.HoldsNot, Reason: `checks["build"] == "success" is false: checks["build"] = "none"`,
		When: `ready && "automerge" in pr.labels && checks["build"] == "success" && pr.approvals >= 2`,
		Parts: []rules.Part{
			{Text: "ready", Value: yes(), Parts: []rules.Part{
				{Text: `pr.state == "open"`, Value: yes(), Variables: map[string]string{"pr.state": `"open"`}},
				{Text: `!pr.draft`, Value: yes(), Variables: map[string]string{"pr.draft": `false`}},
			}},
			{Text: `"automerge" in pr.labels`, Value: yes(), Variables: map[string]string{"pr.labels": `["automerge"]`}},
			{Text: `checks["build"] == "success"`, Value: no(), Variables: map[string]string{`checks["build"]`: `"none"`}},
			{Text: `pr.approvals >= 2`, Value: no(), Variables: map[string]string{"pr.approvals": "1"}},
		},
		Once: rules.OnceHead, After: "2h", Mutations: []schemas.MutationKind{schemas.MutateMerge, schemas.MutateComment},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	text, err := json.Marshal(got)
	if err != nil || !strings.HasPrefix(string(text), `{"rule":"merge","entity":"github.com:101#7","on":["labels_changed","checks_changed"],"holds":"no",`) {
		t.Errorf("%v: %s", err, text)
	}
}

func TestExplain_WhatDependsOnTheTransitionIsNotKnown(t *testing.T) {
	t.Parallel()
	set := parse(t, explained)
	for _, test := range []struct {
		rule   string
		change func(*schemas.PullRequest)
		want   rules.Holding
		reason string
	}{
		{"told", nil, rules.HoldsIfTold, `"x" in transition.to depends on the transition: transition.to = unknown`},
		{"told", func(pr *schemas.PullRequest) { pr.Draft = true }, rules.HoldsNot, `!pr.draft is false: pr.draft = true`},
		{"either", nil, rules.HoldsIfTold, `pr.draft || transition.kind == "opened" depends on the transition: pr.draft = false, transition.kind = unknown`},
		{"either", func(pr *schemas.PullRequest) { pr.Draft = true }, rules.Holds, "the condition holds"},
		{"command", nil, rules.HoldsIfTold, `comment.body == "/merge" depends on the transition: comment.body = unknown`},
		{"none", nil, rules.Holds, "the condition holds"},
		{"broken", nil, rules.HoldsBroken, `pr.labels[4] == "x" cannot be evaluated: index out of bounds: 4: pr.labels = ["automerge"]`},
		{"always", nil, rules.Holds, "there is no condition"},
		{"elsewhere", nil, rules.HoldsNot, "the rule is not for acme/api: no pattern of repositories matches"},
	} {
		t.Run(test.rule+" "+string(test.want), func(t *testing.T) {
			t.Parallel()
			pr := transition(nil).PullRequest
			if test.change != nil {
				test.change(pr)
			}
			got, err := set.Explain(test.rule, rules.Now{PullRequest: pr})
			if err != nil {
				t.Fatal(err)
			}
			if got.Holds != test.want || got.Reason != test.reason {
				t.Errorf("%s: %s, want %s: %s", got.Holds, got.Reason, test.want, test.reason)
			}
			if (got.NotFor != "") != (test.rule == "elsewhere") {
				t.Errorf("not for: %s", got.NotFor)
			}
		})
	}
}

func TestExplain_PartsThatDependSaySo(t *testing.T) {
	t.Parallel()
	got, err := parse(t, explained).Explain("told", rules.Now{PullRequest: transition(nil).PullRequest})
	if err != nil {
		t.Fatal(err)
	}
	want := []rules.Part{
		{Text: `!pr.draft`, Value: yes(), Variables: map[string]string{"pr.draft": "false"}},
		{Text: `"x" in transition.to`, Depends: true, Variables: map[string]string{"transition.to": "unknown"}},
		{Text: `actor.login != "bot"`, Depends: true, Variables: map[string]string{"actor.login": "unknown"}},
	}
	if diff := cmp.Diff(got.Parts, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestExplain_NamesWhatIsNotThere(t *testing.T) {
	t.Parallel()
	set := parse(t, explained)
	if _, err := set.Explain("merg", rules.Now{PullRequest: transition(nil).PullRequest}); err == nil || err.Error() != `unknown rule "merg", did you mean "merge"?` {
		t.Errorf("%v", err)
	}
	if _, err := set.Explain("merge", rules.Now{}); err == nil || err.Error() != "the pull request is unknown" {
		t.Errorf("%v", err)
	}
}

// TestExplain_AgreesWithTheDecision: where a rule would say no whatever the
// transition is, it says no; where it would act, it does.
func TestExplain_AgreesWithTheDecision(t *testing.T) {
	t.Parallel()
	set := parse(t, everyScope)
	rapid.Check(t, func(t *rapid.T) {
		drawn := drawTransition(t)
		if drawn.PullRequest == nil {
			return
		}
		drawn.PullRequest.Instance = "github.com" // which nothing but the row tells here
		for _, d := range set.Decide(drawn) {
			got, err := set.Explain(d.Rule, rules.Now{PullRequest: drawn.PullRequest})
			if err != nil {
				t.Fatal(err)
			}
			holds, reason := set.Again(d.Rule, drawn, rules.Now{PullRequest: drawn.PullRequest})
			if got.Holds == rules.Holds && !holds || got.Holds == rules.HoldsNot && holds {
				t.Fatalf("%s: explained %s (%s), asked %t (%s)", d.Rule, got.Holds, got.Reason, holds, reason)
			}
		}
	})
}

// TestExplain_RuleOfStatusPages is about no pull request.
func TestExplain_RuleOfStatusPages(t *testing.T) {
	t.Parallel()
	set := parse(t, `
rules:
  - name: down
    on: [component_changed]
    when: component.status == "major_outage"
    mutate: {notify: {url: "env:X", text: "down"}}
`)
	got, err := set.Explain("down", rules.Now{PullRequest: transition(nil).PullRequest})
	if err != nil || got.Holds != rules.HoldsNot || got.NotFor == "" {
		t.Errorf("%s: %s, %v", got.Holds, got.NotFor, err)
	}
}
