package projector

import (
	"maps"

	"pawl/schemas"
)

// State is all that is folded under one partition key: a pull request and the
// comments that stand under it. It is a value: Fold returns a new one and
// changes nothing in the one it was given.
type State struct {
	PullRequest *schemas.PullRequest
	Comments    map[schemas.EntityKey]schemas.Comment
}

// Outcome is what folding one event came to.
type Outcome struct {
	Verdict schemas.Verdict
	// Reason says why, in words a person reads in pawl explain.
	Reason      string
	Transitions []schemas.Transition
	// FutureTime: the payload's provider time lay more than a day ahead and
	// was taken as unknown (I7).
	FutureTime bool
}

// Fold returns the state after one event, with its verdict and transitions
// (I3). It is a function of its arguments: live folding, rebuild, pawl test and
// pawl simulate all call it.
func Fold(held State, event schemas.Event) (State, Outcome) {
	switch {
	case event.PullRequest != nil:
		return foldPullRequest(held, event)
	case event.Comment != nil:
		return foldComment(held, event)
	}
	return held, Outcome{Verdict: schemas.Ignored, Reason: event.Ignored}
}

// withPullRequest returns the state with another pull request.
func (s State) withPullRequest(pr *schemas.PullRequest) State {
	return State{PullRequest: pr, Comments: s.Comments}
}

// withComment returns the state with one comment replaced.
func (s State) withComment(comment schemas.Comment) State {
	comments := maps.Clone(s.Comments)
	if comments == nil {
		comments = make(map[schemas.EntityKey]schemas.Comment, 1)
	}
	comments[comment.EntityKey] = comment
	return State{PullRequest: s.PullRequest, Comments: comments}
}

// causeOf names the delivery that an event came by.
func causeOf(event schemas.Event) schemas.Cause {
	return schemas.Cause{
		Source:      event.Source,
		DeliveryID:  event.DeliveryID,
		Provider:    event.Provider,
		Event:       event.Name,
		Action:      event.Action,
		Sender:      event.Sender,
		ReceivedAt:  event.ReceivedAt,
		TraceParent: event.TraceParent,
	}
}
