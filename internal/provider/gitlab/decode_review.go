package gitlab

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// stateRequestedChanges is what a reviewer's state says of changes wanted.
const stateRequestedChanges = "requested_changes"

// review returns what a payload says of one person's approval, or nil.
//
//	action                   who acted            what was said
//	approved, approval       the user             approved (by all who must; by one of them)
//	unapproved, unapproval   the user             withdrawn
//	the same with system     a rule of the project   reset: all approvals so far
//	update                   the one reviewer whose state became requested_changes
//
// A reviewer's other states are not reviews: GitLab counts approvals alone.
func (p *mergeRequestPayload) review(action string) *schemas.ReviewSnapshot {
	switch action {
	case "approved", "approval":
		return p.reviewOf(p.User, schemas.ReviewApproved)
	case "unapproved", "unapproval":
		if p.Attributes.System {
			return &schemas.ReviewSnapshot{Reset: true, UpdatedAt: p.Attributes.UpdatedAt.Stated()}
		}
		return p.reviewOf(p.User, schemas.ReviewWithdrawn)
	case "update":
		return p.reviewOf(p.Changes.objector(), schemas.ReviewChangesRequested)
	}
	return nil
}

// reviewOf returns a person's review. It has no id and no time of its own: a
// person has one state, and the snapshot's time is when it was given.
func (p *mergeRequestPayload) reviewOf(by *user, state schemas.ReviewState) *schemas.ReviewSnapshot {
	author := by.actor()
	if author.Login == "" {
		return nil
	}
	at := p.Attributes.UpdatedAt.Stated()
	return &schemas.ReviewSnapshot{
		ID:          "user/" + author.Login,
		Author:      author,
		State:       state,
		HeadSHA:     p.Attributes.head().Value,
		SubmittedAt: at,
		UpdatedAt:   at,
	}
}

// objector returns the one reviewer who has come to request changes, or nil.
func (c *changes) objector() *user {
	if c.Reviewers == nil {
		return nil
	}
	objected := make(map[string]bool)
	for _, reviewer := range c.Reviewers.Previous {
		if reviewer != nil && reviewer.State == stateRequestedChanges {
			objected[payload.Clean(reviewer.Username)] = true
		}
	}
	var found *user
	for _, reviewer := range c.Reviewers.Current {
		if reviewer == nil || reviewer.State != stateRequestedChanges || objected[payload.Clean(reviewer.Username)] {
			continue
		}
		if found != nil {
			return nil
		}
		found = reviewer
	}
	return found
}
