package actuator_test

import (
	"slices"
	"strings"
	"testing"

	"pawl/internal/fakegitea"
	"pawl/schemas"
)

// TestGitea_CrashMatrix: an actor dies, or an answer is lost, at each step of
// each kind that Gitea has.
func TestGitea_CrashMatrix(t *testing.T) {
	t.Parallel()
	tea, f := newTea()
	forgeMatrix(t, f, teaKinds(tea))
}

func teaKinds(tea *fakegitea.Server) []forgeKind {
	open := func(with fakegitea.PullRequest) func() int { return func() int { return tea.Open(with) } }
	plain := open(fakegitea.PullRequest{})
	and := func(do func(n int)) func() int {
		return func() int {
			n := plain()
			do(n)
			return n
		}
	}
	commented := and(func(n int) { tea.Comment(n, bot, "before\n\n<!-- pawl-sticky:gate@1 -->") })
	shown := tea.PullRequest
	return []forgeKind{
		{
			name: "comment", kind: schemas.MutateComment, params: `{"body":"hello"}`, open: plain, method: "POST", path: "/comments",
			effect: fakegitea.CommentCreated, shows: func(n int) bool { return len(tea.Comments(n)) == 1 },
		},
		{
			name: "sticky, edited", kind: schemas.MutateComment, params: `{"body":"after","sticky":"gate"}`, open: commented, method: "PATCH",
			effect: fakegitea.CommentEdited, shows: func(n int) bool { return strings.HasPrefix(tea.Comments(n)[0].Body, "after") },
		},
		{
			name: "mirror", kind: schemas.MutateBridgeComment, open: plain, method: "POST",
			params: `{"to":"pull_request","comment":"linear.app:comment/c1","change":"created","body":"hello"}`,
			effect: fakegitea.CommentCreated, shows: func(n int) bool { return len(tea.Comments(n)) == 1 },
		},
		{
			name: "delete_comment", kind: schemas.MutateDeleteComment, params: `{"sticky":"gate"}`, open: commented, method: "DELETE",
			effect: fakegitea.CommentDeleted, shows: func(n int) bool { return len(tea.Comments(n)) == 0 },
		},
		{
			name: "close", kind: schemas.MutateClose, params: `{}`, open: plain, method: "PATCH",
			effect: fakegitea.Closed, shows: func(n int) bool { return shown(n).Closed },
		},
		{
			name: "reopen", kind: schemas.MutateReopen, params: `{}`, open: and(func(n int) { tea.Close(n, "ann") }), method: "PATCH",
			effect: fakegitea.Reopened, shows: func(n int) bool { return !shown(n).Closed },
		},
		{
			name: "merge", kind: schemas.MutateMerge, params: `{"method":"squash","sha":"HEAD","queue":true}`, open: plain, method: "POST", path: "/merge",
			effect: fakegitea.Merged, shows: func(n int) bool { return shown(n).Merged },
		},
		{
			name: "update_branch", kind: schemas.MutateUpdateBranch, params: `{"sha":"HEAD"}`, open: open(fakegitea.PullRequest{Behind: true}),
			method: "POST", path: "/update", effect: fakegitea.BranchUpdated, shows: func(n int) bool { return !shown(n).Behind },
		},
		{
			name: "add_labels", kind: schemas.MutateAddLabels, params: `{"labels":["new"]}`, open: plain, method: "POST", path: "/labels",
			effect: fakegitea.Labeled, shows: func(n int) bool { return slices.Equal(shown(n).Labels, []string{"new"}) },
		},
		{
			name: "remove_labels", kind: schemas.MutateRemoveLabels, params: `{"labels":["old"]}`, method: "DELETE",
			open:   open(fakegitea.PullRequest{Labels: []string{"old", "new"}}),
			effect: fakegitea.Unlabeled, shows: func(n int) bool { return slices.Equal(shown(n).Labels, []string{"new"}) },
		},
		{
			name: "request_review", kind: schemas.MutateRequestReview, params: `{"reviewers":["bob"]}`, open: plain, method: "POST", path: "/requested_reviewers",
			effect: fakegitea.ReviewRequested, shows: func(n int) bool { return len(tea.Reviews(n)) == 1 && tea.Reviews(n)[0].Author == "bob" },
		},
		{
			name: "approve", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, open: plain, method: "POST", path: "/reviews",
			effect: fakegitea.Reviewed, shows: func(n int) bool { return tea.Reviews(n)[0].CommitID == shown(n).HeadSHA },
		},
		{
			name: "dismiss_review", kind: schemas.MutateDismissReview, params: `{"message":"stale"}`, method: "POST", path: "/dismissals",
			open:   and(func(n int) { tea.Review(n, "bob", "APPROVED") }),
			effect: fakegitea.ReviewDismissed, shows: func(n int) bool { return tea.Reviews(n)[0].Dismissed },
		},
		{
			name: "commit_status", kind: schemas.MutateCommitStatus, open: plain, method: "POST",
			params: `{"context":"gate","sha":"HEAD","state":"error","description":"no"}`,
			effect: fakegitea.StatusCreated, shows: func(n int) bool {
				statuses := tea.Statuses(shown(n).HeadSHA)
				return statuses[len(statuses)-1].State == "error"
			},
		},
	}
}
