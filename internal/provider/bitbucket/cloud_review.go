package bitbucket

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// The verdicts of Cloud, as actions of pullrequest.
const (
	approved         = "approved"
	unapproved       = "unapproved"
	changesRequested = "changes_request_created"
	changesWithdrawn = "changes_request_removed"
)

// verdict is an approval or a request for changes. Its date is the one at which
// it was given, in the event that takes it back too.
type verdict struct {
	Date payload.Moment `json:"date"`
	User *account       `json:"user"`
}

// participant is somebody with the verdict that stands after the event.
type participant struct {
	User  *account `json:"user"`
	State *string  `json:"state"`
}

// review returns the verdict of one person, or nil for an event without one. A
// person has one verdict at a time.
func (p *cloudPullRequestPayload) review(record schemas.Record) (*schemas.ReviewSnapshot, error) {
	said, field := p.Approval, "approval"
	if record.Action == changesRequested || record.Action == changesWithdrawn {
		said, field = p.ChangesRequest, "changes_request"
	}
	state, isVerdict := verdictOf(record.Action)
	if !isVerdict {
		return nil, nil //nolint:nilnil // an event without a verdict is the ordinary case
	}
	if said == nil || said.User == nil || said.User.id() == "" {
		return nil, payload.Errorf(eventKey(record), "%s.user is missing", field)
	}
	at := said.Date.Stated()
	if state == schemas.ReviewWithdrawn {
		state = p.PullRequest.stateOf(*said.User)
		at = p.PullRequest.UpdatedOn.Stated()
	} else if !at.Known {
		at = p.PullRequest.UpdatedOn.Stated()
	}
	return &schemas.ReviewSnapshot{
		ID:          "user/" + payload.Clean(said.User.id()),
		Author:      said.User.actor(),
		State:       state,
		HeadSHA:     shortened(p.PullRequest.Source.Commit.Hash).Value,
		SubmittedAt: at,
		UpdatedAt:   at,
	}, nil
}

func verdictOf(action string) (schemas.ReviewState, bool) {
	switch action {
	case approved:
		return schemas.ReviewApproved, true
	case changesRequested:
		return schemas.ReviewChangesRequested, true
	case unapproved, changesWithdrawn:
		return schemas.ReviewWithdrawn, true
	}
	return "", false
}

// stateOf returns the verdict of a person after one was taken back. It is
// withdrawn, unless the snapshot shows another in its place: approving takes a
// request for changes back, and the two events have one time.
func (p *cloudPullRequest) stateOf(user account) schemas.ReviewState {
	for _, one := range p.Participants {
		if one == nil || one.User == nil || one.State == nil || one.User.id() != user.id() {
			continue
		}
		switch *one.State {
		case "approved":
			return schemas.ReviewApproved
		case "changes_requested":
			return schemas.ReviewChangesRequested
		}
	}
	return schemas.ReviewWithdrawn
}
