package projector

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pawl/schemas"
)

// foldPullRequest folds one full snapshot of a pull request.
func foldPullRequest(held State, event schemas.Event) (State, Outcome) {
	at, future := providerTime(event.PullRequest.UpdatedAt, event.ReceivedAt)
	next, outcome := foldSnapshot(held, event, at)
	outcome.FutureTime = future
	return next, outcome
}

func foldSnapshot(held State, event schemas.Event, at time.Time) (State, Outcome) {
	row := held.PullRequest
	if row == nil {
		return firstSight(held, event, at)
	}
	how, reason := stand(row, event, at)
	switch how {
	case stale:
		return foldStale(held, event, reason)
	case covered:
		return foldCovered(held, event, reason)
	case newer, tied:
	}
	next := merge(row, event, at, how)
	after := held.withPullRequest(next)
	if sameRow(row, next) {
		next.Version = row.Version
		return after, Outcome{Verdict: schemas.Unchanged, Reason: "the row says the same already"}
	}
	return after, Outcome{
		Verdict:     schemas.Applied,
		Reason:      next.NeedsReadReason,
		Transitions: transitions(row, next, event),
	}
}

// firstSight makes the row. It yields one transition, by the state it is first
// seen in, and announces the comments that came before it.
func firstSight(held State, event schemas.Event, at time.Time) (State, Outcome) {
	snapshot := event.PullRequest
	next := merge(&schemas.PullRequest{
		EntityKey:    event.Entity,
		Instance:     snapshot.Instance,
		RepositoryID: snapshot.RepositoryID,
		Number:       snapshot.Number,
		State:        schemas.Open,
		ChecksState:  schemas.ChecksNone,
		// Lists are never nil: a row reads the same before and after it was stored.
		Labels: []string{}, RequestedReviewers: []string{}, Assignees: []string{},
	}, event, at, newer)
	outcome := Outcome{
		Verdict:     schemas.Applied,
		Reason:      next.NeedsReadReason,
		Transitions: []schemas.Transition{firstTransition(next, event)},
	}
	after, announced := announceComments(held.withPullRequest(next), event)
	outcome.Transitions = append(outcome.Transitions, announced...)
	return after, outcome
}

// foldStale drops a stale snapshot whole (I5). It may still explain what a
// newer snapshot showed: a late unlabeled tells why that one had no labels, and
// then the newer snapshot's own claim, which was held back, takes effect.
func foldStale(held State, event schemas.Event, reason string) (State, Outcome) {
	row, snapshot := held.PullRequest, event.PullRequest
	explains := row.Arrival.LabelsHeld && event.Action == "unlabeled" &&
		snapshot.Labels.Known && len(snapshot.Labels.Value) == 0
	if !explains {
		return held, Outcome{Verdict: schemas.Stale, Reason: reason}
	}
	next := *row
	next.Labels = []string{}
	next.Arrival.LabelsHeld = false
	next.Version++
	return held.withPullRequest(&next), Outcome{
		Verdict:     schemas.Stale,
		Reason:      reason + "; it explains why the newer one has no labels, which was held back until now",
		Transitions: transitions(row, &next, event),
	}
}

// foldCovered leaves the row as it is, but for the mark that the second's
// snapshots disagree on the state (I6).
func foldCovered(held State, event schemas.Event, reason string) (State, Outcome) {
	row := held.PullRequest
	state, known := statedState(event)
	if !known || state.Rank() >= row.State.Rank() || row.NeedsRead || row.Arrival.LastAction == "" {
		return held, Outcome{Verdict: schemas.Unchanged, Reason: reason}
	}
	next := *row
	next.Version++
	markForRead(&next, fmt.Sprintf("two snapshots of one second: %s and %s", row.State, state))
	return held.withPullRequest(&next), Outcome{Verdict: schemas.Applied, Reason: next.NeedsReadReason}
}

// merge returns the row with all that the snapshot states taken over. Absent is
// not zero: what is not stated stays.
func merge(row *schemas.PullRequest, event schemas.Event, at time.Time, how standing) *schemas.PullRequest {
	snapshot := event.PullRequest
	next := *row
	next.Version++
	if changeOf(event).isRead() {
		next.NeedsRead, next.NeedsReadReason = false, ""
	}
	if how == tied && !changeOf(event).isRead() && disagrees(row, snapshot) {
		markForRead(&next, fmt.Sprintf("two snapshots of one second disagree on what %q changed", row.Arrival.LastAction))
	}
	mergeState(&next, row, event, how)
	mergeLabels(&next, row, event)
	mergeText(&next, snapshot)
	mergeFigures(&next, snapshot)
	if !at.IsZero() {
		next.ProviderUpdatedAt = at
	}
	next.Arrival.LastAction = event.Action
	next.Arrival.LastTouched = snapshot.Touched
	next.Arrival.LastEdited = snapshot.Edited
	return &next
}

// statedState returns the state that a payload states. merged counts wherever
// it is said; closed without a word on merged is closed, and does not deny
// merged. A payload without a state speaks through its action.
func statedState(event schemas.Event) (state schemas.State, known bool) {
	snapshot := event.PullRequest
	if snapshot.Merged.Known && snapshot.Merged.Value {
		return schemas.Merged, true
	}
	switch snapshot.State.Or(impliedState(event.Action)) {
	case "open":
		return schemas.Open, true
	case "closed":
		return schemas.Closed, snapshot.Merged.Known
	}
	return "", false
}

// impliedState is the provider's state after an action that sets it.
func impliedState(action string) string {
	switch action {
	case "opened", "reopened":
		return "open"
	case "closed":
		return "closed"
	}
	return ""
}

// saysClosed reports whether the payload says closed but nothing of merged.
func saysClosed(event schemas.Event) bool {
	state, known := statedState(event)
	return state == schemas.Closed && !known
}

// mergeState folds the state. A payload whose action and state contradict each
// other does not move it (hard part 7); within one second it never goes down in
// rank without the action reopened (I6). Both ask for a read.
func mergeState(next, row *schemas.PullRequest, event schemas.Event, how standing) {
	snapshot := event.PullRequest
	state, known := statedState(event)
	if saysClosed(event) && row.State != schemas.Merged {
		state, known = schemas.Closed, true
	}
	switch {
	case !known:
		state = row.State
	case contradicts(event.Action, state):
		markForRead(next, fmt.Sprintf("action %s, but the state is %s", event.Action, state))
		if row.Version > 0 {
			state = row.State
		}
	case how == tied && state.Rank() < row.State.Rank() && event.Action != "reopened":
		markForRead(next, fmt.Sprintf("two snapshots of one second: %s and %s", row.State, state))
		state = row.State
	}
	next.State = state
	next.ClosedAt = snapshot.ClosedAt.Or(row.ClosedAt)
	next.MergedAt = snapshot.MergedAt.Or(row.MergedAt)
	if state == schemas.Merged {
		// Null times of a payload that is merged all the same clear nothing.
		next.ClosedAt = keepTime(next.ClosedAt, row.ClosedAt)
		next.MergedAt = keepTime(next.MergedAt, row.MergedAt)
		return
	}
	next.MergedAt = time.Time{}
	if state == schemas.Open {
		next.ClosedAt = time.Time{}
	}
}

// contradicts reports whether an action cannot have led to the state.
func contradicts(action string, state schemas.State) bool {
	switch action {
	case "closed":
		return state == schemas.Open
	case "reopened":
		return state != schemas.Open
	}
	return false
}

// mergeLabels takes the labels over, but for one lie: an empty list on an
// action that does not touch labels, where the row has some. The last good
// labels stay, and the row asks for a read.
func mergeLabels(next, row *schemas.PullRequest, event schemas.Event) {
	labels := event.PullRequest.Labels
	if !labels.Known {
		return
	}
	emptied := len(labels.Value) == 0 && len(row.Labels) > 0
	if emptied && !touchesLabels(event.Action) {
		next.Arrival.LabelsHeld = true
		markForRead(next, fmt.Sprintf("action %s shows no labels, and the row has %s", event.Action, strings.Join(row.Labels, ", ")))
		return
	}
	next.Arrival.LabelsHeld = false
	next.Labels = listed(labels.Value)
}

func touchesLabels(action string) bool {
	return action == "labeled" || action == "unlabeled" || action == ""
}

func mergeText(next *schemas.PullRequest, s *schemas.PullRequestSnapshot) {
	if s.Repository != "" {
		next.Repository = s.Repository
	}
	next.Title = s.Title.Or(next.Title)
	next.Body = s.Body.Or(next.Body)
	if s.Author.Known {
		next.Author, next.AuthorIsBot = s.Author.Value.Login, s.Author.Value.IsBot
	}
	next.Draft = s.Draft.Or(next.Draft)
	next.Locked = s.Locked.Or(next.Locked)
	next.HeadSHA = s.HeadSHA.Or(next.HeadSHA)
	next.HeadRef = s.HeadRef.Or(next.HeadRef)
	next.HeadRepositoryID = s.HeadRepositoryID.Or(next.HeadRepositoryID)
	next.BaseRef = s.BaseRef.Or(next.BaseRef)
	next.BaseSHA = s.BaseSHA.Or(next.BaseSHA)
	next.Milestone = s.Milestone.Or(next.Milestone)
	next.RequestedReviewers = listed(s.RequestedReviewers.Or(next.RequestedReviewers))
	next.Assignees = listed(s.Assignees.Or(next.Assignees))
	next.AutoMerge = s.AutoMerge.Or(next.AutoMerge)
	next.MergeCommitSHA = s.MergeCommitSHA.Or(next.MergeCommitSHA)
}

func mergeFigures(next *schemas.PullRequest, s *schemas.PullRequestSnapshot) {
	next.Comments = s.Comments.Or(next.Comments)
	next.ReviewComments = s.ReviewComments.Or(next.ReviewComments)
	next.Commits = s.Commits.Or(next.Commits)
	next.Additions = s.Additions.Or(next.Additions)
	next.Deletions = s.Deletions.Or(next.Deletions)
	next.ChangedFiles = s.ChangedFiles.Or(next.ChangedFiles)
	next.CreatedAt = s.CreatedAt.Or(next.CreatedAt)
}

// listed returns a list that is never nil: no labels is a known value.
func listed(labels []string) []string {
	if labels == nil {
		return []string{}
	}
	return labels
}

// markForRead asks for a read of the provider. The first reason stands until
// the read.
func markForRead(row *schemas.PullRequest, reason string) {
	if row.NeedsRead {
		return
	}
	row.NeedsRead, row.NeedsReadReason = true, reason
}

func keepTime(stated, held time.Time) time.Time {
	if stated.IsZero() {
		return held
	}
	return stated
}

// sameRow reports whether two rows say the same, marks of arrival and version
// aside.
func sameRow(a, b *schemas.PullRequest) bool {
	return fieldsOf(a) == fieldsOf(b) &&
		slices.Equal(a.Labels, b.Labels) &&
		slices.Equal(a.RequestedReviewers, b.RequestedReviewers) &&
		slices.Equal(a.Assignees, b.Assignees)
}

// rowFields is the comparable part of a row.
type rowFields struct {
	texts  [15]string
	flags  [5]bool
	counts [8]int64
	times  [4]time.Time
	state  schemas.State
	checks schemas.ChecksState
}

func fieldsOf(r *schemas.PullRequest) rowFields {
	return rowFields{
		texts: [15]string{
			r.Repository, r.Title, r.Body, r.Author, r.HeadSHA, r.HeadRef, r.HeadRepositoryID, r.BaseRef,
			r.BaseSHA, r.Milestone, r.MergeCommitSHA, r.NeedsReadReason, r.Instance, r.RepositoryID, string(r.EntityKey),
		},
		flags: [5]bool{r.AuthorIsBot, r.Draft, r.Locked, r.AutoMerge, r.NeedsRead},
		counts: [8]int64{
			r.Approvals, r.ChangesRequested, r.Comments, r.ReviewComments, r.Commits, r.Additions, r.Deletions, r.ChangedFiles,
		},
		times:  [4]time.Time{r.CreatedAt.UTC(), r.ClosedAt.UTC(), r.MergedAt.UTC(), r.ProviderUpdatedAt.UTC()},
		state:  r.State,
		checks: r.ChecksState,
	}
}
