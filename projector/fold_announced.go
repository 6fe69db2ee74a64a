package projector

import (
	"slices"
	"time"

	"pawl/schemas"
)

// What a delivery announces beside its snapshot has a clock of its own: that the
// base moved, and that the pull request entered or left the merge queue. No later
// snapshot repeats it, so it is taken from stale deliveries too, the newest of
// each kind. Likewise the author, where no snapshot that was folded named one: it
// never changes; and that all threads were resolved at a time. No other column of
// the snapshot is touched.

// announcedMarks is what follows from all that deliveries announced.
type announcedMarks struct {
	retarget schemas.Retarget
	queued   bool
	queueAt  time.Time
}

func announced(a schemas.Arrival) announcedMarks {
	return announcedMarks{retargeted(a), isQueued(a), a.QueueAt}
}

// announce takes over what the delivery announces. The row has its base by now.
func announce(next, row *schemas.PullRequest, event schemas.Event, at time.Time) {
	announceRetarget(next, row, event, at)
	announceQueue(next, event.PullRequest, at)
	if author := event.PullRequest.Author; author.Known && !next.Arrival.AuthorStated {
		takeAuthor(next, author.Value)
	}
	announceHead(next, event.PullRequest)
	if event.PullRequest.ThreadsResolved.Value {
		next.Arrival.ThreadsResolvedAt = latest(at, next.Arrival.ThreadsResolvedAt)
	}
}

// announceHead learns where the head was pushed to from a snapshot that still
// knows its fork: the one that was folded first may be from after the fork went.
func announceHead(next *schemas.PullRequest, s *schemas.PullRequestSnapshot) {
	if next.HeadRepositoryID == "" && s.HeadRepositoryID.Value != "" && s.HeadSHA.Known && s.HeadSHA.Value == next.HeadSHA {
		next.HeadCommit = headCommitOf(s)
	}
}

// announceRetarget notes a move of the base that the delivery announces, and
// which base it shows when. A move that no delivery announced lies between the
// last sight of another base and the first of this one.
func announceRetarget(next, row *schemas.PullRequest, event schemas.Event, at time.Time) {
	snapshot, marks := event.PullRequest, &next.Arrival
	if !snapshot.BaseRef.Known {
		return
	}
	seen := schemas.Retarget{At: at, ReceivedAt: event.ReceivedAt, Base: snapshot.BaseRef.Value}
	if slices.Contains(snapshot.Edited, "base") && (isZeroRetarget(marks.BaseEdited) || later(seen, marks.BaseEdited)) {
		marks.BaseEdited = seen
	}
	switch shown := seen.Base == next.BaseRef; {
	case marks.BaseSeen.Base == "":
		marks.BaseSeen = seen
	case shown && marks.BaseSeen.Base != seen.Base: // this snapshot moved it
		marks.BaseOther = schemas.Retarget{At: row.ProviderUpdatedAt, ReceivedAt: marks.BaseSeen.ReceivedAt, Base: row.BaseRef}
		marks.BaseSeen = seen
	case shown:
		if later(marks.BaseSeen, seen) && later(seen, marks.BaseOther) {
			marks.BaseSeen = seen
		}
	case later(seen, marks.BaseOther): // a late sight of another base
		marks.BaseOther = seen
		if later(seen, marks.BaseSeen) {
			marks.BaseSeen = schemas.Retarget{At: next.ProviderUpdatedAt, ReceivedAt: event.ReceivedAt, Base: next.BaseRef}
		}
	}
}

// retargeted returns the newest move of the base: the one that was announced, or
// the first sight of the base where no delivery explains it. Results from before
// may be of another base.
func retargeted(a schemas.Arrival) schemas.Retarget {
	if isZeroRetarget(a.BaseOther) {
		return a.BaseEdited
	}
	explained := a.BaseEdited.Base == a.BaseSeen.Base && later(a.BaseEdited, a.BaseOther)
	if explained || later(a.BaseEdited, a.BaseSeen) {
		return a.BaseEdited
	}
	return a.BaseSeen
}

func isZeroRetarget(r schemas.Retarget) bool { return r.At.IsZero() && r.ReceivedAt.IsZero() }

// later compares two moves by the provider's clock where both have it.
func later(a, b schemas.Retarget) bool {
	if !a.At.IsZero() && !b.At.IsZero() {
		return a.At.After(b.At)
	}
	return a.ReceivedAt.After(b.ReceivedAt)
}

// announceQueue notes the newest entry into the merge queue, or removal from it,
// and that a pull request that closes leaves it. Within one second, leaving is
// the later.
func announceQueue(next *schemas.PullRequest, snapshot *schemas.PullRequestSnapshot, at time.Time) {
	marks := &next.Arrival
	if snapshot.Change == "closed" {
		marks.LeftQueueAt = latest(at, marks.LeftQueueAt)
	}
	change := snapshot.Queue
	if change == nil {
		return
	}
	order := compareTimes(at, marks.QueueAt)
	if order < 0 || order == 0 && change.Queued && !marks.QueueAt.IsZero() {
		return
	}
	marks.QueueAt, marks.Enqueued = at, change.Queued
	next.DequeuedReason = ""
	if !change.Queued {
		next.DequeuedReason = change.Reason
	}
}

// isQueued reports whether it entered the queue, and has not left it since.
func isQueued(a schemas.Arrival) bool {
	return a.Enqueued && (a.LeftQueueAt.IsZero() || a.QueueAt.After(a.LeftQueueAt))
}
