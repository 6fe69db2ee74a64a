package actuator_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// crashKind is a kind of mutation, and how its effect shows.
type crashKind struct {
	name, mutate string
	labels       []string
	call         fakegithub.Fault // the call that changes
	effect       fakegithub.EffectKind
	shows        func(r *rig, number int) bool
}

func crashKinds() []crashKind {
	return []crashKind{
		{
			name: "comment", mutate: "{comment: {body: hello}}", effect: fakegithub.CommentCreated,
			call:  fakegithub.Fault{Method: "POST", Path: "/comments"},
			shows: func(r *rig, n int) bool { return len(r.github.Comments(repo, n)) == 1 },
		},
		{
			name: "close", mutate: "{close: {}}", effect: fakegithub.Closed,
			call:  fakegithub.Fault{Method: "PATCH"},
			shows: func(r *rig, n int) bool { return r.github.PullRequest(repo, n).Closed },
		},
		{
			name: "merge", mutate: "{merge: {method: squash}}", effect: fakegithub.Merged,
			call:  fakegithub.Fault{Method: "PUT", Path: "/merge"},
			shows: func(r *rig, n int) bool { return r.github.PullRequest(repo, n).Merged },
		},
		{
			name: "add labels", mutate: "{add_labels: [new]}", effect: fakegithub.Labeled,
			call:  fakegithub.Fault{Method: "POST", Path: "/labels"},
			shows: func(r *rig, n int) bool { return len(r.github.PullRequest(repo, n).Labels) == 1 },
		},
		{
			name: "remove labels", mutate: "{remove_labels: [old]}", labels: []string{"old"}, effect: fakegithub.Unlabeled,
			call:  fakegithub.Fault{Method: "DELETE", Path: "/labels"},
			shows: func(r *rig, n int) bool { return len(r.github.PullRequest(repo, n).Labels) == 0 },
		},
	}
}

// TestI10_CrashAnywhere is hard part 9 for the actuator: it dies at each step of
// each kind; its lease ends, another takes over, and the provider shows each
// effect once. Then the dead one turns out to have been asleep, wakes up, and
// still everything is there once.
func TestI10_CrashAnywhere(t *testing.T) {
	t.Parallel()
	steps := []struct {
		name  string
		at    string // one of the actor's own steps
		after bool   // else: a call that is held before or after it is applied
	}{
		{name: "claimed", at: actuator.StepClaimed},
		{name: "looked", at: actuator.StepLooked},
		{name: "sent and not applied"},
		{name: "applied and the answer lost", after: true},
		{name: "before the settle", at: actuator.StepActed},
	}
	for _, kind := range crashKinds() {
		for _, step := range steps {
			t.Run(kind.name+"/"+step.name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, ruleOf(kind.mutate))
				number := r.github.Open(repo, fakegithub.PullRequest{Labels: kind.labels})
				gone, next := r.actor("gone"), r.actor("next")
				r.decide(gone, r.transition(number, schemas.KindLabelsChanged))

				there, wake := make(chan struct{}), make(chan struct{})
				if step.at == "" {
					fault := kind.call
					fault.AfterApplying, fault.Drop, fault.Reached, fault.Hold = step.after, true, there, wake
					r.github.Fail(fault)
				}
				var once sync.Once
				gone.OnStep(func(at string, _ schemas.Mutation) {
					if at == step.at {
						once.Do(func() { close(there); <-wake })
					}
				})
				var asleep sync.WaitGroup
				asleep.Go(func() { _, _ = gone.Pass(context.Background()) })
				await(t, "the actor is gone", there)

				r.expire()
				r.passes(next)
				if got := r.ours(number, kind.effect); got != 1 {
					t.Errorf("effects after the takeover: got %d, want 1", got)
				}
				r.check(number, kind, 2)

				close(wake)
				asleep.Wait()
				r.passes(next)
				r.check(number, kind, 0)
				if got := gone.counter(t, "pawl_actuator_fenced_settles_total"); got != 1 {
					t.Errorf("fenced settles: got %v, want 1", got)
				}
			})
		}
	}
}

// check reads the tables and the provider: they must agree that it is done.
func (r *rig) check(number int, kind crashKind, attempts int) {
	r.t.Helper()
	if !kind.shows(r, number) {
		r.t.Errorf("the provider does not show the effect: %v", r.github.EffectsBy(we))
	}
	var states []string
	for _, m := range r.mutations(number) {
		states = append(states, m.State)
	}
	if diff := cmp.Diff([]string{"done"}, states); diff != "" {
		r.t.Errorf("states (-want +got):\n%s", diff)
	}
	if got := query[int](r, `select attempt from pawl.mutation`); attempts > 0 && got != attempts {
		r.t.Errorf("attempts: got %d, want %d", got, attempts)
	}
	if got := query[int](r, `select count(*) from pawl.lease where expires_at > now()`); got != 0 {
		r.t.Errorf("leases held: got %d, want none", got)
	}
	if got := query[int](r, `select count(*) from pawl.dead_letter`); got != 0 {
		r.t.Errorf("dead letters: got %d, want none", got)
	}
}

// TestI11_SpentKeyIsNotGivenBack: the actor dies after its effect; the effect
// makes the condition false. To skip would open the key for a second one.
func TestI11_SpentKeyIsNotGivenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{close: {}}"))
	gone, next := r.actor("gone"), r.actor("next")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(gone, r.transition(number, schemas.KindLabelsChanged))
	there, wake := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(wake) })
	gone.OnStep(func(step string, _ schemas.Mutation) {
		if step == actuator.StepActed {
			close(there)
			<-wake
		}
	})
	go func() { _, _ = gone.Pass(context.Background()) }()
	await(t, "the actor is gone", there)
	r.fold(number) // the echo: closed, so that `when` is false
	r.expire()
	r.passes(next)
	if diff := cmp.Diff([]standing{{"r", "close", "done"}}, r.mutations(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s\n%s", diff, r.reason(number))
	}
}
