package gitlab

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// mergeRequestPayload is the payload of event merge_request. A system hook's is
// the same without an action, and often without changes.
type mergeRequestPayload struct {
	User       *user        `json:"user"`
	Project    project      `json:"project"`
	ProjectID  int64        `json:"project_id"`
	Attributes mergeRequest `json:"object_attributes"`
	Labels     []*label     `json:"labels"`
	Assignees  []*user      `json:"assignees"`
	Reviewers  []*user      `json:"reviewers"`
	Changes    changes      `json:"changes"`
	// Read: a live read has it, and no object_attributes.
	Read payload.Present `json:"merge_request"`
}

// mergeRequest is the snapshot. A pointer is nil where the field is absent or
// null. There are no times of closing and merging in what GitLab sends, and
// nobody makes them up; where a template adds them, they are read.
type mergeRequest struct {
	IID             int64            `json:"iid"`
	TargetProjectID int64            `json:"target_project_id"`
	SourceProjectID nullable[int64]  `json:"source_project_id"` // null: the fork is gone
	Action          string           `json:"action"`
	OldRevision     string           `json:"oldrev"`
	System          bool             `json:"system"` // by a rule of the project, not by a person
	Title           *string          `json:"title"`
	Description     payload.Nullable `json:"description"`
	State           *string          `json:"state"`
	AuthorID        int64            `json:"author_id"`
	Author          *user            `json:"author"`
	Draft           *bool            `json:"draft"`
	WorkInProgress  *bool            `json:"work_in_progress"` // the older name of draft
	Labels          []*label         `json:"labels"`
	AssigneeIDs     []int64          `json:"assignee_ids"`
	ReviewerIDs     []int64          `json:"reviewer_ids"`
	MilestoneID     payload.Presence `json:"milestone_id"`
	Milestone       *milestone       `json:"milestone"`
	AutoMerge       *bool            `json:"merge_when_pipeline_succeeds"`
	MergeCommitSHA  payload.Nullable `json:"merge_commit_sha"`
	LastCommit      *commit          `json:"last_commit"`
	SourceBranch    *string          `json:"source_branch"`
	TargetBranch    *string          `json:"target_branch"`
	Locked          nullable[bool]   `json:"discussion_locked"` // null is false
	ThreadsResolved *bool            `json:"blocking_discussions_resolved"`
	UpdatedAt       payload.Moment   `json:"updated_at"`
	CreatedAt       payload.Moment   `json:"created_at"`
	MergedAt        payload.Moment   `json:"merged_at"`
	ClosedAt        payload.Moment   `json:"closed_at"`
}

type commit struct {
	ID *string `json:"id"`
}

type milestone struct {
	Title *string `json:"title"`
}

func decodeMergeRequest(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said mergeRequestPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	if bool(said.Read) && said.Attributes.IID == 0 {
		return decodeRead(event, record)
	}
	if err := said.check(record.Event); err != nil {
		return schemas.Event{}, err
	}
	event.Action = payload.Action(said.Attributes.Action, record)
	event.Sender = said.User.actor()
	event.PullRequest = said.snapshot(payload.Instance(record.Key), event.Action)
	event.Entity = schemas.PullRequestKey(event.PullRequest.Instance, event.PullRequest.RepositoryID, event.PullRequest.Number)
	event.Review = said.review(event.Action)
	return event, nil
}

func (p *mergeRequestPayload) places() places {
	return places{exact: p.Attributes.TargetProjectID, project: p.Project.ID, top: p.ProjectID}
}

// check names the first field whose value is none that it can have.
func (p *mergeRequestPayload) check(event string) error {
	if err := p.places().check(event, "object_attributes.target_project_id"); err != nil {
		return err
	}
	a := &p.Attributes
	if err := checkNumber(event, "object_attributes.iid", a.IID); err != nil {
		return err
	}
	switch {
	case a.Description.Wrong != nil:
		return payload.Errorf(event, "object_attributes.description is not a string")
	case a.MergeCommitSHA.Wrong != nil:
		return payload.Errorf(event, "object_attributes.merge_commit_sha is not a string")
	case a.SourceProjectID.Wrong != nil || a.SourceProjectID.Value < 0:
		return payload.Errorf(event, "object_attributes.source_project_id is not a positive number")
	case a.Locked.Wrong != nil:
		return payload.Errorf(event, "object_attributes.discussion_locked is not true or false")
	}
	if head := a.head(); head.Known && !payload.IsSHA(head.Value) {
		return payload.Errorf(event, "object_attributes.last_commit.id is not the name of a commit")
	}
	return nil
}

func (p *mergeRequestPayload) snapshot(instance, action string) *schemas.PullRequestSnapshot {
	a := &p.Attributes
	id := itoa(p.places().id())
	change := p.change(action)
	snapshot := &schemas.PullRequestSnapshot{
		Instance:           instance,
		RepositoryID:       id,
		Repository:         payload.Clean(p.Project.Path),
		Number:             a.IID,
		UpdatedAt:          a.UpdatedAt.Stated(),
		Title:              payload.NonEmpty(a.Title),
		Body:               a.Description.Stated(),
		Author:             p.author(action),
		Draft:              payload.Scalar(a.Draft),
		Locked:             a.Locked.stated(),
		HeadSHA:            a.head(),
		HeadRef:            payload.NonEmpty(a.SourceBranch),
		HeadRepositoryID:   a.headRepository(),
		BaseRef:            payload.NonEmpty(a.TargetBranch),
		Labels:             p.labels(),
		Milestone:          a.milestone(),
		RequestedReviewers: people(p.Reviewers, p.Changes.Reviewers, a.ReviewerIDs),
		Assignees:          people(p.Assignees, p.Changes.Assignees, a.AssigneeIDs),
		AutoMerge:          payload.Scalar(a.AutoMerge),
		ThreadsResolved:    payload.Scalar(a.ThreadsResolved),
		MergeCommitSHA:     a.MergeCommitSHA.Stated(),
		CreatedAt:          a.CreatedAt.Stated(),
		ClosedAt:           a.ClosedAt.StatedOrNull(),
		MergedAt:           a.MergedAt.StatedOrNull(),
		Change:             change.word,
		Touched:            change.touched,
		Edited:             change.edited,
	}
	snapshot.State, snapshot.Merged = a.state(action)
	if !snapshot.Draft.Known {
		snapshot.Draft = payload.Scalar(a.WorkInProgress)
	}
	if snapshot.HeadSHA.Known {
		snapshot.HeadCommit = schemas.Say(schemas.CommitKey(instance, a.headProject(id), snapshot.HeadSHA.Value))
	}
	return snapshot
}

// state is not stated for a word that GitLab does not have. A request is locked
// while it is being merged: it is open until the merge is through (trap 31). An
// action merge says merged where no state is there.
func (a *mergeRequest) state(action string) (state schemas.Stated[string], merged schemas.Stated[bool]) {
	if a.State == nil && action == "merge" {
		return schemas.Say("closed"), schemas.Say(true)
	}
	switch payload.Text(a.State).Value {
	case "opened", "locked":
		return schemas.Say("open"), schemas.Say(false)
	case "closed":
		return schemas.Say("closed"), schemas.Say(false)
	case "merged":
		return schemas.Say("closed"), schemas.Say(true)
	}
	return state, merged
}

// author is who has the id author_id, where the payload names that account. Who
// acted is the author of what is opened, where ids do not tell.
func (p *mergeRequestPayload) author(action string) schemas.Stated[schemas.Actor] {
	a := &p.Attributes
	if a.Author != nil && a.Author.Username != "" {
		return schemas.Say(a.Author.actor())
	}
	for _, list := range [][]*user{{p.User}, p.Assignees, p.Reviewers} {
		for _, account := range list {
			if account != nil && account.ID == a.AuthorID && account.ID != 0 && account.Username != "" {
				return schemas.Say(account.actor())
			}
		}
	}
	if action == "open" && p.User != nil && p.User.Username != "" && (a.AuthorID == 0 || p.User.ID == 0) {
		return schemas.Say(p.User.actor())
	}
	return schemas.Stated[schemas.Actor]{}
}

func (a *mergeRequest) head() schemas.Stated[string] {
	if a.LastCommit == nil {
		return schemas.Stated[string]{}
	}
	return payload.NonEmpty(a.LastCommit.ID)
}

// headRepository is stated and empty where the fork is gone.
func (a *mergeRequest) headRepository() schemas.Stated[string] {
	switch {
	case !a.SourceProjectID.There:
		return schemas.Stated[string]{}
	case a.SourceProjectID.Value == 0:
		return schemas.Say("")
	}
	return schemas.Say(itoa(a.SourceProjectID.Value))
}

// headProject is where the pipelines of the head are looked for.
func (a *mergeRequest) headProject(target string) string {
	if a.SourceProjectID.Value > 0 {
		return itoa(a.SourceProjectID.Value)
	}
	return target
}

// milestone is stated and empty where there is none. The payload has its id only,
// which is no title.
func (a *mergeRequest) milestone() schemas.Stated[string] {
	if a.Milestone != nil {
		return payload.NonEmpty(a.Milestone.Title)
	}
	if a.MilestoneID.Known && !a.MilestoneID.Value {
		return schemas.Say("")
	}
	return schemas.Stated[string]{}
}

func (p *mergeRequestPayload) labels() schemas.Stated[[]string] {
	if p.Labels != nil {
		return payload.Names(p.Labels, (*label).name)
	}
	return payload.Names(p.Attributes.Labels, (*label).name)
}

// people returns the names of a list. GitLab leaves the list out where it is
// empty: then the change that emptied it, or the empty list of ids, says so.
func people(list []*user, changed *change[[]*user], ids []int64) schemas.Stated[[]string] {
	switch {
	case list != nil:
		return payload.Names(list, (*user).name)
	case changed != nil && changed.Current != nil:
		return payload.Names(changed.Current, (*user).name)
	case ids != nil && len(ids) == 0:
		return schemas.Say([]string{})
	}
	return schemas.Stated[[]string]{}
}
