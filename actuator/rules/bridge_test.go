package rules_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator/rules"
	"pawl/schemas"
)

const bothWays = `
rules:
  - name: down
    on: [comment_created, comment_edited, comment_removed, opened, links_changed]
    when: '!comment.body.startsWith("/private")'
    mutate: {bridge_comment: {to: pull_request, earlier: 2}}
  - name: up
    on: [comment_created, comment_edited, comment_removed]
    mutate: {bridge_comment: {to: issue, body: "{{comment.author}}: {{comment.body}}"}}
  - {name: other, on: [comment_created], mutate: {close: true}}
`

func issueComment(id, body string) schemas.Comment {
	return schemas.Comment{
		EntityKey: schemas.CommentKey("linear.app", id), Kind: schemas.CommentIssue, Parent: "linear.app:issue/i1", Issue: "ENG-5",
		State: schemas.CommentLive, Author: "Ada", Body: body, URL: "https://linear.app/acme/issue/ENG-5#comment-" + id, Version: 1,
	}
}

// onIssue is a transition of a comment of an issue.
func onIssue(kind schemas.Kind, comment schemas.Comment) schemas.Transition {
	t := schemas.NewTransition(comment.EntityKey, kind, schemas.Value{}, schemas.Value{Text: "live"},
		schemas.Cause{Source: "linear", DeliveryID: schemas.DeliveryID("d-" + comment.Body), Provider: "linear", Event: "comment"})
	t.Comment = &comment
	return t
}

func linked(number int64, links ...string) *schemas.PullRequest {
	return &schemas.PullRequest{
		EntityKey: schemas.PullRequestKey("github.com", "101", number), Instance: "github.com", Repository: "acme/api", Number: number,
		State: schemas.Open, Links: links,
	}
}

// told writes decisions as lines.
func told(t *testing.T, decisions []rules.Decision) []string {
	t.Helper()
	var lines []string
	for _, d := range decisions {
		line := fmt.Sprintf("%s %s %s", d.Rule, d.Entity, d.Outcome)
		for _, m := range d.Mutations {
			var mirror rules.Mirror
			if err := json.Unmarshal(m.Params, &mirror); err != nil {
				t.Fatal(err)
			}
			line += fmt.Sprintf(" [%s %s %s %q]", mirror.Change, mirror.Comment, mirror.Issue, mirror.Body)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestBridge_UnderEachPullRequestThatNamesTheIssue, and an edit or a removal
// wherever there is a mirror.
func TestBridge_UnderEachPullRequestThatNamesTheIssue(t *testing.T) {
	t.Parallel()
	set := parse(t, bothWays)
	around := rules.BridgeAround{PullRequests: []*schemas.PullRequest{linked(7, "ENG-5"), linked(9, "ENG-5")}}
	for _, test := range []struct {
		kind  schemas.Kind
		wants rules.BridgeWants
		told  []string
	}{
		{schemas.KindCommentCreated, rules.BridgeWants{Issue: "ENG-5"}, []string{
			`down github.com:101#7 mutate [created linear.app:comment/c1  "**Ada** wrote on [ENG-5](https://linear.app/acme/issue/ENG-5#comment-c1):\n\nhi"]`,
			`down github.com:101#9 mutate [created linear.app:comment/c1  "**Ada** wrote on [ENG-5](https://linear.app/acme/issue/ENG-5#comment-c1):\n\nhi"]`,
		}},
		{schemas.KindCommentEdited, rules.BridgeWants{UnderPullRequests: "linear.app:comment/c1"}, []string{
			`down github.com:101#7 mutate [edited linear.app:comment/c1  "**Ada** wrote on [ENG-5](https://linear.app/acme/issue/ENG-5#comment-c1):\n\nhi"]`,
			`down github.com:101#9 mutate [edited linear.app:comment/c1  "**Ada** wrote on [ENG-5](https://linear.app/acme/issue/ENG-5#comment-c1):\n\nhi"]`,
		}},
		{schemas.KindCommentRemoved, rules.BridgeWants{UnderPullRequests: "linear.app:comment/c1"}, []string{
			`down github.com:101#7 mutate [deleted linear.app:comment/c1  ""]`,
			`down github.com:101#9 mutate [deleted linear.app:comment/c1  ""]`,
		}},
	} {
		on := onIssue(test.kind, issueComment("c1", "hi"))
		if diff := cmp.Diff(set.BridgeWants(on), test.wants); diff != "" {
			t.Errorf("%s wants, -got +want:\n%s", test.kind, diff)
		}
		decisions := set.Bridge(on, around)
		if diff := cmp.Diff(told(t, decisions), test.told); diff != "" {
			t.Errorf("%s, -got +want:\n%s", test.kind, diff)
		}
		if got := decisions[1].Transition.PullRequest.Number; got != 9 {
			t.Errorf("%s is decided on pull request %d", test.kind, got)
		}
		if got := set.Decide(on); got != nil {
			t.Errorf("%s: other rules hear of a comment of an issue: %+v", test.kind, got)
		}
	}
}

// TestBridge_UnderEachIssueThatThePullRequestNames: acme/api#12 is none of a tracker.
func TestBridge_UnderEachIssueThatThePullRequestNames(t *testing.T) {
	t.Parallel()
	set := parse(t, bothWays)
	on := commentTransition(func(t *schemas.Transition) {
		t.Comment.Body, t.PullRequest.Links = "done", []string{"ENG-5", "ENG-6", "acme/api#12"}
	})
	if wants := set.BridgeWants(on); !wants.IsNothing() {
		t.Errorf("wants %+v: all is in the transition", wants)
	}
	want := []string{`up github.com:101#7 mutate [created github.com:comment/12 ENG-5 "bob: done"] [created github.com:comment/12 ENG-6 "bob: done"]`}
	if diff := cmp.Diff(told(t, set.Bridge(on, rules.BridgeAround{})), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	on.Kind = schemas.KindCommentRemoved // by then it may name none
	on.PullRequest.Links = nil
	if diff := cmp.Diff(set.BridgeWants(on), rules.BridgeWants{UnderIssues: "github.com:comment/12"}); diff != "" {
		t.Errorf("wants, -got +want:\n%s", diff)
	}
	want = []string{`up github.com:101#7 mutate [deleted github.com:comment/12 ENG-5 ""]`}
	if diff := cmp.Diff(told(t, set.Bridge(on, rules.BridgeAround{Issues: []string{"ENG-5"}})), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

// TestBridge_EarlierComments: the newest ones, under the key of their creation.
func TestBridge_EarlierComments(t *testing.T) {
	t.Parallel()
	set := parse(t, bothWays)
	on := transition(func(t *schemas.Transition) {
		t.Kind, t.From, t.To = schemas.KindLinksChanged, schemas.Value{List: []string{"OPS-1"}}, schemas.Value{List: []string{"ENG-5", "OPS-1", "acme/api#1"}}
		t.PullRequest.Links = t.To.List
	})
	if diff := cmp.Diff(set.BridgeWants(on), rules.BridgeWants{Earlier: []string{"ENG-5"}, Limit: 2}); diff != "" {
		t.Errorf("wants, -got +want:\n%s", diff)
	}
	other := issueComment("c0", "of another issue")
	other.Issue = "OPS-1"
	around := rules.BridgeAround{Comments: []schemas.Comment{
		issueComment("c1", "first"), issueComment("c2", "second"), issueComment("c3", "/private third"), other,
	}}
	decisions := set.Bridge(on, around)
	if len(decisions) != 1 || len(decisions[0].Mutations) != 1 || !strings.Contains(string(decisions[0].Mutations[0].Params), "second") {
		t.Fatalf("%s", told(t, decisions))
	}
	created := set.Bridge(onIssue(schemas.KindCommentCreated, issueComment("c2", "second")),
		rules.BridgeAround{PullRequests: []*schemas.PullRequest{linked(7, "ENG-5")}})
	if created[0].Mutations[0].Key != decisions[0].Mutations[0].Key {
		t.Error("a comment that is heard of and found would be mirrored twice")
	}
	first := transition(func(t *schemas.Transition) {
		t.Kind, t.From, t.To, t.PullRequest.Links = schemas.KindOpened, schemas.Value{}, schemas.Value{Text: "open"}, []string{"ENG-5"}
	})
	if diff := cmp.Diff(set.BridgeWants(first).Earlier, []string{"ENG-5"}); diff != "" {
		t.Errorf("at first sight, -got +want:\n%s", diff)
	}
}

// TestBridge_KeysDiffer: each place, each comment and each change has its own.
func TestBridge_KeysDiffer(t *testing.T) {
	t.Parallel()
	set := parse(t, bothWays)
	around := rules.BridgeAround{PullRequests: []*schemas.PullRequest{linked(7, "ENG-5"), linked(9, "ENG-5")}, Issues: []string{"ENG-5", "ENG-6"}}
	keys := make(map[schemas.IdempotencyKey]bool)
	count := 0
	add := func(on schemas.Transition) {
		for _, d := range set.Bridge(on, around) {
			for _, m := range d.Mutations {
				keys[m.Key], count = true, count+1
			}
		}
	}
	for _, kind := range []schemas.Kind{schemas.KindCommentCreated, schemas.KindCommentEdited, schemas.KindCommentRemoved} {
		for _, id := range []string{"c1", "c2"} {
			add(onIssue(kind, issueComment(id, "hi"+id)))
			on := commentTransition(func(t *schemas.Transition) {
				t.Kind, t.Entity, t.PullRequest.Links = kind, schemas.CommentKey("github.com", id), []string{"ENG-5", "ENG-6"}
				t.Comment.EntityKey = t.Entity
			})
			add(schemas.Transition{ID: schemas.TransitionID(string(kind) + id), Entity: on.Entity, Kind: kind, PullRequest: on.PullRequest, Comment: on.Comment})
		}
	}
	if len(keys) != count || count != 24 {
		t.Errorf("%d keys of %d mutations", len(keys), count)
	}
}

var uuid4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// TestBridge_EchoesAreNotMirrored: ours are known by the marker at a forge and by
// the id at the tracker, whoever acted; what is changed in the id makes it another's.
func TestBridge_EchoesAreNotMirrored(t *testing.T) {
	t.Parallel()
	set := parse(t, bothWays)
	on := commentTransition(func(t *schemas.Transition) { t.PullRequest.Links = []string{"ENG-5"} })
	var mirror rules.Mirror
	if err := json.Unmarshal(set.Bridge(on, rules.BridgeAround{})[0].Mutations[0].Params, &mirror); err != nil {
		t.Fatal(err)
	}
	if !uuid4.MatchString(mirror.ID) {
		t.Errorf("%s is no UUID of version 4", mirror.ID)
	}
	around := rules.BridgeAround{PullRequests: []*schemas.PullRequest{linked(7, "ENG-5")}, Issues: []string{"ENG-5"}}
	for _, kind := range []schemas.Kind{schemas.KindCommentCreated, schemas.KindCommentEdited, schemas.KindCommentRemoved} {
		if got := set.Bridge(onIssue(kind, issueComment(mirror.ID, "echo")), around); got[0].Outcome != rules.OutcomeNo || !strings.Contains(got[0].Reason, "own echo") {
			t.Errorf("%s of our mirror at the tracker: %s %s", kind, got[0].Outcome, got[0].Reason)
		}
		marked := commentTransition(func(t *schemas.Transition) {
			t.Kind, t.Comment.Body, t.PullRequest.Links = kind, "x\n\n<!-- pawl:0123456789abcdef0123456789abcdef -->", []string{"ENG-5"}
		})
		if got := set.Bridge(marked, around); got[0].Outcome != rules.OutcomeNo || !strings.Contains(got[0].Reason, "marker") {
			t.Errorf("%s of our mirror at the forge: %s %s", kind, got[0].Outcome, got[0].Reason)
		}
	}
	for at, c := range mirror.ID {
		if c == '-' {
			continue
		}
		other := mirror.ID[:at] + string("0123456789abcdef0"[strings.IndexRune("0123456789abcdef", c)+1]) + mirror.ID[at+1:]
		if got := set.Bridge(onIssue(schemas.KindCommentCreated, issueComment(other, "hi")), around); got[0].Outcome != rules.OutcomeMutate {
			t.Errorf("%s counts as ours", other)
		}
	}
}

// TestBridge_BothWaysByOneRule, which says from where each comment is.
func TestBridge_BothWaysByOneRule(t *testing.T) {
	t.Parallel()
	set := parse(t, "rules: [{name: bridge, on: [comment_created], mutate: {bridge_comment: true}}]")
	down := set.Bridge(onIssue(schemas.KindCommentCreated, issueComment("c1", "hi")), rules.BridgeAround{PullRequests: []*schemas.PullRequest{linked(7, "ENG-5")}})
	up := set.Bridge(commentTransition(func(t *schemas.Transition) { t.PullRequest.Links = []string{"ENG-5"} }), rules.BridgeAround{})
	want := []string{
		`bridge github.com:101#7 mutate [created linear.app:comment/c1  "**Ada** wrote on [ENG-5](https://linear.app/acme/issue/ENG-5#comment-c1):\n\nhi"]`,
		`bridge github.com:101#7 mutate [created github.com:comment/12 ENG-5 "**bob** wrote on acme/api#7:\n\n/merge"]`,
	}
	if diff := cmp.Diff(told(t, append(down, up...)), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

// TestBridge_WhatHasNoTextIsNotMirrored: an internal note of GitLab is folded without
// its text, and is not to be told of elsewhere.
func TestBridge_WhatHasNoTextIsNotMirrored(t *testing.T) {
	t.Parallel()
	on := commentTransition(func(t *schemas.Transition) { t.Comment.Body, t.PullRequest.Links = " ", []string{"ENG-5"} })
	got := parse(t, bothWays).Bridge(on, rules.BridgeAround{})
	if len(got) != 1 || got[0].Outcome != rules.OutcomeNo || len(got[0].Mutations) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestBridge_AgainAsksOfTheCommentAsItIs: what was removed meanwhile is not mirrored,
// a removal is carried over whatever is so now, and the text is the newest.
func TestBridge_AgainAsksOfTheCommentAsItIs(t *testing.T) {
	t.Parallel()
	set := parse(t, bothWays)
	created, removed := onIssue(schemas.KindCommentCreated, issueComment("c1", "hi")), onIssue(schemas.KindCommentRemoved, issueComment("c1", "hi"))
	live, private, gone := issueComment("c1", "hello"), issueComment("c1", "/private"), issueComment("c1", "hello")
	gone.State = schemas.CommentRemoved
	for _, test := range []struct {
		name   string
		on     schemas.Transition
		now    *schemas.Comment
		holds  bool
		reason string
	}{
		{"as it was", created, &live, true, ""},
		{"it became private", created, &private, false, `!comment.body.startsWith("/private") is false: comment.body = "/private" (was "hi")`},
		{"removed", created, &gone, false, "the comment is removed by now"},
		{"unknown", created, nil, false, "the comment is unknown"},
		{"a removal", removed, &gone, true, ""},
		{"a removal of what became private", removed, &private, true, ""},
	} {
		holds, reason := set.Again("down", test.on, rules.Now{PullRequest: linked(7, "ENG-5"), Comment: test.now})
		if holds != test.holds || reason != test.reason {
			t.Errorf("%s: %t %q, want %t %q", test.name, holds, reason, test.holds, test.reason)
		}
	}
	text, err := set.MirrorText("down", created, rules.Now{PullRequest: linked(7, "ENG-5"), Comment: &live})
	if err != nil || !strings.HasSuffix(text, "hello") {
		t.Errorf("%q, %v", text, err)
	}
}
