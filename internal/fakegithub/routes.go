package fakegithub

import "net/http"

// route is a call that the fake answers.
type route struct {
	pattern string
	// permissions is what GitHub demands of an App for it: alternatives are
	// separated by "; ", as in X-Accepted-GitHub-Permissions.
	permissions string
	handle      func(*http.Request) reply
	// asApp: the caller authenticates as the App itself.
	asApp bool
}

const (
	readPulls     = "pull_requests=read"
	writePulls    = "pull_requests=write"
	writeContents = "contents=write"
	readTalk      = "issues=read; pull_requests=read"
	writeTalk     = "issues=write; pull_requests=write"
)

func (s *Server) routes() []route {
	const (
		repo  = "/repos/{owner}/{repo}"
		pull  = repo + "/pulls/{number}"
		issue = repo + "/issues/{number}"
	)
	return []route{
		{pattern: "GET /user", permissions: "metadata=read", handle: s.getUser},
		{pattern: "GET /app", handle: s.getApp, asApp: true},
		{pattern: "GET " + repo + "/installation", handle: s.getInstallation, asApp: true},
		{pattern: "POST /app/installations/{id}/access_tokens", handle: s.postAccessToken, asApp: true},
		{pattern: "POST /graphql", permissions: writePulls, handle: s.postGraphQL},
		{pattern: "GET " + pull, permissions: readPulls, handle: s.getPull},
		{pattern: "PATCH " + pull, permissions: writePulls, handle: s.patchPull},
		{pattern: "GET " + pull + "/merge", permissions: readPulls, handle: s.getMerge},
		{pattern: "PUT " + pull + "/merge", permissions: writeContents, handle: s.putMerge},
		{pattern: "PUT " + pull + "/update-branch", permissions: writePulls, handle: s.putUpdateBranch},
		{pattern: "GET " + pull + "/requested_reviewers", permissions: readPulls, handle: s.getRequestedReviewers},
		{pattern: "POST " + pull + "/requested_reviewers", permissions: writePulls, handle: s.postRequestedReviewers},
		{pattern: "GET " + pull + "/reviews", permissions: readPulls, handle: s.listReviews},
		{pattern: "POST " + pull + "/reviews", permissions: writePulls, handle: s.postReview},
		{pattern: "PUT " + pull + "/reviews/{id}/dismissals", permissions: writePulls, handle: s.putDismissal},
		{pattern: "GET " + issue + "/comments", permissions: readTalk, handle: s.listComments},
		{pattern: "POST " + issue + "/comments", permissions: writeTalk, handle: s.postComment},
		{pattern: "PATCH " + repo + "/issues/comments/{id}", permissions: writeTalk, handle: s.patchComment},
		{pattern: "DELETE " + repo + "/issues/comments/{id}", permissions: writeTalk, handle: s.deleteComment},
		{pattern: "GET " + issue + "/labels", permissions: readTalk, handle: s.listLabels},
		{pattern: "POST " + issue + "/labels", permissions: writeTalk, handle: s.postLabels},
		{pattern: "DELETE " + issue + "/labels/{name}", permissions: writeTalk, handle: s.deleteLabel},
		{pattern: "GET " + repo + "/commits/{sha}", permissions: "contents=read", handle: s.getCommit},
		{pattern: "GET " + repo + "/commits/{sha}/check-runs", permissions: "checks=read", handle: s.listCheckRuns},
		{pattern: "POST " + repo + "/check-runs", permissions: "checks=write", handle: s.postCheckRun},
		{pattern: "PATCH " + repo + "/check-runs/{id}", permissions: "checks=write", handle: s.patchCheckRun},
		{pattern: "GET " + repo + "/commits/{sha}/statuses", permissions: "statuses=read", handle: s.listStatuses},
		{pattern: "POST " + repo + "/statuses/{sha}", permissions: "statuses=write", handle: s.postStatus},
	}
}
