package life_test

import (
	"bytes"
	"testing"

	"pawl/internal/life"
	"pawl/schemas"
)

// The traps of what stands around a pull request: checks, reviews, comments.

// The checks of a merge group hang on the commit that the queue made.
func TestTrap14_ChecksOfAMergeGroup(t *testing.T) {
	t.Parallel()
	l := lived(t, "queue")
	group := choices(2, 0, 1, 1) // not the head, but what comes after it: the group; a status
	do(t, l, group, "check")
	do(t, l, choices(2, 0, 1, 1, 1), "check")
	for _, order := range permutations(0, 4) {
		w := fold(t, l, inOrder(l, order...))
		if row := w.Row(); row.ChecksState != schemas.ChecksNone {
			t.Errorf("order %v: checks of the head %s, want none", order, row.ChecksState)
		}
		var failed int
		for _, commit := range w.Rows().Commits {
			if commit.MergeGroup != "" && commit.State == schemas.ChecksFailure {
				failed++
			}
		}
		if failed != 1 {
			t.Errorf("order %v: commits %+v, want the group's to be failed", order, w.Rows().Commits)
		}
	}
}

// A check of a fork's head names no pull request.
func TestTrap15_ChecksOfAFork(t *testing.T) {
	t.Parallel()
	l := life.GitHub(choices(3, 0)) // a fork
	do(t, l, choices(2, 3, 0), "check")
	arrivals := inOrder(l, 0, 1)
	if !bytes.Contains(arrivals[1].Body, []byte(`"pull_requests":[]`)) {
		t.Fatalf("the check names a pull request: %s", arrivals[1].Body)
	}
	for _, order := range permutations(0, 1) {
		if row := fold(t, l, inOrder(l, order...)).Row(); row.ChecksState != schemas.ChecksPending {
			t.Errorf("order %v: checks %s, want pending", order, row.ChecksState)
		}
	}
}

// is of no account.
func TestTrap16_RerunCounts(t *testing.T) {
	t.Parallel()
	l := life.GitHub(high)
	build := func(conclusion int) life.Pick { return choices(2, 3, 0, 0, conclusion) }
	for _, conclusion := range []int{0, 1, 0, 0} { // created, failure, created, success
		do(t, l, build(conclusion), "check")
	}
	for _, order := range permutations(0, 4) {
		row := fold(t, l, inOrder(l, order...)).Row()
		if row.ChecksState != schemas.ChecksSuccess || len(row.Checks) != 1 {
			t.Errorf("order %v: checks %s of %d, want success of one", order, row.ChecksState, len(row.Checks))
		}
	}
}

// clock alone tells. It completes nothing.
func TestTrap17_SuiteCompletesNothing(t *testing.T) {
	t.Parallel()
	l := life.GitHub(high)
	do(t, l, high, "suite")
	do(t, l, choices(2, 0), "suite")
	do(t, l, choices(2, 1, 1), "suite")
	for _, order := range permutations(0, 3) {
		w := fold(t, l, inOrder(l, order...))
		if row := w.Row(); row.ChecksState != schemas.ChecksNone {
			t.Errorf("order %v: checks %s, want none", order, row.ChecksState)
		}
		for _, checks := range w.Rows().Checks {
			for id, suite := range checks {
				if suite.Conclusion != "failure" {
					t.Errorf("order %v: %s ended in %s, want the last: failure", order, id.Kind, suite.Conclusion)
				}
			}
		}
	}
}

// A context has many states on one commit, under whatever case; the newest counts.
func TestTrap18_NewestStateOfAContext(t *testing.T) {
	t.Parallel()
	l := life.GitHub(high)
	for range 2 {
		do(t, l, choices(2, 3, 1, 0), "check")    // pending, in lower case
		do(t, l, choices(2, 3, 1, 0, 1), "check") // success, in upper case
	}
	for _, order := range permutations(0, 4) {
		row := fold(t, l, inOrder(l, order...)).Row()
		if row.ChecksState != schemas.ChecksSuccess || len(row.Checks) != 1 {
			t.Errorf("order %v: checks %s of %d, want success of one", order, row.ChecksState, len(row.Checks))
		}
	}
}

// bring it back, nor does an edit; the person's next one counts.
func TestTrap19_DismissedReview(t *testing.T) {
	t.Parallel()
	l := life.GitHub(high)
	do(t, l, choices(2, 0, 0), "review") // ann approves
	do(t, l, high, "edit review", "dismiss")
	for _, order := range permutations(0, 3) {
		if row := fold(t, l, inOrder(l, order...)).Row(); row.Approvals != 0 {
			t.Errorf("order %v: approvals %d, want 0", order, row.Approvals)
		}
	}
	do(t, l, choices(2, 0, 1), "review") // ann requests changes
	do(t, l, choices(2, 0, 0), "review") // and approves
	for _, order := range permutations(0, 5) {
		if row := fold(t, l, inOrder(l, order...)).Row(); row.Approvals != 1 || row.ChangesRequested != 0 {
			t.Errorf("order %v: approvals %d, changes requested %d, want 1 and 0", order, row.Approvals, row.ChangesRequested)
		}
	}
}

// A deleted comment keeps its time, and nothing that comes later brings it back.
func TestTrap20_DeletedCommentStaysDeleted(t *testing.T) {
	t.Parallel()
	l := lived(t, "comment", "edit comment", "remove comment")
	for _, order := range permutations(0, 3) {
		w := fold(t, l, inOrder(l, order...))
		for key, comment := range w.Rows().Comments {
			if comment.State != schemas.CommentRemoved {
				t.Errorf("order %v: %s is %s", order, key, comment.State)
			}
		}
		created, removed := count(w, schemas.KindCommentCreated), count(w, schemas.KindCommentRemoved)
		if w.Row().Comments != 0 || created != removed || created > 1 {
			t.Errorf("order %v: %d comments, created %d times and removed %d times", order, w.Row().Comments, created, removed)
		}
	}
}

// A result can come before the head it is of. It is kept, and counts from then on.
func TestTrap29_CheckBeforeItsHead(t *testing.T) {
	t.Parallel()
	l := lived(t, "push")
	do(t, l, choices(2, 3, 1), "check")
	do(t, l, choices(2, 3, 1, 0), "check")
	w := fold(t, l, inOrder(l, 3, 0, 2, 1))
	if got, want := w.Folded[1].After.ChecksState, schemas.ChecksNone; got != want {
		t.Errorf("checks before the push %s, want %s", got, want)
	}
	if got, want := kinds(w), "opened head_changed checks_changed"; got != want || w.Row().ChecksState != schemas.ChecksSuccess {
		t.Errorf("transitions %s and checks %s, want %s and success", got, w.Row().ChecksState, want)
	}
}
