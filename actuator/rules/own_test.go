package rules_test

import (
	"sync"
	"testing"

	"pawl/actuator/rules"
	"pawl/schemas"
)

const ownRules = `
providers:
  github.com: {login: Acme-Merger}
  ghe.example.com: {login: other}
rules:
  - {name: quiet, on: [labels_changed, comment_created, comment_edited, comment_removed], mutate: {close: true}}
  - {name: loud, on: [labels_changed, comment_created, comment_edited, comment_removed], include_own: true, mutate: {close: true}}
`

func TestOwnEcho_FiresNoRuleUnlessItAsks(t *testing.T) {
	t.Parallel()
	by := func(login string) schemas.Transition {
		return transition(func(t *schemas.Transition) { t.Cause.Sender.Login = login })
	}
	comment := func(kind schemas.Kind, body string) schemas.Transition {
		return commentTransition(func(t *schemas.Transition) { t.Kind, t.Comment.Body = kind, body })
	}
	const echoByMarker = "own echo: the comment carries our marker, and the rule does not include_own"
	for _, test := range []struct {
		name   string
		on     schemas.Transition
		reason string // empty where it is no echo
	}{
		{"somebody else", by("alice"), ""},
		{"nobody", by(""), ""},
		{"our login in other letters", by("acme-MERGER"), "own echo: caused by acme-MERGER, and the rule does not include_own"},
		{"our App", by("acme-merger[bot]"), "own echo: caused by acme-merger[bot], and the rule does not include_own"},
		{"a login that only begins like ours", by("acme-merger2"), ""},
		{"our login at another instance", by("other"), ""},
		{"a login that was looked up", by("Looked-Up"), "own echo: caused by Looked-Up, and the rule does not include_own"},
		{"the instance from the key", transition(func(t *schemas.Transition) {
			t.PullRequest.Instance, t.Cause.Sender.Login = "", "acme-merger"
		}), "own echo: caused by acme-merger, and the rule does not include_own"},
		{"no instance at all", transition(func(t *schemas.Transition) {
			t.PullRequest.Instance, t.Entity, t.Cause.Sender.Login = "", "#", "acme-merger"
		}), ""},
		{"our comment", comment(schemas.KindCommentCreated, "hi "+rules.Marker+"key=1 -->"), echoByMarker},
		{"our comment, edited by a person", comment(schemas.KindCommentEdited, rules.Marker+"key=1 -->"), echoByMarker},
		{"our comment, removed by a person", comment(schemas.KindCommentRemoved, rules.Marker+"key=1 -->"), ""},
		{"a comment", comment(schemas.KindCommentCreated, "pawl: hi"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set := parse(t, ownRules)
			set.SetOwn("github.com", "looked-up")
			set.SetOwn("github.com", "")
			decisions := set.Decide(test.on)
			quiet, loud := decisions[0], decisions[1]
			if got := quiet.Outcome == rules.OutcomeNo; got != (test.reason != "") || got && quiet.Reason != test.reason {
				t.Errorf("%s: %s, want echo: %q", quiet.Outcome, quiet.Reason, test.reason)
			}
			if loud.Outcome != rules.OutcomeMutate {
				t.Errorf("a rule with include_own: %s: %s", loud.Outcome, loud.Reason)
			}
		})
	}
}

func TestSetOwn_WhileOthersDecide(t *testing.T) {
	t.Parallel()
	set := parse(t, ownRules)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				set.SetOwn("github.com", "late")
				set.Decide(transition(nil))
			}
		})
	}
	wg.Wait()
	late := transition(func(t *schemas.Transition) { t.Cause.Sender.Login = "late" })
	if got := set.Decide(late)[0]; got.Outcome != rules.OutcomeNo {
		t.Errorf("%s: %s", got.Outcome, got.Reason)
	}
}
