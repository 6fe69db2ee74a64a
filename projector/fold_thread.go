package projector

import (
	"slices"
	"time"

	"pawl/schemas"
)

// foldThread folds what a payload says of a review thread.
func foldThread(f *folding) Outcome {
	said := f.event.Thread
	at, future := providerTime(said.UpdatedAt, f.event.ReceivedAt)
	row := f.thread(said.ID)
	outcome := Outcome{Verdict: schemas.Unchanged, Reason: "the thread says the same already", FutureTime: future}
	switch {
	case row.Stated && !at.IsZero() && at.Before(row.ProviderUpdatedAt):
		outcome.Verdict, outcome.Reason = schemas.Stale, "the thread was resolved or opened again since"
		return outcome
	case row.Stated && row.Resolved == said.Resolved && (at.IsZero() || at.Equal(row.ProviderUpdatedAt)):
		return outcome
	}
	if !row.Stated || !at.IsZero() {
		row.ProviderUpdatedAt = at // and no longer the time of its first comment
	}
	row.Resolved, row.Stated = said.Resolved, true
	f.saveThread(row)
	outcome.Verdict, outcome.Reason = schemas.Applied, ""
	return outcome
}

// noteThread notes that a comment of a thread lives or was removed. The first one
// opens the thread: nothing else announces it.
func (f *folding) noteThread(comment schemas.Comment) {
	if comment.Thread == "" {
		return
	}
	row := f.thread(comment.Thread)
	key := string(comment.EntityKey)
	place, has := slices.BinarySearch(row.Live, key)
	lives := comment.State == schemas.CommentLive
	opens := !row.Stated && earlier(comment.CreatedAt, row.ProviderUpdatedAt)
	if row.Commented && has == lives && !opens {
		return
	}
	row.Commented = true
	switch {
	case lives && !has:
		row.Live = slices.Insert(slices.Clone(row.Live), place, key)
	case !lives && has:
		row.Live = slices.Delete(slices.Clone(row.Live), place, place+1)
	}
	if opens {
		row.ProviderUpdatedAt = comment.CreatedAt
	}
	f.saveThread(row)
}

func earlier(a, b time.Time) bool { return !a.IsZero() && (b.IsZero() || a.Before(b)) }

func (f *folding) thread(id string) schemas.Thread {
	if row, ok := f.state.Threads[id]; ok {
		return row
	}
	return schemas.Thread{PullRequest: f.event.Entity, ID: id, Live: []string{}}
}

func (f *folding) saveThread(row schemas.Thread) {
	row.Version++
	f.state.Threads = with(f.state.Threads, row.ID, row)
}

// countUnresolved counts the threads that wait for an answer. One whose comments
// are all removed is gone, and a snapshot that said that all are resolved speaks
// for the threads until its time. Where the newest says that one is not, there is
// one, though no delivery told of it.
func countUnresolved(row *schemas.PullRequest, threads map[string]schemas.Thread) int64 {
	var count int64
	for _, thread := range threads {
		gone := thread.Commented && len(thread.Live) == 0
		covered := !row.Arrival.ThreadsResolvedAt.IsZero() && !thread.ProviderUpdatedAt.After(row.Arrival.ThreadsResolvedAt)
		if !thread.Resolved && !gone && !covered {
			count++
		}
	}
	if count == 0 && row.Arrival.ThreadsOpen {
		return 1
	}
	return count
}
