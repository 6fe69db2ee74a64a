package actuator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/deadletters"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// threeSteps is a rule of three mutations, and another rule.
func threeSteps(onRefusal string) string {
	return fmt.Sprintf(`
version: 1
rules:
  - name: r
    on: [labels_changed]
    when: pr.state == "open"
    on_refusal: %s
    mutate: [{comment: {body: one}}, {add_labels: [two]}, {remove_labels: [three]}]
  - {name: other, on: [labels_changed], mutate: {add_labels: [other]}}
`, onRefusal)
}

// refuse has the provider refuse a call for good.
func refuse(method, path string) fakegithub.Fault {
	return fakegithub.Fault{Method: method, Path: path, Times: -1, Status: http.StatusForbidden, Message: "Resource not accessible by integration"}
}

func steps(one, two, three string) []standing {
	return []standing{{"r", "comment", one}, {"r", "add_labels", two}, {"r", "remove_labels", three}, {"other", "add_labels", "done"}}
}

// refused is a rig where the first of three mutations was refused.
func refused(t *testing.T, onRefusal string) (*rig, actor, int) {
	t.Helper()
	r := newRig(t, threeSteps(onRefusal))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"three"}})
	r.github.Fail(refuse("POST", "/comments"))
	r.decide(a, r.turn(number, schemas.KindLabelsChanged))
	r.passes(a)
	return r, a, number
}

// openLetters are the ids of the dead letters that wait for a person.
func (r *rig) openLetters() []int64 {
	r.t.Helper()
	letters, err := deadletters.New(r.pool, nil).List(r.t.Context(), deadletters.Filter{})
	if err != nil {
		r.t.Fatal(err)
	}
	var ids []int64
	for _, letter := range letters {
		ids = append(ids, letter.ID)
	}
	return ids
}

func (r *rig) retryOnly() {
	r.t.Helper()
	ids := r.openLetters()
	if len(ids) != 1 {
		r.t.Fatalf("open dead letters: got %v, want one", ids)
	}
	if err := deadletters.New(r.pool, nil).Retry(r.t.Context(), ids[0]); err != nil {
		r.t.Fatal(err)
	}
}

func TestRefusal_CancelsTheLaterOnes(t *testing.T) {
	t.Parallel()
	r, a, number := refused(t, "cancel")
	r.wantMutations(number, steps("dead", "cancelled", "cancelled")...)
	if got := r.reasons(number); strings.Count(got, "an earlier mutation of the decision was refused: permanent") != 2 {
		t.Errorf("reasons:\n%s", got)
	}
	if got := r.openLetters(); len(got) != 1 {
		t.Errorf("dead letters: got %v, want one", got)
	}
	if diff := cmp.Diff(map[string]float64{"dead": 1, "cancelled": 2, "done": 1}, a.outcomes(t)); diff != "" {
		t.Errorf("outcomes counted (-want +got):\n%s", diff)
	}
	// Their keys are given back: the next transition opens all but the dead one.
	r.github.Heal()
	r.decide(a, r.turn(number, schemas.KindLabelsChanged))
	r.passes(a)
	if got := query[int](r, `select count(*) from pawl.mutation where state = 'done' and rule = 'r'`); got != 3 {
		t.Errorf("done in the second round: got %d, want 3", got)
	}
}

func TestRefusal_WaitsForThePersonWhoRetries(t *testing.T) {
	t.Parallel()
	r, a, number := refused(t, "wait")
	r.wantMutations(number, steps("dead", "waiting", "waiting")...)
	if diff := cmp.Diff(map[string]float64{"dead": 1, "waiting": 2, "done": 1}, a.outcomes(t)); diff != "" {
		t.Errorf("outcomes counted (-want +got):\n%s", diff)
	}
	// Neither time nor a contrary state ends this waiting.
	r.comesDue(a)
	r.github.Close(repo, number, "octocat")
	r.decide(a, r.turn(number, schemas.KindClosed))
	r.passes(a)
	r.wantMutations(number, steps("dead", "waiting", "waiting")...)

	r.github.Reopen(repo, number, "octocat")
	r.fold(number)
	r.retryOnly() // and it is refused again
	r.passes(a)
	r.wantMutations(number, steps("dead", "waiting", "waiting")...)
	r.github.Heal()
	r.retryOnly()
	r.passes(a)
	r.wantMutations(number, steps("done", "done", "done")...)
	var got []fakegithub.EffectKind
	for _, effect := range r.github.EffectsBy(we) {
		got = append(got, effect.Kind)
	}
	want := []fakegithub.EffectKind{fakegithub.Labeled, fakegithub.CommentCreated, fakegithub.Labeled, fakegithub.Unlabeled}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("effects in their order (-want +got):\n%s", diff)
	}
}

func TestRefusal_DropCancelsWhatWaits(t *testing.T) {
	t.Parallel()
	r, a, number := refused(t, "wait")
	ids := r.openLetters()
	if len(ids) != 1 {
		t.Fatalf("open dead letters: got %v, want one", ids)
	}
	if err := deadletters.New(r.pool, nil).Drop(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	r.passes(a)
	r.wantMutations(number, steps("dead", "cancelled", "cancelled")...)
	if got := r.openLetters(); len(got) != 0 {
		t.Errorf("open dead letters: got %v, want none", got)
	}
}

// TestRefusal_RetriedAndSkippedCancels: nobody retries what was skipped.
func TestRefusal_RetriedAndSkippedCancels(t *testing.T) {
	t.Parallel()
	r, a, number := refused(t, "wait")
	r.github.Close(repo, number, "octocat")
	r.fold(number)
	r.retryOnly()
	r.passes(a)
	r.wantMutations(number, steps("skipped", "cancelled", "cancelled")...)
}

func TestRefusal_GoesOn(t *testing.T) {
	t.Parallel()
	r, _, number := refused(t, "go_on")
	r.wantMutations(number, steps("dead", "done", "done")...)
}

// TestRefusal_SkippedCancels under cancel and wait, and goes on under go_on,
// where each is asked by itself.
func TestRefusal_SkippedCancels(t *testing.T) {
	t.Parallel()
	for onRefusal, later := range map[string]string{"cancel": "cancelled", "wait": "cancelled", "go_on": "skipped"} {
		t.Run(onRefusal, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, threeSteps(onRefusal))
			a := r.actor("a")
			number := r.github.Open(repo, fakegithub.PullRequest{})
			r.decide(a, r.turn(number, schemas.KindLabelsChanged))
			r.github.Close(repo, number, "octocat")
			r.fold(number)
			r.passes(a)
			r.wantMutations(number, steps("skipped", later, later)...)
			if got := r.openLetters(); len(got) != 0 {
				t.Errorf("dead letters: got %v, want none", got)
			}
		})
	}
}

// TestRefusal_WaitsForEachEarlierOne: the first is done, the second dead; the
// first is looked at once more, which lets nothing go.
func TestRefusal_WaitsForEachEarlierOne(t *testing.T) {
	t.Parallel()
	r := newRig(t, threeSteps("wait"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"three"}})
	fault := refuse("POST", "/labels")
	fault.Body = "two"
	r.github.Fail(fault)
	r.decide(a, r.turn(number, schemas.KindLabelsChanged))
	r.passes(a)
	r.wantMutations(number, steps("done", "dead", "waiting")...)
	r.exec(`update pawl.mutation set state = 'pending', settled_at = null where kind = 'comment'`)
	r.passes(a)
	r.wantMutations(number, steps("done", "dead", "waiting")...)
	r.github.Heal()
	r.retryOnly()
	r.passes(a)
	r.wantMutations(number, steps("done", "done", "done")...)
}

// TestRefusal_RetriedAfterItsEffect: the answers were lost until it was dead, and
// the effect is why the condition does not hold any more. To skip it would give
// back a key that was spent (I11).
func TestRefusal_RetriedAfterItsEffect(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{close: {}}"))
	a := r.actor("a", actuator.Config{MaxAttempts: 1})
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.turn(number, schemas.KindLabelsChanged))
	r.github.Fail(
		fakegithub.Fault{Method: "PATCH", AfterApplying: true, Status: http.StatusBadGateway},
		fakegithub.Fault{Method: "GET"}, fakegithub.Fault{Method: "GET", Status: http.StatusBadGateway},
	)
	r.passes(a)
	r.wantMutations(number, standing{"r", "close", "dead"})
	r.fold(number)
	r.retryOnly()
	r.passes(a)
	r.wantMutations(number, standing{"r", "close", "done"})
}
