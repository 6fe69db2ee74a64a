package actuator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// race lets two transitions of one pull request that both ask for its merge be
// decided on and acted on at the same moment, and returns how often the merge
// was tried. The two actors meet between the look and the call: who is there
// first waits until the other is there too, or has ended its pass. Meanwhile is
// run by the first one there.
func race(t *testing.T, r *rig, prepare func(actor), meanwhile func()) (tries int) {
	t.Helper()
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"automerge"}})
	actors := []actor{r.actor("first"), r.actor("second")}
	arrived := make(chan struct{}, len(actors))
	met := make(chan struct{})
	var first sync.Once
	transitions := []schemas.Transition{r.transition(number, schemas.KindReopened), r.transition(number, schemas.KindLabelsChanged)}
	raws := [][]byte{encode(t, transitions[0]), encode(t, transitions[1])}
	var running sync.WaitGroup
	for i, a := range actors {
		prepare(a)
		running.Go(func() {
			if err := a.Decide(context.Background(), transitions[i], raws[i]); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	for _, a := range actors {
		var once sync.Once
		arrive := func() { once.Do(func() { arrived <- struct{}{} }) }
		a.OnStep(func(step string, m schemas.Mutation) {
			if step == actuator.StepLooked && m.Entity == entityOf(number) {
				first.Do(meanwhile)
				arrive()
				<-met
			}
		})
		running.Go(func() {
			if _, err := a.Pass(context.Background()); err != nil {
				t.Error(err)
			}
			arrive()
		})
	}
	for range actors {
		<-arrived
	}
	close(met)
	running.Wait()
	return r.called("PUT", fmt.Sprintf("/pulls/%d/merge", number))
}

// TestI9_TwoTransitionsOneMerge is case 20.
func TestI9_TwoTransitionsOneMerge(t *testing.T) {
	t.Parallel()
	r := newRig(t, mergeRules)
	third := 3
	meanwhile := func() {
		r.github.Open(repo, fakegithub.PullRequest{Number: third, Labels: []string{"automerge"}})
		other := r.actor("other")
		r.decide(other, r.transition(third, schemas.KindLabelsChanged))
		r.passes(other)
		until(t, "a third pull request goes on meanwhile", func() bool { return r.ours(third, fakegithub.Merged) == 1 })
	}
	if got := race(t, r, func(actor) {}, meanwhile); got != 1 {
		t.Errorf("merges tried: got %d, want 1", got)
	}
	if diff := cmp.Diff([]standing{{"merge-when-labeled", "merge", "done"}}, r.mutations(1)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
	if got := query[int](r, `select count(*) from pawl.decision where outcome = 'repeat'`); got != 1 {
		t.Errorf("repeats: got %d, want 1", got)
	}
}

// TestUnguarded_TheRaceIsLost shows that the test above can fail: without the
// lease and without the key, both actors try the merge.
func TestUnguarded_TheRaceIsLost(t *testing.T) {
	t.Parallel()
	r := newRig(t, mergeRules)
	r.exec(`drop index pawl.mutation_key_is_held_once`)
	if got := race(t, r, func(a actor) { a.Unguard() }, func() {}); got != 2 {
		t.Errorf("merges tried without the guards: got %d, want 2", got)
	}
}

// TestI9_EntitiesInParallelEachInOrder: several actors, many entities, each with
// mutations that must keep their order; each is made once.
func TestI9_EntitiesInParallelEachInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("[{add_labels: [one]}, {comment: {body: two}}, {remove_labels: [one]}, {close: {}}]"))
	const entities, actors = 12, 4
	first := r.actor("0")
	for range entities {
		r.decide(first, r.transition(r.github.Open(repo, fakegithub.PullRequest{}), schemas.KindLabelsChanged))
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for i := range actors {
		a := r.actor(fmt.Sprint(i), actuator.Config{Workers: 3})
		running.Go(func() { _ = a.Run(ctx) })
	}
	until(t, "all is done", func() bool {
		return query[int](r, `select count(*) from pawl.mutation where state <> 'done'`) == 0
	})
	stop()
	running.Wait()
	want := []fakegithub.EffectKind{fakegithub.Labeled, fakegithub.CommentCreated, fakegithub.Unlabeled, fakegithub.Closed}
	for number := 1; number <= entities; number++ {
		var got []fakegithub.EffectKind
		for _, effect := range r.github.EffectsBy(we) {
			if effect.Number == number {
				got = append(got, effect.Kind)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("effects on %d (-want +got):\n%s", number, diff)
		}
	}
	if got := query[int](r, `select count(*) from pawl.lease where expires_at > now()`); got != 0 {
		t.Errorf("leases still held: got %d, want none", got)
	}
}

// TestI9_NoCallIsStartedAfterTheMargin: the actor is paused between its look and
// its call until the lease's safe time is over. It wakes up and does nothing.
func TestI9_NoCallIsStartedAfterTheMargin(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	config := actuator.Config{Lease: 600 * time.Millisecond, Margin: 400 * time.Millisecond, CallTimeout: 300 * time.Millisecond}
	a := r.actor("a", config)
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	looks, calledAfterPause := 0, 0
	a.OnStep(func(step string, _ schemas.Mutation) {
		if step != actuator.StepLooked {
			return
		}
		if looks++; looks == 1 {
			time.Sleep(config.Lease - config.Margin + time.Millisecond) // the pause is what is tested
			return
		}
		calledAfterPause = r.called("POST", "/comments")
	})
	r.passes(a)
	if looks < 2 || calledAfterPause != 0 {
		t.Errorf("got %d calls after the margin and %d looks, want no call and another look", calledAfterPause, looks)
	}
	if got := r.ours(number, fakegithub.CommentCreated); got != 1 {
		t.Errorf("comments in the end: got %d, want 1", got)
	}
	if got := a.counter(t, "pawl_actuator_fenced_settles_total"); got != 0 {
		t.Errorf("fenced settles: got %v, want none: the lease was still ours", got)
	}
}

// TestI9_ZombieActor is hard part 4: the call has left, the actor is paused, the
// lease ends, another posts; then the first call arrives. The late settle
// changes nothing, and the comment that came second is removed.
func TestI9_ZombieActor(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	zombie, other := r.actor("zombie"), r.actor("other")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(zombie, r.transition(number, schemas.KindLabelsChanged))
	reached, hold := make(chan struct{}), make(chan struct{})
	r.github.Fail(fakegithub.Fault{Method: "POST", Path: "/comments", Reached: reached, Hold: hold})
	woken := make(chan struct{})
	go func() {
		defer close(woken)
		if _, err := zombie.Pass(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	await(t, "the zombie's call is on its way", reached)
	r.expire()
	r.passes(other)
	before := query[string](r, `select row_to_json(m)::text from pawl.mutation m`)
	if !strings.Contains(before, `"claimed_by":"other"`) || !strings.Contains(before, `"state":"done"`) {
		t.Fatalf("mutation: got %s, want it done by the other", before)
	}
	// The settle of the zombie is refused; what it asks for is another look.
	close(hold)
	await(t, "the zombie wakes up", woken)
	if got := zombie.counter(t, "pawl_actuator_fenced_settles_total"); got != 1 {
		t.Errorf("fenced settles: got %v, want 1", got)
	}
	if got := len(r.github.Comments(repo, number)); got != 2 {
		t.Fatalf("comments before the repair: got %d, want 2", got)
	}
	oldest := r.github.Comments(repo, number)[0].ID
	r.passes(other)
	left := r.github.Comments(repo, number)
	if len(left) != 1 || left[0].ID != oldest {
		t.Errorf("comments: got %v, want the oldest alone", left)
	}
	if got := r.reason(number); !strings.Contains(got, "removed 1") {
		t.Errorf("reason: got %q, want what was removed", got)
	}
	if got := r.mutations(number)[0].State; got != "done" {
		t.Errorf("state: got %s, want done", got)
	}
}

// TestI9_LateSettleChangesNothing: the actor is paused before its settle; the
// lease ends and another has claimed. Not a column changes, whatever the outcome.
func TestI9_LateSettleChangesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault fakegithub.Fault
	}{
		{name: "done"},
		{name: "to be retried", fault: fakegithub.BadGateway()},
		{name: "dead", fault: fakegithub.Fault{Status: 422, Message: "Validation Failed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, ruleOf("{close: {}}"))
			late, other := r.actor("late"), r.actor("other")
			number := r.github.Open(repo, fakegithub.PullRequest{})
			r.decide(late, r.transition(number, schemas.KindLabelsChanged))
			if tt.fault.Status != 0 {
				tt.fault.Method, tt.fault.Times = "PATCH", 1
				r.github.Fail(tt.fault)
			}
			lateThere, wakeLate := make(chan struct{}), make(chan struct{})
			late.OnStep(func(step string, _ schemas.Mutation) {
				if step == actuator.StepActed {
					close(lateThere)
					<-wakeLate
				}
			})
			otherThere, wakeOther := make(chan struct{}), make(chan struct{})
			other.OnStep(func(step string, _ schemas.Mutation) {
				if step == actuator.StepClaimed {
					close(otherThere)
					<-wakeOther
				}
			})
			var running sync.WaitGroup
			running.Go(func() { _, _ = late.Pass(context.Background()) })
			await(t, "the late actor knows its outcome", lateThere)
			r.expire()
			running.Go(func() { _, _ = other.Pass(context.Background()) })
			await(t, "the other has claimed", otherThere)
			const row = `select row_to_json(m)::text || row_to_json(l)::text from pawl.mutation m, pawl.lease l`
			before := query[string](r, row)
			close(wakeLate)
			until(t, "the late settle is refused", func() bool {
				return late.counter(t, "pawl_actuator_fenced_settles_total") == 1
			})
			if diff := cmp.Diff(before, query[string](r, row)); diff != "" {
				t.Errorf("row (-before +after the late settle):\n%s", diff)
			}
			close(wakeOther)
			running.Wait()
			if got := r.mutations(number)[0].State; got != "done" {
				t.Errorf("state in the end: got %s, want done", got)
			}
			if got := r.ours(number, fakegithub.Closed); got != 1 {
				t.Errorf("closed %d times, want once", got)
			}
			if got := query[int](r, `select count(*) from pawl.dead_letter`); got != 0 {
				t.Errorf("dead letters: got %d, want none", got)
			}
		})
	}
}

// TestTwins_EchoOfALostCommentIsRemoved: the call was believed lost and nobody
// looks any more; its echo shows two comments with one marker.
func TestTwins_EchoOfALostCommentIsRemoved(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	r.passes(a)
	posted := r.github.Comments(repo, number)[0]
	echo := func(id int64) {
		key := schemas.CommentKey("github.com", fmt.Sprint(id))
		r.exec(`insert into pawl.comment (entity_key, parent, state, author, body, version, folded_at) values ($1, $2, 'live', $3, $4, 1, now())`,
			key, entityOf(number), we, posted.Body)
		tr := schemas.NewTransition(key, schemas.KindCommentCreated, schemas.Value{}, schemas.Value{}, schemas.Cause{Source: "github", DeliveryID: "e"})
		tr.Comment = &schemas.Comment{EntityKey: key, Parent: entityOf(number), Body: posted.Body}
		tr.PullRequest = r.row(number)
		r.decide(a, tr)
	}
	echo(posted.ID)
	if got := r.mutations(number)[0].State; got != "done" {
		t.Fatalf("state after the echo of the only one: got %s, want done", got)
	}
	echo(r.github.Comment(repo, number, we, posted.Body))
	r.passes(a)
	ids := slices.Collect(func(yield func(int64) bool) {
		for _, c := range r.github.Comments(repo, number) {
			yield(c.ID)
		}
	})
	if diff := cmp.Diff([]int64{posted.ID}, ids); diff != "" {
		t.Errorf("comments (-want +got):\n%s", diff)
	}
}
