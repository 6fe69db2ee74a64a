package github

import (
	"cmp"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// workflowRunPayload is the payload of event workflow_run.
type workflowRunPayload struct {
	Action      string      `json:"action"`
	WorkflowRun workflowRun `json:"workflow_run"`
	Repository  repository  `json:"repository"`
	Sender      *user       `json:"sender"`
}

// workflowRun is one run of a workflow. A run that is run again keeps its id and
// counts run_attempt. When it completed is not told.
type workflowRun struct {
	ID           int64          `json:"id"`
	Name         string         `json:"name"`
	Path         string         `json:"path"`
	WorkflowID   int64          `json:"workflow_id"`
	RunAttempt   int64          `json:"run_attempt"`
	HeadSHA      string         `json:"head_sha"`
	Status       string         `json:"status"`
	Conclusion   string         `json:"conclusion"`
	HTMLURL      string         `json:"html_url"`
	RunStartedAt payload.Moment `json:"run_started_at"`
	UpdatedAt    payload.Moment `json:"updated_at"`
}

// actionsApp is the App of GitHub Actions, which a run does not name.
const actionsApp = "github-actions"

func decodeWorkflowRun(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said workflowRunPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	run := &said.WorkflowRun
	check, err := newCheck(record, said.Repository, run.HeadSHA, "workflow_run.head_sha")
	if err != nil {
		return schemas.Event{}, err
	}
	check.Kind, check.App, check.Name = schemas.WorkflowRun, actionsApp, run.workflow()
	if check.Name == "" {
		return schemas.Event{}, payload.Errorf(record.Event, "workflow_run.name is missing")
	}
	check.Attempt, check.Retry = max(run.ID, 0), max(run.RunAttempt, 0)
	check.URL = payload.Clean(run.HTMLURL)
	check.StartedAt, check.UpdatedAt = run.RunStartedAt.Stated(), run.UpdatedAt.Stated()
	setOutcome(check, run.Status, run.Conclusion)
	return checked(event, check, payload.Action(said.Action, record), said.Sender), nil
}

// workflow is the name of the workflow, or what else tells it from the others.
func (r *workflowRun) workflow() string {
	name := cmp.Or(payload.Clean(r.Name), payload.Clean(r.Path))
	if name == "" && r.WorkflowID > 0 {
		return itoa(r.WorkflowID)
	}
	return name
}
