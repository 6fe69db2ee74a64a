package life_test

import (
	"flag"
	"testing"

	"pawl/internal/life"
	"pawl/schemas"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestMain runs more lives than rapid does by itself: some faults need one in a
// thousand. A run for an hour is go test -rapid.checks=200000.
func TestMain(m *testing.M) {
	checks := flag.Lookup("rapid.checks")
	checks.DefValue = "300"
	if err := checks.Value.Set(checks.DefValue); err != nil {
		panic(err)
	}
	m.Run()
}

// ignored are the columns that may depend on the order of arrival.
var ignored = cmp.Options{
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(schemas.PullRequest{}, "Version", "NeedsRead", "NeedsReadReason", "Arrival"),
	cmpopts.IgnoreFields(schemas.Comment{}, "Version", "NeedsRead", "Announced"),
	cmpopts.IgnoreFields(schemas.Review{}, "Version"),
	cmpopts.IgnoreFields(schemas.Thread{}, "Version"),
	// The name of a fork is in the payloads of its own pipelines alone, and one that
	// was overtaken teaches nothing.
	cmpopts.IgnoreFields(schemas.Commit{}, "Version", "Repository"),
	cmpopts.IgnoreFields(schemas.Check{}, "Version", "ReceivedAt"),
	cmpopts.IgnoreFields(schemas.Repository{}, "Version"),
}

// checkEach checks a property of the lives at each forge.
func checkEach(t *testing.T, property func(*rapid.T, life.Forge)) {
	t.Helper()
	for _, forge := range life.Forges() {
		t.Run(forge.Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { property(t, forge) })
		})
	}
}

// TestLife_TheWrittenOrderEndsInTheTruth: the row is what the provider holds, and
// a life in which nothing lies asks for no read.
func TestLife_TheWrittenOrderEndsInTheTruth(t *testing.T) {
	t.Parallel()
	checkEach(t, func(t *rapid.T, forge life.Forge) {
		l := drawLife(t, forge)
		written := arrive(l.Deliveries())
		row, want := fold(t, l, written).Row(), l.Truth()
		if diff := cmp.Diff(row, &want, ignored); diff != "" {
			t.Fatalf("after %q\nrow (-got +truth):\n%s", names(written), diff)
		}
		if row.NeedsRead {
			t.Fatalf("after %q\nthe row asks for a read: %s", names(written), row.NeedsReadReason)
		}
	})
}

// TestLife_AnyOrderEndsInTheSameRows: so does any order with any doubling, and so
// in the truth.
func TestLife_AnyOrderEndsInTheSameRows(t *testing.T) {
	t.Parallel()
	checkEach(t, func(t *rapid.T, forge life.Forge) {
		d := draw(t, forge)
		want, got := fold(t, d.life, d.written), fold(t, d.life, d.arrivals)
		if diff := cmp.Diff(got.Rows(), want.Rows(), ignored); diff != "" {
			t.Fatalf("after %q\nrows (-got +as written):\n%s", names(d.arrivals), diff)
		}
		if row, want := got.Row(), d.life.Truth(); !cmp.Equal(row, &want, ignored) {
			t.Fatalf("after %q\nrow (-got +truth):\n%s", names(d.arrivals), cmp.Diff(row, &want, ignored))
		}
	})
}

// TestLife_NoStepBack: nothing ends dead, merged is final, and the watermark never
// falls, whatever has arrived so far. What one source sent before changes nothing.
func TestLife_NoStepBack(t *testing.T) {
	t.Parallel()
	checkEach(t, func(t *rapid.T, forge life.Forge) {
		d, seen := draw(t, forge), make(map[string]bool)
		for i, step := range fold(t, d.life, d.arrivals).Folded {
			if step.Verdict == schemas.Dead {
				t.Fatalf("%s is dead: %s", step.Arrival.Name, step.Reason)
			}
			id := step.Arrival.Source + " " + step.Arrival.Header.Get(step.Arrival.IDHeader)
			if again := step.Verdict == schemas.Duplicate; again != seen[id] || again && step.After != step.Before {
				t.Fatalf("after %q\n%s came before: %t, but ends %s", names(d.arrivals[:i+1]), id, seen[id], step.Verdict)
			}
			seen[id] = true
			if fault := stepsBack(step.Before, step.After); fault != "" {
				t.Fatalf("after %q\n%s", names(d.arrivals[:i+1]), fault)
			}
		}
	})
}

func stepsBack(before, after *schemas.PullRequest) string {
	switch {
	case before == nil:
		return ""
	case after == nil:
		return "the row is gone"
	case before.State == schemas.Merged && after.State != schemas.Merged:
		return "merged became " + string(after.State)
	case after.ProviderUpdatedAt.Before(before.ProviderUpdatedAt):
		return "the watermark fell from " + before.ProviderUpdatedAt.String() + " to " + after.ProviderUpdatedAt.String()
	case after.Version < before.Version:
		return "the version fell"
	}
	return ""
}

// TestLife_TransitionsTellTheWholeStory: each transition begins where the last one
// of its kind ended, none says nothing, no id occurs twice, and the last ones end
// where the rows do.
func TestLife_TransitionsTellTheWholeStory(t *testing.T) {
	t.Parallel()
	checkEach(t, func(t *rapid.T, forge life.Forge) {
		d := draw(t, forge)
		told := newChain()
		for i, step := range fold(t, d.life, d.arrivals).Folded {
			for _, transition := range step.Transitions {
				if fault := told.add(transition); fault != "" {
					t.Fatalf("after %q\n%s", names(d.arrivals[:i+1]), fault)
				}
			}
			if fault := told.compare(step.After); fault != "" {
				t.Fatalf("after %q\n%s", names(d.arrivals[:i+1]), fault)
			}
		}
	})
}

// TestLife_LostDeliveries: what is lost is made good by the next snapshot. Only
// the newest one, and what no delivery repeats, must come through.
//
// Labels, assignees and a milestone that a snapshot shows empty are kept until a
// delivery explains it (hard part 7): where that one was lost, the row asks for a
// read instead.
func TestLife_LostDeliveries(t *testing.T) {
	t.Parallel()
	checkEach(t, func(t *rapid.T, forge life.Forge) {
		l := drawLife(t, forge)
		arrivals := shuffled(t, lose(t, l))
		row, want := fold(t, l, arrivals).Row(), l.Truth()
		keepHeld(row, &want)
		if diff := cmp.Diff(row, &want, ignored, beside, cmpopts.IgnoreFields(schemas.PullRequest{}, l.Unstated()...)); diff != "" {
			t.Fatalf("after %q\nrow (-got +truth):\n%s", names(arrivals), diff)
		}
	})
}

// beside are the columns that no snapshot states: they follow from deliveries of
// their own, some of which are lost.
var beside = cmpopts.IgnoreFields(schemas.PullRequest{},
	"Comments", "ReviewComments", "UnresolvedThreads", "Checks", "ChecksState", "Queued", "DequeuedReason",
	"Reviews", "Approvals", "ApprovalsOfHead", "ChangesRequested")

// lose returns the deliveries that come through.
func lose(t *rapid.T, l *life.Life) []life.Arrival {
	var came []life.Delivery
	for i, delivery := range l.Deliveries() {
		if i == l.LastSnapshot() || delivery.Kept || pick(t)(2) == 0 {
			came = append(came, delivery)
		}
	}
	return arrive(came)
}

func keepHeld(row, want *schemas.PullRequest) {
	if !row.NeedsRead {
		return
	}
	if len(want.Labels) == 0 {
		want.Labels = row.Labels
	}
	if len(want.Assignees) == 0 {
		want.Assignees = row.Assignees
	}
	if want.Milestone == "" {
		want.Milestone = row.Milestone
	}
}
