package projector_test

import (
	"errors"
	"strings"
	"testing"

	"pawl/projector"
	"pawl/schemas"

	"github.com/google/go-cmp/cmp"
)

func decoded(source, id string, event schemas.Event, body string) projector.Decoded {
	event.Source, event.DeliveryID = source, schemas.DeliveryID(id)
	return projector.Decoded{
		Record: schemas.Record{Key: pr7, ID: event.DeliveryID, Source: source},
		Hash:   projector.HashBody([]byte(body)),
		Event:  event,
	}
}

// TestI14_EveryRecordEndsInOneVerdict walks a record into each of the six.
func TestI14_EveryRecordEndsInOneVerdict(t *testing.T) {
	t.Parallel()
	opened, old := snap("opened", 10, state("open")), snap("edited", 5, state("open"))
	foreign := opened
	foreign.Entity = "github.com:101#8"
	broken := decoded("github", "d-7", opened, "7")
	broken.Err = errors.New("body: not JSON")
	records := []projector.Decoded{
		decoded("github", "d-1", opened, "1"),
		decoded("github", "d-1", opened, "1"),
		decoded("app", "d-1", opened, "1"),
		decoded("github", "d-2", old, "2"),
		decoded("github", "d-3", schemas.Event{Entity: pr7, Ignored: "event push is not folded"}, "3"),
		decoded("github", "d-4", foreign, "4"),
		broken,
	}
	held := projector.NewHeld()
	var got []schemas.Verdict
	for _, record := range records {
		got = append(got, held.Fold(record).Verdict)
	}
	want := []schemas.Verdict{"applied", "duplicate", "unchanged", "stale", "ignored", "dead", "dead"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("verdicts (-got +want):\n%s", diff)
	}
}

func TestHeld_ReusedDeliveryIDIsFoldedAndFlagged(t *testing.T) {
	t.Parallel()
	held := projector.NewHeld()
	held.Fold(decoded("github", "d-1", snap("opened", 10, state("open")), "1"))
	got := held.Fold(decoded("github", "d-1", snap("closed", 20, state("closed")), "2"))
	if got.Verdict != schemas.Applied || !got.IDReused || !strings.Contains(got.Reason, "used before") {
		t.Errorf("got %s, reused %t, reason %q", got.Verdict, got.IDReused, got.Reason)
	}
}

func TestHeld_DeadLetterAppendedAgainIsFolded(t *testing.T) {
	t.Parallel()
	held := projector.NewHeld()
	broken := decoded("github", "d-1", schemas.Event{}, "1")
	broken.Err = errors.New("body: not JSON")
	held.Fold(broken)
	if got := held.Fold(decoded("github", "d-1", snap("opened", 10, state("open")), "1")); got.Verdict != schemas.Applied {
		t.Errorf("got %s (%s), want applied", got.Verdict, got.Reason)
	}
}

func TestHeld_ListsWhatChanged(t *testing.T) {
	t.Parallel()
	held := projector.NewHeld()
	held.Fold(decoded("github", "d-1", snap("opened", 10, state("open")), "1"))
	held.Fold(decoded("github", "d-2", comment("created", 1, "a"), "2"))
	held.Fold(decoded("github", "d-3", snap("edited", 5, state("open")), "3"))
	if rows := held.ChangedPullRequests(); len(rows) != 1 || rows[0].Version != 2 || rows[0].Comments != 1 {
		t.Errorf("changed pull requests %v", rows)
	}
	if rows := held.ChangedComments(); len(rows) != 1 || !rows[0].Announced {
		t.Errorf("changed comments %v", rows)
	}
}
