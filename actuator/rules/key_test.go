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

// everyScope has rules of each scope, with several mutations, on every kind that
// the tests draw often.
const everyScope = `
providers: {github.com: {login: pawl}}
conditions:
  green: checks["build"] == "success" && (reviews.size() > 0 || checks.exists(n, checks[n] == "failure"))
  told: comment == null || comment.body != ""
rules:
  - name: each
    on: [opened, closed, merged, labels_changed, head_changed, comment_created, comment_edited]
    mutate: [{close: true}, {close: true}, {add_labels: ["x{{pr.number}}"]}]
  - name: head
    on: [opened, closed, merged, labels_changed, head_changed, comment_created, comment_edited]
    when: pr.state == "open" && !pr.draft && (pr.approvals > 0 || pr.labels[0] == "automerge") && pr.merged_at > pr.created_at
    once: head
    mutate: [{close: true}, {merge: {title: "{{pr.title}}"}}]
  - name: entity
    on: [opened, closed, merged, reopened, labels_changed, head_changed, comment_created, comment_edited, comment_removed]
    when: comment == null || comment.body != ""
    once: entity
    mutate: {close: true, comment: {sticky: "one", body: "{{transition.from}} {{pr.created_at}} {{pr.labels}} {{comment == null ? '' : comment.body}}."}}
  - name: value
    on: [opened, closed, labels_changed, comment_created]
    when: told && (green || pr.draft || actor.login != "" || links.size() > 1)
    once: pr.author + actor.login + string(told)
    after: 1h30m
    repositories: ["acme/**", "x:*/*"]
    except: ["github.com:acme/tools/*"]
    on_refusal: wait
    mutate: [{reopen: true}, {delete_comment: {sticky: one}}, {notify: {url: "env:URL", text: "{{green}} {{checks.map(n, n)}}."}}]
`

func TestI10_KeyIsThatOfVersion1(t *testing.T) {
	t.Parallel()
	on := transition(func(t *schemas.Transition) { t.ID = "86fa3e09c881019c8380863bcdcfa3fb" })
	for _, test := range []struct {
		once  string
		want  schemas.IdempotencyKey
		scope string
	}{
		{"transition", "06e4ae2608daca67f6f56c4a73351d1a", "transition 86fa3e09c881019c8380863bcdcfa3fb"},
		{"head", "35b813b58268274280afb1a0c734d07d", "head 6dcb09b5"},
		{"entity", "fa66f2e283e2e3ddf5470a6c7222c573", "entity github.com:101#7"},
	} {
		t.Run(test.once, func(t *testing.T) {
			t.Parallel()
			set := parse(t, "rules:\n  - {name: x, on: [labels_changed], once: "+test.once+", mutate: {close: true}}\n")
			got := set.Decide(on)[0]
			if key := got.Mutations[0].Key; key != test.want {
				t.Errorf("key %s, want %s: effects that were done would be done again", key, test.want)
			}
			want := fmt.Sprintf("there is no condition; once per %s, close under key %s", test.scope, test.want)
			if got.Reason != want {
				t.Errorf("reason %s, want %s", got.Reason, want)
			}
		})
	}
}

// meaning is what a key stands for, taken from a decision and its transition
// without the code that derives keys.
type meaning struct {
	rule, kind string
	place      int
	entity     schemas.EntityKey
	scope      string
}

func meaningOf(d rules.Decision, m rules.Mutation, t schemas.Transition) meaning {
	scope := "entity"
	switch d.Rule {
	case "each":
		scope = "transition " + string(t.ID)
	case "head":
		scope = "head " + t.PullRequest.HeadSHA
	case "value":
		told := t.Comment == nil || t.Comment.Body != ""
		scope = fmt.Sprintf("value %s%s%t", t.PullRequest.Author, t.Cause.Sender.Login, told)
	}
	return meaning{d.Rule, string(m.Kind), m.Position, d.Entity, scope}
}

// TestI10_KeysAreEqualExactlyWhereMeaningsAre: distinct (rule, kind, position,
// entity, scope) never share a key, equal ones always do.
func TestI10_KeysAreEqualExactlyWhereMeaningsAre(t *testing.T) {
	t.Parallel()
	set := parse(t, everyScope)
	rapid.Check(t, func(t *rapid.T) {
		byKey := make(map[schemas.IdempotencyKey]meaning)
		byMeaning := make(map[meaning]schemas.IdempotencyKey)
		for _, drawn := range rapid.SliceOfN(rapid.Custom(drawTransition), 1, 12).Draw(t, "transitions") {
			for _, d := range set.Decide(drawn) {
				for _, m := range d.Mutations {
					means := meaningOf(d, m, drawn)
					if other, ok := byKey[m.Key]; ok && other != means {
						t.Fatalf("key %s for %+v and %+v", m.Key, other, means)
					}
					if other, ok := byMeaning[means]; ok && other != m.Key {
						t.Fatalf("keys %s and %s for %+v", m.Key, other, means)
					}
					byKey[m.Key], byMeaning[means] = means, m.Key
				}
			}
		}
	})
}

func TestDecide_ScopeSaysHowOften(t *testing.T) {
	t.Parallel()
	first := transition(nil)
	again := schemas.NewTransition(first.Entity, first.Kind, first.From, first.To, schemas.Cause{Source: "github", DeliveryID: "d-2"})
	again.PullRequest = first.PullRequest
	newHead := again
	moved := *first.PullRequest
	moved.HeadSHA = "another"
	newHead.PullRequest = &moved
	other := newHead
	other.Entity = "github.com:101#8"
	for once, want := range map[string][]bool{
		"transition": {false, false, false},
		"head":       {true, false, false},
		"entity":     {true, true, false},
	} {
		t.Run(once, func(t *testing.T) {
			t.Parallel()
			set := parse(t, "rules:\n  - {name: x, on: [labels_changed], once: "+once+", mutate: {close: true}}\n")
			var got []bool
			for _, later := range []schemas.Transition{again, newHead, other} {
				got = append(got, set.Decide(later)[0].Mutations[0].Key == set.Decide(first)[0].Mutations[0].Key)
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("same key for another delivery, another head, another entity: -got +want:\n%s", diff)
			}
		})
	}
}

func TestDecide_ScopeIsTheValueOfAnExpression(t *testing.T) {
	t.Parallel()
	on := transition(nil)
	for _, test := range []struct {
		once, reason string
		same, other  func(*schemas.PullRequest)
	}{
		{
			`pr.base_ref + " " + pr.milestone`, `once per pr.base_ref + " " + pr.milestone main `,
			func(pr *schemas.PullRequest) { pr.HeadSHA = "another" }, func(pr *schemas.PullRequest) { pr.BaseRef = "next" },
		},
		{
			`pr.approvals`, `once per pr.approvals 1`,
			func(pr *schemas.PullRequest) { pr.Title = "x" }, func(pr *schemas.PullRequest) { pr.Approvals = 2 },
		},
		{
			`!pr.draft`, `once per !pr.draft true`,
			func(pr *schemas.PullRequest) { pr.Title = "x" }, func(pr *schemas.PullRequest) { pr.Draft = true },
		},
		{
			`green`, `once per green true`,
			func(pr *schemas.PullRequest) { pr.Title = "x" }, func(pr *schemas.PullRequest) { pr.Checks = nil },
		},
	} {
		t.Run(test.once, func(t *testing.T) {
			t.Parallel()
			set := parse(t, "conditions: {green: 'checks[\"build\"] == \"success\"'}\nrules:\n"+
				"  - {name: x, on: [labels_changed], once: '"+test.once+"', mutate: {close: true}}\n")
			key := func(change func(*schemas.PullRequest)) schemas.IdempotencyKey {
				later := schemas.NewTransition(on.Entity, on.Kind, on.From, on.To, schemas.Cause{Source: "github", DeliveryID: "d-2"})
				row := *on.PullRequest
				change(&row)
				later.PullRequest = &row
				return set.Decide(later)[0].Mutations[0].Key
			}
			first := set.Decide(on)[0]
			if !strings.Contains(first.Reason, test.reason+", close under key ") {
				t.Errorf("%s, want %s", first.Reason, test.reason)
			}
			if key(test.same) != first.Mutations[0].Key {
				t.Error("another key for the same value")
			}
			if key(test.other) == first.Mutations[0].Key {
				t.Error("the same key for another value")
			}
		})
	}
}

func TestDecide_ScopeThatCannotBeEvaluatedIsAnError(t *testing.T) {
	t.Parallel()
	set := parse(t, "rules: [{name: x, on: [labels_changed], once: 'pr.labels[3]', mutate: {close: true}}]\n")
	got := set.Decide(transition(nil))[0]
	if want := "once: pr.labels[3] cannot be evaluated: index out of bounds: 3"; got.Outcome != rules.OutcomeError || got.Reason != want {
		t.Errorf("%s: %s, want %s", got.Outcome, got.Reason, want)
	}
}
