package actuator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakelinear"
	"pawl/schemas"
)

const upRules = `
rules:
  - name: up
    on: [comment_created, comment_edited, comment_removed]
    mutate: {bridge_comment: {to: issue, body: "{{comment.author}}: {{comment.body}}"}}
`

// bridgeRig has a fake Linear beside the fake GitHub.
type bridgeRig struct {
	*rig
	linear  *fakelinear.Server
	tracker *actuator.Linear
}

func newBridgeRig(t *testing.T) *bridgeRig {
	t.Helper()
	r := &bridgeRig{rig: newRig(t, upRules)}
	r.linear, r.tracker = newLinear(t, fakelinear.Config{})
	return r
}

func (r *bridgeRig) actor(owner string) actor {
	r.t.Helper()
	return r.rig.actor(owner, actuator.Config{Backoff: time.Millisecond, Trackers: map[string]actuator.Tracker{"linear.app": r.tracker}})
}

// remark is a transition of a comment of a pull request, as it is folded.
func (r *bridgeRig) remark(kind schemas.Kind, number int, body string) schemas.Transition {
	r.t.Helper()
	row := query[string](r.rig, `select row_to_json(p)::text from pawl.pull_request p where entity_key = $1`, entityOf(number))
	pr := new(schemas.PullRequest)
	if err := json.Unmarshal([]byte(row), pr); err != nil {
		r.t.Fatal(err)
	}
	comment := schemas.Comment{
		EntityKey: schemas.CommentKey("github.com", "17"), Kind: schemas.CommentConversation, Parent: pr.EntityKey, State: schemas.CommentLive,
		Author: "bob", Body: body, Version: r.next.Add(1),
	}
	if kind == schemas.KindCommentRemoved {
		comment.State = schemas.CommentRemoved
	}
	r.foldComment(comment)
	cause := schemas.Cause{Source: "github", DeliveryID: schemas.DeliveryID(fmt.Sprint("r-", comment.Version)), Provider: "github", Event: "issue_comment"}
	t := schemas.NewTransition(comment.EntityKey, kind, schemas.Value{}, schemas.Value{Text: "live"}, cause)
	t.Comment, t.PullRequest = &comment, pr
	return t
}

func (r *bridgeRig) wantMirrors(issue string, want ...string) {
	r.t.Helper()
	var got []string
	for _, c := range r.linear.Comments(issue) {
		got = append(got, c.Body)
	}
	if diff := cmp.Diff(got, want); diff != "" {
		r.t.Errorf("comments of %s, -got +want:\n%s", issue, diff)
	}
}

func (r *bridgeRig) creations() int {
	count := 0
	for _, effect := range r.linear.Effects() {
		if effect.Kind == fakelinear.Created {
			count++
		}
	}
	return count
}

// TestBridge_WayBack: a pull request's comment under each issue that it names; one
// that is no issue is passed over; edits and removals follow, also where the pull
// request does not name the issue any more.
func TestBridge_WayBack(t *testing.T) {
	t.Parallel()
	r := newBridgeRig(t)
	r.linear.AddIssue("ENG-5")
	r.linear.AddIssue("ENG-6")
	a := r.actor("a")
	number := r.openNaming("ENG-5", "ENG-6", "UTF-9", "acme/api#12")
	for _, step := range []struct {
		kind schemas.Kind
		body string
		want []string
	}{
		{schemas.KindCommentCreated, "done", []string{"bob: done"}},
		{schemas.KindCommentEdited, "done now", []string{"bob: done now"}},
		{schemas.KindCommentRemoved, "done now", nil},
	} {
		on := r.remark(step.kind, number, step.body)
		r.decide(a, on, on)
		r.passes(a)
		r.naming(number) // from here on it names none
		r.wantMirrors("ENG-5", step.want...)
		r.wantMirrors("ENG-6", step.want...)
	}
	skipped := query[string](r.rig, `select reason from pawl.mutation where state = 'skipped' order by id limit 1`)
	if r.creations() != 2 || skipped != "linear.app has no issue UTF-9" {
		t.Errorf("%d creations; %s", r.creations(), skipped)
	}
}

// TestBridge_AMirrorThatSomebodyRemovedStaysAway: an edit does not bring it back.
func TestBridge_AMirrorThatSomebodyRemovedStaysAway(t *testing.T) {
	t.Parallel()
	r := newBridgeRig(t)
	r.linear.AddIssue("ENG-5")
	a := r.actor("a")
	number := r.openNaming("ENG-5")
	r.decide(a, r.remark(schemas.KindCommentCreated, number, "done"))
	r.passes(a)
	r.linear.Remove(r.linear.Comments("ENG-5")[0].ID, "Ada")
	for _, kind := range []schemas.Kind{schemas.KindCommentEdited, schemas.KindCommentRemoved} {
		r.decide(a, r.remark(kind, number, "done now"))
		r.passes(a)
	}
	r.wantMirrors("ENG-5")
	if got := query[string](r.rig, `select string_agg(state, ' ' order by id) from pawl.mutation`); got != "done skipped done" {
		t.Errorf("mutations: %s", got)
	}
}

// TestBridge_TheIDAloneKeepsASecondMirrorAway: the keys are gone, as after a restore of
// the database; the mirror is found by its id.
func TestBridge_TheIDAloneKeepsASecondMirrorAway(t *testing.T) {
	t.Parallel()
	r := newBridgeRig(t)
	r.linear.AddIssue("ENG-5")
	a := r.actor("a")
	number := r.openNaming("ENG-5")
	on := r.remark(schemas.KindCommentCreated, number, "done")
	for range 2 {
		r.decide(a, on)
		r.passes(a)
		r.exec(`delete from pawl.decision`)
		r.exec(`delete from pawl.mutation`)
	}
	if r.wantMirrors("ENG-5", "bob: done"); r.creations() != 1 {
		t.Errorf("%d creations, want one", r.creations())
	}
}

// TestBridge_WaitsWhereLinearSaysSo: RATELIMITED is no attempt, and the mirror is made
// when the time is over.
func TestBridge_WaitsWhereLinearSaysSo(t *testing.T) {
	t.Parallel()
	r := newBridgeRig(t)
	r.linear.AddIssue("ENG-5")
	a := r.actor("a")
	number := r.openNaming("ENG-5")
	r.linear.Fail(&fakelinear.Fault{
		Asks: "commentCreate(", Status: 400, Body: fakelinear.Errors("RATELIMITED", "Rate limit exceeded"),
		Header: http.Header{"X-Ratelimit-Requests-Remaining": {"0"}, "X-Ratelimit-Requests-Reset": {strconv.FormatInt(time.Now().Add(time.Second).UnixMilli(), 10)}},
	})
	r.decide(a, r.remark(schemas.KindCommentCreated, number, "done"))
	r.passes(a)
	r.wantMirrors("ENG-5")
	until(t, "it is mirrored", func() bool { r.due(); r.passes(a); return len(r.linear.Comments("ENG-5")) == 1 })
	if got := query[string](r.rig, `select state || ' ' || attempt from pawl.mutation`); got != "done 1" {
		t.Errorf("%s, want done at the first attempt that counts", got)
	}
}

// TestBridge_WithoutATrackerItIsDead, and says what to do.
func TestBridge_WithoutATrackerItIsDead(t *testing.T) {
	t.Parallel()
	r := newBridgeRig(t)
	a := r.rig.actor("a")
	number := r.openNaming("ENG-5")
	r.decide(a, r.remark(schemas.KindCommentCreated, number, "done"))
	r.passes(a)
	if got := r.reason(number); got != `no issue tracker is configured for "linear.app": add it under providers` {
		t.Error(got)
	}
}

// mirrorChange is a change that is carried over to Linear.
type mirrorChange struct {
	kind schemas.Kind
	call string // of GraphQL
	want []string
}

func mirrorChanges() []mirrorChange {
	return []mirrorChange{
		{schemas.KindCommentCreated, "commentCreate(", []string{"bob: new"}},
		{schemas.KindCommentEdited, "commentUpdate(", []string{"bob: new"}},
		{schemas.KindCommentRemoved, "commentDelete(", nil},
	}
}

// mirrorFall is where an actor dies, or what becomes of its call.
type mirrorFall struct {
	name string
	at   string
	call *fakelinear.Fault
}

func mirrorFalls() []mirrorFall {
	return []mirrorFall{
		{name: "claimed", at: actuator.StepClaimed},
		{name: "looked", at: actuator.StepLooked},
		{name: "acted", at: actuator.StepActed},
		{name: "lost, not applied", call: &fakelinear.Fault{Drop: true}},
		{name: "lost, applied", call: &fakelinear.Fault{Drop: true, AfterApplying: true}},
		{name: "502, not applied", call: &fakelinear.Fault{Status: 502}},
		{name: "502, applied", call: &fakelinear.Fault{Status: 502, AfterApplying: true}},
		{name: "200 with an error, applied", call: &fakelinear.Fault{
			Status: 200, AfterApplying: true, Body: fakelinear.Errors("INTERNAL_SERVER_ERROR", "oops"),
		}},
	}
}

// TestI10_CrashMatrixOfMirrorsAtLinear: an actor dies, or an answer is lost, at each
// step of each change; another takes over. The mirror is as it must be, and was made
// once; also when the dead one turns out to have slept.
func TestI10_CrashMatrixOfMirrorsAtLinear(t *testing.T) {
	t.Parallel()
	for place, change := range mirrorChanges() {
		for _, fall := range mirrorFalls() {
			t.Run(string(change.kind)+", "+fall.name, func(t *testing.T) {
				t.Parallel()
				r := newBridgeRig(t)
				r.linear.AddIssue("ENG-5")
				gone, next := r.actor("gone"), r.actor("next")
				number := r.openNaming("ENG-5")
				if place > 0 {
					r.decide(next, r.remark(schemas.KindCommentCreated, number, "old"))
					r.passes(next)
				}
				on := r.remark(change.kind, number, "new")
				r.decide(gone, on)
				wake := r.fall(gone, change, fall)
				r.expire()
				r.due()
				r.decide(next, on)
				r.passes(next)
				r.wantMirrors("ENG-5", change.want...)
				wake()
				r.passes(next)
				r.wantMirrors("ENG-5", change.want...)
				if got := r.creations(); got != 1 {
					t.Errorf("%d creations", got)
				}
				if got := query[int](r.rig, `select count(*) from pawl.mutation where state <> 'done'`); got != 0 {
					t.Errorf("%d mutations are not done: %s", got, r.reason(number))
				}
			})
		}
	}
}

// fall has an actor die, or its call fail, and returns what wakes it up.
func (r *bridgeRig) fall(gone actor, change mirrorChange, fall mirrorFall) (wake func()) {
	r.t.Helper()
	if fall.call != nil {
		fault := &fakelinear.Fault{
			Asks: change.call, Status: fall.call.Status, Drop: fall.call.Drop, AfterApplying: fall.call.AfterApplying, Body: fall.call.Body,
		}
		r.linear.Fail(fault)
		r.passes(gone)
		return func() {}
	}
	there, awake := make(chan struct{}), make(chan struct{})
	var once sync.Once
	gone.OnStep(func(at string, _ schemas.Mutation) {
		if at == fall.at {
			once.Do(func() { close(there); <-awake })
		}
	})
	var asleep sync.WaitGroup
	asleep.Go(func() { _, _ = gone.Pass(context.Background()) })
	await(r.t, "the actor is gone", there)
	wake = sync.OnceFunc(func() { close(awake); asleep.Wait() })
	r.t.Cleanup(wake)
	return wake
}
