package github

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// routing is the few fields that make a key. They are read from the body in one
// pass over it, which is also what tells whether it is JSON.
type routing struct {
	Action     string `json:"action"`
	Number     int64  `json:"number"`
	SHA        string `json:"sha"`
	Repository struct {
		ID       int64  `json:"id"`
		FullName string `json:"full_name"`
	} `json:"repository"`
	PullRequest struct {
		Number int64 `json:"number"`
	} `json:"pull_request"`
	Issue struct {
		Number      int64           `json:"number"`
		PullRequest payload.Present `json:"pull_request"`
	} `json:"issue"`
	CheckRun    headed `json:"check_run"`
	CheckSuite  headed `json:"check_suite"`
	WorkflowRun headed `json:"workflow_run"`
	MergeGroup  headed `json:"merge_group"`
}

type headed struct {
	HeadSHA string `json:"head_sha"`
}

// key returns the partition key and what people call the entity. It reads the
// fields that decoding reads: the two must agree on the key.
func (r *routing) key(instance, event string) (schemas.EntityKey, string) {
	if r.Repository.ID <= 0 {
		return schemas.InstanceKey(instance), ""
	}
	id, name := itoa(r.Repository.ID), r.Repository.FullName
	if number := r.pullRequestNumber(event); number > 0 {
		return schemas.PullRequestKey(instance, id, number), payload.Subject(name, "#"+itoa(number))
	}
	if sha := r.commit(event); payload.IsSHA(sha) {
		return schemas.CommitKey(instance, id, sha), payload.Subject(name, "@"+sha)
	}
	return schemas.RepositoryKey(instance, id), name
}

// pullRequestNumber returns the number people see, or 0. Issues and pull requests
// share one sequence: a comment is on a pull request where issue.pull_request is
// there. What is not folded keeps its place among the records of the pull request
// that it names.
func (r *routing) pullRequestNumber(event string) int64 {
	switch event {
	case eventCheckRun, eventCheckSuite, eventStatus, eventWorkflowRun, eventMergeGroup, eventRepository:
		return 0
	case eventPullRequest:
		if r.PullRequest.Number > 0 {
			return r.PullRequest.Number
		}
		return r.Number
	case eventIssueComment:
		return r.issueNumber()
	}
	if r.PullRequest.Number > 0 {
		return r.PullRequest.Number
	}
	return r.issueNumber()
}

func (r *routing) issueNumber() int64 {
	if r.Issue.PullRequest {
		return r.Issue.Number
	}
	return 0
}

// commit returns the head of the events whose entity is a commit.
func (r *routing) commit(event string) string {
	switch event {
	case eventCheckRun:
		return r.CheckRun.HeadSHA
	case eventCheckSuite:
		return r.CheckSuite.HeadSHA
	case eventWorkflowRun:
		return r.WorkflowRun.HeadSHA
	case eventMergeGroup:
		return r.MergeGroup.HeadSHA
	case eventStatus:
		return r.SHA
	}
	return ""
}
