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
// never changes. No other column of the snapshot is touched.

// announcedMarks is the comparable part of what deliveries announced.
type announcedMarks struct {
	edited, inferred schemas.Retarget
	queueAt          time.Time
}

func announced(a schemas.Arrival) announcedMarks {
	return announcedMarks{a.BaseEdited, a.BaseInferred, a.QueueAt}
}

// announce takes over what the delivery announces.
func announce(next *schemas.PullRequest, event schemas.Event, at time.Time) {
	announceRetarget(next, event, at)
	announceQueue(next, event.PullRequest.Queue, at)
	if author := event.PullRequest.Author; author.Known && !next.Arrival.AuthorStated {
		takeAuthor(next, author.Value)
	}
	announceHead(next, event.PullRequest)
}

// announceHead learns where the head was pushed to from a snapshot that still
// knows its fork: the one that was folded first may be from after the fork went.
func announceHead(next *schemas.PullRequest, s *schemas.PullRequestSnapshot) {
	if next.HeadRepositoryID == "" && s.HeadRepositoryID.Value != "" && s.HeadSHA.Known && s.HeadSHA.Value == next.HeadSHA {
		next.HeadCommit = headCommitOf(s)
	}
}

// announceRetarget notes a move of the base. One that a snapshot showed before
// the delivery came is explained by it.
func announceRetarget(next *schemas.PullRequest, event schemas.Event, at time.Time) {
	snapshot := event.PullRequest
	if !slices.Contains(snapshot.Edited, "base") {
		return
	}
	marks := &next.Arrival
	moved := schemas.Retarget{At: at, ReceivedAt: event.ReceivedAt, Base: snapshot.BaseRef.Value}
	if !isZeroRetarget(marks.BaseInferred) && marks.BaseInferred.Base == moved.Base && !later(moved, marks.BaseInferred) {
		marks.BaseInferred = schemas.Retarget{}
	}
	if isZeroRetarget(marks.BaseEdited) || later(moved, marks.BaseEdited) {
		marks.BaseEdited = moved
	}
}

// mergeBase takes over the base. Where it moved and no delivery said so, the
// snapshot's time stands in: results that are older may be of the old base.
func mergeBase(next, row *schemas.PullRequest, event schemas.Event, at time.Time) {
	snapshot := event.PullRequest
	next.BaseRef = snapshot.BaseRef.Or(row.BaseRef)
	moved := row.BaseRef != "" && next.BaseRef != row.BaseRef
	if moved && !slices.Contains(snapshot.Edited, "base") {
		next.Arrival.BaseInferred = schemas.Retarget{At: at, ReceivedAt: event.ReceivedAt, Base: next.BaseRef}
	}
}

// retargeted returns the newest move of the base.
func retargeted(row *schemas.PullRequest) schemas.Retarget {
	if later(row.Arrival.BaseInferred, row.Arrival.BaseEdited) {
		return row.Arrival.BaseInferred
	}
	return row.Arrival.BaseEdited
}

func isZeroRetarget(r schemas.Retarget) bool { return r.At.IsZero() && r.ReceivedAt.IsZero() }

// later compares two moves by the provider's clock where both have it.
func later(a, b schemas.Retarget) bool {
	if !a.At.IsZero() && !b.At.IsZero() {
		return a.At.After(b.At)
	}
	return a.ReceivedAt.After(b.ReceivedAt)
}

// announceQueue notes the newest entry into the merge queue, or removal from it.
// Within one second, leaving is the later.
func announceQueue(next *schemas.PullRequest, change *schemas.QueueChange, at time.Time) {
	if change == nil {
		return
	}
	known := !at.IsZero() && !next.Arrival.QueueAt.IsZero()
	if known && (at.Before(next.Arrival.QueueAt) || at.Equal(next.Arrival.QueueAt) && change.Queued) {
		return
	}
	next.Queued = change.Queued
	next.DequeuedReason = ""
	if !change.Queued {
		next.DequeuedReason = change.Reason
	}
	next.Arrival.QueueAt = at
}
