package projector

import (
	"cmp"
	"time"

	"pawl/schemas"
)

// FoldIssueComment returns the row of a comment of an issue tracker after one event,
// with the transition that it makes. It is folded as a comment of a pull request is:
// by its own clock, and a removal is final (a removal keeps the old time of the text
// at Linear, so no time could order what comes after it). It waits for nothing:
// there is no pull request above it.
//
// A delivery that says what the text's time was before it shows whether one between
// the two is missing. The row is whole all the same, and asks for a read until the
// missing one comes.
func FoldIssueComment(held *schemas.Comment, event schemas.Event) (*schemas.Comment, Outcome) {
	at, future := providerTime(event.Comment.UpdatedAt, event.ReceivedAt)
	if held == nil {
		row := newComment(event, at)
		row.Announced = true
		noteGap(nil, &row, event, at)
		outcome := Outcome{Verdict: schemas.Applied, FutureTime: future, Reason: "seen first when it was deleted"}
		if row.State == schemas.CommentLive {
			outcome.Reason = ""
			outcome.Transitions = []schemas.Transition{createdTransition(row, event)}
		}
		return &row, outcome
	}
	next, verdict, reason := nextComment(*held, event, at)
	if !event.Comment.UpdatedAt.Known || !at.Before(held.ProviderUpdatedAt) {
		next.Parent = cmp.Or(event.Comment.Parent, next.Parent)
		next.Issue = cmp.Or(event.Comment.Issue, next.Issue)
	} else {
		next.Issue = cmp.Or(next.Issue, event.Comment.Issue)
	}
	noteGap(held, &next, event, at)
	outcome := Outcome{Verdict: verdict, Reason: reason, FutureTime: future}
	if next == *held {
		return held, outcome
	}
	next.Version++
	outcome.Transitions = commentTransitions(*held, next, event)
	return &next, outcome
}

// noteGap compares what a delivery says was before it with what was held.
func noteGap(held, next *schemas.Comment, event schemas.Event, at time.Time) {
	previous := timeOf(event.Comment.PreviousAt, event)
	var known time.Time
	if held != nil {
		known = held.ProviderUpdatedAt
	}
	switch {
	case at.IsZero():
	case at.Equal(next.MissedAt):
		next.MissedAt, next.NeedsRead = time.Time{}, false
	case !previous.IsZero() && at.After(known) && !previous.Equal(known):
		next.MissedAt, next.NeedsRead = previous, true
	}
}

// isOfTracker reports whether an event is of a comment that no pull request is above.
func isOfTracker(event schemas.Event) bool {
	return event.Comment != nil && event.Comment.Kind == schemas.CommentIssue
}

// foldIssueComment folds a delivery of a comment of an issue tracker.
func (h *Held) foldIssueComment(event schemas.Event) Outcome {
	held := h.IssueComments[event.Comment.Key]
	after, outcome := FoldIssueComment(held, event)
	if after != held {
		h.IssueComments[event.Comment.Key] = after
		h.changed.comments[event.Comment.Key] = *after
	}
	return outcome
}
