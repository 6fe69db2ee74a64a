package actuator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// limited is rules that comment on each transition, with limits.
func limited(limits string) string {
	return fmt.Sprintf(`
version: 1
%s
rules:
  - {name: one, on: [labels_changed, title_changed], mutate: {comment: {body: one}}}
  - {name: two, on: [labels_changed], mutate: {comment: {body: two}}}
`, limits)
}

// tallied counts the mutations of a pull request by rule and state.
func (r *rig) tallied(number int) map[string]int {
	counted := make(map[string]int)
	for _, m := range r.mutations(number) {
		counted[m.Rule+" "+m.State]++
	}
	return counted
}

func TestLimit_TheTwentyFirstOfARuleIsDead(t *testing.T) {
	t.Parallel()
	r := newRig(t, limited(""))
	a := r.actor("a")
	number, other := r.github.Open(repo, fakegithub.PullRequest{}), r.github.Open(repo, fakegithub.PullRequest{})
	for range 21 {
		r.decide(a, r.turn(number, schemas.KindTitleChanged))
	}
	r.decide(a, r.turn(number, schemas.KindLabelsChanged), r.turn(other, schemas.KindLabelsChanged))
	r.passes(a)
	if diff := cmp.Diff(map[string]int{"one done": 20, "one dead": 2, "two done": 1}, r.tallied(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"one done": 1, "two done": 1}, r.tallied(other)); diff != "" {
		t.Errorf("mutations of another (-want +got):\n%s", diff)
	}
	if got := r.ours(number, fakegithub.CommentCreated); got != 21 {
		t.Errorf("comments: got %d, want 21", got)
	}
	if got := a.outcomes(t); got["dead"] != 2 {
		t.Errorf("outcomes counted: got %v, want 2 dead", got)
	}
	const letter = `select d.reason || '|' || d.source || '|' || d.entity_key from pawl.dead_letter d
	                  join pawl.mutation m on m.id = d.mutation_id and m.state = 'dead' and m.reason = d.reason
	                 where d.stage = 'actuator' order by d.id limit 1`
	want := fmt.Sprintf("rule one has made 20 mutations of %[1]s within an hour, and limits.per_rule is 20: it looks like a loop|github|%[1]s", entityOf(number))
	if got := query[string](r, letter); got != want {
		t.Errorf("dead letter:\n got %s\nwant %s", got, want)
	}
	if got := r.openLetters(); len(got) != 2 {
		t.Errorf("dead letters: got %d, want 2", len(got))
	}
}

func TestLimit_OfAllRulesOfAnEntity(t *testing.T) {
	t.Parallel()
	r := newRig(t, limited("limits: {per_rule: 0, per_entity: 5}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	for range 3 {
		r.decide(a, r.turn(number, schemas.KindLabelsChanged))
	}
	if diff := cmp.Diff(map[string]int{"one pending": 3, "two pending": 2, "two dead": 1}, r.tallied(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
	if got := r.reason(number); !strings.Contains(got, "the rules have made 5 mutations") || !strings.Contains(got, "limits.per_entity is 5") {
		t.Errorf("reason: got %q", got)
	}
}

func TestLimit_ZeroIsNone(t *testing.T) {
	t.Parallel()
	r := newRig(t, limited("limits: {per_rule: 0, per_entity: 0}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	for range 65 {
		r.decide(a, r.turn(number, schemas.KindTitleChanged))
	}
	if diff := cmp.Diff(map[string]int{"one pending": 65}, r.tallied(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
}

// TestLimit_CountsWhatHadOrMayHaveAnEffect within the hour.
func TestLimit_CountsWhatHadOrMayHaveAnEffect(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, change, state string }{
		{"pending", `select`, "pending|dead"},
		{"done", `update pawl.mutation set state = 'done', settled_at = now()`, "done|dead"},
		{"dead", `update pawl.mutation set state = 'dead', settled_at = now()`, "dead|dead"},
		{"skipped", `update pawl.mutation set state = 'skipped', settled_at = now()`, "skipped|pending"},
		{"cancelled", `update pawl.mutation set state = 'cancelled', settled_at = now()`, "cancelled|pending"},
		{"planned", `update pawl.mutation set state = 'planned'`, "planned|pending"},
		{"an hour ago", `update pawl.mutation set created_at = now() - interval '61 minutes'`, "pending|pending"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, limited("limits: {per_rule: 1, per_entity: 0}"))
			a := r.actor("a")
			number := r.github.Open(repo, fakegithub.PullRequest{})
			r.decide(a, r.turn(number, schemas.KindTitleChanged))
			r.exec(tt.change)
			r.decide(a, r.turn(number, schemas.KindTitleChanged))
			all := r.mutations(number)
			if got := all[0].State + "|" + all[1].State; got != tt.state {
				t.Errorf("states: got %s, want %s", got, tt.state)
			}
		})
	}
}

// TestLimit_RepeatIsNoMutation: a key that is held opens nothing, dead or alive,
// and mode plan is not limited, for it calls nobody.
func TestLimit_RepeatIsNoMutation(t *testing.T) {
	t.Parallel()
	const once = "version: 1\nlimits: {per_rule: 1}\nrules:\n  - {name: r, on: [labels_changed], once: entity, mutate: {comment: {body: hi}}}\n"
	r := newRig(t, once)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	for range 3 {
		r.decide(a, r.turn(number, schemas.KindLabelsChanged))
	}
	r.wantMutations(number, standing{"r", "comment", "pending"})
	if got := query[int](r, `select count(*) from pawl.decision where outcome = 'repeat'`); got != 2 {
		t.Errorf("repeats: got %d, want 2", got)
	}
	r.setRules(limited("mode: plan\nlimits: {per_rule: 1}"))
	planned := r.github.Open(repo, fakegithub.PullRequest{})
	for range 3 {
		r.decide(a, r.turn(planned, schemas.KindTitleChanged))
	}
	if diff := cmp.Diff(map[string]int{"one planned": 3}, r.tallied(planned)); diff != "" {
		t.Errorf("mutations in mode plan (-want +got):\n%s", diff)
	}
}

// TestLimit_ARepeatTakesNoPlace of another rule's mutation, in the transition in
// which it repeats.
func TestLimit_ARepeatTakesNoPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
version: 1
limits: {per_rule: 0, per_entity: 2}
rules:
  - {name: once, on: [labels_changed, title_changed], once: entity, mutate: {comment: {body: once}}}
  - {name: each, on: [title_changed], mutate: {comment: {body: each}}}
`)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.turn(number, schemas.KindLabelsChanged), r.turn(number, schemas.KindTitleChanged), r.turn(number, schemas.KindTitleChanged))
	if diff := cmp.Diff(map[string]int{"once pending": 1, "each pending": 1, "each dead": 1}, r.tallied(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
}

// TestLimit_WhatWasOnlyPlannedHoldsNoPlace, once the rules act: its key is given
// back, and the mutation that takes it counts.
func TestLimit_WhatWasOnlyPlannedHoldsNoPlace(t *testing.T) {
	t.Parallel()
	const once = `
version: 1
mode: %s
limits: {per_rule: 0, per_entity: 1}
rules:
  - {name: once, on: [labels_changed, title_changed], once: entity, mutate: {comment: {body: once}}}
  - {name: each, on: [title_changed], mutate: {comment: {body: each}}}
`
	r := newRig(t, fmt.Sprintf(once, "plan"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.turn(number, schemas.KindLabelsChanged))
	r.setRules(fmt.Sprintf(once, "act"))
	r.decide(a, r.turn(number, schemas.KindTitleChanged))
	if diff := cmp.Diff(map[string]int{"once cancelled": 1, "once pending": 1, "each dead": 1}, r.tallied(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
}

// TestLimit_RetriedByAPerson: what a person retries is done.
func TestLimit_RetriedByAPerson(t *testing.T) {
	t.Parallel()
	r := newRig(t, limited("limits: {per_rule: 1}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.turn(number, schemas.KindTitleChanged), r.turn(number, schemas.KindTitleChanged))
	r.retryOnly()
	r.passes(a)
	r.wantMutations(number, standing{"one", "comment", "done"}, standing{"one", "comment", "done"})
}
