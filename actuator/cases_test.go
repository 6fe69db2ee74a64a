package actuator_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/internal/provider"
	"pawl/schemas"
)

// TestCase9_KilledAfterTheEffect: one effect; the second pass finds the key, and
// so does the transition when it is delivered again.
func TestCase9_KilledAfterTheEffect(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	killed, next := r.actor("killed"), r.actor("next")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	tr := r.transition(number, schemas.KindLabelsChanged)
	r.decide(killed, tr)
	there, wake := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(wake) })
	killed.OnStep(func(step string, _ schemas.Mutation) {
		if step == actuator.StepActed {
			close(there)
			<-wake
		}
	})
	go func() { _, _ = killed.Pass(context.Background()) }()
	await(t, "the actor is killed", there)
	r.expire()
	r.decide(next, tr)
	r.passes(next)
	if got := r.ours(number, fakegithub.CommentCreated); got != 1 {
		t.Errorf("comments: got %d, want 1", got)
	}
	if got := next.counter(t, "pawl_actuator_mutations_total"); got != 1 {
		t.Errorf("settled: got %v, want 1", got)
	}
}

// TestCase12_HeadMoved: the synchronize is lost, or the head moves between look
// and call. Nothing merges the new head; the live read goes to the log, so that
// the fold and the rules decide again.
func TestCase12_HeadMoved(t *testing.T) {
	t.Parallel()
	const a, b = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	for _, at := range []string{actuator.StepClaimed, actuator.StepLooked} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, mergeRules)
			actor := r.actor("a")
			number := r.github.Open(repo, fakegithub.PullRequest{HeadSHA: a, Labels: []string{"automerge"}})
			r.decide(actor, r.transition(number, schemas.KindLabelsChanged))
			actor.OnStep(func(step string, _ schemas.Mutation) {
				if step == at {
					r.github.PushUnseen(repo, number, b)
				}
			})
			r.passes(actor)
			if r.github.PullRequest(repo, number).Merged {
				t.Error("the head that nobody decided on was merged")
			}
			if diff := cmp.Diff([]standing{{"merge-when-labeled", "merge", "skipped"}}, r.mutations(number)); diff != "" {
				t.Errorf("mutations (-want +got):\n%s", diff)
			}
			if got, want := r.reason(number), "head moved from "+a+" to "+b; len(got) < len(want) || got[:len(want)] != want {
				t.Errorf("reason: got %q, want %q", got, want)
			}
			records := r.log.all()
			if len(records) != 1 {
				t.Fatalf("records appended: got %d, want 1", len(records))
			}
			event, err := provider.Decode(records[0])
			if err != nil {
				t.Fatal(err)
			}
			if event.Ignored != "" || event.Entity != entityOf(number) || event.Source != "github" || event.PullRequest.HeadSHA.Value != b {
				t.Errorf("event: got %+v", event)
			}
			if parsed, err := schemas.ParseRecord([]byte(records[0].Key), records[0].Headers(), records[0].Body); err != nil {
				t.Errorf("record %+v: %v", parsed, err)
			}
		})
	}
}

// TestCase12_SecondReadIsADuplicate: the same live read has the same id.
func TestCase12_SecondReadIsADuplicate(t *testing.T) {
	t.Parallel()
	r := newRig(t, mergeRules)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"automerge"}})
	first, second := r.transition(number, schemas.KindLabelsChanged), r.transition(number, schemas.KindReopened)
	r.github.PushUnseen(repo, number, "cccc")
	for _, tr := range []schemas.Transition{first, second} {
		r.decide(a, tr)
		r.passes(a)
	}
	records := r.log.all()
	if len(records) != 2 || records[0].ID != records[1].ID || records[0].ID == "" {
		t.Errorf("records: got %d, want 2 of one id", len(records))
	}
}

// TestCase12_LogAwayIsNoSkip: the read must be in the log before the key is
// given back.
func TestCase12_LogAwayIsNoSkip(t *testing.T) {
	t.Parallel()
	r := newRig(t, mergeRules)
	r.log.err = errors.New("no broker")
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"automerge"}})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	r.github.PushUnseen(repo, number, "cccc")
	r.passes(a)
	if got := r.mutations(number)[0].State; got != "pending" {
		t.Errorf("state while the log is away: got %s, want pending", got)
	}
	r.log.mu.Lock()
	r.log.err = nil
	r.log.mu.Unlock()
	r.due()
	r.passes(a)
	if got := r.mutations(number)[0].State; got != "skipped" || len(r.log.all()) != 1 {
		t.Errorf("state with the log back: got %s with %d records, want skipped with 1", got, len(r.log.all()))
	}
}

// TestCase14_CloseFailsThreeTimes: the comment is made once, and so is the close.
func TestCase14_CloseFailsThreeTimes(t *testing.T) {
	t.Parallel()
	for _, applied := range []bool{false, true} {
		name := "502 and not applied"
		if applied {
			name = "502 and applied"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, ruleOf("[{comment: {body: bye}}, {close: {}}]"))
			a := r.actor("a")
			a.RetryAtOnce()
			number := r.github.Open(repo, fakegithub.PullRequest{})
			r.decide(a, r.transition(number, schemas.KindLabelsChanged))
			fault := fakegithub.BadGateway()
			fault.Method, fault.Times, fault.AfterApplying = "PATCH", 3, applied
			r.github.Fail(fault)
			r.passes(a)
			want := []fakegithub.EffectKind{fakegithub.CommentCreated, fakegithub.Closed}
			var got []fakegithub.EffectKind
			for _, effect := range r.github.EffectsBy(we) {
				got = append(got, effect.Kind)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("effects (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]standing{{"r", "comment", "done"}, {"r", "close", "done"}}, r.mutations(number)); diff != "" {
				t.Errorf("mutations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCase15_OpenedAfterMerged: the mutation that `opened` wanted is pending when
// the merge is folded; `opened` is delivered again.
func TestCase15_OpenedAfterMerged(t *testing.T) {
	t.Parallel()
	r := newRig(t, "version: 1\nrules:\n  - {name: welcome, on: [opened], when: 'pr.state == \"open\"', mutate: {comment: {body: welcome}}}\n")
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	opened := r.transition(number, schemas.KindOpened)
	r.decide(a, opened)
	r.github.Merge(repo, number, "octocat")
	r.fold(number)
	r.passes(a)
	r.decide(a, opened)
	r.passes(a)
	if diff := cmp.Diff([]standing{{"welcome", "comment", "skipped"}}, r.mutations(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
	if got := r.github.EffectsBy(we); len(got) != 0 {
		t.Errorf("effects: got %v, want none", got)
	}
}
