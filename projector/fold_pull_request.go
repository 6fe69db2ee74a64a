package projector

import (
	"fmt"
	"time"

	"pawl/schemas"
)

// foldPullRequest folds one full snapshot of a pull request.
func foldPullRequest(f *folding) Outcome {
	at, future := providerTime(f.event.PullRequest.UpdatedAt, f.event.ReceivedAt)
	next, outcome := foldSnapshot(f.state.PullRequest, f.event, at)
	outcome.FutureTime = future
	f.state.PullRequest = next
	return outcome
}

func foldSnapshot(row *schemas.PullRequest, event schemas.Event, at time.Time) (*schemas.PullRequest, Outcome) {
	if row == nil {
		next := merge(blankRow(event), event, at, newer)
		return next, Outcome{Verdict: schemas.Applied, Reason: next.NeedsReadReason}
	}
	how, reason := stand(row, event, at)
	switch how {
	case stale:
		return foldStale(row, event, at, reason)
	case covered:
		return foldCovered(row, event, at, reason)
	case newer, tied:
	}
	next := merge(row, event, at, how)
	if sameRow(row, next) && announced(row.Arrival) == announced(next.Arrival) {
		return next, Outcome{Verdict: schemas.Unchanged, Reason: "the row says the same already"}
	}
	return next, Outcome{Verdict: schemas.Applied, Reason: next.NeedsReadReason}
}

// blankRow is the row before the first sight.
func blankRow(event schemas.Event) *schemas.PullRequest {
	return &schemas.PullRequest{
		EntityKey:    event.Entity,
		Instance:     event.PullRequest.Instance,
		RepositoryID: event.PullRequest.RepositoryID,
		Number:       event.PullRequest.Number,
		State:        schemas.Open,
		ChecksState:  schemas.ChecksNone,
		// Lists are never nil: a row reads the same before and after it was stored.
		Labels: []string{}, RequestedReviewers: []string{}, Assignees: []string{},
		Checks: []schemas.PullRequestCheck{}, Reviews: []schemas.PullRequestReview{}, Links: []string{},
	}
}

// foldStale drops a stale snapshot whole (I5). What it announces beside the
// snapshot stands: it may explain what a newer snapshot showed, and say when the
// base moved or when the queue was left.
func foldStale(row *schemas.PullRequest, event schemas.Event, at time.Time, reason string) (*schemas.PullRequest, Outcome) {
	next := *row
	announce(&next, row, event, at)
	if announced(next.Arrival) != announced(row.Arrival) {
		reason += "; what it announces beside its snapshot stands"
	}
	if explain(&next, event.PullRequest) {
		reason += "; it explains what the newer one shows, which was held back until now"
	}
	return &next, Outcome{Verdict: schemas.Stale, Reason: reason}
}

// foldCovered leaves the row as it is, but for the mark that the second's
// snapshots disagree on the state (I6).
func foldCovered(row *schemas.PullRequest, event schemas.Event, at time.Time, reason string) (*schemas.PullRequest, Outcome) {
	next := *row
	announce(&next, row, event, at)
	if explain(&next, event.PullRequest) {
		return &next, Outcome{Verdict: schemas.Applied, Reason: reason + "; it explains what the newer one shows, which was held back until now"}
	}
	state, known := statedState(event)
	if !known || state.Rank() >= row.State.Rank() || row.NeedsRead || lastChange(row).isRead() {
		return &next, Outcome{Verdict: schemas.Unchanged, Reason: reason}
	}
	markForRead(&next, fmt.Sprintf("two snapshots of one second: %s and %s", row.State, state))
	return &next, Outcome{Verdict: schemas.Applied, Reason: next.NeedsReadReason}
}

// merge returns the row with all that the snapshot states taken over. Absent is
// not zero: what is not stated stays.
func merge(row *schemas.PullRequest, event schemas.Event, at time.Time, how standing) *schemas.PullRequest {
	snapshot := event.PullRequest
	next := *row
	if changeOf(event).isRead() {
		next.NeedsRead, next.NeedsReadReason = false, ""
	}
	if how == tied && !changeOf(event).isRead() && disagrees(row, snapshot) {
		markForRead(&next, fmt.Sprintf("two snapshots of one second disagree on what %q changed", row.Arrival.LastAction))
	}
	mergeState(&next, row, event, how)
	mergeHeld(&next, row, snapshot)
	mergeText(&next, snapshot)
	mergeClaims(&next, row, snapshot)
	mergeFigures(&next, snapshot, at)
	announce(&next, row, event, at)
	revised, known := compareRevisions(row, snapshot)
	if at.After(next.ProviderUpdatedAt) || known && revised > 0 && !at.IsZero() {
		next.ProviderUpdatedAt = at
	}
	if snapshot.Revision.Known {
		next.Arrival.Revision = max(next.Arrival.Revision, snapshot.Revision.Value)
		next.Arrival.RevisionKnown = true
	}
	next.Arrival.LastAction = snapshot.Change
	next.Arrival.LastTouched = snapshot.Touched
	next.Arrival.LastEdited = snapshot.Edited
	return &next
}

// statedState returns the state that a payload states. merged counts wherever
// it is said; closed without a word on merged is closed, and does not deny
// merged. A payload without a state speaks through its change.
func statedState(event schemas.Event) (state schemas.State, known bool) {
	snapshot := event.PullRequest
	if snapshot.Merged.Known && snapshot.Merged.Value {
		return schemas.Merged, true
	}
	switch snapshot.State.Or(impliedState(snapshot.Change)) {
	case "open":
		return schemas.Open, true
	case "closed":
		return schemas.Closed, snapshot.Merged.Known
	}
	return "", false
}

// impliedState is the provider's state after a change that sets it.
func impliedState(change string) string {
	switch change {
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

// mergeState folds the state. A payload whose change and state contradict each
// other does not move it (hard part 7); within one second it never goes down in
// rank without the change reopened (I6). Both ask for a read.
func mergeState(next, row *schemas.PullRequest, event schemas.Event, how standing) {
	snapshot := event.PullRequest
	state, known := statedState(event)
	if saysClosed(event) && row.State != schemas.Merged {
		state, known = schemas.Closed, true
	}
	switch {
	case !known:
		state = row.State
	case saysOpenAndMerged(snapshot) && row.State != schemas.Merged:
		markForRead(next, "it says that it is merged and open")
		if snapshot.Change != "closed" {
			state = row.State
		}
	case contradicts(snapshot.Change, state):
		markForRead(next, fmt.Sprintf("%s, but the state is %s", snapshot.Change, state))
		if row.Version > 0 {
			state = row.State
		}
	case how == tied && state.Rank() < row.State.Rank() && snapshot.Change != "reopened":
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

// saysOpenAndMerged reports whether a payload says both. Merged is final, so it is
// believed only where the change says so too.
func saysOpenAndMerged(s *schemas.PullRequestSnapshot) bool {
	return s.Merged.Known && s.Merged.Value && s.State.Known && s.State.Value == "open"
}

// contradicts reports whether a change cannot have led to the state.
func contradicts(change string, state schemas.State) bool {
	switch change {
	case "closed":
		return state == schemas.Open
	case "reopened":
		return state != schemas.Open
	}
	return false
}

func mergeText(next *schemas.PullRequest, s *schemas.PullRequestSnapshot) {
	if s.Repository != "" {
		next.Repository = s.Repository
	}
	next.Title = s.Title.Or(next.Title)
	next.Body = s.Body.Or(next.Body)
	if s.Author.Known {
		takeAuthor(next, s.Author.Value)
	}
	mergeHead(next, s)
	next.BaseRef = s.BaseRef.Or(next.BaseRef)
	next.BaseSHA = s.BaseSHA.Or(next.BaseSHA)
	next.RequestedReviewers = listed(s.RequestedReviewers.Or(next.RequestedReviewers))
	next.AutoMerge = s.AutoMerge.Or(next.AutoMerge)
	next.MergeCommitSHA = s.MergeCommitSHA.Or(next.MergeCommitSHA)
	if s.ThreadsResolved.Known {
		next.Arrival.ThreadsOpen = !s.ThreadsResolved.Value
	}
}

func takeAuthor(next *schemas.PullRequest, author schemas.Actor) {
	next.Author, next.AuthorIsBot = author.Login, author.IsBot
	next.Arrival.AuthorStated = true
}

// mergeHead takes the head from the snapshot, never from what a synchronize
// said: a reopened pull request can have another head than the one it was closed
// with. A fork that is gone takes its checks with it only once the head moves.
func mergeHead(next *schemas.PullRequest, s *schemas.PullRequestSnapshot) {
	moved := s.HeadSHA.Known && s.HeadSHA.Value != next.HeadSHA
	gone := s.HeadRepositoryID.Known && s.HeadRepositoryID.Value == ""
	next.HeadSHA = s.HeadSHA.Or(next.HeadSHA)
	next.HeadRef = s.HeadRef.Or(next.HeadRef)
	next.HeadRepositoryID = s.HeadRepositoryID.Or(next.HeadRepositoryID)
	switch {
	case !s.HeadSHA.Known, !moved && gone && next.HeadCommit != "":
	default:
		next.HeadCommit = headCommitOf(s)
	}
}

// headCommitOf returns the key of the commit that the checks of a snapshot's head
// hang on.
func headCommitOf(s *schemas.PullRequestSnapshot) schemas.EntityKey {
	return s.HeadCommit.Or(schemas.CommitKey(s.Instance, s.RepositoryID, s.HeadSHA.Value))
}

func mergeFigures(next *schemas.PullRequest, s *schemas.PullRequestSnapshot, at time.Time) {
	if s.Comments.Known {
		next.Arrival.CommentsStated = schemas.StatedCount{Count: s.Comments.Value, At: at, Known: true}
	}
	if s.ReviewComments.Known {
		next.Arrival.ReviewCommentsStated = schemas.StatedCount{Count: s.ReviewComments.Value, At: at, Known: true}
	}
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
