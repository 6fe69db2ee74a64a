package life

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"pawl/schemas"
)

// The deliveries of GitHub that are about what stands around a pull request.

func (g *github) tellReview(c change) {
	action := map[what]string{reviewed: "submitted", reviewEdited: "edited", dismissed: "dismissed"}[c.what]
	id, _ := strconv.Atoi(c.review.id)
	d := g.send("pull_request_review", action, obj{"pull_request": g.partial(), "review": obj{
		"id": id, "user": githubUser(c.review.author), "state": string(c.review.state), "body": orNull(c.review.body),
		"commit_id": c.review.sha, "submitted_at": c.review.at.Format(time.RFC3339),
	}})
	d.Kept = true
	g.deliver(d)
}

func (g *github) tellComment(c change) {
	action := map[what]string{commented: "created", commentEdited: "edited", commentRemoved: "deleted"}[c.what]
	said := obj{
		"id": c.comment.id, "body": c.comment.body, "user": githubUser(c.comment.author),
		"created_at": c.comment.createdAt.Format(time.RFC3339), "updated_at": c.comment.updateAt.Format(time.RFC3339),
	}
	if !c.comment.line {
		g.deliver(g.send("issue_comment", action, obj{"comment": said, "issue": obj{
			"number": Number, "updated_at": g.updated.Format(time.RFC3339), "pull_request": obj{"merged_at": nil},
		}}))
		return
	}
	if first := c.comment.thread.first; first != c.comment {
		said["in_reply_to_id"] = first.id
	}
	g.deliver(g.send("pull_request_review_comment", action, obj{"comment": said, "pull_request": g.partial()}))
}

func (g *github) tellThread(c change) {
	action := either(c.what == threadResolved, "resolved", "unresolved")
	comments := []obj{}
	for _, said := range c.thread.comments {
		if said.live {
			comments = append(comments, obj{"id": said.id})
		}
	}
	g.deliver(g.send("pull_request_review_thread", action, obj{
		"pull_request": g.partial(), "updated_at": g.now.Format(time.RFC3339),
		"thread": obj{"node_id": "PRRT_" + c.thread.id, "comments": comments},
	}))
}

func (g *github) tellGroup(action, reason string) {
	sha := g.groups[len(g.groups)-1]
	body := obj{"merge_group": obj{
		"head_sha": sha, "head_ref": "refs/heads/gh-readonly-queue/" + g.base + "/pr-7-" + g.head, "base_ref": "refs/heads/" + g.base,
	}}
	if reason != "" {
		body["reason"] = reason
	}
	d := g.send("merge_group", action, body)
	d.Kept = true
	g.deliver(d)
}

// check begins a check, runs it again, or ends it: on the head, on a former one,
// or on the commit of a merge group.
func (g *github) check(pick Pick) bool {
	sha := g.head
	if others := slices.Concat(g.heads, g.groups); pick(4) == 0 {
		sha = others[pick(len(others))]
	}
	switch pick(3) {
	case 0:
		g.checkRun(pick, sha)
	case 1:
		g.status(pick, sha)
	default:
		g.workflowRun(pick, sha)
	}
	return true
}

// find returns the check of that name, made anew where there is none.
func (m *model) find(kind schemas.CheckKind, app, name, sha string) *check {
	for _, c := range m.checks {
		if c.kind == kind && c.App == app && c.Name == name && c.sha == sha {
			return c
		}
	}
	made := &check{sha: sha, kind: kind, PullRequestCheck: schemas.PullRequestCheck{App: app, Name: name, Status: schemas.CheckCompleted}}
	m.checks = append(m.checks, made)
	return made
}

// runs reports whether the check has begun and is not done.
func (c *check) runs() bool { return c.Status != schemas.CheckCompleted }

// begin and end set what a check says at that time.
func (c *check) begin(at time.Time, status schemas.CheckStatus) {
	c.Status, c.Conclusion, c.State = status, "", schemas.ChecksPending
	c.started, c.stated = at, at
}

func (c *check) end(at time.Time, conclusion string) {
	c.Status, c.Conclusion = schemas.CheckCompleted, conclusion
	c.stated, c.finished = at, at
	c.State = schemas.ChecksFailure
	switch strings.ToLower(conclusion) {
	case "success", "neutral", "skipped", "successful", "warning":
		c.State = schemas.ChecksSuccess
	}
}

// checkRun: a run has no clock but started_at and completed_at, and one that is
// run again is a new one with a greater id.
func (g *github) checkRun(pick Pick, sha string) {
	c := g.find(schemas.CheckRun, "ci", pick.of([]string{"build", "test"}), sha)
	action := "completed"
	if c.runs() {
		c.end(g.now, pick.of([]string{"success", "failure", "neutral", "cancelled"}))
	} else {
		action, c.attempt = "created", g.nextID()
		c.begin(g.now, []schemas.CheckStatus{schemas.CheckQueued, schemas.CheckInProgress}[pick(2)])
	}
	named := []obj{}
	if !g.fork {
		named = append(named, obj{"number": Number})
	}
	g.tellCheck("check_run", action, obj{"check_run": obj{
		"id": c.attempt, "name": c.Name, "head_sha": sha, "status": string(c.Status), "conclusion": orNull(c.Conclusion),
		"app": obj{"id": 15, "slug": "ci"}, "started_at": c.started.Format(time.RFC3339),
		"completed_at":  timeOrNull(atOrZero(!c.runs(), c.stated), time.RFC3339),
		"pull_requests": named,
	}})
}

// status: each state is a new one with an id of its own, and the case of its
// context does not matter.
func (g *github) status(pick Pick, sha string) {
	c := g.find(schemas.CommitStatus, "", "ci/deploy", sha)
	if !c.runs() {
		c.begin(g.now, schemas.CheckInProgress)
	} else {
		c.end(g.now, pick.of([]string{"success", "failure", "error"}))
	}
	g.tellCheck("status", "", obj{
		"id": g.nextID(), "sha": sha, "context": pick.of([]string{"ci/deploy", "CI/Deploy"}),
		"state":      either(c.runs(), "pending", c.Conclusion),
		"updated_at": c.stated.Format("2006-01-02T15:04:05+00:00"),
	})
}

// workflowRun: a run that is run again keeps its id, and counts its attempts.
func (g *github) workflowRun(pick Pick, sha string) {
	c := g.find(schemas.WorkflowRun, "github-actions", "CI", sha)
	action := "completed"
	switch {
	case !c.runs():
		action, c.retry = "requested", c.retry+1
		if c.attempt == 0 {
			c.attempt = g.nextID()
		}
		c.begin(g.now, schemas.CheckQueued)
	case c.Status == schemas.CheckQueued && pick(2) == 0:
		action, c.Status, c.stated = "in_progress", schemas.CheckInProgress, g.now
	default:
		c.end(g.now, pick.of([]string{"success", "failure", "timed_out"}))
	}
	g.tellCheck("workflow_run", action, obj{"workflow_run": obj{
		"id": c.attempt, "name": c.Name, "workflow_id": 33, "run_attempt": c.retry, "head_sha": sha,
		"status": string(c.Status), "conclusion": orNull(c.Conclusion), "run_started_at": c.started.Format(time.RFC3339),
		"updated_at": c.stated.Format(time.RFC3339), "pull_requests": []obj{},
	}})
}

// suite: one that is requested again keeps its id, and is still called completed.
func (g *github) suite(pick Pick) bool {
	c := g.find(schemas.CheckSuite, "ci", "", g.head)
	action := "completed"
	switch {
	case c.attempt == 0:
		c.attempt = g.nextID()
		c.end(g.now, "success")
	case pick(2) == 0:
		action = "rerequested"
	default:
		c.end(g.now, pick.of([]string{"success", "failure"}))
	}
	g.tellCheck("check_suite", action, obj{"check_suite": obj{
		"id": c.attempt, "head_sha": g.head, "status": "completed", "conclusion": c.Conclusion,
		"app": obj{"id": 15, "slug": "ci"}, "updated_at": g.now.Format(time.RFC3339), "pull_requests": []obj{},
	}})
	return true
}

func (g *github) tellCheck(event, action string, body obj) {
	d := g.send(event, action, body)
	d.Kept = true
	g.deliver(d)
}
