package github

import (
	"slices"
	"strings"
	"time"

	"pawl/schemas"
)

// pullRequestPayload is the payload of event pull_request, and of a live read
// that the actuator appends: the same, without an action.
type pullRequestPayload struct {
	Action            string      `json:"action"`
	Number            int64       `json:"number"`
	PullRequest       pullRequest `json:"pull_request"`
	Repository        repository  `json:"repository"`
	Sender            *user       `json:"sender"`
	Label             *label      `json:"label"`
	RequestedReviewer *user       `json:"requested_reviewer"`
	Changes           *struct {
		Title present `json:"title"`
		Body  present `json:"body"`
		Base  present `json:"base"`
	} `json:"changes"`
}

// label is one label of a repository.
type label struct {
	Name string `json:"name"`
}

// pullRequest is the snapshot. A pointer is nil where the field is absent or
// null. Where the two differ, the field is nullable, or its pointer is set
// before decoding (blankPullRequest): then nil is null, and an object in which
// nothing is set is absent. The second way reads the object where it stands,
// which for a repository of 5 KB is half the time of decoding.
type pullRequest struct {
	Number             int64      `json:"number"`
	UpdatedAt          moment     `json:"updated_at"`
	Title              *string    `json:"title"`
	Body               nullable   `json:"body"`
	User               *account   `json:"user"`
	State              *string    `json:"state"`
	Merged             *bool      `json:"merged"`
	MergedAt           moment     `json:"merged_at"`
	Draft              *bool      `json:"draft"`
	Locked             *bool      `json:"locked"`
	Head               branch     `json:"head"`
	Base               branch     `json:"base"`
	Labels             []*label   `json:"labels"`
	Milestone          *milestone `json:"milestone"`
	RequestedReviewers []*user    `json:"requested_reviewers"`
	Assignees          []*user    `json:"assignees"`
	AutoMerge          presence   `json:"auto_merge"`
	MergeCommitSHA     nullable   `json:"merge_commit_sha"`
	Comments           *int64     `json:"comments"`
	ReviewComments     *int64     `json:"review_comments"`
	Commits            *int64     `json:"commits"`
	Additions          *int64     `json:"additions"`
	Deletions          *int64     `json:"deletions"`
	ChangedFiles       *int64     `json:"changed_files"`
	CreatedAt          moment     `json:"created_at"`
	ClosedAt           moment     `json:"closed_at"`
}

// account is an author: nil is a ghost, without a login it is not stated.
type account struct {
	Login *string `json:"login"`
	Type  string  `json:"type"`
}

// milestone is nil where there is none, and not stated without a title.
type milestone struct {
	Title *string `json:"title"`
}

// branch is the head or the base.
type branch struct {
	Ref  *string  `json:"ref"`
	SHA  *string  `json:"sha"`
	Repo *repoRef `json:"repo"`
}

// repoRef is the repository of a branch: nil once the fork is deleted, and not
// stated without an id.
type repoRef struct {
	ID *int64 `json:"id"`
}

func blankPullRequest() pullRequest {
	return pullRequest{
		User:      new(account),
		Milestone: new(milestone),
		Head:      branch{Repo: new(repoRef)},
	}
}

func decodePullRequest(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	payload := pullRequestPayload{PullRequest: blankPullRequest()}
	if err := read(record, &payload); err != nil {
		return schemas.Event{}, err
	}
	pr := &payload.PullRequest
	if pr.Number == 0 {
		pr.Number = payload.Number
	}
	if payload.Number != 0 && payload.Number != pr.Number {
		return schemas.Event{}, payloadError(record.Event, "number is %d and pull_request.number is %d", payload.Number, pr.Number)
	}
	if err := checkEntity(record.Event, payload.Repository, pr.Number, "pull_request.number"); err != nil {
		return schemas.Event{}, err
	}
	if err := pr.check(record.Event); err != nil {
		return schemas.Event{}, err
	}
	snapshot := pr.snapshot()
	snapshot.Instance = instanceOf(record.Key)
	snapshot.RepositoryID = itoa(payload.Repository.ID)
	snapshot.Repository = clean(payload.Repository.FullName)

	event.Action = eventAction(payload.Action, record)
	event.Entity = schemas.PullRequestKey(snapshot.Instance, snapshot.RepositoryID, snapshot.Number)
	event.Sender = actorOf(payload.Sender)
	snapshot.Touched = payload.touched(event.Action)
	snapshot.Edited = payload.edited(event.Action)
	event.PullRequest = snapshot
	return event, nil
}

// check names the first field whose value is none that it can have.
func (p *pullRequest) check(event string) error {
	switch {
	case p.Body.wrong != nil:
		return payloadError(event, "pull_request.body is not a string")
	case p.MergeCommitSHA.wrong != nil:
		return payloadError(event, "pull_request.merge_commit_sha is not a string")
	case p.State != nil && *p.State != "open" && *p.State != "closed":
		return payloadError(event, "pull_request.state is %q, want open or closed", clean(*p.State))
	}
	return nil
}

func (p *pullRequest) snapshot() *schemas.PullRequestSnapshot {
	return &schemas.PullRequestSnapshot{
		Number:             p.Number,
		UpdatedAt:          known(p.UpdatedAt),
		Title:              text(p.Title),
		Body:               textOrNull(p.Body),
		Author:             p.author(),
		State:              text(p.State),
		Merged:             p.merged(),
		Draft:              scalar(p.Draft),
		Locked:             scalar(p.Locked),
		HeadSHA:            text(p.Head.SHA),
		HeadRef:            text(p.Head.Ref),
		HeadRepositoryID:   p.Head.repositoryID(),
		BaseRef:            text(p.Base.Ref),
		BaseSHA:            text(p.Base.SHA),
		Labels:             sorted(p.Labels, func(l *label) string { return l.Name }),
		Milestone:          p.milestone(),
		RequestedReviewers: sorted(p.RequestedReviewers, func(u *user) string { return u.Login }),
		Assignees:          sorted(p.Assignees, func(u *user) string { return u.Login }),
		AutoMerge:          schemas.Stated[bool](p.AutoMerge),
		MergeCommitSHA:     textOrNull(p.MergeCommitSHA),
		Comments:           scalar(p.Comments),
		ReviewComments:     scalar(p.ReviewComments),
		Commits:            scalar(p.Commits),
		Additions:          scalar(p.Additions),
		Deletions:          scalar(p.Deletions),
		ChangedFiles:       scalar(p.ChangedFiles),
		CreatedAt:          known(p.CreatedAt),
		ClosedAt:           knownOrNull(p.ClosedAt),
		MergedAt:           knownOrNull(p.MergedAt),
	}
}

// merged is true where either field says so, false where one denies it, and
// unknown where neither is there: payloads of other events have no merged, and
// all have merged_at.
func (p *pullRequest) merged() schemas.Stated[bool] {
	switch {
	case p.MergedAt.set, p.Merged != nil && *p.Merged:
		return schemas.Say(true)
	case p.MergedAt.null, p.Merged != nil:
		return schemas.Say(false)
	}
	return schemas.Stated[bool]{}
}

// author is stated and empty for a ghost.
func (p *pullRequest) author() schemas.Stated[schemas.Actor] {
	switch {
	case p.User == nil:
		return schemas.Say(schemas.Actor{})
	case p.User.Login != nil:
		return schemas.Say(user{Login: *p.User.Login, Type: p.User.Type}.actor())
	}
	return schemas.Stated[schemas.Actor]{}
}

// milestone is stated and empty where there is none.
func (p *pullRequest) milestone() schemas.Stated[string] {
	if p.Milestone == nil {
		return schemas.Say("")
	}
	return text(p.Milestone.Title)
}

// repositoryID is stated and empty where the repository is gone.
func (b *branch) repositoryID() schemas.Stated[string] {
	switch {
	case b.Repo == nil:
		return schemas.Say("")
	case b.Repo.ID != nil:
		return schemas.Say(itoa(*b.Repo.ID))
	}
	return schemas.Stated[string]{}
}

// touched is what the action names beside the snapshot.
func (p *pullRequestPayload) touched(action string) string {
	switch {
	case p.Label != nil && (action == "labeled" || action == "unlabeled"):
		return clean(p.Label.Name)
	case p.RequestedReviewer != nil && (action == "review_requested" || action == "review_request_removed"):
		return clean(p.RequestedReviewer.Login)
	}
	return ""
}

// edited names the fields that an edited action changed.
func (p *pullRequestPayload) edited(action string) []string {
	if action != "edited" || p.Changes == nil {
		return nil
	}
	var fields []string
	for _, field := range []struct {
		name    string
		changed present
	}{{"title", p.Changes.Title}, {"body", p.Changes.Body}, {"base", p.Changes.Base}} {
		if field.changed {
			fields = append(fields, field.name)
		}
	}
	return fields
}

func actorOf(u *user) schemas.Actor {
	if u == nil {
		return schemas.Actor{}
	}
	return u.actor()
}

func scalar[T any](field *T) schemas.Stated[T] {
	if field == nil {
		return schemas.Stated[T]{}
	}
	return schemas.Say(*field)
}

func text(field *string) schemas.Stated[string] {
	if field == nil {
		return schemas.Stated[string]{}
	}
	return schemas.Say(clean(*field))
}

func textOrNull(field nullable) schemas.Stated[string] {
	return schemas.Stated[string]{Value: clean(field.value), Known: field.there}
}

// known is unknown for null and for what is no time.
func known(field moment) schemas.Stated[time.Time] {
	return schemas.Stated[time.Time]{Value: field.at, Known: !field.at.IsZero()}
}

// knownOrNull states the zero time for null: it did not happen.
func knownOrNull(field moment) schemas.Stated[time.Time] {
	return schemas.Stated[time.Time]{Value: field.at, Known: field.null || !field.at.IsZero()}
}

// sorted returns the names of a list, sorted and without repeats. A list that
// is absent or null is not stated; an element without a name is left out.
func sorted[T any](list []*T, nameOf func(*T) string) schemas.Stated[[]string] {
	if list == nil {
		return schemas.Stated[[]string]{}
	}
	names := make([]string, 0, len(list))
	for _, element := range list {
		if element == nil {
			continue
		}
		if name := clean(nameOf(element)); name != "" {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, strings.Compare)
	return schemas.Say(slices.Compact(names))
}
