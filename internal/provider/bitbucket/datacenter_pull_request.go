package bitbucket

import (
	"time"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// dcPullRequestPayload is the payload of the pr events that are not of comments.
type dcPullRequestPayload struct {
	Date                payload.Moment   `json:"date"`
	Actor               *person          `json:"actor"`
	PullRequest         dcPullRequest    `json:"pullRequest"`
	Participant         *dcParticipant   `json:"participant"`
	PreviousTitle       *string          `json:"previousTitle"`
	PreviousDescription payload.Nullable `json:"previousDescription"`
	PreviousDraft       *bool            `json:"previousDraft"`
	PreviousTarget      *struct {
		ID *string `json:"id"`
	} `json:"previousTarget"`
	AddedReviewers   []*person `json:"addedReviewers"`
	RemovedReviewers []*person `json:"removedReviewers"`
}

// dcPullRequest is the snapshot. Data Center leaves an empty description out.
type dcPullRequest struct {
	ID int64 `json:"id"`
	// Version counts the edits and the changes of state. A push to the source
	// and a review do not move it; a push moves UpdatedDate.
	Version     *int64           `json:"version"`
	Title       *string          `json:"title"`
	Description payload.Nullable `json:"description"`
	State       *string          `json:"state"`
	Draft       *bool            `json:"draft"`
	Locked      *bool            `json:"locked"`
	FromRef     dcRef            `json:"fromRef"`
	ToRef       dcRef            `json:"toRef"`
	Author      *dcParticipant   `json:"author"`
	Reviewers   []*dcParticipant `json:"reviewers"`
	CreatedDate payload.Moment   `json:"createdDate"`
	UpdatedDate payload.Moment   `json:"updatedDate"`
	ClosedDate  payload.Moment   `json:"closedDate"`
	Properties  struct {
		MergeCommit struct {
			ID *string `json:"id"`
		} `json:"mergeCommit"`
	} `json:"properties"`
}

// dcRef is the source or the target. Its commits are written whole.
type dcRef struct {
	ID           *string `json:"id"`        // refs/heads/main
	DisplayID    *string `json:"displayId"` // main
	LatestCommit *string `json:"latestCommit"`
	// Repository is null once the fork is deleted.
	Repository *dcRepository `json:"repository"`
}

// dcParticipant is somebody in a role: the author or a reviewer.
type dcParticipant struct {
	User               *person `json:"user"`
	LastReviewedCommit *string `json:"lastReviewedCommit"`
}

func (p *dcParticipant) actor() schemas.Actor { return personOf(p.User) }

func blankDCPullRequest() dcPullRequest {
	return dcPullRequest{FromRef: dcRef{Repository: new(dcRepository)}, ToRef: dcRef{Repository: new(dcRepository)}}
}

func decodeDCPullRequest(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	if !foldsDC(record.Action) {
		return notFolded(event, record), nil
	}
	said := dcPullRequestPayload{PullRequest: blankDCPullRequest()}
	if err := read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	if err := said.check(record); err != nil {
		return schemas.Event{}, err
	}
	snapshot, err := said.snapshot(record)
	if err != nil {
		return schemas.Event{}, err
	}
	event.Entity = schemas.PullRequestKey(snapshot.Instance, snapshot.RepositoryID, snapshot.Number)
	event.Sender = personOf(said.Actor)
	event.PullRequest = snapshot
	event.Review, err = said.review(record)
	if err != nil {
		return schemas.Event{}, err
	}
	return event, nil
}

// check names the first field whose value is none that it can have.
func (p *dcPullRequestPayload) check(record schemas.Record) error {
	pr := &p.PullRequest
	if err := checkDCPullRequest(record, pr.ID, pr.ToRef.Repository); err != nil {
		return err
	}
	source := pr.FromRef.Repository
	switch {
	case pr.Description.Wrong != nil:
		return payload.Errorf(eventKey(record), "pullRequest.description is not a string")
	case p.PreviousDescription.Wrong != nil:
		return payload.Errorf(eventKey(record), "previousDescription is not a string")
	case source != nil && source.ID < 0:
		return payload.Errorf(eventKey(record), "pullRequest.fromRef.repository.id is %d, want a positive number", source.ID)
	}
	return checkSHA(record, "pullRequest.fromRef.latestCommit", pr.FromRef.LatestCommit)
}

func checkDCPullRequest(record schemas.Record, number int64, target *dcRepository) error {
	const field = "pullRequest.toRef.repository.id"
	if target == nil {
		return payload.Errorf(eventKey(record), "%s is missing", field)
	}
	if err := payload.CheckPositive(eventKey(record), target.ID, field); err != nil {
		return err
	}
	return payload.CheckPositive(eventKey(record), number, "pullRequest.id")
}

func (p *dcPullRequestPayload) snapshot(record schemas.Record) (*schemas.PullRequestSnapshot, error) {
	pr := &p.PullRequest
	is, err := standingOf(record, "pullRequest.state", pr.State)
	if err != nil {
		return nil, err
	}
	snapshot := &schemas.PullRequestSnapshot{
		Instance:           payload.Instance(record.Key),
		RepositoryID:       itoa(pr.ToRef.Repository.ID),
		Repository:         pr.ToRef.Repository.fullName(),
		Number:             pr.ID,
		UpdatedAt:          p.updatedAt(),
		Revision:           payload.Scalar(pr.Version),
		Title:              payload.NonEmpty(pr.Title),
		Body:               pr.Description.Stated(),
		Author:             pr.author(),
		State:              is.state,
		Merged:             is.merged,
		Draft:              payload.Scalar(pr.Draft),
		Locked:             payload.Scalar(pr.Locked),
		HeadSHA:            payload.NonEmpty(pr.FromRef.LatestCommit),
		HeadRef:            payload.NonEmpty(pr.FromRef.DisplayID),
		HeadRepositoryID:   pr.headRepositoryID(),
		BaseRef:            payload.NonEmpty(pr.ToRef.DisplayID),
		BaseSHA:            payload.NonEmpty(pr.ToRef.LatestCommit),
		RequestedReviewers: payload.Names(pr.Reviewers, func(r *dcParticipant) string { return r.actor().Login }),
		MergeCommitSHA:     payload.NonEmpty(pr.Properties.MergeCommit.ID),
		CreatedAt:          pr.CreatedDate.Stated(),
		ClosedAt:           pr.ClosedDate.StatedOrNull(),
	}
	snapshot.HeadCommit = headCommitDC(snapshot)
	if is.merged.Value {
		snapshot.MergedAt = pr.ClosedDate.Stated()
	}
	p.change(record.Action, snapshot)
	return snapshot, nil
}

// updatedAt is the time of the pull request, or of the event where it has none.
func (p *dcPullRequestPayload) updatedAt() schemas.Stated[time.Time] {
	if at := p.PullRequest.UpdatedDate.Stated(); at.Known {
		return at
	}
	return p.Date.Stated()
}

func (p *dcPullRequest) author() schemas.Stated[schemas.Actor] {
	if p.Author == nil || p.Author.actor().Login == "" {
		return schemas.Stated[schemas.Actor]{}
	}
	return schemas.Say(p.Author.actor())
}

// headRepositoryID is stated and empty where the fork is gone.
func (p *dcPullRequest) headRepositoryID() schemas.Stated[string] {
	switch source := p.FromRef.Repository; {
	case source == nil:
		return schemas.Say("")
	case source.ID != 0:
		return schemas.Say(itoa(source.ID))
	}
	return schemas.Stated[string]{}
}

// headCommitDC is of the source, or of the target once the fork is gone.
func headCommitDC(snapshot *schemas.PullRequestSnapshot) schemas.Stated[schemas.EntityKey] {
	if !snapshot.HeadSHA.Known {
		return schemas.Stated[schemas.EntityKey]{}
	}
	holder := snapshot.RepositoryID
	if snapshot.HeadRepositoryID.Value != "" {
		holder = snapshot.HeadRepositoryID.Value
	}
	return schemas.Say(schemas.CommitKey(snapshot.Instance, holder, snapshot.HeadSHA.Value))
}
