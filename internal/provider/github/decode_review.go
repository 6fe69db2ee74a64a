package github

import (
	"strings"
	"time"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// reviewPayload is the payload of event pull_request_review.
type reviewPayload struct {
	Action      string         `json:"action"`
	PullRequest pullRequestRef `json:"pull_request"`
	Review      review         `json:"review"`
	Repository  repository     `json:"repository"`
	Sender      *user          `json:"sender"`
}

// review is a review. Its text is null where it has none; its updated_at is in the
// schema, and in no payload seen.
type review struct {
	ID          int64            `json:"id"`
	User        *user            `json:"user"`
	State       string           `json:"state"`
	Body        payload.Nullable `json:"body"`
	CommitID    *string          `json:"commit_id"`
	URL         *string          `json:"html_url"`
	SubmittedAt payload.Moment   `json:"submitted_at"`
	UpdatedAt   payload.Moment   `json:"updated_at"`
}

// The actions of a review.
const (
	reviewSubmitted = "submitted"
	reviewEdited    = "edited"
	reviewDismissed = "dismissed"
)

func decodeReview(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said reviewPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	event.Action = payload.Action(said.Action, record)
	event.Sender = actorOf(said.Sender)
	switch event.Action {
	case reviewSubmitted, reviewEdited, reviewDismissed:
	default:
		event.Ignored = notFolded(event.Action, "a review")
		return event, nil
	}
	state, err := said.state(record.Event, event.Action)
	if err != nil {
		return schemas.Event{}, err
	}
	if state == reviewPending {
		event.Ignored = "a pending review is seen by its author alone"
		return event, nil
	}
	event.Entity, err = pullRequestKey(record, said.Repository, said.PullRequest.Number, "pull_request.number")
	if err != nil {
		return schemas.Event{}, err
	}
	event.Review = said.snapshot(state)
	event.Review.Edited = event.Action == reviewEdited
	return event, nil
}

// reviewPending is the state of a review that is not submitted. It is in the REST
// API, and in no webhook seen.
const reviewPending schemas.ReviewState = "pending"

// state returns what the review says. Webhooks write it in lower case and the REST
// API in upper case. A dismissal is one whatever the field says.
func (p *reviewPayload) state(event, action string) (schemas.ReviewState, error) {
	if p.Review.Body.Wrong != nil {
		return "", payload.Errorf(event, "review.body is not a string")
	}
	if err := payload.CheckPositive(event, p.Review.ID, "review.id"); err != nil {
		return "", err
	}
	if action == reviewDismissed {
		return schemas.ReviewDismissed, nil
	}
	switch state := strings.ToLower(p.Review.State); state {
	case "approved", "changes_requested", "commented", "dismissed", "pending":
		return schemas.ReviewState(state), nil
	case "":
		return "", payload.Errorf(event, "review.state is missing")
	}
	return "", payload.Errorf(event, "review.state is %q, want approved, changes_requested, commented or dismissed",
		payload.Clean(p.Review.State))
}

func (p *reviewPayload) snapshot(state schemas.ReviewState) *schemas.ReviewSnapshot {
	return &schemas.ReviewSnapshot{
		ID:          itoa(p.Review.ID),
		Author:      actorOf(p.Review.User),
		State:       state,
		HeadSHA:     payload.Text(p.Review.CommitID).Value,
		Body:        p.Review.Body.Stated(),
		URL:         payload.Text(p.Review.URL).Value,
		SubmittedAt: p.Review.SubmittedAt.Stated(),
		UpdatedAt:   firstStated(p.Review.UpdatedAt, p.PullRequest.UpdatedAt),
	}
}

// firstStated returns the thing's own clock, or the pull request's where it has
// none: that moves with each review.
func firstStated(own, pullRequest payload.Moment) schemas.Stated[time.Time] {
	if at := own.Stated(); at.Known {
		return at
	}
	return pullRequest.Stated()
}
