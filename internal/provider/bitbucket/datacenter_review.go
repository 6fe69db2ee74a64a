package bitbucket

import (
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// dcVerdictOf translates an action of pr. Needs_work is called "changes
// requested" in newer versions, and keeps its key.
func dcVerdictOf(action string) (schemas.ReviewState, bool) {
	verdict, ok := strings.CutPrefix(action, dcReviewer)
	if !ok {
		return "", false
	}
	switch verdict {
	case approved:
		return schemas.ReviewApproved, true
	case unapproved:
		return schemas.ReviewWithdrawn, true
	case "needs_work", "changes_requested":
		return schemas.ReviewChangesRequested, true
	}
	return "", false
}

// review returns the verdict of one person, or nil for an event without one. Its
// time is the event's: a verdict moves neither version nor updatedDate of the
// pull request.
func (p *dcPullRequestPayload) review(record schemas.Record) (*schemas.ReviewSnapshot, error) {
	state, isVerdict := dcVerdictOf(record.Action)
	if !isVerdict {
		return nil, nil //nolint:nilnil // an event without a verdict is the ordinary case
	}
	if p.Participant == nil || p.Participant.actor().Login == "" {
		return nil, payload.Errorf(eventKey(record), "participant.user.name is missing")
	}
	author, at := p.Participant.actor(), p.Date.Stated()
	return &schemas.ReviewSnapshot{
		ID:          "user/" + author.Login,
		Author:      author,
		State:       state,
		HeadSHA:     payload.NonEmpty(p.Participant.LastReviewedCommit).Value,
		SubmittedAt: at,
		UpdatedAt:   at,
	}, nil
}
