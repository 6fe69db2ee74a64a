package actuator_test

import (
	"strings"
	"testing"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// bare is a provider that can do what all can, and nothing else.
type bare struct{ actuator.Provider }

func TestCapability_WhatIsLackingIsRefusedForGood(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind         schemas.MutationKind
		params, says string
		given        func(g *fakegithub.Server, n int)
	}{
		{kind: schemas.MutateReopen, params: `{}`, says: "cannot reopen", given: func(g *fakegithub.Server, n int) { g.Close(repo, n, "ann") }},
		{kind: schemas.MutateRequestReview, params: `{"reviewers":["ann"]}`, says: "cannot request reviews"},
		{kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, says: "cannot approve"},
		{kind: schemas.MutateDismissReview, params: `{"message":"x"}`, says: "cannot dismiss reviews"},
		{kind: schemas.MutateCheckRun, params: `{"name":"a","sha":"HEAD","status":"queued"}`, says: "cannot report check runs"},
		{kind: schemas.MutateCommitStatus, params: `{"context":"a","sha":"HEAD","state":"success"}`, says: "cannot report commit statuses"},
		{kind: schemas.MutateUpdateBranch, params: `{"sha":"HEAD"}`, says: "cannot update branches"},
		{
			kind: schemas.MutateComment, params: `{"body":"x","sticky":"a"}`, says: "cannot edit comments",
			given: func(g *fakegithub.Server, n int) { g.Comment(repo, n, we, "y\n\n<!-- pawl-sticky:a@1 -->") },
		},
		{
			kind: schemas.MutateMerge, params: `{"method":"merge","sha":"HEAD","queue":true}`, says: "merge queue",
			given: func(g *fakegithub.Server, _ int) { g.DemandQueue(repo) },
		},
	}
	for _, tt := range tests {
		t.Run(string(tt.kind), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, always)
			a := r.actorOf("a", bare{r.client(actuator.GitHubConfig{Token: "t0ken"})})
			number := r.github.Open(repo, fakegithub.PullRequest{})
			if tt.given != nil {
				tt.given(r.github, number)
			}
			r.open(a, number, tt.kind, tt.params)
			r.passes(a)
			if got := r.mutations(number)[0].State; got != "dead" {
				t.Errorf("state: got %s, want dead (%s)", got, r.reason(number))
			}
			if got := r.reason(number); !strings.Contains(got, "github.com") || !strings.Contains(got, tt.says) {
				t.Errorf("reason: got %q, want %q in it", got, tt.says)
			}
		})
	}
}
