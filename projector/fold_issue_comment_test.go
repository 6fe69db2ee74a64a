package projector_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/projector"
	"pawl/schemas"
)

// said is a comment of a tracker as a delivery shows it, by the milliseconds of its
// clock. Before is what the delivery says the clock was; -1 for nothing.
func said(change schemas.CommentChange, body string, at, before int) schemas.Event {
	made := schemas.CommentSnapshot{
		Key: "linear.app:comment/c1", Kind: schemas.CommentIssue, Change: change, Parent: "linear.app:issue/i1", Issue: "ENG-123",
		Author: schemas.Actor{Login: "Ada"}, Body: schemas.Say(body), CreatedAt: milli(0), UpdatedAt: milli(at),
	}
	if before >= 0 {
		made.PreviousAt = milli(before)
	}
	if change == schemas.CommentDeleted {
		made.RemovedAt = milli(at + 500)
	}
	return schemas.Event{Source: "linear", DeliveryID: schemas.DeliveryID(body), Comment: &made}
}

func foldSaid(events ...schemas.Event) (row *schemas.Comment, kinds []schemas.Kind, verdicts []schemas.Verdict) {
	for _, event := range events {
		var outcome projector.Outcome
		row, outcome = projector.FoldIssueComment(row, event)
		verdicts = append(verdicts, outcome.Verdict)
		for _, transition := range outcome.Transitions {
			kinds = append(kinds, transition.Kind)
		}
	}
	return row, kinds, verdicts
}

// TestI5_IssueCommentEndsTheSameInEveryOrder: creation, two edits and the removal,
// in all orders: the row is removed, and says what was written last.
func TestI5_IssueCommentEndsTheSameInEveryOrder(t *testing.T) {
	t.Parallel()
	all := []schemas.Event{
		said(schemas.CommentCreated, "one", 1, -1), said(schemas.CommentEdited, "two", 2, 1),
		said(schemas.CommentEdited, "three", 3, 2), said(schemas.CommentDeleted, "three", 3, -1),
	}
	for _, order := range permutations(len(all)) {
		var events []schemas.Event
		for _, place := range order {
			events = append(events, all[place], all[place])
		}
		row, kinds, _ := foldSaid(events...)
		if row.State != schemas.CommentRemoved || row.Body != "three" || row.Author != "Ada" || row.Issue != "ENG-123" {
			t.Errorf("order %v ends as %s %q by %q in %q", order, row.State, row.Body, row.Author, row.Issue)
		}
		at := slices.Index(kinds, schemas.KindCommentRemoved)
		if at >= 0 && at != len(kinds)-1 || len(kinds) == 1 && at == 0 {
			t.Errorf("order %v yields %v", order, kinds)
		}
	}
}

// TestIssueComment_Transitions in the order in which they were made.
func TestIssueComment_Transitions(t *testing.T) {
	t.Parallel()
	_, kinds, verdicts := foldSaid(
		said(schemas.CommentCreated, "one", 1, -1), said(schemas.CommentEdited, "two", 2, 1),
		said(schemas.CommentEdited, "two", 3, 2), said(schemas.CommentDeleted, "two", 3, -1), said(schemas.CommentEdited, "back", 9, 3))
	want := []schemas.Kind{schemas.KindCommentCreated, schemas.KindCommentEdited, schemas.KindCommentRemoved}
	if diff := cmp.Diff(kinds, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	ended := []schemas.Verdict{schemas.Applied, schemas.Applied, schemas.Applied, schemas.Applied, schemas.Stale}
	if diff := cmp.Diff(verdicts, ended); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

// TestIssueComment_AGapIsMarkedUntilItCloses: what a delivery says was before it,
// and was never seen, is missing; the text is whole all the same.
func TestIssueComment_AGapIsMarkedUntilItCloses(t *testing.T) {
	t.Parallel()
	created, missed, later := said(schemas.CommentCreated, "one", 1, -1), said(schemas.CommentEdited, "two", 2, 1), said(schemas.CommentEdited, "three", 3, 2)
	for _, test := range []struct {
		name      string
		events    []schemas.Event
		needsRead bool
	}{
		{"nothing is missing", []schemas.Event{created, missed, later}, false},
		{"an edit is missing", []schemas.Event{created, later}, true},
		{"the missing one comes", []schemas.Event{created, later, missed}, false},
		{"the creation is missing", []schemas.Event{missed}, true},
		{"the creation comes", []schemas.Event{missed, created}, false},
		{"what came before is told again", []schemas.Event{created, later, created}, true},
	} {
		row, _, _ := foldSaid(test.events...)
		want := test.events[0].Comment.Body.Value
		for _, event := range test.events {
			if event.Comment.UpdatedAt.Value.Equal(row.ProviderUpdatedAt) {
				want = event.Comment.Body.Value
			}
		}
		if row.NeedsRead != test.needsRead || row.MissedAt.IsZero() == test.needsRead || row.Body != want {
			t.Errorf("%s: needs a read: %t, missed at %s, body %q, want %q", test.name, row.NeedsRead, row.MissedAt, row.Body, want)
		}
	}
}

// TestIssueComment_TravelsUnderItsOwnKey: it stands under no pull request.
func TestIssueComment_TravelsUnderItsOwnKey(t *testing.T) {
	t.Parallel()
	_, outcome := projector.FoldIssueComment(nil, said(schemas.CommentCreated, "one", 1, -1))
	if got := outcome.Transitions[0].PartitionKey(); got != "linear.app:comment/c1" {
		t.Errorf("key %s", got)
	}
}

// permutations returns all orders of n places.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, shorter := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}
