package actuator_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"
	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

func TestDecide_SecondReadingChangesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("[{comment: {body: hello}}, {add_labels: [a]}]"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	tr := r.transition(number, schemas.KindLabelsChanged)
	r.decide(a, tr, tr)
	if got := len(r.mutations(number)); got != 2 {
		t.Errorf("mutations: got %d, want 2", got)
	}
	r.passes(a)
	r.decide(a, tr)
	r.passes(a)
	if got := r.ours(number, fakegithub.CommentCreated); got != 1 {
		t.Errorf("comments: got %d, want 1", got)
	}
	if got := query[string](r, `select outcome from pawl.decision`); got != "mutate" {
		t.Errorf("decision: got %s, want mutate still", got)
	}
}

// TestDecide_SecondReadingDoesNotReopenWhatWasSkipped: the key was given back,
// but this transition has had its decision.
func TestDecide_SecondReadingDoesNotReopenWhatWasSkipped(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	tr := r.transition(number, schemas.KindLabelsChanged)
	r.decide(a, tr)
	r.github.Close(repo, number, "octocat")
	r.fold(number)
	r.passes(a)
	r.decide(a, tr)
	if diff := cmp.Diff([]standing{{"r", "comment", "skipped"}}, r.mutations(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
}

// TestI10_ConcurrentTransitionsOpenOneMutation: many transitions of one head, in
// as many connections, and one key.
func TestI10_ConcurrentTransitionsOpenOneMutation(t *testing.T) {
	t.Parallel()
	r := newRig(t, mergeRules)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"automerge"}})
	var transitions []schemas.Transition
	for range 8 {
		transitions = append(transitions, r.transition(number, schemas.KindLabelsChanged))
	}
	var deciding sync.WaitGroup
	for _, tr := range transitions {
		raw := encode(t, tr)
		deciding.Go(func() {
			if err := a.Decide(context.Background(), tr, raw); err != nil {
				t.Error(err)
			}
		})
	}
	deciding.Wait()
	if got := len(r.mutations(number)); got != 1 {
		t.Errorf("mutations: got %d, want 1", got)
	}
	repeats := query[int](r, `select count(*) from pawl.decision where outcome = 'repeat'
	  and reason like '%held by mutation ' || (select id from pawl.mutation) || ' (pending)%'`)
	if repeats != 7 {
		t.Errorf("repeats that name the holder: got %d, want 7", repeats)
	}
	if got := a.counter(t, "pawl_actuator_decisions_total"); got != 8 {
		t.Errorf("decisions counted: got %v, want 8", got)
	}
}

// TestI11_SkippedKeyMayBeOpenedAgain: once: head, skipped as the label was gone;
// the label comes back.
func TestI11_SkippedKeyMayBeOpenedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, mergeRules)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"automerge"}})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	r.github.Unlabel(repo, number, "octocat", "automerge")
	r.fold(number)
	r.passes(a)
	if reason := r.reason(number); !strings.Contains(reason, "automerge") {
		t.Errorf("reason: got %q, want what changed", reason)
	}
	r.github.Label(repo, number, "octocat", "automerge")
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	r.passes(a)
	want := []standing{{"merge-when-labeled", "merge", "skipped"}, {"merge-when-labeled", "merge", "done"}}
	if diff := cmp.Diff(want, r.mutations(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
}

// TestPlan_CallsNobodyAndKeepsNoKey: mode plan records and calls nobody; what it
// planned does not keep mode act from acting.
func TestPlan_CallsNobodyAndKeepsNoKey(t *testing.T) {
	t.Parallel()
	r := newRig(t, mergeRules+"mode: plan\n")
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"automerge"}})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	r.exec(`insert into pawl.mutation (entity_key, rule, kind, params, idempotency_key, state, transition_id, position, transition, next_attempt_at, created_at)
	        select entity_key, rule, kind, params, 'from mode act', 'pending', transition_id, 1, transition, now(), now() from pawl.mutation`)
	r.passes(a)
	if got := len(r.github.Calls()); got != 0 {
		t.Errorf("calls in mode plan: got %d, want none", got)
	}
	want := []standing{{"merge-when-labeled", "merge", "planned"}, {"merge-when-labeled", "merge", "pending"}}
	if diff := cmp.Diff(want, r.mutations(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
	r.exec(`delete from pawl.mutation where state = 'pending'`)
	r.setRules(mergeRules)
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	r.passes(a)
	want = []standing{{"merge-when-labeled", "merge", "cancelled"}, {"merge-when-labeled", "merge", "done"}}
	if diff := cmp.Diff(want, r.mutations(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
}

// TestRouter_UnreadableTransitionIsSetAside: and the next one is decided on.
func TestRouter_UnreadableTransitionIsSetAside(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	pubsub := gochannel.NewGoChannel(gochannel.Config{Persistent: true}, watermill.NopLogger{})
	router, err := a.Router(actuator.RouterConfig{Topic: "pawl.transitions", Subscriber: pubsub, Registerer: a.registry})
	if err != nil {
		t.Fatal(err)
	}
	poison := message.NewMessage("m-1", []byte(`{"id": 7`))
	poison.Metadata.Set("partition_key", string(entityOf(number)))
	poison.Metadata.Set(schemas.HeaderID, "m-1")
	good := message.NewMessage("m-2", encode(t, r.transition(number, schemas.KindLabelsChanged)))
	if err := pubsub.Publish("pawl.transitions", poison, good); err != nil {
		t.Fatal(err)
	}
	running := make(chan struct{})
	go func() {
		defer close(running)
		if err := router.Run(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	until(t, "the good transition is decided on", func() bool { return len(r.mutations(number)) == 1 })
	if err := router.Close(); err != nil {
		t.Error(err)
	}
	await(t, "the router stops", running)
	got := query[string](r, `select entity_key || ' ' || topic || ' ' || convert_from(value, 'UTF8') || ' ' || headers::text || ' ' || reason from pawl.dead_letter`)
	want := string(entityOf(number)) + ` pawl.transitions {"id": 7 [["ce_id","m-1"]] transition cannot be read: unexpected end of JSON input`
	if got != want {
		t.Errorf("dead letter: got %q, want %q", got, want)
	}
}

// TestRouter_DatabaseAwayIsNoPoison: the transition waits and is decided on.
func TestRouter_DatabaseAwayIsNoPoison(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	tr := r.transition(number, schemas.KindLabelsChanged)
	r.exec(`alter table pawl.decision rename to decision_away`)
	pubsub := gochannel.NewGoChannel(gochannel.Config{Persistent: true}, watermill.NopLogger{})
	router, err := a.Router(actuator.RouterConfig{Topic: "t", Subscriber: pubsub, Registerer: a.registry})
	if err != nil {
		t.Fatal(err)
	}
	if err := pubsub.Publish("t", message.NewMessage("m", encode(t, tr))); err != nil {
		t.Fatal(err)
	}
	running := make(chan struct{})
	go func() {
		defer close(running)
		_ = router.Run(context.Background())
	}()
	until(t, "all retries have failed", func() bool {
		return a.counter(t, "pawl_actuator_router_handler_execution_time_seconds") > 0
	})
	r.exec(`alter table pawl.decision_away rename to decision`)
	until(t, "it is decided on", func() bool { return len(r.mutations(number)) == 1 })
	if got := query[int](r, `select count(*) from pawl.dead_letter`); got != 0 {
		t.Errorf("dead letters: got %d, want none", got)
	}
	_ = router.Close()
	await(t, "the router stops", running)
}
