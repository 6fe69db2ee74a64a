package main

import (
	"fmt"
	"strings"
	"time"
)

// commit is a commit that checks hang on. A fork's names no pull request and no
// branch, as GitHub's do.
type commit struct {
	repository, number int
	sha                string
	fork               bool
}

// check is one delivery of the life of a check.
type check struct {
	event      string // check_run, check_suite, status, workflow_run
	action     string
	name       string
	id         int64
	status     string // of a commit status: its state
	conclusion string
	began      time.Time
	at         time.Time
}

// body returns the delivery's body, with the fields and the nesting of a real one:
// GitHub's are of 9 to 11 KB, and 19 KB for a workflow run.
func (c check) body(of commit) []byte {
	repo := baseRepository(of.repository, large)
	if c.event == "status" {
		return fmt.Appendf(nil, `{%s,"repository":%s,"sender":%s}`, c.statusFields(of), repo, userObject("ci-bot"))
	}
	var object string
	switch c.event {
	case "check_run":
		object = c.runObject(of)
	case "check_suite":
		object = c.suiteObject(of, userObject("author"))
	case "workflow_run":
		object = c.workflowObject(of, repo)
	}
	return fmt.Appendf(nil, `{"action":%q,%q:%s,"repository":%s,"sender":%s}`, c.action, c.event, object, repo, userObject("ci-bot"))
}

func (c check) runObject(of commit) string {
	completed := "null"
	if c.status == "completed" {
		completed = timeText(c.at)
	}
	address := "https://api.github.com/repos/" + repositoryName(of.repository) + "/check-runs/"
	return fmt.Sprintf(`{"id":%d,"node_id":"MDg6Q2hlY2tSdW4xMjg2MjAyMjg=","head_sha":%q,"external_id":"","url":"%s%d",`+
		`"html_url":"%s%d","details_url":"https://ci.example.com/%d","status":%q,"conclusion":%s,"started_at":%s,"completed_at":%s,`+
		`"output":{"title":%q,"summary":%q,"text":null,"annotations_count":0,"annotations_url":"%s%d/annotations"},"name":%q,`+
		`"check_suite":%s,"app":%s,"pull_requests":%s}`,
		c.id, of.sha, address, c.id, address, c.id, c.id, c.status, nullable(c.conclusion), timeText(c.began), completed,
		c.name, checkSummary, address, c.id, c.name, c.suiteObject(of, "null"), appObject(), of.pullRequests())
}

// checkSummary is what an App writes of its result; nothing stores it.
var checkSummary = strings.Repeat("What ran, how long it took, and where to read more of it. ", 10)

func (c check) suiteObject(of commit, user string) string {
	return fmt.Sprintf(`{"id":%d,"node_id":"MDEwOkNoZWNrU3VpdGUxMTg1NzgxNDc=","head_branch":%s,"head_sha":%q,"status":%q,"conclusion":%s,`+
		`"url":"https://api.github.com/repos/%s/check-suites/%d","before":"%040x","after":%q,"pull_requests":%s,"app":%s,`+
		`"created_at":%s,"updated_at":%s,"latest_check_runs_count":3,"creator":%s}`,
		c.id/10, of.branch(), of.sha, c.status, nullable(c.conclusion), repositoryName(of.repository), c.id/10, of.number, of.sha,
		of.pullRequests(), appObject(), timeText(c.began), timeText(c.at), user)
}

func (c check) workflowObject(of commit, repo string) string {
	address := "https://api.github.com/repos/" + repositoryName(of.repository) + "/actions/runs/"
	return fmt.Sprintf(`{"id":%d,"name":%q,"node_id":"WFR_kwLOABCDEF8AAAABFzg3Zg","head_branch":%s,"head_sha":%q,"path":".github/workflows/%s.yml",`+
		`"run_number":%d,"event":"pull_request","status":%q,"conclusion":%s,"workflow_id":3,"check_suite_id":%d,"url":"%s%d","html_url":"%s%d",`+
		`"pull_requests":%s,"created_at":%s,"updated_at":%s,"actor":%s,"run_attempt":1,"referenced_workflows":[],"run_started_at":%s,`+
		`"triggering_actor":%s,"head_commit":{"id":%q,"tree_id":%q,"message":"Change it","timestamp":%s,"author":{"name":"author","email":"a@example.com"}},`+
		`"repository":%s,"head_repository":%s}`,
		c.id, c.name, of.branch(), of.sha, c.name, of.number, c.status, nullable(c.conclusion), c.id/10, address, c.id, address, c.id,
		of.pullRequests(), timeText(c.began), timeText(c.at), userObject("author"), timeText(c.began),
		userObject("author"), of.sha, of.sha, timeText(c.began), repo, repo)
}

func (c check) statusFields(of commit) string {
	branches := fmt.Sprintf(`{"name":%s,"commit":{"sha":%q},"protected":false}`, of.branch(), of.sha)
	if of.fork {
		branches = ""
	}
	return fmt.Sprintf(`"id":%d,"sha":%q,"name":%q,"target_url":"https://ci.example.com/%d","avatar_url":null,"context":%q,`+
		`"description":%q,"state":%q,"commit":{"sha":%q,"node_id":"MDY6Q29tbWl0","commit":{"author":{"name":"author","email":"a@example.com"},`+
		`"message":%q,"verification":{"verified":false}},"author":%s,"committer":%s,"parents":[]},"branches":[%s],"created_at":%s,"updated_at":%s`,
		c.id, of.sha, repositoryName(of.repository), c.id, c.name, checkSummary[:100], c.status, of.sha, checkSummary,
		userObject("author"), userObject("author"), branches, timeText(c.at), timeText(c.at))
}

func (o commit) branch() string {
	if o.fork {
		return "null"
	}
	return fmt.Sprintf(`"change-%d"`, o.number)
}

func (o commit) pullRequests() string {
	if o.fork {
		return "[]"
	}
	address := "https://api.github.com/repos/" + repositoryName(o.repository)
	return fmt.Sprintf(`[{"url":"%s/pulls/%d","id":%d,"number":%d,"head":{"ref":%s,"sha":%q,"repo":{"id":%d,"url":%q,"name":"service"}},`+
		`"base":{"ref":"main","sha":"%040x","repo":{"id":%d,"url":%q,"name":"service"}}}]`,
		address, o.number, 1_000_000_000+o.number, o.number, o.branch(), o.sha, o.repository, address, o.repository, o.repository, address)
}

func appObject() string {
	return fmt.Sprintf(`{"id":15368,"slug":"github-actions","node_id":"MDM6QXBwMTUzNjg=","owner":%s,"name":"GitHub Actions",`+
		`"description":"Automate your workflow from idea to production","external_url":"https://help.github.com/en/actions",`+
		`"html_url":"https://github.com/apps/github-actions","created_at":"2018-07-30T09:30:17Z","updated_at":"2019-12-10T19:04:12Z",`+
		`"permissions":{"actions":"write","checks":"write","contents":"write","deployments":"write","issues":"write","metadata":"read",`+
		`"packages":"write","pages":"write","pull_requests":"write","statuses":"write"},`+
		`"events":["check_run","check_suite","create","delete","deployment","fork","issue_comment","issues","label","push","status","workflow_run"]}`,
		userObject("github"))
}

// reviewBody returns the body of a review that approves.
func reviewBody(repository, number int, s step, at time.Time) []byte {
	return fmt.Appendf(nil, `{"action":"submitted","review":{"id":%d,"node_id":"MDE3OlB1bGxSZXF1ZXN0UmV2aWV3","user":%s,"body":"Good.",`+
		`"commit_id":%q,"submitted_at":%s,"state":"approved","html_url":"https://github.com/acme/api/pull/1#pullrequestreview-1",`+
		`"author_association":"MEMBER"},"pull_request":%s,"repository":%s,"sender":%s}`,
		commentID(repository, number), userObject("reviewer"), headOf(number, s.head), timeText(at),
		pullRequestObject(repository, number, s, at, large), baseRepository(repository, large), userObject("reviewer"))
}

// reviewCommentBody returns the body of a comment on a line.
func reviewCommentBody(repository, number int, s step, at time.Time) []byte {
	return fmt.Appendf(nil, `{"action":"created","comment":{%s,"pull_request_review_id":1,"diff_hunk":"@@ -1 +1 @@","path":"main.go",`+
		`"position":1,"commit_id":%q,"line":7,"side":"RIGHT"},"pull_request":%s,"repository":%s,"sender":%s}`,
		commentFields(repository, number, at), headOf(number, s.head),
		pullRequestObject(repository, number, s, at, large), baseRepository(repository, large), userObject("reviewer"))
}

// issueCommentBody returns the body of a comment under a pull request.
func issueCommentBody(repository, number int, s step, at time.Time) []byte {
	address := "https://api.github.com/repos/" + repositoryName(repository) + "/pulls/"
	return fmt.Appendf(nil, `{"action":"created","issue":{%s,"id":%d,"number":%d,"title":"Change number %d of the service","user":%s,`+
		`"labels":[%s],"state":%q,"locked":false,"assignee":%s,"assignees":[%s],"milestone":null,"comments":1,"created_at":%s,"updated_at":%s,`+
		`"closed_at":null,"author_association":"CONTRIBUTOR","pull_request":{"url":"%s%d"},"body":%q},"comment":{%s},"repository":%s,"sender":%s}`,
		urls(pullRequestURLs, address), 1_000_000_000+number, number, number, userObject("author"), labelObjects(s.labels), s.state,
		userObject("author"), userObject("author"), timeText(at), timeText(at), address, number, description,
		commentFields(repository, number, at), baseRepository(repository, large), userObject("reviewer"))
}

func commentFields(repository, number int, at time.Time) string {
	return fmt.Sprintf(`"id":%d,"node_id":"MDEyOklzc3VlQ29tbWVudA==","user":%s,"created_at":%s,"updated_at":%s,`+
		`"html_url":"https://github.com/acme/api/pull/1#issuecomment-1","author_association":"MEMBER","body":%q`,
		commentID(repository, number), userObject("reviewer"), timeText(at), timeText(at), description[:200])
}

// commentID is the id of the one review and of the one comment of each kind that a
// pull request of the load has.
func commentID(repository, number int) int64 { return int64(repository)*1000 + int64(number) }

func nullable(word string) string {
	if word == "" {
		return "null"
	}
	return fmt.Sprintf("%q", word)
}
