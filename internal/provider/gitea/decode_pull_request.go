package gitea

import (
	"strings"
	"time"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// pullRequestPayload is the payload of all events of a pull request but its
// comments: of one kind, whatever happened.
type pullRequestPayload struct {
	Action            string          `json:"action"`
	Number            int64           `json:"number"`
	PullRequest       *pullRequest    `json:"pull_request"`
	RequestedReviewer *user           `json:"requested_reviewer"`
	Review            *review         `json:"review"`
	Comment           payload.Present `json:"comment"`
	Repository        repository      `json:"repository"`
	Sender            *user           `json:"sender"`
	Changes           *struct {
		Title payload.Present `json:"title"`
		Body  payload.Present `json:"body"`
		Ref   payload.Present `json:"ref"`
	} `json:"changes"`
}

// pullRequest is the snapshot. A pointer is nil where the field is absent or
// null. Where the two differ, the field is nullable, or its pointer is set
// before decoding (blankPayload): then nil is null, and a value in which nothing
// is set is absent.
type pullRequest struct {
	Number             int64            `json:"number"`
	UpdatedAt          payload.Moment   `json:"updated_at"`
	Title              *string          `json:"title"`
	Body               payload.Nullable `json:"body"`
	User               *user            `json:"user"`
	State              *string          `json:"state"`
	Merged             *bool            `json:"merged"`
	MergedAt           payload.Moment   `json:"merged_at"`
	MergeCommitSHA     payload.Nullable `json:"merge_commit_sha"`
	Draft              *bool            `json:"draft"`
	Locked             *bool            `json:"is_locked"`
	Head               branch           `json:"head"`
	Base               branch           `json:"base"`
	Labels             *[]*label        `json:"labels"`
	Milestone          *milestone       `json:"milestone"`
	RequestedReviewers *[]*user         `json:"requested_reviewers"`
	Assignees          *[]*user         `json:"assignees"`
	Comments           *int64           `json:"comments"`
	ReviewComments     *int64           `json:"review_comments"`
	Additions          *int64           `json:"additions"`
	Deletions          *int64           `json:"deletions"`
	ChangedFiles       *int64           `json:"changed_files"`
	CreatedAt          payload.Moment   `json:"created_at"`
	ClosedAt           payload.Moment   `json:"closed_at"`
}

// label is one label of a repository.
type label struct {
	Name string `json:"name"`
}

// milestone is nil where there is none, and not stated without a title.
type milestone struct {
	Title *string `json:"title"`
}

// branch is the head or the base.
type branch struct {
	Label  *string  `json:"label"`
	Ref    *string  `json:"ref"`
	SHA    *string  `json:"sha"`
	RepoID int64    `json:"repo_id"`
	Repo   *repoRef `json:"repo"`
}

// repoRef is the repository of a branch: nil once the fork is deleted.
type repoRef struct {
	ID int64 `json:"id"`
}

func blankPayload() pullRequestPayload {
	return pullRequestPayload{PullRequest: &pullRequest{
		User:               new(user),
		Milestone:          new(milestone),
		Head:               branch{Repo: new(repoRef)},
		Labels:             new([]*label),
		RequestedReviewers: new([]*user),
		Assignees:          new([]*user),
	}}
}

func decodePullRequest(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	said := blankPayload()
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	if said.Comment {
		return decodeComment(event, record)
	}
	event.Action = payload.Action(said.Action, record)
	event.Sender = said.Sender.actor()
	if said.PullRequest == nil {
		event.Ignored = "pull_request is null: Gitea could not read it when it sent the delivery"
		return event, nil
	}
	if err := said.check(record.Event); err != nil {
		return schemas.Event{}, err
	}
	snapshot := said.snapshot(payload.Instance(record.Key), event.Action)
	event.Entity = schemas.PullRequestKey(snapshot.Instance, snapshot.RepositoryID, snapshot.Number)
	if event.Action == actionReviewed {
		return reviewed(event, &said, snapshot), nil
	}
	event.PullRequest = snapshot
	return event, nil
}

// check names the first field whose value is none that it can have.
func (p *pullRequestPayload) check(event string) error {
	pr := p.PullRequest
	if pr.Number == 0 {
		pr.Number = p.Number
	}
	if p.Number != 0 && p.Number != pr.Number {
		return payload.Errorf(event, "number is %d and pull_request.number is %d", p.Number, pr.Number)
	}
	if err := checkEntity(event, p.Repository, pr.Number, "pull_request.number"); err != nil {
		return err
	}
	switch {
	case pr.Body.Wrong != nil:
		return payload.Errorf(event, "pull_request.body is not a string")
	case pr.MergeCommitSHA.Wrong != nil:
		return payload.Errorf(event, "pull_request.merge_commit_sha is not a string")
	case pr.State != nil && *pr.State != "open" && *pr.State != "closed":
		return payload.Errorf(event, "pull_request.state is %q, want open or closed", payload.Clean(*pr.State))
	}
	return nil
}

func (p *pullRequestPayload) snapshot(instance, action string) *schemas.PullRequestSnapshot {
	pr := p.PullRequest
	snapshot := &schemas.PullRequestSnapshot{
		Instance:           instance,
		RepositoryID:       itoa(p.Repository.ID),
		Repository:         payload.Clean(p.Repository.FullName),
		Number:             pr.Number,
		UpdatedAt:          pr.UpdatedAt.Stated(),
		Title:              payload.NonEmpty(pr.Title),
		Body:               pr.Body.Stated(),
		Author:             pr.author(),
		State:              payload.Text(pr.State),
		Merged:             pr.merged(),
		Draft:              pr.draft(),
		Locked:             payload.Scalar(pr.Locked),
		HeadSHA:            pr.Head.sha(),
		HeadRef:            pr.Head.ref(),
		HeadRepositoryID:   pr.Head.repositoryID(),
		BaseRef:            pr.Base.ref(),
		BaseSHA:            pr.Base.sha(),
		Labels:             names(pr.Labels, func(l *label) string { return l.Name }),
		Milestone:          pr.milestone(),
		RequestedReviewers: names(pr.RequestedReviewers, (*user).name),
		Assignees:          names(pr.Assignees, (*user).name),
		MergeCommitSHA:     pr.MergeCommitSHA.Stated(),
		Comments:           payload.Scalar(pr.Comments),
		ReviewComments:     payload.Scalar(pr.ReviewComments),
		Additions:          payload.Scalar(pr.Additions),
		Deletions:          payload.Scalar(pr.Deletions),
		ChangedFiles:       payload.Scalar(pr.ChangedFiles),
		CreatedAt:          pr.CreatedAt.Stated(),
		ClosedAt:           pr.closedAt(),
		MergedAt:           pr.MergedAt.StatedOrNull(),
		Change:             changeOf(action),
		Touched:            p.touched(action),
		Edited:             p.edited(action),
	}
	if sha := snapshot.HeadSHA; sha.Known {
		// Gitea looks for the statuses of a head in the base repository.
		snapshot.HeadCommit = schemas.Say(schemas.CommitKey(instance, snapshot.RepositoryID, sha.Value))
	}
	return snapshot
}

// author is stated and empty for a ghost.
func (p *pullRequest) author() schemas.Stated[schemas.Actor] {
	if author := p.User.actor(); author.Login != "" || p.User == nil || p.User.ID == ghostID {
		return schemas.Say(author)
	}
	return schemas.Stated[schemas.Actor]{}
}

// merged is true where either field says so, false where one denies it, and
// unknown where neither is there.
func (p *pullRequest) merged() schemas.Stated[bool] {
	switch {
	case p.MergedAt.Set, p.Merged != nil && *p.Merged:
		return schemas.Say(true)
	case p.MergedAt.Null, p.Merged != nil:
		return schemas.Say(false)
	}
	return schemas.Stated[bool]{}
}

// closedAt is not stated where old versions send null for a pull request that is
// closed: they never set it.
func (p *pullRequest) closedAt() schemas.Stated[time.Time] {
	if p.ClosedAt.Null && p.State != nil && *p.State == "closed" {
		return schemas.Stated[time.Time]{}
	}
	return p.ClosedAt.StatedOrNull()
}

// draft is what the server says. Versions without the field know drafts by the
// title alone, by the prefixes of the setting WORK_IN_PROGRESS_PREFIXES; these
// are its defaults.
func (p *pullRequest) draft() schemas.Stated[bool] {
	if p.Draft != nil || p.Title == nil || *p.Title == "" {
		return payload.Scalar(p.Draft)
	}
	title := strings.ToUpper(*p.Title)
	return schemas.Say(strings.HasPrefix(title, "WIP:") || strings.HasPrefix(title, "[WIP]"))
}

// milestone is stated and empty where there is none.
func (p *pullRequest) milestone() schemas.Stated[string] {
	if p.Milestone == nil {
		return schemas.Say("")
	}
	return payload.NonEmpty(p.Milestone.Title)
}

// ref is the name of the branch. Once the branch is deleted, ref is the one that
// Gitea keeps for the pull request, and label still the name.
func (b *branch) ref() schemas.Stated[string] {
	if label := payload.NonEmpty(b.Label); label.Known && b.Ref != nil && strings.HasPrefix(*b.Ref, "refs/pull/") {
		return label
	}
	return payload.NonEmpty(b.Ref)
}

// sha is not stated where the text is none that a commit's key can hold.
func (b *branch) sha() schemas.Stated[string] {
	if b.SHA == nil || !payload.IsSHA(*b.SHA) {
		return schemas.Stated[string]{}
	}
	return payload.Text(b.SHA)
}

// repositoryID is stated and empty where the repository is gone: then repo_id is
// -1 and repo is null.
func (b *branch) repositoryID() schemas.Stated[string] {
	switch {
	case b.RepoID > 0:
		return schemas.Say(itoa(b.RepoID))
	case b.RepoID < 0 || b.Repo == nil:
		return schemas.Say("")
	case b.Repo.ID > 0:
		return schemas.Say(itoa(b.Repo.ID))
	}
	return schemas.Stated[string]{}
}

// names returns the names of a list. null is the empty list: Gitea is written in
// Go, and that is how a list without elements comes out.
func names[T any](list *[]*T, nameOf func(*T) string) schemas.Stated[[]string] {
	if list == nil {
		return schemas.Say([]string{})
	}
	return payload.Names(*list, nameOf)
}

// changeOf returns the action in GitHub's words. The server names no label of a
// label_updated, which sets the whole list.
func changeOf(action string) string {
	switch action {
	case "", "opened", "closed", "reopened", "edited", "assigned", "unassigned", "milestoned", "demilestoned",
		"review_requested", "review_request_removed":
		return action
	case "label_updated":
		return "labeled"
	case "label_cleared":
		return "unlabeled"
	case "synchronized":
		return "synchronize"
	}
	return schemas.ChangeUnknown
}

// touched is whom a request for a review names. A team has no login.
func (p *pullRequestPayload) touched(action string) string {
	if action == "review_requested" || action == "review_request_removed" {
		return p.RequestedReviewer.name()
	}
	return ""
}

// edited names the fields that an edited action changed. ref is the base.
func (p *pullRequestPayload) edited(action string) []string {
	if action != "edited" || p.Changes == nil {
		return nil
	}
	var fields []string
	for _, field := range []struct {
		name    string
		changed payload.Present
	}{{"title", p.Changes.Title}, {"body", p.Changes.Body}, {"base", p.Changes.Ref}} {
		if field.changed {
			fields = append(fields, field.name)
		}
	}
	return fields
}
