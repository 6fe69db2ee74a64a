package projector

import (
	"maps"

	"pawl/schemas"
)

// State is all that is folded under the key of a pull request: the row, and what
// stands under it. It is a value: Fold returns a new one and changes nothing in
// the one it was given.
type State struct {
	PullRequest *schemas.PullRequest
	Comments    map[schemas.EntityKey]schemas.Comment
	Reviews     map[string]schemas.Review
	Threads     map[string]schemas.Thread
	// Tally holds the comments that came or went since the row's counts were
	// stated by a snapshot; see countComments.
	Tally map[schemas.EntityKey]Counted
	// Links are those of the newest snapshot that was folded in this run, with
	// their kinds; the row holds their targets.
	Links []schemas.Link
}

// CommitState is all that is folded under the key of a commit.
type CommitState struct {
	Commit *schemas.Commit
	Checks map[schemas.CheckID]schemas.Check
}

// Around is what a pull request's row follows from beside its own deliveries.
type Around struct {
	// Commit returns what hangs on a commit. Nil knows of none.
	Commit func(schemas.EntityKey) CommitState
	// Repository is the repository, nil where no delivery told of it.
	Repository *schemas.Repository
	// Links finds the issues that a text names.
	Links FindLinks
}

func (a Around) commit(key schemas.EntityKey) CommitState {
	if a.Commit == nil || key == "" {
		return CommitState{}
	}
	return a.Commit(key)
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

// Fold returns the state of a pull request after one event, with its verdict and
// transitions (I3). It is a function of its arguments: the projector and pawl test
// fold the same events into the same state.
//
// The parts of an event are folded one after another, each by its own clock.
// Then the row is derived from all of them, and compared with the row before:
// what differs are the transitions (I8).
func Fold(held State, around Around, event schemas.Event) (State, Outcome) {
	f := folding{before: held.PullRequest, state: held, around: around, event: event}
	if event.PullRequest != nil {
		f.note(foldPullRequest(&f))
	}
	if event.Review != nil {
		f.note(foldReview(&f))
	}
	if event.Comment != nil {
		f.note(foldComment(&f))
	}
	if event.Thread != nil {
		f.note(foldThread(&f))
	}
	if f.outcome.Verdict == "" {
		return held, Outcome{Verdict: schemas.Ignored, Reason: event.Ignored}
	}
	f.finish()
	return f.state, f.outcome
}

// folding is one event on its way into one state.
type folding struct {
	before  *schemas.PullRequest
	state   State
	around  Around
	event   schemas.Event
	outcome Outcome
	// comments are the transitions of comments, without the pull request.
	comments []schemas.Transition
}

// note takes the outcome of one part. An event that changed anything is applied.
func (f *folding) note(part Outcome) {
	if part.Verdict == schemas.Applied || f.outcome.Verdict == "" {
		f.outcome.Verdict = part.Verdict
	}
	f.outcome.FutureTime = f.outcome.FutureTime || part.FutureTime
	switch {
	case f.outcome.Reason == "":
		f.outcome.Reason = part.Reason
	case part.Reason != "":
		f.outcome.Reason = joinReasons(f.outcome.Reason, part.Reason)
	}
}

// finish derives the row and the transitions.
func (f *folding) finish() {
	if f.state.PullRequest == nil {
		return
	}
	next := derive(f.state, f.around)
	if f.before == nil || !sameTexts(f.before, next) {
		f.state.Links = deriveLinks(next, f.around.Links, f.event)
	}
	switch {
	case f.before == nil:
		f.outcome.Transitions = []schemas.Transition{firstTransition(next, f.event)}
	case !sameRow(f.before, next):
		next.Version = f.before.Version + 1
		f.outcome.Transitions = transitions(f.before, next, f.event)
	case sameArrival(f.before.Arrival, next.Arrival):
		next = f.before // nothing is to be written
	}
	f.state.PullRequest = next
	f.announceComments()
	for _, transition := range f.comments {
		transition.PullRequest = next
		f.outcome.Transitions = append(f.outcome.Transitions, transition)
	}
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

// with returns a copy of a map with one entry set.
func with[K comparable, V any](held map[K]V, key K, value V) map[K]V {
	next := maps.Clone(held)
	if next == nil {
		next = make(map[K]V, 1)
	}
	next[key] = value
	return next
}
