package main

import (
	"fmt"
	"iter"
	"time"

	"pawl/schemas"
)

// turn is one delivery of a pull request's time in the mixed load.
type turn struct {
	kind turnKind
	at   int // which of its kind; of a snapshot, a review and a comment: the step of the life
}

type turnKind string

const (
	turnSnapshot      turnKind = "pull_request"
	turnReview        turnKind = "pull_request_review"
	turnComment       turnKind = "issue_comment"
	turnReviewComment turnKind = "pull_request_review_comment"
	turnHeadCheck     turnKind = "a check of the head"
	turnOtherCheck    turnKind = "a check of a commit that is nobody's head"
)

// mixedLife is what each pull request of the mixed load goes through, a second
// apart: half of it are checks, and half of those are of its head. The first one
// comes before the push that it is of.
var mixedLife = []turn{
	{turnSnapshot, 0},
	{turnOtherCheck, 0},
	{turnSnapshot, 1},
	{turnComment, 1},
	{turnHeadCheck, 0},
	{turnSnapshot, 2},
	{turnHeadCheck, 1},
	{turnOtherCheck, 1},
	{turnReview, 2},
	{turnHeadCheck, 2},
	{turnOtherCheck, 2},
	{turnReviewComment, 2},
	{turnHeadCheck, 3},
	{turnOtherCheck, 3},
	{turnSnapshot, 3},
	{turnSnapshot, 4},
}

// script is what happens on one commit, in four deliveries.
type script [4]check

// scripts are one run of Actions that succeeds, an App's check, two commit
// statuses, a check that fails and is run again, and a run that does not end.
var scripts = []script{
	{
		{event: "workflow_run", action: "requested", name: "test", id: 1, status: "queued"},
		{event: "check_run", action: "created", name: "unit", id: 2, status: "in_progress"},
		{event: "check_run", action: "completed", name: "unit", id: 2, status: "completed", conclusion: "success"},
		{event: "workflow_run", action: "completed", name: "test", id: 1, status: "completed", conclusion: "success"},
	},
	{
		{event: "check_run", action: "created", name: "lint", id: 1, status: "queued"},
		{event: "check_run", action: "created", name: "lint", id: 1, status: "in_progress"},
		{event: "check_run", action: "completed", name: "lint", id: 1, status: "completed", conclusion: "failure"},
		{event: "check_suite", action: "completed", id: 3, status: "completed", conclusion: "failure"},
	},
	{
		{event: "status", name: "ci/build", id: 1, status: "pending"},
		{event: "status", name: "ci/build", id: 2, status: "success"},
		{event: "status", name: "ci/deploy", id: 3, status: "pending"},
		{event: "status", name: "ci/deploy", id: 4, status: "success"},
	},
	{
		{event: "check_run", action: "completed", name: "unit", id: 1, status: "completed", conclusion: "failure"},
		{event: "check_run", action: "created", name: "unit", id: 2, status: "queued"},
		{event: "check_run", action: "completed", name: "unit", id: 2, status: "completed", conclusion: "success"},
		{event: "check_suite", action: "completed", id: 3, status: "completed", conclusion: "success"},
	},
	{
		{event: "workflow_run", action: "requested", name: "test", id: 1, status: "queued"},
		{event: "check_run", action: "created", name: "unit", id: 2, status: "queued"},
		{event: "check_run", action: "created", name: "unit", id: 2, status: "in_progress"},
		{event: "workflow_run", action: "in_progress", name: "test", id: 1, status: "in_progress"},
	},
}

// mixedFirst is the first repository of the mixed load.
const mixedFirst = 1000

// mixed yields a number of deliveries. Each pull request begins a while after the
// one before it, so that every stretch of the log holds all kinds, and the
// deliveries of one lie apart as they do in life. What the nth pull request goes
// through does not depend on how many there are.
func mixed(deliveries int) iter.Seq[schemas.Record] {
	prs := deliveries / len(mixedLife)
	apart := max(prs/20, 1)
	return func(yield func(schemas.Record) bool) {
		for wave := range prs + (len(mixedLife)-1)*apart {
			for at := range mixedLife {
				n := wave - at*apart
				if n >= 0 && n < prs && !yield(mixedRecord(n, at)) {
					return
				}
			}
		}
	}
}

func mixedRecord(n, at int) schemas.Record {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := start.Add(time.Duration(at) * time.Second)
	repository, number := mixedFirst+n/100, n%100+1
	t := mixedLife[at]
	record := schemas.Record{
		Key:    schemas.PullRequestKey("github.com", fmt.Sprint(repository), int64(number)),
		ID:     schemas.DeliveryID(fmt.Sprintf("%08x-%04d-%d", n, mixedFirst, at)),
		Source: "github", Provider: "github", Event: string(t.kind),
		Subject: fmt.Sprintf("%s#%d", repositoryName(repository), number), ReceivedAt: start.Add(time.Hour),
		ContentType: "application/json",
	}
	switch s := life[t.at]; t.kind {
	case turnSnapshot:
		record.Action, record.Body = s.action, pullRequest(repository, number, s, now, sizeOf(n))
	case turnReview:
		record.Action, record.Body = "submitted", reviewBody(repository, number, s, now)
	case turnComment:
		record.Action, record.Body = "created", issueCommentBody(repository, number, s, now)
	case turnReviewComment:
		record.Action, record.Body = "created", reviewCommentBody(repository, number, s, now)
	case turnHeadCheck, turnOtherCheck:
		c, of := mixedCheck(repository, n, t, now)
		record.Key = schemas.CommitKey("github.com", fmt.Sprint(repository), of.sha)
		record.Subject = repositoryName(repository) + "@" + of.sha
		record.Event, record.Action, record.Body = c.event, c.action, c.body(of)
	}
	record.ProviderHeaders = []schemas.Header{{Name: "X-GitHub-Event", Value: record.Event}}
	return record
}

// mixedCheck returns a check, and the commit that it is of. Every fourth pull
// request is of a fork. Some heads are pushed over while they are checked.
func mixedCheck(repository, n int, t turn, now time.Time) (check, commit) {
	number := n%100 + 1
	of := commit{repository: repository, number: number, fork: n/len(scripts)%4 == 0, sha: headOf(number, 7)}
	which := n / len(scripts) % len(scripts)
	if t.kind == turnHeadCheck {
		of.sha, which = headOf(number, min(n/3%5, 1)), n%len(scripts)
	}
	c := scripts[which][t.at]
	c.id += 10 * commentID(repository, number)
	c.began, c.at = now, now
	return c, of
}
