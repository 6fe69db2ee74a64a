package github

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// pullRequestPayload is the payload of event pull_request, and of a live read
// that the actuator appends: the same, without an action. What stands beside the
// pull request is what the action names.
type pullRequestPayload struct {
	Action            string      `json:"action"`
	Number            int64       `json:"number"`
	PullRequest       pullRequest `json:"pull_request"`
	Repository        repository  `json:"repository"`
	Sender            *user       `json:"sender"`
	Label             *label      `json:"label"`
	RequestedReviewer *user       `json:"requested_reviewer"`
	Assignee          *user       `json:"assignee"`
	Milestone         *milestone  `json:"milestone"`
	Reason            *string     `json:"reason"`
	// Before is the head before a push. It orders two pushes of one second, and
	// no more: of a wrong type, it costs nothing.
	Before  payload.Nullable `json:"before"`
	Changes *struct {
		Title payload.Present `json:"title"`
		Body  payload.Present `json:"body"`
		Base  payload.Present `json:"base"`
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
	Number             int64            `json:"number"`
	UpdatedAt          payload.Moment   `json:"updated_at"`
	Title              *string          `json:"title"`
	Body               payload.Nullable `json:"body"`
	User               *account         `json:"user"`
	State              *string          `json:"state"`
	Merged             *bool            `json:"merged"`
	MergedAt           payload.Moment   `json:"merged_at"`
	Draft              *bool            `json:"draft"`
	Locked             *bool            `json:"locked"`
	Head               branch           `json:"head"`
	Base               branch           `json:"base"`
	Labels             []*label         `json:"labels"`
	Milestone          *milestone       `json:"milestone"`
	RequestedReviewers []*user          `json:"requested_reviewers"`
	Assignees          []*user          `json:"assignees"`
	AutoMerge          payload.Presence `json:"auto_merge"`
	MergeCommitSHA     payload.Nullable `json:"merge_commit_sha"`
	Comments           *int64           `json:"comments"`
	ReviewComments     *int64           `json:"review_comments"`
	Commits            *int64           `json:"commits"`
	Additions          *int64           `json:"additions"`
	Deletions          *int64           `json:"deletions"`
	ChangedFiles       *int64           `json:"changed_files"`
	CreatedAt          payload.Moment   `json:"created_at"`
	ClosedAt           payload.Moment   `json:"closed_at"`
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
	said := pullRequestPayload{PullRequest: blankPullRequest()}
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	pr := &said.PullRequest
	if pr.Number == 0 {
		pr.Number = said.Number
	}
	if said.Number != 0 && said.Number != pr.Number {
		return schemas.Event{}, payload.Errorf(record.Event, "number is %d and pull_request.number is %d", said.Number, pr.Number)
	}
	if err := checkEntity(record.Event, said.Repository, pr.Number, "pull_request.number"); err != nil {
		return schemas.Event{}, err
	}
	if err := pr.check(record.Event); err != nil {
		return schemas.Event{}, err
	}
	snapshot := pr.snapshot()
	snapshot.Instance = payload.Instance(record.Key)
	snapshot.RepositoryID = itoa(said.Repository.ID)
	snapshot.Repository = payload.Clean(said.Repository.FullName)

	event.Action = payload.Action(said.Action, record)
	event.Entity = schemas.PullRequestKey(snapshot.Instance, snapshot.RepositoryID, snapshot.Number)
	event.Sender = actorOf(said.Sender)
	snapshot.HeadCommit = headCommit(snapshot)
	said.setChange(snapshot, event.Action)
	event.PullRequest = snapshot
	return event, nil
}

// check names the first field whose value is none that it can have.
func (p *pullRequest) check(event string) error {
	switch {
	case p.Body.Wrong != nil:
		return payload.Errorf(event, "pull_request.body is not a string")
	case p.MergeCommitSHA.Wrong != nil:
		return payload.Errorf(event, "pull_request.merge_commit_sha is not a string")
	case p.State != nil && *p.State != "" && *p.State != "open" && *p.State != "closed":
		return payload.Errorf(event, "pull_request.state is %q, want open or closed", payload.Clean(*p.State))
	}
	return nil
}

func (p *pullRequest) snapshot() *schemas.PullRequestSnapshot {
	return &schemas.PullRequestSnapshot{
		Number:             p.Number,
		UpdatedAt:          p.UpdatedAt.Stated(),
		Title:              payload.NonEmpty(p.Title),
		Body:               p.Body.Stated(),
		Author:             p.author(),
		State:              payload.NonEmpty(p.State),
		Merged:             p.merged(),
		Draft:              payload.Scalar(p.Draft),
		Locked:             payload.Scalar(p.Locked),
		HeadSHA:            payload.NonEmpty(p.Head.SHA),
		HeadRef:            payload.NonEmpty(p.Head.Ref),
		HeadRepositoryID:   p.Head.repositoryID(),
		BaseRef:            payload.NonEmpty(p.Base.Ref),
		BaseSHA:            payload.NonEmpty(p.Base.SHA),
		Labels:             payload.Names(p.Labels, func(l *label) string { return l.Name }),
		Milestone:          p.milestone(),
		RequestedReviewers: payload.Names(p.RequestedReviewers, func(u *user) string { return u.Login }),
		Assignees:          payload.Names(p.Assignees, func(u *user) string { return u.Login }),
		AutoMerge:          schemas.Stated[bool](p.AutoMerge),
		MergeCommitSHA:     p.MergeCommitSHA.Stated(),
		Comments:           payload.Scalar(p.Comments),
		ReviewComments:     payload.Scalar(p.ReviewComments),
		Commits:            payload.Scalar(p.Commits),
		Additions:          payload.Scalar(p.Additions),
		Deletions:          payload.Scalar(p.Deletions),
		ChangedFiles:       payload.Scalar(p.ChangedFiles),
		CreatedAt:          p.CreatedAt.Stated(),
		ClosedAt:           p.ClosedAt.StatedOrNull(),
		MergedAt:           p.MergedAt.StatedOrNull(),
	}
}

// headCommit is the head as a commit of the base repository: for the head of a
// fork, too, checks are reported there. It is stated and empty where the head's
// sha is none that a key can hold; no check can hang on that.
func headCommit(s *schemas.PullRequestSnapshot) schemas.Stated[schemas.EntityKey] {
	switch {
	case !s.HeadSHA.Known:
		return schemas.Stated[schemas.EntityKey]{}
	case !payload.IsSHA(s.HeadSHA.Value):
		return schemas.Say(schemas.EntityKey(""))
	}
	return schemas.Say(schemas.CommitKey(s.Instance, s.RepositoryID, s.HeadSHA.Value))
}

// merged is true where either field says so, false where one denies it, and
// unknown where neither is there: payloads of other events have no merged, and
// all have merged_at.
func (p *pullRequest) merged() schemas.Stated[bool] {
	switch {
	case p.MergedAt.Set, p.Merged != nil && *p.Merged:
		return schemas.Say(true)
	case p.MergedAt.Null, p.Merged != nil:
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
	return payload.Text(p.Milestone.Title)
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
