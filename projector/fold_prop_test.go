package projector_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pawl/projector"
	"pawl/schemas"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// ignoreArrival leaves out what may depend on the order of arrival.
var ignoreArrival = cmpopts.IgnoreFields(schemas.PullRequest{}, "Version", "NeedsRead", "NeedsReadReason", "Arrival")

// life is a pull request at the provider: each step changes it and sends a
// snapshot of it.
type life struct {
	pr        schemas.PullRequestSnapshot
	merged    bool
	clock     time.Time
	step      int
	snapshots []schemas.Event
}

func newLife() *life {
	l := &life{clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	l.pr = schemas.PullRequestSnapshot{
		Instance: "github.com", RepositoryID: "101", Repository: "acme/api", Number: 7,
		Title: schemas.Say("first"), State: schemas.Say("open"), Draft: schemas.Say(false),
		HeadSHA: schemas.Say("a0"), BaseRef: schemas.Say("main"), Labels: schemas.Say([]string{}),
	}
	l.send("opened", "", nil)
	return l
}

// send sends a snapshot of what the provider holds now.
func (l *life) send(action, touched string, edited []string) {
	l.step++
	snapshot := l.pr
	snapshot.Labels.Value = slices.Clone(l.pr.Labels.Value)
	snapshot.UpdatedAt = schemas.Say(l.clock)
	snapshot.Merged = schemas.Say(l.merged)
	snapshot.Change, snapshot.Touched, snapshot.Edited = action, touched, edited
	l.snapshots = append(l.snapshots, schemas.Event{
		Entity: pr7, Source: "github", DeliveryID: schemas.DeliveryID(fmt.Sprintf("d-%d", l.step)),
		Provider: "github", Name: "pull_request", Action: action,
		ReceivedAt: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), PullRequest: &snapshot,
	})
}

func (l *life) label(name string) {
	labels := append(slices.Clone(l.pr.Labels.Value), name)
	slices.Sort(labels)
	l.pr.Labels.Value = slices.Compact(labels)
	l.send("labeled", name, nil)
}

func (l *life) unlabel(name string) {
	l.pr.Labels.Value = slices.DeleteFunc(slices.Clone(l.pr.Labels.Value), func(s string) bool { return s == name })
	l.send("unlabeled", name, nil)
}

func (l *life) push() {
	l.pr.HeadSHA.Value = fmt.Sprintf("a%d", l.step)
	l.send("synchronize", "", nil)
}

func (l *life) retitle() {
	l.pr.Title.Value = fmt.Sprintf("title %d", l.step)
	l.send("edited", "", []string{"title"})
}

func (l *life) close(merged bool) {
	l.pr.State.Value, l.merged = "closed", merged
	l.pr.ClosedAt = schemas.Say(l.clock)
	l.pr.MergedAt = schemas.Say(time.Time{})
	if merged {
		l.pr.MergedAt = schemas.Say(l.clock)
	}
	l.send("closed", "", nil)
}

func (l *life) reopen() {
	l.pr.State.Value = "open"
	l.pr.ClosedAt = schemas.Say(time.Time{})
	l.send("reopened", "", nil)
}

func foldAll(events []schemas.Event) (projector.State, []projector.Outcome) {
	var state projector.State
	var outcomes []projector.Outcome
	for _, event := range events {
		var outcome projector.Outcome
		state, outcome = projector.Fold(state, projector.Around{}, event)
		outcomes = append(outcomes, outcome)
	}
	return state, outcomes
}

// shuffledAndDoubled returns the events in any order, some of them twice.
func shuffledAndDoubled(t *rapid.T, events []schemas.Event) []schemas.Event {
	sent := slices.Clone(events)
	for _, event := range events {
		if rapid.Bool().Draw(t, "doubled") {
			sent = append(sent, event)
		}
	}
	return rapid.Permutation(sent).Draw(t, "order")
}

// drawLife draws a life whose every step takes at least a second: labels come
// and go, it is closed and opened again, and is merged or not.
func drawLife(t *rapid.T) *life {
	l := newLife()
	for range rapid.IntRange(1, 9).Draw(t, "steps") {
		l.clock = l.clock.Add(time.Duration(rapid.IntRange(1, 3).Draw(t, "seconds")) * time.Second)
		name := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "label")
		step := rapid.SampledFrom([]string{"label", "unlabel", "push", "retitle", "close", "reopen"}).Draw(t, "step")
		has := slices.Contains(l.pr.Labels.Value, name)
		switch {
		case step == "label" && !has:
			l.label(name)
		case step == "unlabel" && has:
			l.unlabel(name)
		case step == "retitle":
			l.retitle()
		case step == "close" && l.pr.State.Value == "open":
			l.close(false)
		case step == "reopen" && l.pr.State.Value == "closed":
			l.reopen()
		default:
			l.push()
		}
	}
	if rapid.Bool().Draw(t, "merge") {
		l.clock = l.clock.Add(time.Second)
		l.close(true)
	}
	return l
}

func TestFold_AnyOrderAndDoublingEndsInTheSameRow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := drawLife(t)
		want, _ := foldAll(l.snapshots)
		got, _ := foldAll(shuffledAndDoubled(t, l.snapshots))
		if diff := cmp.Diff(got.PullRequest, want.PullRequest, ignoreArrival, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("row differs (-got +want):\n%s", diff)
		}
	})
}

// TestI6_OneSecondEndsInTheSameRow: a life that only goes forward, any number of
// its steps within one second of the provider's clock, each field changed once
// in a second. (Two pushes in one second prove no order: they ask for a read.)
func TestI6_OneSecondEndsInTheSameRow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := newLife()
		done := map[string]bool{}
		for i := range rapid.IntRange(1, 10).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "next second") {
				l.clock = l.clock.Add(time.Second)
				clear(done)
			}
			step := rapid.SampledFrom([]string{"label", "push", "retitle"}).Draw(t, "step")
			switch {
			case step == "push" && !done[step]:
				l.push()
			case step == "retitle" && !done[step]:
				l.retitle()
			default:
				l.label(fmt.Sprintf("l%d", i))
			}
			done[step] = true
		}
		if rapid.Bool().Draw(t, "close") {
			l.close(rapid.Bool().Draw(t, "merged"))
		}
		want, _ := foldAll(l.snapshots)
		got, _ := foldAll(shuffledAndDoubled(t, l.snapshots))
		if diff := cmp.Diff(got.PullRequest, want.PullRequest, ignoreArrival, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("row differs (-got +want):\n%s", diff)
		}
	})
}

// TestI5_TheRowNeverStepsBack: whatever arrives in whatever order, the watermark
// never falls, merged is final, and a stale or unchanged verdict has no
// transition.
func TestI5_TheRowNeverStepsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var state projector.State
		for _, event := range shuffledAndDoubled(t, drawLife(t).snapshots) {
			before := state.PullRequest
			after, outcome := projector.Fold(state, projector.Around{}, event)
			state = after
			if before == nil {
				continue
			}
			if state.PullRequest.ProviderUpdatedAt.Before(before.ProviderUpdatedAt) {
				t.Fatalf("watermark fell from %s to %s", before.ProviderUpdatedAt, state.PullRequest.ProviderUpdatedAt)
			}
			if before.State == schemas.Merged && state.PullRequest.State != schemas.Merged {
				t.Fatalf("merged became %s", state.PullRequest.State)
			}
			if outcome.Verdict == schemas.Unchanged && len(outcome.Transitions) > 0 {
				t.Fatalf("unchanged, with transitions %v", outcome.Transitions)
			}
		}
	})
}

// TestI8_TransitionsChain: each state transition starts where the last one
// ended, and no id repeats.
func TestI8_TransitionsChain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		_, outcomes := foldAll(shuffledAndDoubled(t, drawLife(t).snapshots))
		state, seen := "", map[schemas.TransitionID]bool{}
		for _, outcome := range outcomes {
			for _, transition := range outcome.Transitions {
				if seen[transition.ID] {
					t.Fatalf("transition %s %s occurs twice", transition.Kind, transition.ID)
				}
				seen[transition.ID] = true
				switch transition.Kind {
				case schemas.KindOpened, schemas.KindClosed, schemas.KindMerged, schemas.KindReopened:
					if transition.From.Text != state {
						t.Fatalf("%s from %q, but the last one ended in %q", transition.Kind, transition.From.Text, state)
					}
					state = transition.To.Text
				}
			}
		}
	})
}
