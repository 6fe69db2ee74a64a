package life_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pawl/internal/life"
	"pawl/schemas"
)

// The traps of payloads, as far as only the fold can show that they are met. They
// have the numbers that the tests of the providers have.

// high chooses the last of each: no draft, no fork, and three seconds a step.
func high(n int) int { return n - 1 }

// choices are made in their order, and high ones after that.
func choices(made ...int) life.Pick {
	return func(n int) int {
		if len(made) == 0 {
			return n - 1
		}
		next := made[0]
		made = made[1:]
		return next % n
	}
}

// lived returns a life at GitHub of the steps, each of them with high choices.
func lived(t *testing.T, steps ...string) *life.Life {
	t.Helper()
	l := life.GitHub(high)
	do(t, l, high, steps...)
	return l
}

func do(t *testing.T, l *life.Life, pick life.Pick, steps ...string) {
	t.Helper()
	for _, step := range steps {
		if !l.Do(step, pick) {
			t.Fatalf("%s could not be done", step)
		}
	}
}

// inOrder returns the deliveries of a life as they arrive, by their places.
func inOrder(l *life.Life, places ...int) []life.Arrival {
	written := arrive(l.Deliveries())
	arrivals := make([]life.Arrival, len(places))
	for i, place := range places {
		arrivals[i] = written[place]
	}
	return arrivals
}

// permutations returns all orders of the places from first to last.
func permutations(first, last int) [][]int {
	if first > last {
		return [][]int{{}}
	}
	var made [][]int
	for _, shorter := range permutations(first, last-1) {
		for at := range len(shorter) + 1 {
			made = append(made, slices.Insert(slices.Clone(shorter), at, last))
		}
	}
	return made
}

func verdicts(w *life.World) string {
	var list []string
	for _, step := range w.Folded {
		list = append(list, string(step.Verdict))
	}
	return strings.Join(list, " ")
}

func kinds(w *life.World) string {
	var list []string
	for _, step := range w.Folded {
		for _, transition := range step.Transitions {
			list = append(list, string(transition.Kind))
		}
	}
	return strings.Join(list, " ")
}

func count(w *life.World, kind schemas.Kind) int {
	return strings.Count(" "+kinds(w)+" ", " "+string(kind)+" ")
}

// edited returns an arrival with text in its body put in place of other text.
func edited(t *testing.T, arrival life.Arrival, old, replacement string) life.Arrival {
	t.Helper()
	body := bytes.ReplaceAll(arrival.Body, []byte(old), []byte(replacement))
	if bytes.Equal(body, arrival.Body) {
		t.Fatalf("%s does not hold %s", arrival.Name, old)
	}
	arrival.Body = body
	return arrival
}

// Two hooks send one event under one GUID, and their payloads differ.
func TestTrap01_OneGUIDFromTwoHooks(t *testing.T) {
	t.Parallel()
	l := lived(t, "label")
	arrivals := inOrder(l, 0, 1)
	for _, place := range []int{0, 1} {
		second := edited(t, arrivals[place], `"action"`, `"installation":{"id":5},"action"`)
		second.Source = other
		arrivals = append(arrivals, second)
	}
	w := fold(t, l, arrivals)
	if got, want := verdicts(w), "applied applied stale unchanged"; got != want {
		t.Errorf("verdicts %s, want %s", got, want)
	}
	if got, want := kinds(w), "opened labels_changed"; got != want {
		t.Errorf("transitions %s, want %s", got, want)
	}
}

// A redelivery brings the old snapshot days later, when nobody remembers its GUID.
func TestTrap02_RedeliveryOfAnOldSnapshot(t *testing.T) {
	t.Parallel()
	l := lived(t, "retitle", "merge")
	w := fold(t, l, inOrder(l, 0, 1, 2))
	before := *w.Row()
	clear(w.Held.Seen)
	if err := w.Take(inOrder(l, 0, 1)...); err != nil {
		t.Fatal(err)
	}
	if got, want := verdicts(w), "applied applied applied stale stale"; got != want {
		t.Errorf("verdicts %s, want %s", got, want)
	}
	if after := w.Row(); after.State != schemas.Merged || after.Title != before.Title || after.Version != before.Version {
		t.Errorf("row %s %q version %d, want it as before", after.State, after.Title, after.Version)
	}
}

// What is newer than a late close, but no snapshot, does not make it stale.
func TestTrap03_OnlySnapshotsMoveTheWatermark(t *testing.T) {
	t.Parallel()
	l := lived(t, "close", "comment", "review", "thread", "check", "suite")
	w := fold(t, l, inOrder(l, 0, 2, 3, 4, 5, 6, 1))
	if row := w.Row(); row.State != schemas.Closed || !row.ProviderUpdatedAt.Equal(row.ClosedAt) {
		t.Errorf("state %s at %s, want closed at %s; verdicts %s", row.State, row.ProviderUpdatedAt, row.ClosedAt, verdicts(w))
	}
}

// The repository was deleted and made again: its #7 is another one.
func TestTrap06_RecreatedRepositoryBeginsAnew(t *testing.T) {
	t.Parallel()
	l := lived(t, "merge")
	arrivals := inOrder(l, 0, 1)
	anew := edited(t, arrivals[0], `"id":101`, `"id":909`)
	anew.Delivery = anew.WithID("anew")
	w := fold(t, l, append(arrivals, anew))
	if row := w.Held.States[schemas.PullRequestKey("github.com", "909", life.Number)].PullRequest; row == nil || row.State != schemas.Open {
		t.Errorf("the new one is %+v, want it open", row)
	}
	if w.Row().State != schemas.Merged {
		t.Errorf("the old one is %s, want it merged", w.Row().State)
	}
}

// A retarget keeps the head, and the results on it are of the old base. Those that
// come after it count.
func TestTrap10_RetargetBeginsTheChecksAnew(t *testing.T) {
	t.Parallel()
	l := life.GitHub(high)
	do(t, l, choices(2, 3, 1), "check") // a status: pending
	do(t, l, choices(2, 3, 1, 0), "check")
	do(t, l, high, "retarget")
	for _, order := range permutations(0, 3) {
		if row := fold(t, l, inOrder(l, order...)).Row(); row.ChecksState != schemas.ChecksNone || row.BaseRef == "main" {
			t.Errorf("order %v: checks %s on %s, want none on another base", order, row.ChecksState, row.BaseRef)
		}
	}
	do(t, l, choices(2, 3, 1), "check")
	do(t, l, choices(2, 3, 1, 0), "check")
	for _, order := range permutations(0, 5) {
		if row := fold(t, l, inOrder(l, order...)).Row(); row.ChecksState != schemas.ChecksSuccess {
			t.Errorf("order %v: checks %s, want success", order, row.ChecksState)
		}
	}
}

// It is opened again with commits that were pushed meanwhile, without a synchronize.
func TestTrap12_ReopenedWithAnotherHead(t *testing.T) {
	t.Parallel()
	l := lived(t, "close", "push", "close")
	w := fold(t, l, inOrder(l, 0, 1, 2))
	if got, want := kinds(w), "opened closed reopened head_changed"; got != want {
		t.Errorf("transitions %s, want %s", got, want)
	}
	if got, want := w.Row().HeadSHA, l.Truth().HeadSHA; got != want || got == w.Folded[1].After.HeadSHA {
		t.Errorf("head %s, want %s, which is not the head at the close", got, want)
	}
	do(t, l, choices(2, 3, 1), "check")
	if row := fold(t, l, inOrder(l, 3, 2, 1, 0)).Row(); row.ChecksState != schemas.ChecksPending {
		t.Errorf("checks %s, want those of the new head: pending", row.ChecksState)
	}
}

// A merge through the queue is told by three deliveries, in any order. To leave the
// queue by it is no failure.
func TestTrap13_MergeThroughTheQueue(t *testing.T) {
	t.Parallel()
	l := lived(t, "queue", "merge") // opened, enqueued, group requested; closed, dequeued, group destroyed
	for _, order := range permutations(0, 5) {
		w := fold(t, l, inOrder(l, order...))
		row := w.Row()
		if row.State != schemas.Merged || row.Queued || row.DequeuedReason != "MERGE" || count(w, schemas.KindMerged) != 1 {
			t.Errorf("order %v: %s, queued %t, reason %s, transitions %s", order, row.State, row.Queued, row.DequeuedReason, kinds(w))
		}
		for key, commit := range w.Rows().Commits {
			if commit.MergeGroup != schemas.MergeGroupDestroyed || commit.MergeGroupReason != "merged" {
				t.Errorf("order %v: group %s is %s, %s", order, key, commit.MergeGroup, commit.MergeGroupReason)
			}
		}
	}
}

// A check that is run again is a new one under the name: the old one's end, late,
// A suite that is requested again has the same id and is called completed: its
// A dismissal keeps the review's id and time. The review itself, late, does not
// A NUL and bytes that are no UTF-8 neither stop the log nor reach a table.
func TestTrap24_TextThatPostgreSQLRefuses(t *testing.T) {
	t.Parallel()
	l := lived(t, "retitle", "comment")
	arrivals := inOrder(l, 0, 1, 2)
	arrivals[1] = edited(t, arrivals[1], `"title 1"`, `"ti\u0000tle \ud800"`)
	arrivals[2] = edited(t, arrivals[2], `"body":"comment`, "\"body\":\"\xff\\u0000comment")
	w := fold(t, l, arrivals)
	if got, want := verdicts(w), "applied applied applied"; got != want {
		t.Errorf("verdicts %s, want %s", got, want)
	}
	texts := []string{w.Row().Title}
	for _, comment := range w.Rows().Comments {
		texts = append(texts, comment.Body)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") || !strings.Contains(text, "\uFFFD") {
			t.Errorf("text %q, want valid UTF-8 without a NUL", text)
		}
	}
}

// A label and the close of the same second: neither order loses one.
func TestTrap27_TwoChangesOfOneSecond(t *testing.T) {
	t.Parallel()
	l := lived(t, "label", "close")
	arrivals := inOrder(l, 0, 1, 2)
	arrivals[2] = edited(t, arrivals[2], "2026-01-01T00:00:06Z", "2026-01-01T00:00:03Z")
	for _, order := range permutations(0, 2) {
		sent := []life.Arrival{arrivals[order[0]], arrivals[order[1]], arrivals[order[2]]}
		w := fold(t, l, append(sent, sent...))
		if row := w.Row(); row.State != schemas.Closed || !slices.Equal(row.Labels, []string{"wip"}) {
			t.Errorf("order %v: %s with %v, want closed with wip", order, row.State, row.Labels)
		}
	}
}

// To want a merge is no merge, and it ends as any other.
func TestTrap28_AutoMergeIsAWish(t *testing.T) {
	t.Parallel()
	l := lived(t, "auto merge", "merge")
	w := fold(t, l, inOrder(l, 0, 1, 2))
	if wish := w.Folded[1]; wish.After.State != schemas.Open || !wish.After.AutoMerge || len(wish.Transitions) != 0 {
		t.Errorf("after the wish: %s, auto merge %t, transitions %d", wish.After.State, wish.After.AutoMerge, len(wish.Transitions))
	}
	if got, want := kinds(w), "opened merged"; got != want {
		t.Errorf("transitions %s, want %s", got, want)
	}
}

// A request is locked while it is merged, and what shows that may come last. It was
// not closed in between.
func TestTrap31_LockedIsNotClosed(t *testing.T) {
	t.Parallel()
	l := life.GitLab(high)
	do(t, l, choices(2, 0), "merge")
	if locked := l.Deliveries()[1]; !bytes.Contains(locked.Body, []byte(`"state":"locked"`)) {
		t.Fatalf("no delivery shows the lock: %s", locked.Body)
	}
	for _, order := range permutations(0, 2) {
		w := fold(t, l, inOrder(l, order...))
		if w.Row().State != schemas.Merged || count(w, schemas.KindMerged) != 1 || count(w, schemas.KindClosed) != 0 || count(w, schemas.KindReopened) != 0 {
			t.Errorf("order %v: %s, transitions %s", order, w.Row().State, kinds(w))
		}
	}
}

// Our own merge comes back twice: as the read after it, which has no action, and as
// a webhook. Whichever comes first is the merge.
func TestTrap33_OwnMergeIsOneTransition(t *testing.T) {
	t.Parallel()
	l := lived(t, "merge")
	arrivals := inOrder(l, 0, 1)
	read := edited(t, arrivals[1], `"action":"closed",`, ``)
	read.Delivery = read.WithID("read")
	for _, order := range [][]life.Arrival{
		{arrivals[0], read, arrivals[1]}, {arrivals[0], arrivals[1], read}, {read, arrivals[1], arrivals[0]},
	} {
		w := fold(t, l, order)
		if count(w, schemas.KindMerged) != 1 || w.Row().State != schemas.Merged || w.Row().NeedsRead {
			t.Errorf("after %q: %s, transitions %s, needs read %t", names(order), w.Row().State, kinds(w), w.Row().NeedsRead)
		}
	}
}

// One clock that is years ahead does not freeze the row.
func TestTrap37_ClockOfTheFuture(t *testing.T) {
	t.Parallel()
	l := lived(t, "retitle", "close")
	arrivals := inOrder(l, 0, 1, 2)
	arrivals[1] = edited(t, arrivals[1], `"updated_at":"2026-01-01T00:00:03Z"`, `"updated_at":"2031-01-01T00:00:03Z"`)
	w := fold(t, l, arrivals)
	if !w.Folded[1].FutureTime {
		t.Errorf("%s: the time ahead is not reported", w.Folded[1].Arrival.Name)
	}
	row := w.Row()
	if want := time.Date(2026, 1, 1, 0, 0, 6, 0, time.UTC); row.State != schemas.Closed || !row.ProviderUpdatedAt.Equal(want) {
		t.Errorf("%s at %s, want closed at %s", row.State, row.ProviderUpdatedAt, want)
	}
}
