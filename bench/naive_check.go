package main

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/schemas"
)

// naiveCheckPayload is any of the four check events.
type naiveCheckPayload struct {
	Action     string `json:"action"`
	Repository struct {
		ID int64 `json:"id"`
	} `json:"repository"`

	CheckRun    *naiveRun `json:"check_run"`
	CheckSuite  *naiveRun `json:"check_suite"`
	WorkflowRun *naiveRun `json:"workflow_run"`

	// Of a commit status.
	ID        int64      `json:"id"`
	SHA       string     `json:"sha"`
	Context   string     `json:"context"`
	State     string     `json:"state"`
	TargetURL string     `json:"target_url"`
	UpdatedAt *time.Time `json:"updated_at"`
}

// naiveRun is what a check run, a suite and a workflow run say of themselves.
type naiveRun struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	HeadSHA    string `json:"head_sha"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	HTMLURL    string `json:"html_url"`
	RunAttempt int64  `json:"run_attempt"`
	App        struct {
		Slug string `json:"slug"`
	} `json:"app"`
	StartedAt   *time.Time `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at"`
	UpdatedAt   *time.Time `json:"updated_at"`
}

// run returns the check that the event is of. Each state of a commit status is an
// attempt of its own.
func (p *naiveCheckPayload) run() *naiveRun {
	run := cmp.Or(p.CheckRun, p.CheckSuite, p.WorkflowRun)
	if run != nil {
		return run
	}
	run = &naiveRun{ID: p.ID, Name: p.Context, HeadSHA: p.SHA, HTMLURL: p.TargetURL, Status: "completed", UpdatedAt: p.UpdatedAt, Conclusion: p.State}
	if p.State == "pending" {
		run.Status, run.Conclusion = "in_progress", ""
	}
	return run
}

// name tells the checks of a commit apart; a suite has only its App.
func (p *naiveCheckPayload) name() string {
	if p.CheckSuite != nil {
		return ""
	}
	return p.run().Name
}

// rank orders the statuses of one attempt.
func (r *naiveRun) rank() int {
	switch r.Status {
	case "completed":
		return 2
	case "in_progress":
		return 1
	}
	return 0
}

// state is what the check counts as.
func (r *naiveRun) state() string {
	if r.Status != "completed" {
		return "pending"
	}
	switch r.Conclusion {
	case "success", "neutral", "skipped":
		return "success"
	case "failure", "error", "timed_out", "cancelled", "action_required", "startup_failure":
		return "failure"
	}
	return "pending"
}

func naiveChecked(ctx context.Context, tx pgx.Tx, record schemas.Record, p *naiveCheckPayload) error {
	repository, run := p.Repository.ID, p.run()
	if _, err := tx.Exec(ctx, naiveLockCommit, commitLock(repository, run.HeadSHA)); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, naiveUpsertCheck, repository, run.HeadSHA, record.Event, run.App.Slug, p.name(), run.ID, run.RunAttempt, run.rank(),
		run.Status, run.Conclusion, run.state(), run.HTMLURL, run.StartedAt, run.CompletedAt, run.UpdatedAt)
	if err != nil {
		return err
	}
	applied := tag.RowsAffected() > 0
	if applied && p.CheckSuite == nil {
		if _, err := tx.Exec(ctx, naiveCarryOver, repository, run.HeadSHA); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, naiveJournal, string(record.ID), repository, nil, p.Action, applied)
	return err
}
