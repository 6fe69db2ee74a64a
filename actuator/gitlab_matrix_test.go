package actuator_test

import (
	"slices"
	"strings"
	"testing"

	"pawl/internal/fakegitlab"
	"pawl/schemas"
)

// TestGitLab_CrashMatrix: an actor dies, or an answer is lost, at each step of
// each kind that GitLab has.
func TestGitLab_CrashMatrix(t *testing.T) {
	t.Parallel()
	lab, f := newLab()
	forgeMatrix(t, f, labKinds(lab))
}

func labKinds(lab *fakegitlab.Server) []forgeKind {
	const id = repositoryID
	open := func(with fakegitlab.MergeRequest) func() int { return func() int { return lab.Open(id, with) } }
	plain := open(fakegitlab.MergeRequest{})
	commented := func() int {
		n := plain()
		lab.Comment(id, n, bot, "before\n\n<!-- pawl-sticky:gate@1 -->")
		return n
	}
	closed := func() int {
		n := plain()
		lab.Close(id, n, "ann")
		return n
	}
	shown := func(n int) fakegitlab.MergeRequest { return lab.MergeRequest(id, n) }
	return []forgeKind{
		{
			name: "comment", kind: schemas.MutateComment, params: `{"body":"hello"}`, open: plain, method: "POST", path: "/notes",
			effect: fakegitlab.NoteCreated, shows: func(n int) bool { return len(lab.Notes(id, n)) == 1 },
		},
		{
			name: "sticky, edited", kind: schemas.MutateComment, params: `{"body":"after","sticky":"gate"}`, open: commented, method: "PUT",
			effect: fakegitlab.NoteEdited, shows: func(n int) bool { return strings.HasPrefix(lab.Notes(id, n)[0].Body, "after") },
		},
		{
			name: "mirror", kind: schemas.MutateBridgeComment, open: plain, method: "POST",
			params: `{"to":"pull_request","comment":"linear.app:comment/c1","change":"created","body":"hello"}`,
			effect: fakegitlab.NoteCreated, shows: func(n int) bool { return len(lab.Notes(id, n)) == 1 },
		},
		{
			name: "delete_comment", kind: schemas.MutateDeleteComment, params: `{"sticky":"gate"}`, open: commented, method: "DELETE",
			effect: fakegitlab.NoteDeleted, shows: func(n int) bool { return len(lab.Notes(id, n)) == 0 },
		},
		{
			name: "close", kind: schemas.MutateClose, params: `{}`, open: plain, method: "PUT",
			effect: fakegitlab.Closed, shows: func(n int) bool { return shown(n).State == "closed" },
		},
		{
			name: "reopen", kind: schemas.MutateReopen, params: `{}`, open: closed, method: "PUT",
			effect: fakegitlab.Reopened, shows: func(n int) bool { return shown(n).State == "opened" },
		},
		{
			name: "merge", kind: schemas.MutateMerge, params: `{"method":"squash","sha":"HEAD","queue":true}`, open: plain, method: "PUT", path: "/merge",
			effect: fakegitlab.Merged, shows: func(n int) bool { return shown(n).State == "merged" && shown(n).Squashed },
		},
		{
			name: "add_labels", kind: schemas.MutateAddLabels, params: `{"labels":["new"]}`, open: plain, method: "PUT",
			effect: fakegitlab.Labeled, shows: func(n int) bool { return slices.Equal(shown(n).Labels, []string{"new"}) },
		},
		{
			name: "remove_labels", kind: schemas.MutateRemoveLabels, params: `{"labels":["old"]}`, method: "PUT",
			open:   open(fakegitlab.MergeRequest{Labels: []string{"old", "kept"}}),
			effect: fakegitlab.Unlabeled, shows: func(n int) bool { return slices.Equal(shown(n).Labels, []string{"kept"}) },
		},
		{
			name: "request_review", kind: schemas.MutateRequestReview, params: `{"reviewers":["bob"]}`, open: plain, method: "PUT",
			effect: fakegitlab.ReviewRequested, shows: func(n int) bool { return slices.Equal(lab.Reviewers(id, n), []string{"bob"}) },
		},
		{
			name: "approve", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, open: plain, method: "POST", path: "/approve",
			effect: fakegitlab.Approved, shows: func(n int) bool { return slices.Equal(lab.Approvals(id, n), []string{bot}) },
		},
		{
			name: "commit_status", kind: schemas.MutateCommitStatus, open: plain, method: "POST",
			params: `{"context":"gate","sha":"HEAD","state":"error","description":"no"}`,
			effect: fakegitlab.StatusCreated, shows: func(n int) bool {
				statuses := lab.Statuses(id, shown(n).SHA)
				return statuses[len(statuses)-1].Status == "failed"
			},
		},
	}
}
