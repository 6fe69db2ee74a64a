package fakegithub_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pawl/internal/fakegithub"
)

// exchange is one call and its answer.
type exchange struct {
	method, path, body string
	status             int
	says               string
}

func play(t *testing.T, url string, exchanges []exchange) {
	t.Helper()
	for i, e := range exchanges {
		status, header, body := call(t, e.method, url+e.path, e.body)
		if status != e.status || !strings.Contains(body+header.Get("X-Accepted-Github-Permissions"), e.says) {
			t.Errorf("%d. %s %s: got %d %s, want %d with %q", i+1, e.method, e.path, status, body, e.status, e.says)
		}
	}
}

func TestActing_Answers(t *testing.T) {
	t.Parallel()
	const pull = "/repos/acme/api/pulls/1"
	tests := []struct {
		name   string
		pr     fakegithub.PullRequest
		before func(*fakegithub.Server)
		calls  []exchange
	}{
		{name: "review requests", calls: []exchange{
			{"POST", pull + "/requested_reviewers", `{"reviewers":["bob"],"team_reviewers":["core"]}`, 201, `"bob"`},
			{"GET", pull + "/requested_reviewers", "", 200, `"core"`},
			{"POST", pull + "/requested_reviewers", `{"reviewers":["octocat","cat"]}`, 422, "pull request author"},
			{"GET", pull + "/requested_reviewers", "", 200, `"users":[{`},
			{"POST", pull + "/requested_reviewers", `{`, 400, ""},
		}},
		{name: "reviews", calls: []exchange{
			{"POST", pull + "/reviews", `{"event":"APPROVE","commit_id":"aaaa"}`, 200, "APPROVED"},
			{"POST", pull + "/reviews", `{"event":"APPROVE","commit_id":"ffff"}`, 422, "commit_id"},
			{"POST", pull + "/reviews", `{"event":"WHAT"}`, 422, "Event"},
			{"GET", pull + "/reviews", "", 200, `"commit_id":"aaaa"`},
			{"PUT", pull + "/reviews/1001/dismissals", `{}`, 422, "message"},
			{"PUT", pull + "/reviews/1001/dismissals", `{"message":"old"}`, 200, "DISMISSED"},
			{"PUT", pull + "/reviews/1001/dismissals", `{"message":"old"}`, 422, "Can not dismiss a dismissed"},
			{"PUT", pull + "/reviews/7/dismissals", `{"message":"old"}`, 404, ""},
		}},
		{name: "own reviews", pr: fakegithub.PullRequest{Author: "pawl[bot]"}, calls: []exchange{
			{"POST", pull + "/reviews", `{"event":"APPROVE"}`, 422, "Can not approve your own"},
			{"POST", pull + "/reviews", `{"event":"REQUEST_CHANGES"}`, 422, "Can not request changes"},
			{"POST", pull + "/reviews", `{"event":"COMMENT","body":"x"}`, 200, "COMMENTED"},
		}},
		{name: "check runs", calls: []exchange{
			{"POST", "/repos/acme/api/check-runs", `{"name":"a","head_sha":"aaaa","external_id":"k","status":"queued"}`, 201, `"external_id":"k"`},
			{"POST", "/repos/acme/api/check-runs", `{"name":"a","head_sha":"aaaa","external_id":"k","conclusion":"success"}`, 201, "completed"},
			{"GET", "/repos/acme/api/commits/aaaa/check-runs?check_name=a", "", 200, `"total_count":1`},
			{"GET", "/repos/acme/api/commits/aaaa/check-runs?check_name=a&filter=all", "", 200, `"total_count":2`},
			{"PATCH", "/repos/acme/api/check-runs/1001", `{"status":"completed"}`, 422, "conclusion"},
			{"PATCH", "/repos/acme/api/check-runs/1001", `{"conclusion":"failure","output":{"title":"x"}}`, 422, "summary"},
			{"PATCH", "/repos/acme/api/check-runs/1001", `{"conclusion":"failure"}`, 200, "failure"},
			{"PATCH", "/repos/acme/api/check-runs/9", `{}`, 404, ""},
			{"POST", "/repos/acme/api/check-runs", `{"name":"a","head_sha":"ffff"}`, 422, "No commit found"},
			{"GET", "/repos/acme/api/commits/ffff/check-runs", "", 422, "No commit found"},
		}},
		{name: "statuses", calls: []exchange{
			{"POST", "/repos/acme/api/statuses/aaaa", `{"state":"pending"}`, 201, `"context":"default"`},
			{"POST", "/repos/acme/api/statuses/aaaa", `{"state":"success","context":"ci"}`, 201, ""},
			{"GET", "/repos/acme/api/commits/aaaa/statuses?per_page=1", "", 200, `"context":"ci"`},
			{"POST", "/repos/acme/api/statuses/aaaa", `{"state":"fine"}`, 422, "state"},
			{"POST", "/repos/acme/api/statuses/aaaa", `{"state":"error","description":"` + strings.Repeat("x", 141) + `"}`, 422, "too long"},
			{"POST", "/repos/acme/api/statuses/ffff", `{"state":"error"}`, 422, "No commit found"},
		}},
		{name: "update of the branch", pr: fakegithub.PullRequest{Behind: true}, calls: []exchange{
			{"PUT", pull + "/update-branch", `{"expected_head_sha":"bbbb"}`, 422, "expected head sha"},
			{"PUT", pull + "/update-branch", `{"expected_head_sha":"aaaa"}`, 202, "Updating"},
			{"PUT", pull + "/update-branch", `{}`, 422, "no new commits"},
			{"GET", "/repos/acme/api/commits/aaaa", "", 200, `"parents":[]`},
			{"GET", "/repos/acme/api/commits/ffff", "", 422, ""},
		}},
		{name: "reopening without the branch", pr: fakegithub.PullRequest{BranchDeleted: true}, calls: []exchange{
			{"PATCH", pull, `{"state":"closed"}`, 200, "closed"},
			{"PATCH", pull, `{"state":"open"}`, 422, "has been deleted"},
		}},
		{name: "comments are edited", before: func(s *fakegithub.Server) { s.Comment(repo, 1, "ann", "x") }, calls: []exchange{
			{"PATCH", "/repos/acme/api/issues/comments/1001", `{"body":"y"}`, 200, `"body":"y"`},
			{"PATCH", "/repos/acme/api/issues/comments/1001", `{"body":""}`, 422, ""},
			{"PATCH", "/repos/acme/api/issues/comments/9", `{"body":"y"}`, 404, ""},
		}},
		{name: "merge queue", before: func(s *fakegithub.Server) { s.DemandQueue(repo) }, calls: []exchange{
			{"PUT", pull + "/merge", `{}`, 405, "merge queue"},
			{"POST", "/graphql", `{"query":"enqueuePullRequest","variables":{"input":{"pullRequestId":"PR_101_1","expectedHeadOid":"bbbb"}}}`, 200, "does not match"},
			{"POST", "/graphql", `{"query":"enqueuePullRequest","variables":{"input":{"pullRequestId":"PR_101_1"}}}`, 200, `"data":{"payload"`},
			{"POST", "/graphql", `{"query":"enqueuePullRequest","variables":{"input":{"pullRequestId":"PR_101_1"}}}`, 200, "already in the queue"},
			{"POST", "/api/graphql", `{"query":"pullRequest(number","variables":{"owner":"acme","name":"api","number":1}}`, 200, `"isInMergeQueue":true`},
			{"POST", "/graphql", `{"query":"enqueuePullRequest","variables":{"input":{"pullRequestId":"what"}}}`, 200, "NOT_FOUND"},
			{"POST", "/graphql", `{"query":"somethingElse"}`, 200, "errors"},
		}},
		{name: "auto-merge", calls: []exchange{
			{"POST", "/graphql", `{"query":"enablePullRequestAutoMerge","variables":{"input":{"pullRequestId":"PR_101_1"}}}`, 200, "clean status"},
			{"POST", "/graphql", `{"query":"enqueuePullRequest","variables":{"input":{"pullRequestId":"PR_101_1"}}}`, 200, "not enabled"},
			{"GET", pull, "", 200, `"auto_merge":null`},
		}},
		{name: "permissions", before: func(s *fakegithub.Server) { s.Deny("statuses=write", "issues=write") }, calls: []exchange{
			{"POST", "/repos/acme/api/statuses/aaaa", `{"state":"pending"}`, 403, "statuses=write"},
			{"POST", "/repos/acme/api/issues/1/comments", `{"body":"x"}`, 201, ""}, // pull_requests=write will do
		}},
		{name: "no App", calls: []exchange{{"GET", "/app", "", 401, "JSON web token"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake, url := start(t, fakegithub.Config{})
			tt.pr.HeadSHA = "aaaa"
			fake.Open(repo, tt.pr)
			if tt.before != nil {
				tt.before(fake)
			}
			play(t, url, tt.calls)
		})
	}
}

// TestAutoMerge_MergesOnceNothingBlocksIt and a push takes out of the queue.
func TestAutoMerge_MergesOnceNothingBlocksIt(t *testing.T) {
	t.Parallel()
	fake, url := start(t, fakegithub.Config{})
	fake.Open(repo, fakegithub.PullRequest{Blocked: fakegithub.MessageReviewMissing})
	play(t, url, []exchange{{
		"POST", "/graphql", `{"query":"enablePullRequestAutoMerge","variables":{"input":{"pullRequestId":"PR_101_1"}}}`, 200, `"payload"`,
	}, {"GET", "/repos/acme/api/pulls/1", "", 200, `"auto_merge":{`}})
	fake.Block(repo, 1, "")
	if !fake.PullRequest(repo, 1).Merged {
		t.Error("not merged")
	}
}

func TestQueue_PushTakesOut(t *testing.T) {
	t.Parallel()
	fake, _ := start(t, fakegithub.Config{})
	fake.DemandQueue(repo)
	for range 2 {
		fake.Enqueue(repo, fake.Open(repo, fakegithub.PullRequest{}), "ann")
	}
	fake.Push(repo, 1, "ann", "bbbb")
	fake.RunQueue(repo)
	if fake.PullRequest(repo, 1).Merged || !fake.PullRequest(repo, 2).Merged {
		t.Errorf("got %+v, want the second one merged", fake.Effects())
	}
}

// TestAllowance_IsSpentAndRenewed: the headers count down, then calls are
// refused, then there is a new hour.
func TestAllowance_IsSpentAndRenewed(t *testing.T) {
	t.Parallel()
	fake, url := start(t, fakegithub.Config{})
	fake.Allow(fakegithub.TokenCredential, 2, time.Now().Add(time.Hour))
	for i, want := range []string{"200 1", "200 0", "403 0"} {
		status, header, _ := call(t, "GET", url+"/user", "")
		if got := fmt.Sprint(status, " ", header.Get("X-Ratelimit-Remaining")); got != want {
			t.Errorf("call %d: got %s, want %s", i+1, got, want)
		}
	}
	fake.Allow(fakegithub.TokenCredential, 0, time.Now())
	if status, _, _ := call(t, "GET", url+"/user", ""); status != 200 {
		t.Errorf("after the reset: got %d", status)
	}
}

// TestFault_MatchesTheBody: GraphQL has one path.
func TestFault_MatchesTheBody(t *testing.T) {
	t.Parallel()
	fake, url := start(t, fakegithub.Config{})
	fake.Open(repo, fakegithub.PullRequest{})
	fake.Fail(fakegithub.Fault{Body: "enqueue", Status: 502})
	play(t, url, []exchange{
		{"POST", "/graphql", `{"query":"pullRequest(number","variables":{"owner":"acme","name":"api","number":1}}`, 200, "PR_101_1"},
		{"POST", "/graphql", `{"query":"enqueuePullRequest"}`, 502, ""},
	})
}
