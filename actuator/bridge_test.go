package actuator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// mirrorMarker ends the mirror of comment c1.
const mirrorMarker = "<!-- pawl-sticky:linear.app%3Acomment%2Fc1@1 -->"

const bridgeRules = `
rules:
  - name: down
    on: [comment_created, comment_edited, comment_removed, opened, links_changed]
    mutate: {bridge_comment: {to: pull_request, body: "{{comment.author}}: {{comment.body}}", earlier: 2}}
`

// naming has a pull request name issues, as the projector folds it.
func (r *rig) naming(number int, issues ...string) *schemas.PullRequest {
	r.t.Helper()
	row := r.fold(number)
	row.Links = append([]string{}, issues...)
	r.exec(`update pawl.pull_request set links = $2 where entity_key = $1`, row.EntityKey, row.Links)
	r.exec(`delete from pawl.issue_link where pull_request = $1`, row.EntityKey)
	for _, issue := range issues {
		r.exec(`insert into pawl.issue_link (pull_request, target, kind, folded_at) values ($1, $2, 'mentions', now())`, row.EntityKey, issue)
	}
	return row
}

// openNaming opens a pull request that names issues.
func (r *rig) openNaming(issues ...string) int {
	r.t.Helper()
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.naming(number, issues...)
	return number
}

// say is a comment of ENG-5, as the projector folds it, and the transition that
// follows.
func (r *rig) say(kind schemas.Kind, id, body string) schemas.Transition {
	r.t.Helper()
	comment := schemas.Comment{
		EntityKey: schemas.CommentKey("linear.app", id), Kind: schemas.CommentIssue, Parent: "linear.app:issue/i1", Issue: "ENG-5",
		State: schemas.CommentLive, Author: "Ada", Body: body, CreatedAt: time.Unix(r.next.Add(1), 0).UTC(), Version: r.next.Load(),
	}
	if kind == schemas.KindCommentRemoved {
		comment.State = schemas.CommentRemoved
	}
	r.foldComment(comment)
	cause := schemas.Cause{Source: "linear", DeliveryID: schemas.DeliveryID(fmt.Sprint("l-", r.next.Load())), Provider: "linear", Event: "comment"}
	t := schemas.NewTransition(comment.EntityKey, kind, schemas.Value{}, schemas.Value{Text: "live"}, cause)
	t.Comment = &comment
	return t
}

func (r *rig) foldComment(comment schemas.Comment) {
	r.t.Helper()
	text, err := json.Marshal(comment)
	if err != nil {
		r.t.Fatal(err)
	}
	r.exec(`delete from pawl.comment where entity_key = $1`, comment.EntityKey)
	r.exec(`insert into pawl.comment
	        select c.* from json_populate_record(null::pawl.comment,
	          ($1::jsonb || jsonb_build_object('announced', true, 'folded_at', now()))::json) c`, string(text))
}

// shown are the texts of the comments of a pull request, without their markers.
func (r *rig) shown(number int) []string {
	var texts []string
	for _, comment := range r.github.Comments(repo, number) {
		text, _, _ := strings.Cut(comment.Body, "\n\n<!--")
		texts = append(texts, text)
	}
	return texts
}

func (r *rig) wantShown(number int, want ...string) {
	r.t.Helper()
	if diff := cmp.Diff(r.shown(number), want); diff != "" {
		r.t.Errorf("comments of %d, -got +want:\n%s", number, diff)
	}
}

// TestBridge_CreatesEditsAndRemoves under each pull request that names the issue,
// and under no other; each transition comes twice.
func TestBridge_CreatesEditsAndRemoves(t *testing.T) {
	t.Parallel()
	r := newRig(t, bridgeRules)
	a := r.actor("a")
	first, second, other := r.openNaming("ENG-5"), r.openNaming("ENG-5", "OPS-1"), r.openNaming("OPS-1")
	for _, step := range []struct {
		kind schemas.Kind
		body string
		want []string
	}{
		{schemas.KindCommentCreated, "hello", []string{"Ada: hello"}},
		{schemas.KindCommentEdited, "hello all", []string{"Ada: hello all"}},
		{schemas.KindCommentRemoved, "hello all", nil},
	} {
		on := r.say(step.kind, "c1", step.body)
		r.decide(a, on, on)
		r.passes(a)
		r.wantShown(first, step.want...)
		r.wantShown(second, step.want...)
		r.wantShown(other)
	}
	if got := query[string](r, `select string_agg(state, ' ') from pawl.mutation`); got != "done done done done done done" {
		t.Errorf("mutations: %s", got)
	}
}

// TestBridge_AnEditFindsTheMirrorWhoseLinkIsGone: what was mirrored is kept in step,
// also where the pull request does not name the issue any more.
func TestBridge_AnEditFindsTheMirrorWhoseLinkIsGone(t *testing.T) {
	t.Parallel()
	r := newRig(t, bridgeRules)
	a := r.actor("a")
	number := r.openNaming("ENG-5")
	r.decide(a, r.say(schemas.KindCommentCreated, "c1", "hello"))
	r.passes(a)
	r.naming(number)
	r.decide(a, r.say(schemas.KindCommentRemoved, "c1", "hello"))
	r.passes(a)
	r.wantShown(number)
}

// TestBridge_EarlierCommentsComeWithTheLink, at most as many as the rule says, once.
func TestBridge_EarlierCommentsComeWithTheLink(t *testing.T) {
	t.Parallel()
	r := newRig(t, bridgeRules)
	a := r.actor("a")
	number := r.openNaming()
	for _, id := range []string{"c1", "c2", "c3"} {
		r.decide(a, r.say(schemas.KindCommentCreated, id, id))
	}
	r.decide(a, r.say(schemas.KindCommentRemoved, "c4", "gone"))
	for range 2 {
		cause := schemas.Cause{Source: "github", DeliveryID: schemas.DeliveryID(fmt.Sprint("d-", r.next.Add(1))), Provider: "github", Event: "pull_request"}
		linked := schemas.NewTransition(entityOf(number), schemas.KindLinksChanged, schemas.Value{List: []string{}}, schemas.Value{List: []string{"ENG-5"}}, cause)
		linked.PullRequest = r.naming(number, "ENG-5")
		r.decide(a, linked)
		r.passes(a)
	}
	r.wantShown(number, "Ada: c2", "Ada: c3")
	r.decide(a, r.say(schemas.KindCommentEdited, "c2", "c2, edited"))
	r.passes(a)
	r.wantShown(number, "Ada: c2, edited", "Ada: c3")
}

// TestI10_AFailingMirrorIsTriedAgain (case 19): a claim that leaks would block the
// retry for ever.
func TestI10_AFailingMirrorIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, bridgeRules)
	a := r.actor("a", actuator.Config{Backoff: time.Millisecond})
	number := r.openNaming("ENG-5")
	for range 3 {
		r.github.Fail(fakegithub.Fault{Method: "POST", Path: "/comments", Status: 502})
	}
	r.decide(a, r.say(schemas.KindCommentCreated, "c1", "hello"))
	until(t, "it is mirrored", func() bool { r.due(); r.passes(a); return len(r.shown(number)) == 1 })
	r.passes(a)
	r.wantShown(number, "Ada: hello")
}

// TestBridge_WhatIsTriedAgainWritesTheNewestText: a mirror that could not be made is
// made at last, after its comment was edited.
func TestBridge_WhatIsTriedAgainWritesTheNewestText(t *testing.T) {
	t.Parallel()
	r := newRig(t, bridgeRules)
	a := r.actor("a")
	number := r.openNaming("ENG-5")
	r.github.Fail(fakegithub.Fault{Method: "POST", Path: "/comments", Status: 403, Message: "Resource not accessible"})
	r.decide(a, r.say(schemas.KindCommentCreated, "c1", "hello"))
	r.passes(a)
	r.decide(a, r.say(schemas.KindCommentEdited, "c1", "hello, edited"))
	r.passes(a)
	if diff := cmp.Diff(r.mutations(number), []standing{{"down", "bridge_comment", "dead"}, {"down", "bridge_comment", "skipped"}}); diff != "" {
		t.Fatalf("-got +want:\n%s", diff)
	}
	r.exec(`update pawl.mutation set state = 'pending', settled_at = null, next_attempt_at = now() where state = 'dead'`)
	r.passes(a)
	r.wantShown(number, "Ada: hello, edited")
}

// TestBridge_BothLayers: the key in the database and the marker at the provider each
// keep a second mirror away alone. Without either there are two, so this test can
// fail.
func TestBridge_BothLayers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		key, marker bool
		want        int
	}{
		{"together", true, true, 1},
		{"the key alone", true, false, 1},
		{"the marker alone", false, true, 1},
		{"neither", false, false, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, bridgeRules)
			a := r.actor("a")
			number := r.openNaming("ENG-5")
			on := r.say(schemas.KindCommentCreated, "c1", "hello")
			r.decide(a, on)
			r.passes(a)
			if !test.marker {
				r.github.EditComment(repo, number, r.github.Comments(repo, number)[0].ID, we, "Ada: hello")
			}
			r.exec(`delete from pawl.decision`)
			if !test.key {
				r.exec(`delete from pawl.mutation`)
			}
			r.decide(a, on)
			r.passes(a)
			if got := len(r.shown(number)); got != test.want {
				t.Errorf("%d mirrors, want %d", got, test.want)
			}
		})
	}
}

// TestI10_TwoActorsMirrorOnce: two actors are given one creation 3 ms apart, a
// thousand times; each comment has one mirror.
func TestI10_TwoActorsMirrorOnce(t *testing.T) {
	t.Parallel()
	const pulls = 50
	comments := 1000
	if testing.Short() {
		comments = 100
	}
	r := newRig(t, "limits: {per_rule: 0, per_entity: 0}"+bridgeRules)
	actors := []actor{r.actor("a"), r.actor("b")}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, a := range actors {
		running.Go(func() { _ = a.Run(ctx) })
	}
	t.Cleanup(func() { stop(); running.Wait() })
	var numbers []int
	for place := range pulls {
		numbers = append(numbers, r.openNaming(fmt.Sprint("ENG-", place+1)))
	}
	for i := range comments {
		on := r.sayOn(fmt.Sprint("ENG-", i%pulls+1), fmt.Sprint("c", i))
		raw := encode(t, on)
		var both sync.WaitGroup
		for place, a := range actors {
			both.Go(func() {
				time.Sleep(time.Duration(place) * 3 * time.Millisecond)
				if err := a.Decide(ctx, on, raw); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
	}
	until(t, "all is done", func() bool { return query[int](r, `select count(*) from pawl.mutation where state <> 'done'`) == 0 })
	for _, number := range numbers {
		if got := len(r.shown(number)); got != comments/pulls {
			t.Errorf("%d mirrors under %d, want %d", got, number, comments/pulls)
		}
	}
}

// sayOn is a creation under an issue.
func (r *rig) sayOn(issue, id string) schemas.Transition {
	r.t.Helper()
	on := r.say(schemas.KindCommentCreated, id, id)
	on.Comment.Issue = issue
	r.foldComment(*on.Comment)
	return on
}
