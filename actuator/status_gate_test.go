package actuator_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

const gateRules = `
rules:
  - name: merge
    on: [labels_changed]
    when: pr.state == "open" && "automerge" in pr.labels && status("statuspage.io:pg1/c1") != "major_outage"
    once: head
    mutate: {merge: {method: squash}}
`

// turns has the component become a status, as the projector folds it, and returns the
// transition that follows.
func (r *rig) turns(from, to schemas.ComponentStatus) schemas.Transition {
	r.t.Helper()
	version := r.next.Add(1)
	r.exec(`insert into pawl.status_component as c (entity_key, instance, page_id, component_id, status, version, folded_at)
	        values ('statuspage.io:pg1/c1', 'statuspage.io', 'pg1', 'c1', $1, $2, now())
	        on conflict (entity_key) do update set status = excluded.status, version = excluded.version`, string(to), version)
	t := changed(from, to, version)
	t.ID = schemas.TransitionID(fmt.Sprintf("%032x", version)) // a component goes to and fro
	return t
}

// keep stores a transition, as the projector does.
func (r *rig) keep(t schemas.Transition) schemas.Transition {
	r.t.Helper()
	r.exec(`insert into pawl.transition (id, entity_key, kind, source, delivery_id, topic, log_partition, log_offset, value, folded_at)
	        values ($1, $2, $3, $4, $5, 'pawl.deliveries', 0, $6, $7::json, now())`,
		t.ID, t.Entity, t.Kind, t.Cause.Source, t.Cause.DeliveryID, r.next.Add(1), string(encode(r.t, t)))
	return t
}

func (r *rig) wantStates(number int, want ...string) {
	r.t.Helper()
	var got []string
	for _, m := range r.mutations(number) {
		got = append(got, m.State)
	}
	if diff := cmp.Diff(got, want); diff != "" {
		r.t.Errorf("mutations of %d, -got +want:\n%s", number, diff)
	}
}

// TestGate_AChangeOfTheComponentWakesWhatWaits: merged once when the outage is over,
// however often the component's transition comes; what is closed meanwhile, and what
// waits for another reason, is not.
func TestGate_AChangeOfTheComponentWakesWhatWaits(t *testing.T) {
	t.Parallel()
	r := newRig(t, gateRules)
	a := r.actor("a")
	r.decide(a, r.turns(schemas.ComponentOperational, schemas.ComponentMajorOutage))
	waits := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"automerge"}})
	closed := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"automerge"}})
	unlabeled := r.github.Open(repo, fakegithub.PullRequest{})
	for _, number := range []int{waits, closed, unlabeled} {
		on := r.keep(r.transition(number, schemas.KindLabelsChanged))
		r.decide(a, on, on)
	}
	r.passes(a)
	r.github.Close(repo, closed, "ann")
	r.fold(closed)
	if got := query[int](r, `select count(*) from pawl.decision where waits_for = '{statuspage.io:pg1/c1}'`); got != 2 || r.ours(waits, fakegithub.Merged) != 0 {
		t.Fatalf("%d decisions wait, want 2", got)
	}
	over := r.turns(schemas.ComponentMajorOutage, schemas.ComponentOperational)
	r.decide(a, over, over)
	r.passes(a)
	if got := r.ours(waits, fakegithub.Merged); got != 1 {
		t.Errorf("merged %d times, want once", got)
	}
	r.wantStates(waits, "done")
	r.wantStates(closed)
	r.wantStates(unlabeled)
	reason := query[string](r, `select outcome || ': ' || reason from pawl.decision where entity_key = $1`, entityOf(closed))
	want := `no: after statuspage.io:pg1/c1 became operational: pr.state == "open" is false: pr.state = "closed"`
	if left := query[int](r, `select count(*) from pawl.decision where waits_for is not null`); left != 0 || reason != want {
		t.Errorf("%d decisions wait still; %s", left, reason)
	}
}

// TestGate_AnOutageBeforeTheCallIsWaitedFor: the status is asked again before the
// call; what was skipped for it alone is woken as well.
func TestGate_AnOutageBeforeTheCallIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, gateRules)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"automerge"}})
	r.decide(a, r.keep(r.transition(number, schemas.KindLabelsChanged)))
	out := r.turns(schemas.ComponentOperational, schemas.ComponentMajorOutage)
	r.passes(a)
	r.wantStates(number, "skipped")
	r.decide(a, out)
	r.passes(a)
	if got := r.ours(number, fakegithub.Merged); got != 0 {
		t.Fatal("merged within the outage")
	}
	r.decide(a, r.turns(schemas.ComponentMajorOutage, schemas.ComponentPartialOutage))
	r.passes(a)
	r.wantStates(number, "skipped", "done")
	if got := r.ours(number, fakegithub.Merged); got != 1 {
		t.Errorf("merged %d times, want once", got)
	}
}

// TestGate_ALaterDecisionTakesThePlace: of two refusals one is decided again, and none
// where the rule has acted since.
func TestGate_ALaterDecisionTakesThePlace(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
rules:
  - name: say
    on: [labels_changed]
    when: status("statuspage.io:pg1/c1") != "major_outage"
    mutate: {comment: {body: hello}}
`)
	a := r.actor("a")
	r.decide(a, r.turns(schemas.ComponentOperational, schemas.ComponentMajorOutage))
	twice, since := r.github.Open(repo, fakegithub.PullRequest{}), r.github.Open(repo, fakegithub.PullRequest{})
	for range 2 {
		r.decide(a, r.keep(r.transition(twice, schemas.KindLabelsChanged)))
	}
	r.decide(a, r.keep(r.transition(since, schemas.KindLabelsChanged)))
	over := r.turns(schemas.ComponentMajorOutage, schemas.ComponentOperational)
	r.decide(a, r.keep(r.transition(since, schemas.KindLabelsChanged)))
	r.decide(a, over)
	r.passes(a)
	if one, other := r.ours(twice, fakegithub.CommentCreated), r.ours(since, fakegithub.CommentCreated); one != 1 || other != 1 {
		t.Errorf("%d and %d comments, want one each", one, other)
	}
}

// TestGate_WhatWaitsForItsTimeIsCancelledByAnOutage, and waits anew when it is over.
func TestGate_WhatWaitsForItsTimeIsCancelledByAnOutage(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
rules:
  - name: say
    on: [labels_changed]
    after: 1h
    when: status("statuspage.io:pg1/c1") == "operational"
    mutate: {comment: {body: hello}}
`)
	a := r.actor("a")
	r.decide(a, r.turns("", schemas.ComponentOperational))
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.keep(r.transition(number, schemas.KindLabelsChanged)))
	r.decide(a, r.turns(schemas.ComponentOperational, schemas.ComponentDegraded))
	r.wantStates(number, "cancelled")
	r.decide(a, r.turns(schemas.ComponentDegraded, schemas.ComponentOperational))
	r.wantStates(number, "cancelled", "waiting")
}

// TestGate_TheWakeUpIsNotLost: a decision that has read the outage, and is not
// committed yet, while the component recovers and its transition is decided on.
func TestGate_TheWakeUpIsNotLost(t *testing.T) {
	t.Parallel()
	if got := raceGate(t, func(*actuator.Actuator) {}); got != 1 {
		t.Errorf("merged %d times, want once", got)
	}
}

// TestUnlocked_TheWakeUpIsLost shows that the test before can fail.
func TestUnlocked_TheWakeUpIsLost(t *testing.T) {
	t.Parallel()
	if got := raceGate(t, (*actuator.Actuator).Unlock); got != 0 {
		t.Errorf("merged %d times: the race did not happen, and the other test proves nothing", got)
	}
}

func raceGate(t *testing.T, prepare func(*actuator.Actuator)) (merged int) {
	t.Helper()
	r := newRig(t, gateRules)
	one, other := r.actor("one"), r.actor("other")
	prepare(one.Actuator)
	prepare(other.Actuator)
	r.decide(one, r.turns(schemas.ComponentOperational, schemas.ComponentMajorOutage))
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"automerge"}})
	on := r.keep(r.transition(number, schemas.KindLabelsChanged))

	held, err := r.pool.Begin(t.Context()) // decisions can be read, and not be written
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Rollback(context.Background()) }()
	if _, err := held.Exec(t.Context(), `lock table pawl.decision in exclusive mode`); err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	both.Go(func() { r.decide(one, on) })
	until(t, "the decision is about to be written", func() bool { return r.blocked("relation") == 1 })
	over := r.turns(schemas.ComponentMajorOutage, schemas.ComponentOperational)
	ended := make(chan struct{})
	both.Go(func() {
		r.decide(other, over)
		close(ended)
	})
	until(t, "the change is decided on, or waits", func() bool {
		select {
		case <-ended:
			return true
		default:
			return r.blocked("advisory") == 1
		}
	})
	if err := held.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	both.Wait()
	r.passes(one)
	return r.ours(number, fakegithub.Merged)
}

// blocked counts who waits for a lock of a kind, in this database.
func (r *rig) blocked(kind string) int {
	return query[int](r, `select count(*) from pg_locks where not granted and locktype = $1
		and database = (select oid from pg_database where datname = current_database())`, kind)
}

// TestGate_ManyMeetings: a decision and the end of an outage come within 3 ms of each
// other, a thousand times, in either order: each pull request has its comment.
func TestGate_ManyMeetings(t *testing.T) {
	t.Parallel()
	rounds := 1000
	if testing.Short() {
		rounds = 100
	}
	r := newRig(t, `
rules:
  - name: say
    on: [labels_changed]
    when: status("statuspage.io:pg1/c1") != "major_outage"
    once: entity
    mutate: {comment: {body: hello}}
`)
	one, other := r.actor("one"), r.actor("other")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	for round := range rounds {
		r.decide(one, r.turns(schemas.ComponentOperational, schemas.ComponentMajorOutage))
		on := r.transition(number, schemas.KindLabelsChanged)
		on.Entity = schemas.PullRequestKey("github.com", "101", int64(1_000_000+round))
		on.PullRequest.EntityKey = on.Entity
		r.exec(`insert into pawl.pull_request select (json_populate_record(p, json_build_object('entity_key', $2::text, 'number', $3::bigint))).*
		          from pawl.pull_request p where entity_key = $1`, entityOf(number), on.Entity, 1_000_000+round)
		on = r.keep(on)
		var both sync.WaitGroup
		both.Go(func() {
			time.Sleep(rand.N(3 * time.Millisecond))
			r.decide(one, on)
		})
		both.Go(func() {
			time.Sleep(rand.N(3 * time.Millisecond))
			r.decide(other, r.turns(schemas.ComponentMajorOutage, schemas.ComponentOperational))
		})
		both.Wait()
	}
	if got := query[int](r, `select count(*) from pawl.mutation`); got != rounds {
		t.Errorf("%d comments are wanted, want %d: %d decisions wait", got, rounds,
			query[int](r, `select count(*) from pawl.decision where waits_for is not null`))
	}
}
