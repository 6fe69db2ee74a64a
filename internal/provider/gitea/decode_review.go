package gitea

import (
	"fmt"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// actionReviewed is the action of the events that carry a review.
const actionReviewed = "reviewed"

// review is what was said. It has no id, no time and no author of its own.
type review struct {
	Type    string  `json:"type"`
	Content *string `json:"content"`
}

// reviewed adds the review to the event. The pull request in the payload is the
// same object as in all events, so it is folded too, where it is whole.
func reviewed(event schemas.Event, said *pullRequestPayload, snapshot *schemas.PullRequestSnapshot) schemas.Event {
	event.Review = said.review(event, snapshot)
	if snapshot.State.Known && snapshot.UpdatedAt.Known {
		event.PullRequest = snapshot
	}
	if event.Review == nil && event.PullRequest == nil {
		event.Ignored = fmt.Sprintf("the review says neither who made it nor what: %s", payload.Clean(event.Name))
	}
	return event
}

// review returns nil where the payload does not say who made it or what it says.
// A person has one opinion at a time, so it goes by the login; a comment is no
// opinion, and has an id of its own lest it take the place of one.
func (p *pullRequestPayload) review(event schemas.Event, snapshot *schemas.PullRequestSnapshot) *schemas.ReviewSnapshot {
	said := review{}
	if p.Review != nil {
		said = *p.Review
	}
	state := reviewState(said.Type)
	if state == "" {
		state = reviewState(event.Name)
	}
	if state == "" || event.Sender.Login == "" {
		return nil
	}
	id := "user/" + event.Sender.Login
	if state == schemas.ReviewCommented {
		id += "/comment"
	}
	return &schemas.ReviewSnapshot{
		ID:          id,
		Author:      event.Sender,
		State:       state,
		HeadSHA:     snapshot.HeadSHA.Value,
		Body:        payload.Text(said.Content),
		SubmittedAt: snapshot.UpdatedAt,
		UpdatedAt:   snapshot.UpdatedAt,
	}
}

// reviewState reads the type of a review, or the name of its event. Old versions
// leave the middle word out of both.
func reviewState(name string) schemas.ReviewState {
	switch name {
	case "pull_request_review_approved", "pull_request_approved":
		return schemas.ReviewApproved
	case "pull_request_review_rejected", "pull_request_rejected":
		return schemas.ReviewChangesRequested
	case "pull_request_review_comment", "pull_request_comment":
		return schemas.ReviewCommented
	}
	return ""
}
