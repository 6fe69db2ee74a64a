package actuator_test

import (
	"testing"

	"pawl/actuator"
	"pawl/internal/fakegitea"
	"pawl/schemas"
)

//nolint:gochecknoglobals // a constant; Go has no constant structs
var emptyPull = fakegitea.PullRequest{}

func TestGitea_LooksBeforeItActs(t *testing.T) {
	t.Parallel()
	const merge = `{"method":"merge","sha":"HEAD","queue":true}`
	const auto = `{"method":"merge","sha":"HEAD","auto_merge":true}`
	type given = func(tea *fakegitea.Server, n int)
	push := func(tea *fakegitea.Server, n int) { tea.Push(n, "ann", otherHead) }
	tests := []struct {
		forgeCase
		pr      fakegitea.PullRequest
		given   given
		between given
	}{
		{forgeCase: forgeCase{name: "merge", kind: schemas.MutateMerge, params: merge, state: "done", reason: "merged as ", effects: []string{fakegitea.Merged}}},
		{forgeCase: forgeCase{name: "merge, merged already", kind: schemas.MutateMerge, params: merge, state: "done", reason: "found merged"}, between: func(tea *fakegitea.Server, n int) { tea.Merge(n, "ann") }},
		{forgeCase: forgeCase{name: "merge, head moved", kind: schemas.MutateMerge, params: merge, state: "skipped", reason: "head moved", reads: 1}, between: push},
		{forgeCase: forgeCase{name: "merge, not approved", kind: schemas.MutateMerge, params: merge, state: "dead", reason: "enough approvals"}, pr: fakegitea.PullRequest{Blocked: "Does not have enough approvals"}},
		{forgeCase: forgeCase{name: "merge, conflict", kind: schemas.MutateMerge, params: merge, state: "dead", reason: "409"}, pr: fakegitea.PullRequest{Conflict: true}},
		{forgeCase: forgeCase{name: "merge, being checked", kind: schemas.MutateMerge, params: auto, state: "pending", reason: "try again later"}, pr: fakegitea.PullRequest{Blocked: "Please try again later"}},
		{forgeCase: forgeCase{name: "merge, auto", kind: schemas.MutateMerge, params: auto, state: "done", reason: "auto-merge switched on", effects: []string{fakegitea.AutoMergeEnabled}}, pr: fakegitea.PullRequest{Blocked: "Not all required status checks successful"}},
		{forgeCase: forgeCase{name: "merge, auto is on", kind: schemas.MutateMerge, params: auto, state: "done", reason: "auto-merge switched on"}, pr: fakegitea.PullRequest{Blocked: "Not all required status checks successful", AutoMerge: true}},
		{forgeCase: forgeCase{name: "merge, work in progress", kind: schemas.MutateMerge, params: auto, state: "dead", reason: "Work in progress"}, pr: fakegitea.PullRequest{Blocked: "Work in progress PRs cannot be merged"}},
		{forgeCase: forgeCase{name: "merge, may not", kind: schemas.MutateMerge, params: auto, state: "dead", reason: "not allowed to merge"}, given: func(tea *fakegitea.Server, _ int) { tea.SetPowerless() }},
		{forgeCase: forgeCase{name: "close, merged", kind: schemas.MutateClose, params: `{}`, state: "skipped", reason: "found merged"}, between: func(tea *fakegitea.Server, n int) { tea.Merge(n, "ann") }},
		{forgeCase: forgeCase{name: "update, up to date", kind: schemas.MutateUpdateBranch, params: `{"sha":"HEAD"}`, state: "done", reason: "has all of its base"}},
		{forgeCase: forgeCase{name: "update, head moved", kind: schemas.MutateUpdateBranch, params: `{"sha":"HEAD"}`, state: "skipped", reason: "head moved"}, pr: fakegitea.PullRequest{Behind: true}, between: push},
		{forgeCase: forgeCase{name: "labels, of the organization", kind: schemas.MutateAddLabels, params: `{"labels":["new","shared"]}`, state: "done", effects: []string{fakegitea.Labeled, fakegitea.Labeled}}, given: func(tea *fakegitea.Server, _ int) { tea.AddOrgLabels("shared") }},
		{forgeCase: forgeCase{name: "labels, none of that name", kind: schemas.MutateAddLabels, params: `{"labels":["new","nwe"]}`, state: "dead", reason: `cannot add label "nwe": create it in acme/api`}},
		{forgeCase: forgeCase{name: "labels, there", kind: schemas.MutateAddLabels, params: `{"labels":["new"]}`, state: "done", reason: "are there"}, pr: fakegitea.PullRequest{Labels: []string{"new"}}},
		{forgeCase: forgeCase{name: "approve, approved", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, state: "done", reason: "found review"}, given: func(tea *fakegitea.Server, n int) { tea.Review(n, bot, "APPROVED") }},
		{forgeCase: forgeCase{name: "approve, head moved", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, state: "skipped", reason: "head moved", reads: 1}, between: push},
		{forgeCase: forgeCase{name: "approve, one's own", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, state: "dead", reason: "your own pull"}, pr: fakegitea.PullRequest{Author: bot}},
		{forgeCase: forgeCase{name: "request, a person and a team", kind: schemas.MutateRequestReview, params: `{"reviewers":["bob"],"teams":["core"]}`, state: "done", effects: []string{fakegitea.ReviewRequested, fakegitea.ReviewRequested}}},
		{forgeCase: forgeCase{name: "dismiss, may not", kind: schemas.MutateDismissReview, params: `{"message":"x"}`, state: "dead", reason: "Must be repo admin"}, given: func(tea *fakegitea.Server, n int) { tea.Review(n, "bob", "APPROVED"); tea.SetPowerless() }},
		{forgeCase: forgeCase{name: "dismiss, comments stay", kind: schemas.MutateDismissReview, params: `{"message":"x"}`, state: "done", reason: "no review stands"}, given: func(tea *fakegitea.Server, n int) { tea.Review(n, "bob", "COMMENT") }},
		{forgeCase: forgeCase{name: "check_run", kind: schemas.MutateCheckRun, params: `{"name":"a","sha":"HEAD","status":"queued"}`, state: "dead", reason: "gitea.com cannot report check runs"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tea, f := newTea()
			tt.open = func() int {
				n := tea.Open(tt.pr)
				if tt.given != nil {
					tt.given(tea, n)
				}
				return n
			}
			if tt.between != nil {
				tt.forgeCase.between = func(n int) { tt.between(tea, n) }
			}
			tt.play(t, f)
		})
	}
}

// TestGitea_HeadIsComparedBeforeCallsThatTakeNoSHA: it moved after the look.
func TestGitea_HeadIsComparedBeforeCallsThatTakeNoSHA(t *testing.T) {
	t.Parallel()
	tea, f := newTea()
	n := tea.Open(fakegitea.PullRequest{Behind: true, Blocked: "Does not have enough approvals"})
	client := connect(t, f).(*actuator.Gitea) //nolint:forcetypeassert // it is one
	decided := tea.PullRequest(n).HeadSHA
	tea.Push(n, "ann", otherHead)
	ref := actuator.Ref{Repository: repo, Number: int64(n)}
	for name, err := range map[string]error{
		"update":     client.UpdateBranch(t.Context(), ref, decided),
		"auto-merge": client.EnableAutoMerge(t.Context(), ref, actuator.MergeParams{Method: "merge", SHA: decided}),
	} {
		if got, _ := actuator.Classify(err); got != "precondition gone" {
			t.Errorf("%s: got %s: %v", name, got, err)
		}
	}
	if got := f.core.EffectsBy(bot); len(got) != 0 {
		t.Errorf("effects: got %v, want none", got)
	}
}

// TestGitea_StatusesAndLabelsOfAllPages: what is looked for is on a later page.
func TestGitea_StatusesAndLabelsOfAllPages(t *testing.T) {
	t.Parallel()
	tea, f := newTea()
	for range 60 {
		tea.AddLabels("filler")
	}
	tea.AddLabels("last")
	forgeCase{
		kind: schemas.MutateAddLabels, params: `{"labels":["last"]}`, state: "done", effects: []string{fakegitea.Labeled},
		open: func() int { return tea.Open(fakegitea.PullRequest{}) },
	}.play(t, f)
}
