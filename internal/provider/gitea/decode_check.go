package gitea

import (
	"strings"
	"time"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// actionsApp is the app of workflow runs. Gitea has no apps, and no other runs.
const actionsApp = "gitea-actions"

// statusPayload is the payload of event status: one state of one context on one
// commit.
type statusPayload struct {
	ID         int64          `json:"id"`
	SHA        string         `json:"sha"`
	Context    string         `json:"context"`
	State      string         `json:"state"`
	TargetURL  *string        `json:"target_url"`
	CreatedAt  payload.Moment `json:"created_at"`
	UpdatedAt  payload.Moment `json:"updated_at"`
	Repository repository     `json:"repository"`
	Sender     *user          `json:"sender"`
}

func decodeStatus(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said statusPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	if err := checkCommit(record.Event, said.Repository, said.SHA, "sha"); err != nil {
		return schemas.Event{}, err
	}
	if said.Context == "" {
		return schemas.Event{}, payload.Errorf(record.Event, "context is missing")
	}
	event.Sender = said.Sender.actor()
	check := newCheck(record, said.Repository, said.SHA)
	check.Kind = schemas.CommitStatus
	check.Name = strings.ToLower(payload.Clean(said.Context))
	check.Attempt = max(said.ID, 0)
	check.URL = payload.Text(said.TargetURL).Value
	check.UpdatedAt = said.clock()
	check.Status, check.State = statusOf(said.State)
	if check.Status == schemas.CheckCompleted {
		check.Conclusion = payload.Clean(said.State)
	}
	event.Entity = schemas.CommitKey(check.Instance, check.RepositoryID, check.SHA)
	event.Check = check
	return event, nil
}

// clock is when the state was set. Each is a row of its own, so one that was not
// changed since has the time at which it was made.
func (p *statusPayload) clock() schemas.Stated[time.Time] {
	if at := happened(p.UpdatedAt); at.Known {
		return at
	}
	return happened(p.CreatedAt)
}

// statusOf says what a state of a commit status counts as: as Gitea combines
// them (modules/commitstatus), where warning and skipped hinder nothing.
func statusOf(state string) (schemas.CheckStatus, schemas.ChecksState) {
	switch state {
	case "success", "warning", "skipped":
		return schemas.CheckCompleted, schemas.ChecksSuccess
	case "failure", "error":
		return schemas.CheckCompleted, schemas.ChecksFailure
	}
	return schemas.CheckInProgress, schemas.ChecksPending
}

// workflowRunPayload is the payload of event workflow_run: a run of Gitea
// Actions.
type workflowRunPayload struct {
	Action   string `json:"action"`
	Workflow struct {
		Name string `json:"name"`
	} `json:"workflow"`
	WorkflowRun struct {
		ID          int64          `json:"id"`
		HeadSHA     string         `json:"head_sha"`
		Path        string         `json:"path"`
		Status      string         `json:"status"`
		Conclusion  string         `json:"conclusion"`
		RunAttempt  int64          `json:"run_attempt"`
		URL         *string        `json:"html_url"`
		StartedAt   payload.Moment `json:"started_at"`
		CompletedAt payload.Moment `json:"completed_at"`
		UpdatedAt   payload.Moment `json:"updated_at"`
	} `json:"workflow_run"`
	Repository repository `json:"repository"`
	Sender     *user      `json:"sender"`
}

func decodeWorkflowRun(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said workflowRunPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	run := &said.WorkflowRun
	if err := checkCommit(record.Event, said.Repository, run.HeadSHA, "workflow_run.head_sha"); err != nil {
		return schemas.Event{}, err
	}
	event.Action = payload.Action(said.Action, record)
	event.Sender = said.Sender.actor()
	check := newCheck(record, said.Repository, run.HeadSHA)
	check.Kind, check.App, check.Name = schemas.WorkflowRun, actionsApp, said.name()
	check.Attempt, check.Retry = max(run.ID, 0), max(run.RunAttempt, 0)
	check.Status, check.State = runOf(run.Status, run.Conclusion)
	check.Conclusion = payload.Clean(run.Conclusion)
	check.URL = payload.Text(run.URL).Value
	check.StartedAt, check.CompletedAt = happened(run.StartedAt), happened(run.CompletedAt)
	check.UpdatedAt = happened(run.UpdatedAt)
	event.Entity = schemas.CommitKey(check.Instance, check.RepositoryID, check.SHA)
	event.Check = check
	return event, nil
}

// name is the workflow's, or that of its file: the path is build.yml@refs/heads/main.
func (p *workflowRunPayload) name() string {
	if p.Workflow.Name != "" {
		return payload.Clean(p.Workflow.Name)
	}
	file, _, _ := strings.Cut(p.WorkflowRun.Path, "@")
	return payload.Clean(file)
}

// runOf reads the words of services/convert: queued, pending, waiting and
// requested until it begins.
func runOf(status, conclusion string) (schemas.CheckStatus, schemas.ChecksState) {
	switch status {
	case "completed":
		return schemas.CheckCompleted, concluded(conclusion)
	case "in_progress":
		return schemas.CheckInProgress, schemas.ChecksPending
	}
	return schemas.CheckQueued, schemas.ChecksPending
}

func concluded(conclusion string) schemas.ChecksState {
	switch conclusion {
	case "success", "skipped", "neutral":
		return schemas.ChecksSuccess
	case "failure", "cancelled", "timed_out", "action_required", "startup_failure":
		return schemas.ChecksFailure
	}
	return schemas.ChecksPending
}

func newCheck(record schemas.Record, repo repository, sha string) *schemas.CheckSnapshot {
	return &schemas.CheckSnapshot{
		Instance:     payload.Instance(record.Key),
		RepositoryID: itoa(repo.ID),
		Repository:   payload.Clean(repo.FullName),
		SHA:          strings.Clone(sha),
	}
}

// happened is a time that Gitea writes as the year 1970 where there is none yet.
func happened(moment payload.Moment) schemas.Stated[time.Time] {
	if moment.At.Unix() <= 0 {
		return schemas.Stated[time.Time]{}
	}
	return moment.Stated()
}
