package bitbucket

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// The actions of pr that are more than a word of GitHub's.
const (
	dcDeleted  = "deleted"
	dcModified = "modified"
	dcReviewer = "reviewer:"
	dcUpdated  = dcReviewer + "updated"
)

// foldsDC reports whether a pr event that is not of a comment is folded.
// Reopened is in no documentation, and to_ref_updated is in Atlassian's, though
// Data Centers refuse webhooks that subscribe to it: both are read like the rest
// should one come. A pull request that was opened again shows it in its next
// event.
func foldsDC(action string) bool {
	switch action {
	case "opened", "from_ref_updated", "to_ref_updated", "merged", "declined", "reopened", dcDeleted, dcModified, dcUpdated:
		return true
	}
	_, isVerdict := dcVerdictOf(action)
	return isVerdict
}

// change says what an event changed, in GitHub's words.
func (p *dcPullRequestPayload) change(action string, snapshot *schemas.PullRequestSnapshot) {
	snapshot.Change = schemas.ChangeUnknown
	switch action {
	case "opened", "reopened":
		snapshot.Change = action
	case "from_ref_updated":
		snapshot.Change = "synchronize"
	case "merged", "declined":
		snapshot.Change = "closed"
	case dcDeleted:
		p.remove(snapshot)
	case dcModified:
		p.modify(snapshot)
	case dcUpdated:
		p.reviewers(snapshot)
	}
}

// remove closes a pull request that was deleted. Bitbucket keeps nothing of it,
// and its payload shows it as it was before, often open: but nobody can merge it
// any more, and none of its events will follow.
func (p *dcPullRequestPayload) remove(snapshot *schemas.PullRequestSnapshot) {
	snapshot.Change = "closed"
	snapshot.State = schemas.Say("closed")
	at := p.Date.Stated()
	if !at.Known {
		return
	}
	if !snapshot.ClosedAt.Known || snapshot.ClosedAt.Value.IsZero() {
		snapshot.ClosedAt = at
	}
	if at.Value.After(snapshot.UpdatedAt.Value) {
		snapshot.UpdatedAt = at
	}
}

// modify compares the fields with what they were. Each is there in every
// pr:modified, changed or not, but for a description that was empty.
func (p *dcPullRequestPayload) modify(snapshot *schemas.PullRequestSnapshot) {
	pr := &p.PullRequest
	if p.PreviousTitle == nil && !p.PreviousDescription.There && p.PreviousTarget == nil && p.PreviousDraft == nil {
		return
	}
	if differs(p.PreviousTitle, pr.Title) {
		snapshot.Edited = append(snapshot.Edited, "title")
	}
	if p.PreviousDescription.Value != pr.Description.Value {
		snapshot.Edited = append(snapshot.Edited, "body")
		snapshot.Body = schemas.Say(payload.Clean(pr.Description.Value))
	}
	if p.PreviousTarget != nil && differs(p.PreviousTarget.ID, pr.ToRef.ID) {
		snapshot.Edited = append(snapshot.Edited, "base")
	}
	draft := differs(p.PreviousDraft, pr.Draft)
	switch {
	case draft && len(snapshot.Edited) > 0: // several things: no one word
		snapshot.Edited = nil
	case draft && *pr.Draft:
		snapshot.Change = "converted_to_draft"
	case draft:
		snapshot.Change = "ready_for_review"
	case len(snapshot.Edited) > 0:
		snapshot.Change = "edited"
	}
}

func differs[T comparable](before, after *T) bool {
	return before != nil && after != nil && *before != *after
}

func (p *dcPullRequestPayload) reviewers(snapshot *schemas.PullRequestSnapshot) {
	added, removed := p.AddedReviewers, p.RemovedReviewers
	switch {
	case len(added) > 0 && len(removed) == 0:
		snapshot.Change = "review_requested"
		snapshot.Touched = only(added)
	case len(removed) > 0 && len(added) == 0:
		snapshot.Change = "review_request_removed"
		snapshot.Touched = only(removed)
	}
}

// only returns the login of the one person of a list.
func only(people []*person) string {
	if len(people) != 1 {
		return ""
	}
	return personOf(people[0]).Login
}
