package actuator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// run runs an actor until the test ends, or until stop is called.
func run(t *testing.T, a actor) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		if err := a.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	stop = func() {
		cancel()
		await(t, "the actor stops", stopped)
	}
	t.Cleanup(stop)
	return stop
}

// TestI11_FailingPullRequestDelaysNoOther is hard part 12.
func TestI11_FailingPullRequestDelaysNoOther(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("[{comment: {body: hello}}, {add_labels: [x]}]"))
	a := r.actor("a", actuator.Config{Workers: 4})
	const others = 50
	for range 1 + others {
		r.decide(a, r.transition(r.github.Open(repo, fakegithub.PullRequest{}), schemas.KindLabelsChanged))
	}
	fault := fakegithub.BadGateway()
	fault.Path, fault.Times = "/issues/1/comments", -1
	r.github.Fail(fault)
	stop := run(t, a)
	until(t, "all others are done", func() bool {
		return query[int](r, `select count(*) from pawl.mutation where state = 'done'`) == 2*others
	})
	stop()
	// Its own later mutation waits behind the failing one.
	want := []standing{{"r", "comment", "pending"}, {"r", "add_labels", "pending"}}
	if diff := cmp.Diff(want, r.mutations(1)); diff != "" {
		t.Errorf("mutations of the failing one (-want +got):\n%s", diff)
	}
	if got := query[int](r, `select count(*) from pawl.lease where expires_at > now()`); got != 0 {
		t.Errorf("leases held: got %d, want none", got)
	}
	if got := r.ours(1, fakegithub.Labeled); got != 0 {
		t.Errorf("labels on the failing one: got %d, want none yet", got)
	}
}

// TestClaim_WaitingMutationLeavesItsEntityAlone: what comes after it is due, and
// still nobody takes the lease for nothing.
func TestClaim_WaitingMutationLeavesItsEntityAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("[{comment: {body: hello}}, {add_labels: [x]}]"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	r.exec(`update pawl.mutation set next_attempt_at = now() + interval '1 hour' where kind = 'comment'`)
	if worked, err := a.Pass(t.Context()); worked || err != nil {
		t.Errorf("pass: got %v, %v, want nothing to do", worked, err)
	}
	if got := query[int](r, `select count(*) from pawl.lease`); got != 0 {
		t.Errorf("leases taken: got %d, want none", got)
	}
}

// TestI11_ConditionIsAskedAgainAtEachAttempt: the first attempt fails without an
// effect, then the condition goes.
func TestI11_ConditionIsAskedAgainAtEachAttempt(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	fault := fakegithub.BadGateway()
	fault.Method = "POST"
	r.github.Fail(fault)
	r.passes(a)
	r.github.Close(repo, number, "octocat")
	r.fold(number)
	r.due()
	r.passes(a)
	if diff := cmp.Diff([]standing{{"r", "comment", "skipped"}}, r.mutations(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
	if got := len(r.github.EffectsBy(we)); got != 0 {
		t.Errorf("effects: got %d, want none", got)
	}
}

// TestI11_WhatCannotSucceedIsADeadLetter: attempts run out; the entity's next
// mutation goes on, and the dead one keeps its key until a person has looked.
func TestI11_WhatCannotSucceedIsADeadLetter(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("[{comment: {body: hello}}, {add_labels: [x]}], on_refusal: go_on"))
	a := r.actor("a", actuator.Config{MaxAttempts: 3})
	a.RetryAtOnce()
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	fault := fakegithub.BadGateway()
	fault.Method, fault.Path, fault.Times = "POST", "/comments", -1
	r.github.Fail(fault)
	r.passes(a)
	if diff := cmp.Diff([]standing{{"r", "comment", "dead"}, {"r", "add_labels", "done"}}, r.mutations(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
	if got := r.called("POST", "/comments"); got != 3 {
		t.Errorf("attempts: got %d, want 3", got)
	}
	const letter = `select entity_key || ' ' || reason || ' ' || convert_from(value, 'UTF8') from pawl.dead_letter
	                 where stage = 'actuator' and source = 'github' and mutation_id = (select id from pawl.mutation where state = 'dead')`
	got := query[string](r, letter)
	for _, want := range []string{string(entityOf(number)), "3 attempts failed", "502", `"state":"dead"`} {
		if !strings.Contains(got, want) {
			t.Errorf("dead letter: got %q, want %q in it", got, want)
		}
	}
}

// TestLimited_WaitsUntilTheTime: no attempt is counted, no lease is held, and
// nobody calls before the time.
func TestLimited_WaitsUntilTheTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fault  fakegithub.Fault
		method string
		least  time.Duration
	}{
		{"primary, while looking", fakegithub.PrimaryLimit(time.Now().Add(time.Hour)), "GET", 58 * time.Minute},
		{"primary, while acting", fakegithub.PrimaryLimit(time.Now().Add(time.Hour)), "POST", 58 * time.Minute},
		{"secondary", fakegithub.SecondaryLimit(90 * time.Second), "POST", 85 * time.Second},
		{"429", fakegithub.TooManyRequests(90 * time.Second), "POST", 85 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, ruleOf("{comment: {body: hello}}"))
			a := r.actor("a")
			number := r.github.Open(repo, fakegithub.PullRequest{})
			r.decide(a, r.transition(number, schemas.KindLabelsChanged))
			tt.fault.Method = tt.method
			r.github.Fail(tt.fault)
			r.passes(a)
			var wait time.Duration
			var attempt, leases int
			err := r.pool.QueryRow(t.Context(), `select next_attempt_at - now(), attempt,
			  (select count(*) from pawl.lease where expires_at > now()) from pawl.mutation where state = 'pending'`).Scan(&wait, &attempt, &leases)
			if err != nil {
				t.Fatal(err)
			}
			if wait < tt.least || wait > tt.least+5*time.Minute || attempt != 0 || leases != 0 {
				t.Errorf("got wait %s, attempt %d, %d leases; want at least %s, 0, 0", wait, attempt, leases, tt.least)
			}
			// A client that did not hear of the limit may go on at once.
			r.due()
			r.passes(r.actor("b"))
			if got := r.ours(number, fakegithub.CommentCreated); got != 1 {
				t.Errorf("comments in the end: got %d, want 1", got)
			}
		})
	}
}

// TestWork_WokenByANewMutation: polling is off.
func TestWork_WokenByANewMutation(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	a := r.actor("a", actuator.Config{Poll: time.Hour})
	run(t, a)
	until(t, "it listens", func() bool {
		return query[int](r, `select count(*) from pg_stat_activity where datname = current_database() and query = 'listen pawl_mutation'`) == 1
	})
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	until(t, "it is done", func() bool { return r.mutations(number)[0].State == "done" })
	if got := a.counter(t, "pawl_delivery_to_mutation_seconds"); got != 1 {
		t.Errorf("observations: got %v, want 1", got)
	}
}

// TestDrain_CallThatIsOutIsFinished: a stop does not make its outcome unknown.
func TestDrain_CallThatIsOutIsFinished(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("[{comment: {body: hello}}, {add_labels: [x]}]"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	reached, hold := make(chan struct{}), make(chan struct{})
	r.github.Fail(fakegithub.Fault{Method: "POST", Path: "/comments", Reached: reached, Hold: hold})
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = a.Run(ctx)
	}()
	await(t, "the call is out", reached)
	cancel()
	close(hold)
	await(t, "the actor stops", stopped)
	if diff := cmp.Diff([]standing{{"r", "comment", "done"}, {"r", "add_labels", "pending"}}, r.mutations(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
	if got := query[int](r, `select count(*) from pawl.lease where expires_at > now()`); got != 0 {
		t.Errorf("leases held: got %d, want none", got)
	}
}

// TestDrain_WhatIsHeldIsGivenBack: between look and call.
func TestDrain_WhatIsHeldIsGivenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	ctx, cancel := context.WithCancel(context.Background())
	a.OnStep(func(step string, _ schemas.Mutation) {
		if step == actuator.StepLooked {
			cancel()
		}
	})
	if err := a.Run(ctx); err != nil {
		t.Fatal(err)
	}
	got := query[string](r, `select state || ' ' || attempt || ' ' || (select count(*) from pawl.lease where expires_at > now()) from pawl.mutation`)
	if got != "pending 0 0" {
		t.Errorf("state, attempt, leases: got %q, want %q", got, "pending 0 0")
	}
	if calls := r.called("POST", "/comments"); calls != 0 {
		t.Errorf("calls after the stop: got %d, want none", calls)
	}
}

// TestRun_OwnLoginIsMadeKnownToTheRules: the echo of our own label fires no rule.
func TestRun_OwnLoginIsMadeKnownToTheRules(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	a := r.actor("a")
	run(t, a)
	number := r.github.Open(repo, fakegithub.PullRequest{})
	until(t, "the login is asked for", func() bool { return r.called("GET", "/user") > 0 })
	next := 0
	until(t, "an echo is recognised", func() bool {
		next++
		cause := schemas.Cause{Source: "github", DeliveryID: schemas.DeliveryID(fmt.Sprint("echo-", next)), Sender: schemas.Actor{Login: we}}
		echo := schemas.NewTransition(entityOf(number), schemas.KindLabelsChanged, schemas.Value{}, schemas.Value{Text: "x"}, cause)
		echo.PullRequest = r.row(number)
		r.decide(a, echo)
		return query[string](r, `select outcome from pawl.decision where transition_id = $1`, echo.ID) == "no"
	})
}
