package gitlab

import (
	"fmt"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// checkApp and checkName tell the pipelines of a commit from other checks. All
// pipelines of a commit but those named apart are attempts at one check: GitLab
// itself goes by the newest.
const (
	checkApp  = "gitlab-ci"
	checkName = "pipeline"
)

// pipelinePayload is the payload of event pipeline.
type pipelinePayload struct {
	User         *user           `json:"user"`
	Project      project         `json:"project"`
	ProjectID    int64           `json:"project_id"`
	MergeRequest mergeRequestRef `json:"merge_request"` // null for a branch
	Attributes   pipeline        `json:"object_attributes"`
}

// pipeline has no updated_at. Retried, it keeps its id and goes back to running,
// with the finished_at of the run before.
type pipeline struct {
	ID         int64          `json:"id"`
	SHA        string         `json:"sha"`
	Tag        bool           `json:"tag"`
	Source     string         `json:"source"`
	Status     string         `json:"status"`
	URL        *string        `json:"url"`
	CreatedAt  payload.Moment `json:"created_at"`
	StartedAt  payload.Moment `json:"started_at"`
	FinishedAt payload.Moment `json:"finished_at"`
}

func decodePipeline(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said pipelinePayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	event.Sender = said.User.actor()
	if why := said.Attributes.aside(); why != "" {
		event.Ignored = why
		return event, nil
	}
	if err := said.check(record.Event); err != nil {
		return schemas.Event{}, err
	}
	event.Check = said.snapshot(payload.Instance(record.Key))
	event.Entity = schemas.CommitKey(event.Check.Instance, event.Check.RepositoryID, event.Check.SHA)
	return event, nil
}

// aside says why a pipeline does not count for its commit. These are GitLab's own
// dangling sources (Enums::Ci::Pipeline): a child's failure is its parent's to
// report, and scans on demand judge no commit. With a higher id than its parent's
// a child would otherwise stand in for it.
func (p *pipeline) aside() string {
	switch p.Source {
	case "parent_pipeline", "webide", "ondemand_dast_scan", "ondemand_dast_validation", "security_orchestration_policy",
		"container_registry_push", "duo_workflow", "pipeline_execution_policy_schedule":
		return fmt.Sprintf("a pipeline of source %s does not count for its commit", p.Source)
	}
	return ""
}

func (p *pipelinePayload) places() places {
	return places{exact: p.MergeRequest.SourceProjectID, project: p.Project.ID, top: p.ProjectID}
}

func (p *pipelinePayload) check(event string) error {
	if err := p.places().check(event, "merge_request.source_project_id"); err != nil {
		return err
	}
	if err := checkNumber(event, "object_attributes.id", p.Attributes.ID); err != nil {
		return err
	}
	if !payload.IsSHA(p.Attributes.SHA) {
		return payload.Errorf(event, "object_attributes.sha is missing or not the name of a commit")
	}
	return nil
}

func (p *pipelinePayload) snapshot(instance string) *schemas.CheckSnapshot {
	a := &p.Attributes
	id := p.places().id()
	status, state := a.outcome()
	check := &schemas.CheckSnapshot{
		Instance:     instance,
		RepositoryID: itoa(id),
		SHA:          payload.Clean(a.SHA),
		Kind:         schemas.PipelineCheck,
		App:          checkApp,
		Name:         a.name(),
		Attempt:      a.ID,
		Retry:        a.run(status),
		Status:       status,
		State:        state,
		URL:          payload.Text(a.URL).Value,
		StartedAt:    a.CreatedAt.Stated(),
	}
	if id == p.Project.ID {
		check.Repository = payload.Clean(p.Project.Path)
	}
	if !check.StartedAt.Known {
		check.StartedAt = a.StartedAt.Stated()
	}
	if status == schemas.CheckCompleted {
		check.Conclusion = payload.Clean(a.Status)
		check.CompletedAt = a.FinishedAt.Stated()
	}
	return check
}

// name keeps apart what is no attempt at the project's own pipeline: that of a
// tag on the commit, and that which holds the statuses that others post.
func (p *pipeline) name() string {
	switch {
	case p.Tag:
		return checkName + "/tag"
	case p.Source == "external":
		return checkName + "/external"
	}
	return checkName
}

// outcome reads a status. A manual pipeline waits for a person to start a job that
// it cannot do without: it is not done, and GitLab does not let it merge.
func (p *pipeline) outcome() (schemas.CheckStatus, schemas.ChecksState) {
	switch p.Status {
	case "success", "skipped":
		return schemas.CheckCompleted, schemas.ChecksSuccess
	case "failed", "canceled":
		return schemas.CheckCompleted, schemas.ChecksFailure
	case "running", "manual", "canceling":
		return schemas.CheckInProgress, schemas.ChecksPending
	}
	return schemas.CheckQueued, schemas.ChecksPending // created, waiting_for_resource, preparing, pending, scheduled, and what is unknown
}

// run orders the runs of one pipeline. A run that is through has the second in
// which it finished. One that is under way has the second after the former run
// finished, and 0 is the first: so it is newer than that run, and no newer than
// its own end.
func (p *pipeline) run(status schemas.CheckStatus) int64 {
	finished := p.FinishedAt.Stated()
	switch {
	case !finished.Known:
		return 0
	case status == schemas.CheckCompleted:
		return finished.Value.Unix()
	}
	return finished.Value.Unix() + 1
}
