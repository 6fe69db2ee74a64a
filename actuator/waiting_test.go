package actuator_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// draftRules wait: a draft of two weeks is asked about, once for each draft.
const draftRules = `
version: 1
rules:
  - name: stale-draft
    on: [opened, converted_to_draft]
    after: 336h
    when: pr.state == "open" && pr.draft
    once: head
    mutate: [{comment: {body: "Still wanted?"}}, {add_labels: [stale]}]
`

// turn is a transition whose pull request is newer than that of the one before.
func (r *rig) turn(number int, kind schemas.Kind) schemas.Transition {
	r.t.Helper()
	t := r.transition(number, kind)
	t.PullRequest.Version = r.next.Load()
	return t
}

// comesDue ends the waiting, as time would.
func (r *rig) comesDue(a actor) {
	r.t.Helper()
	r.exec(`update pawl.mutation set next_attempt_at = now() where state = 'waiting' and next_attempt_at <> 'infinity'`)
	if err := a.Wake(context.Background()); err != nil {
		r.t.Fatal(err)
	}
}

// reasons are those of the mutations of a pull request, one a line.
func (r *rig) reasons(number int) string {
	r.t.Helper()
	return query[string](r, `select coalesce(string_agg(coalesce(reason, '-'), E'\n' order by id), '') from pawl.mutation where entity_key = $1`, entityOf(number))
}

func (r *rig) wantMutations(number int, want ...standing) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.mutations(number)); diff != "" {
		r.t.Errorf("mutations (-want +got):\n%s\nreasons:\n%s", diff, r.reasons(number))
	}
}

// outcomes counts pawl_actuator_mutations_total by its outcome.
func (a actor) outcomes(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := a.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted := make(map[string]float64)
	for _, family := range families {
		if family.GetName() != "pawl_actuator_mutations_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "outcome" {
					counted[label.GetValue()] += metric.GetCounter().GetValue()
				}
			}
		}
	}
	return counted
}

func stale(comment, label string) []standing {
	return []standing{{"stale-draft", "comment", comment}, {"stale-draft", "add_labels", label}}
}

func TestAfter_WaitsUntilItsTimeAndIsDone(t *testing.T) {
	t.Parallel()
	r := newRig(t, draftRules)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Draft: true})
	opened := r.turn(number, schemas.KindOpened)
	r.decide(a, opened, opened)
	r.wantMutations(number, stale("waiting", "waiting")...)
	wait := query[time.Duration](r, `select max(next_attempt_at - created_at) from pawl.mutation`)
	if wait != 336*time.Hour {
		t.Errorf("waits %s, want 336h", wait)
	}
	// Its time has not come: nobody wakes or claims it.
	if err := a.Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.passes(a)
	r.wantMutations(number, stale("waiting", "waiting")...)
	// What leaves the condition true leaves them alone.
	r.github.Label(repo, number, "octocat", "x")
	r.decide(a, r.turn(number, schemas.KindLabelsChanged))
	r.wantMutations(number, stale("waiting", "waiting")...)

	r.comesDue(a)
	r.wantMutations(number, stale("pending", "pending")...)
	r.passes(a)
	r.wantMutations(number, stale("done", "done")...)
	if diff := cmp.Diff(map[string]float64{"waiting": 2, "done": 2}, a.outcomes(t)); diff != "" {
		t.Errorf("outcomes counted (-want +got):\n%s", diff)
	}
}

// TestAfter_ContraryStateCancelsAndGivesTheKeyBack: a later draft of the same
// head waits anew.
func TestAfter_ContraryStateCancelsAndGivesTheKeyBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, draftRules)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Draft: true})
	r.decide(a, r.turn(number, schemas.KindOpened))
	r.github.SetDraft(repo, number, "octocat", false)
	r.decide(a, r.turn(number, schemas.KindReadyForReview))
	r.wantMutations(number, stale("cancelled", "cancelled")...)
	if got := r.reasons(number); strings.Count(got, "pr.draft = false (was true)") != 2 {
		t.Errorf("the reasons do not name the value that changed:\n%s", got)
	}
	r.github.SetDraft(repo, number, "octocat", true)
	r.decide(a, r.turn(number, schemas.KindConvertedToDraft))
	r.wantMutations(number, append(stale("cancelled", "cancelled"), stale("waiting", "waiting")...)...)
	r.comesDue(a)
	r.passes(a)
	r.wantMutations(number, append(stale("cancelled", "cancelled"), stale("done", "done")...)...)
	if diff := cmp.Diff(map[string]float64{"waiting": 4, "cancelled": 2, "done": 2}, a.outcomes(t)); diff != "" {
		t.Errorf("outcomes counted (-want +got):\n%s", diff)
	}
	if got := r.ours(number, fakegithub.CommentCreated); got != 1 {
		t.Errorf("comments: got %d, want 1", got)
	}
}

// TestAfter_OlderTransitionThatComesAgainCancelsNothing: the log is read again
// from before the decision, and what was true then is contrary.
func TestAfter_OlderTransitionThatComesAgainCancelsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, draftRules)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	ready := r.turn(number, schemas.KindOpened)
	r.github.SetDraft(repo, number, "octocat", true)
	draft := r.turn(number, schemas.KindConvertedToDraft)
	r.decide(a, ready, draft)
	r.decide(a, ready, draft)
	r.wantMutations(number, stale("waiting", "waiting")...)
}

// TestAfter_AskedAgainWhenDue: the contrary state is in the row, and no
// transition has told of it.
func TestAfter_AskedAgainWhenDue(t *testing.T) {
	t.Parallel()
	r := newRig(t, draftRules)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Draft: true})
	r.decide(a, r.turn(number, schemas.KindOpened))
	r.github.SetDraft(repo, number, "octocat", false)
	r.fold(number)
	r.comesDue(a)
	r.passes(a)
	// The second is cancelled as the first was refused.
	r.wantMutations(number, stale("skipped", "cancelled")...)
	if len(r.github.EffectsBy(we)) != 0 {
		t.Errorf("effects: got %v, want none", r.github.EffectsBy(we))
	}
}

// TestAfter_TwoWait: each is asked by its own rule, and its entity's other work
// does not wait behind it.
func TestAfter_TwoWait(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
version: 1
rules:
  - {name: draft, on: [opened], after: 1h, when: pr.draft, mutate: {comment: {body: a draft}}}
  - {name: open, on: [opened], after: 2h, when: 'pr.state == "open"', mutate: {comment: {body: still open}}}
  - {name: now, on: [ready_for_review], mutate: {comment: {body: welcome}}}
`)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Draft: true})
	other := r.github.Open(repo, fakegithub.PullRequest{Draft: true})
	r.decide(a, r.turn(number, schemas.KindOpened), r.turn(other, schemas.KindOpened))
	r.github.SetDraft(repo, number, "octocat", false)
	r.decide(a, r.turn(number, schemas.KindReadyForReview))
	r.passes(a)
	r.wantMutations(number, standing{"draft", "comment", "cancelled"}, standing{"open", "comment", "waiting"}, standing{"now", "comment", "done"})
	r.wantMutations(other, standing{"draft", "comment", "waiting"}, standing{"open", "comment", "waiting"})
}

// TestAfter_RulesChangedMeanwhile: the rules of the moment decide.
func TestAfter_RulesChangedMeanwhile(t *testing.T) {
	t.Parallel()
	const waits = "version: 1\nrules:\n  - {name: r, on: [opened], after: 1h, when: pr.draft, mutate: {comment: {body: hi}}}\n"
	tests := []struct {
		name, rules, onTransition, onDue, says string
	}{
		{"rule gone", "version: 1\nrules:\n  - {name: q, on: [closed], after: 1h, mutate: {comment: {body: hi}}}\n", "cancelled", "skipped", `no rule "r" any more`},
		{"all gone", "version: 1\nrules: []\n", "waiting", "skipped", `no rule "r" any more`},
		{"other condition", strings.Replace(waits, "pr.draft", "'!pr.draft'", 1), "cancelled", "skipped", "pr.draft"},
		{"waits no more", strings.Replace(waits, "after: 1h, ", "", 1), "waiting", "done", ""},
		{"the same", waits, "waiting", "done", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, waits)
			a := r.actor("a")
			asked, due := r.github.Open(repo, fakegithub.PullRequest{Draft: true}), r.github.Open(repo, fakegithub.PullRequest{Draft: true})
			r.decide(a, r.turn(asked, schemas.KindOpened), r.turn(due, schemas.KindOpened))
			r.setRules(tt.rules)
			r.decide(a, r.turn(asked, schemas.KindLabelsChanged))
			r.wantMutations(asked, standing{"r", "comment", tt.onTransition})
			r.exec(`delete from pawl.mutation where entity_key = $1`, entityOf(asked))
			r.comesDue(a)
			r.passes(a)
			r.wantMutations(due, standing{"r", "comment", tt.onDue})
			if got := r.reason(due); !strings.Contains(got, tt.says) {
				t.Errorf("reason: got %q, want %q in it", got, tt.says)
			}
		})
	}
}

// TestAfter_PlannedWaitsForNobody: mode plan writes the time and does nothing
// when it comes; a switch to act opens it anew.
func TestAfter_PlannedWaitsForNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t, "mode: plan\n"+strings.TrimPrefix(draftRules, "\n"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Draft: true})
	r.decide(a, r.turn(number, schemas.KindOpened))
	r.wantMutations(number, stale("planned", "planned")...)
	if wait := query[time.Duration](r, `select min(next_attempt_at - created_at) from pawl.mutation`); wait != 336*time.Hour {
		t.Errorf("planned for in %s, want 336h", wait)
	}
	r.exec(`update pawl.mutation set next_attempt_at = now()`)
	if err := a.Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.passes(a)
	r.wantMutations(number, stale("planned", "planned")...)
	r.setRules(draftRules)
	r.decide(a, r.turn(number, schemas.KindConvertedToDraft))
	r.wantMutations(number, append(stale("cancelled", "cancelled"), stale("waiting", "waiting")...)...)
}

// TestAfter_WokenByTheRunningActuator: nobody asks but time.
func TestAfter_WokenByTheRunningActuator(t *testing.T) {
	t.Parallel()
	r := newRig(t, strings.Replace(draftRules, "336h", "150ms", 1))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Draft: true})
	run(t, a)
	r.decide(a, r.turn(number, schemas.KindOpened))
	until(t, "it is done", func() bool {
		return cmp.Equal(r.mutations(number), stale("done", "done"))
	})
	if early := query[bool](r, `select bool_or(claimed_at < created_at + interval '150 milliseconds') from pawl.mutation`); early {
		t.Error("it was claimed before its time")
	}
}
