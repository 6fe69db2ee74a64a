package github

import (
	"cmp"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// checkRunPayload is the payload of event check_run. Its pull_requests are not
// read: for the head of a fork the list is empty, and a check belongs to its commit.
type checkRunPayload struct {
	Action     string     `json:"action"`
	CheckRun   checkRun   `json:"check_run"`
	Repository repository `json:"repository"`
	Sender     *user      `json:"sender"`
}

// checkRun has no updated_at. What it is not yet, it has as null.
type checkRun struct {
	ID          int64          `json:"id"`
	Name        string         `json:"name"`
	HeadSHA     string         `json:"head_sha"`
	Status      string         `json:"status"`
	Conclusion  string         `json:"conclusion"`
	App         app            `json:"app"`
	StartedAt   payload.Moment `json:"started_at"`
	CompletedAt payload.Moment `json:"completed_at"`
	HTMLURL     string         `json:"html_url"`
	DetailsURL  string         `json:"details_url"`
}

// checkSuitePayload is the payload of event check_suite.
type checkSuitePayload struct {
	Action     string     `json:"action"`
	CheckSuite checkSuite `json:"check_suite"`
	Repository repository `json:"repository"`
	Sender     *user      `json:"sender"`
}

// checkSuite is the checks of one App on a commit. It has no page of its own.
type checkSuite struct {
	ID         int64          `json:"id"`
	HeadSHA    string         `json:"head_sha"`
	Status     string         `json:"status"`
	Conclusion string         `json:"conclusion"`
	App        app            `json:"app"`
	UpdatedAt  payload.Moment `json:"updated_at"`
}

// app is a GitHub App. Old payloads have no slug.
type app struct {
	ID   int64  `json:"id"`
	Slug string `json:"slug"`
}

func (a app) name() string {
	if slug := payload.Clean(a.Slug); slug != "" || a.ID <= 0 {
		return slug
	}
	return itoa(a.ID)
}

func decodeCheckRun(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said checkRunPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	run := &said.CheckRun
	check, err := newCheck(record, said.Repository, run.HeadSHA, "check_run.head_sha")
	if err != nil {
		return schemas.Event{}, err
	}
	check.Kind, check.App, check.Name = schemas.CheckRun, run.App.name(), payload.Clean(run.Name)
	if check.Name == "" {
		return schemas.Event{}, payload.Errorf(record.Event, "check_run.name is missing")
	}
	check.Attempt = max(run.ID, 0)
	check.URL = payload.Clean(cmp.Or(run.HTMLURL, run.DetailsURL))
	check.StartedAt, check.CompletedAt = run.StartedAt.Stated(), run.CompletedAt.StatedOrNull()
	setOutcome(check, run.Status, run.Conclusion)
	return checked(event, check, payload.Action(said.Action, record), said.Sender), nil
}

func decodeCheckSuite(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said checkSuitePayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	suite := &said.CheckSuite
	check, err := newCheck(record, said.Repository, suite.HeadSHA, "check_suite.head_sha")
	if err != nil {
		return schemas.Event{}, err
	}
	check.Kind, check.App = schemas.CheckSuite, suite.App.name()
	check.Attempt = max(suite.ID, 0)
	check.UpdatedAt = suite.UpdatedAt.Stated()
	setOutcome(check, suite.Status, suite.Conclusion)
	return checked(event, check, payload.Action(said.Action, record), said.Sender), nil
}

// newCheck returns a check of a commit of the base repository. The path names the
// field of the sha.
func newCheck(record schemas.Record, repo repository, sha, path string) (*schemas.CheckSnapshot, error) {
	if err := checkCommit(record.Event, repo, sha, path); err != nil {
		return nil, err
	}
	return &schemas.CheckSnapshot{
		Instance:     payload.Instance(record.Key),
		RepositoryID: itoa(repo.ID),
		Repository:   payload.Clean(repo.FullName),
		SHA:          payload.Clean(sha),
	}, nil
}

// checkCommit holds what makes a commit's key against what a key can be.
func checkCommit(event string, repo repository, sha, path string) error {
	if err := checkRepository(event, repo.ID); err != nil {
		return err
	}
	switch {
	case sha == "":
		return payload.Errorf(event, "%s is missing", path)
	case !payload.IsSHA(sha):
		return payload.Errorf(event, "%s is %q, want the name of a commit", path, payload.Clean(sha))
	}
	return nil
}

// checked returns the event of a check. It folds what the object says, whatever
// the action is.
func checked(event schemas.Event, check *schemas.CheckSnapshot, action string, sender *user) schemas.Event {
	event.Action = action
	event.Sender = actorOf(sender)
	event.Entity = schemas.CommitKey(check.Instance, check.RepositoryID, check.SHA)
	event.Check = check
	return event
}

// setOutcome reads status and conclusion. A conclusion counts once the check is
// completed: before that it is of nothing.
func setOutcome(check *schemas.CheckSnapshot, status, conclusion string) {
	check.Status, check.State = checkStatus(status, conclusion), schemas.ChecksPending
	if check.Status == schemas.CheckCompleted {
		check.Conclusion, check.State = payload.Clean(conclusion), checkState(conclusion)
	}
}

// checkStatus returns how far a check is. GitHub Actions has requested, waiting
// and pending beside queued; none of them has begun. A payload with a conclusion
// and without a status is of a completed check.
func checkStatus(status, conclusion string) schemas.CheckStatus {
	switch {
	case status == "completed", status == "" && conclusion != "":
		return schemas.CheckCompleted
	case status == "in_progress":
		return schemas.CheckInProgress
	}
	return schemas.CheckQueued
}

// checkState returns what the conclusion of a completed check counts as. GitHub
// sets stale itself, on checks that it has waited 14 days for; that, and a word
// that is not known, is no result.
func checkState(conclusion string) schemas.ChecksState {
	switch conclusion {
	case "success", "neutral", "skipped":
		return schemas.ChecksSuccess
	case "failure", "timed_out", "cancelled", "action_required", "startup_failure", "error":
		return schemas.ChecksFailure
	}
	return schemas.ChecksPending
}
