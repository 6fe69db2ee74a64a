package actuator_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// always is a rule whose mutation open replaces by the one that is wanted.
const always = "version: 1\nrules:\n  - {name: r, on: [labels_changed], mutate: {close: {}}}\n"

// kindCase is a mutation, and what the provider may show by the time the actor
// comes.
type kindCase struct {
	name    string
	kind    schemas.MutationKind
	params  string
	pr      fakegithub.PullRequest
	given   func(g *fakegithub.Server, n int) // before the decision
	between func(g *fakegithub.Server, n int) // after it, unknown to us
	state   string
	reason  string // a part of it
	effects []fakegithub.EffectKind
}

func TestAct_EachKindLooksBeforeItActs(t *testing.T) {
	t.Parallel()
	for _, tt := range slices.Concat(stateCases(), commentCases(), reviewCases(), commitCases(), mergeCases()) {
		t.Run(string(tt.kind)+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, always)
			a := r.actor("a")
			number := r.github.Open(repo, tt.pr)
			if tt.given != nil {
				tt.given(r.github, number)
			}
			before := len(r.github.EffectsBy(we))
			r.open(a, number, tt.kind, tt.params)
			if tt.between != nil {
				tt.between(r.github, number)
			}
			if worked, err := a.Pass(t.Context()); !worked || err != nil {
				t.Fatalf("pass: %v, %v", worked, err)
			}
			var effects []fakegithub.EffectKind
			for _, effect := range r.github.EffectsBy(we)[before:] {
				effects = append(effects, effect.Kind)
			}
			if diff := cmp.Diff(tt.effects, effects); diff != "" {
				t.Errorf("effects (-want +got):\n%s", diff)
			}
			if got := r.mutations(number)[0].State; got != tt.state {
				t.Errorf("state: got %s, want %s (%s)", got, tt.state, r.reason(number))
			}
			if got := r.reason(number); !strings.Contains(got, tt.reason) {
				t.Errorf("reason: got %q, want %q in it", got, tt.reason)
			}
		})
	}
}

func stateCases() []kindCase {
	closed := func(g *fakegithub.Server, n int) { g.Close(repo, n, "octocat") }
	return []kindCase{
		{name: "closed", kind: schemas.MutateReopen, params: `{}`, given: closed, state: "done", effects: []fakegithub.EffectKind{fakegithub.Reopened}},
		{name: "open", kind: schemas.MutateReopen, params: `{}`, state: "done", reason: "found open"},
		{
			name: "merged", kind: schemas.MutateReopen, params: `{}`, given: func(g *fakegithub.Server, n int) { g.Merge(repo, n, "octocat") },
			state: "skipped", reason: "found merged",
		},
		{
			name: "branch deleted", kind: schemas.MutateReopen, params: `{}`, pr: fakegithub.PullRequest{BranchDeleted: true}, given: closed,
			state: "dead", reason: "branch has been deleted",
		},
		{
			name: "behind", kind: schemas.MutateUpdateBranch, params: `{"sha":"HEAD"}`, pr: fakegithub.PullRequest{Behind: true},
			state: "done", effects: []fakegithub.EffectKind{fakegithub.BranchUpdated},
		},
		{name: "up to date", kind: schemas.MutateUpdateBranch, params: `{"sha":"HEAD"}`, state: "done", reason: "has all of its base"},
		{
			name: "head moved", kind: schemas.MutateUpdateBranch, params: `{"sha":"HEAD"}`, pr: fakegithub.PullRequest{Behind: true},
			between: func(g *fakegithub.Server, n int) { g.Push(repo, n, "octocat", "bbbb") }, state: "skipped", reason: "head moved",
		},
		{name: "closed", kind: schemas.MutateUpdateBranch, params: `{"sha":"HEAD"}`, given: closed, state: "skipped", reason: "found closed"},
	}
}

func commentCases() []kindCase {
	sticky := func(text string) func(*fakegithub.Server, int) {
		return func(g *fakegithub.Server, n int) { g.Comment(repo, n, we, text+"\n\n<!-- pawl-sticky:a%2Fb@1 -->") }
	}
	return []kindCase{
		{
			name: "sticky, new", kind: schemas.MutateComment, params: `{"body":"x","sticky":"a/b"}`, state: "done",
			effects: []fakegithub.EffectKind{fakegithub.CommentCreated},
		},
		{
			name: "sticky, another text", kind: schemas.MutateComment, params: `{"body":"x","sticky":"a/b"}`, given: sticky("y"),
			state: "done", reason: "edited comment", effects: []fakegithub.EffectKind{fakegithub.CommentEdited},
		},
		{
			name: "sticky, the same text", kind: schemas.MutateComment, params: `{"body":"x","sticky":"a/b"}`, given: sticky("x"),
			state: "done", reason: "with that text",
		},
		{
			name: "sticky, another name", kind: schemas.MutateComment, params: `{"body":"x","sticky":"c"}`, given: sticky("x"),
			state: "done", effects: []fakegithub.EffectKind{fakegithub.CommentCreated},
		},
		{
			name: "sticky, of somebody else", kind: schemas.MutateComment, params: `{"body":"x","sticky":"a/b"}`, state: "done",
			given:   func(g *fakegithub.Server, n int) { g.Comment(repo, n, "mallory", "y\n\n<!-- pawl-sticky:a%2Fb@1 -->") },
			effects: []fakegithub.EffectKind{fakegithub.CommentCreated},
		},
		{
			name: "sticky, two of them", kind: schemas.MutateComment, params: `{"body":"x","sticky":"a/b"}`, state: "done", reason: "removed what came after it",
			given:   func(g *fakegithub.Server, n int) { sticky("x")(g, n); sticky("x")(g, n); sticky("y")(g, n) },
			effects: []fakegithub.EffectKind{fakegithub.CommentDeleted, fakegithub.CommentDeleted},
		},
		{
			name: "sticky, of a later decision", kind: schemas.MutateComment, params: `{"body":"x","sticky":"a"}`, state: "done", reason: "later decision",
			given: func(g *fakegithub.Server, n int) {
				g.Comment(repo, n, we, "y\n\n<!-- pawl-sticky:a@99999999999999999 -->")
			},
		},
		{
			name: "sticky", kind: schemas.MutateDeleteComment, params: `{"sticky":"a/b"}`, given: sticky("x"), state: "done",
			effects: []fakegithub.EffectKind{fakegithub.CommentDeleted},
		},
		{name: "not there", kind: schemas.MutateDeleteComment, params: `{"comment":"77"}`, state: "done", reason: "not there"},
		{name: "no id", kind: schemas.MutateDeleteComment, params: `{"comment":"x"}`, state: "dead", reason: "no id"},
		{
			name: "by id", kind: schemas.MutateDeleteComment, params: `{"comment":"1001"}`, state: "done",
			given:   func(g *fakegithub.Server, n int) { g.Comment(repo, n, "mallory", "spam") },
			effects: []fakegithub.EffectKind{fakegithub.CommentDeleted},
		},
	}
}

func reviewCases() []kindCase {
	ask := func(login string) func(*fakegithub.Server, int) {
		return func(g *fakegithub.Server, n int) { g.Request(repo, n, "octocat", login) }
	}
	return []kindCase{
		{
			name: "people and teams", kind: schemas.MutateRequestReview, params: `{"reviewers":["ann"],"teams":["core"]}`, state: "done",
			reason: "asked ann, core", effects: []fakegithub.EffectKind{fakegithub.ReviewRequested, fakegithub.ReviewRequested},
		},
		{
			name: "some are asked", kind: schemas.MutateRequestReview, params: `{"reviewers":["ann","bob"]}`, between: ask("ANN"), state: "done",
			reason: "asked bob", effects: []fakegithub.EffectKind{fakegithub.ReviewRequested},
		},
		{name: "all are asked", kind: schemas.MutateRequestReview, params: `{"reviewers":["ann"]}`, between: ask("ann"), state: "done", reason: "asked already"},
		{
			name: "the author among them", kind: schemas.MutateRequestReview, params: `{"reviewers":["octocat","bob"]}`, state: "done",
			reason: "asked bob", effects: []fakegithub.EffectKind{fakegithub.ReviewRequested},
		},
		{name: "the author alone", kind: schemas.MutateRequestReview, params: `{"reviewers":["octocat"]}`, state: "skipped", reason: "only its author"},
		{
			name: "not yet", kind: schemas.MutateApprove, params: `{"sha":"HEAD","body":"fine"}`, state: "done", reason: "approved",
			effects: []fakegithub.EffectKind{fakegithub.Reviewed},
		},
		{
			name: "that sha is approved", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, state: "done", reason: "found review",
			given: func(g *fakegithub.Server, n int) { g.Review(repo, n, we, "APPROVED") },
		},
		{
			name: "an older sha is approved", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, state: "done",
			given: func(g *fakegithub.Server, n int) {
				g.Review(repo, n, we, "APPROVED")
				g.Push(repo, n, "octocat", "bbbb")
			},
			effects: []fakegithub.EffectKind{fakegithub.Reviewed},
		},
		{
			name: "somebody else approved", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, state: "done",
			between: func(g *fakegithub.Server, n int) { g.Review(repo, n, "ann", "APPROVED") },
			effects: []fakegithub.EffectKind{fakegithub.Reviewed},
		},
		{
			name: "head moved", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, state: "skipped", reason: "head moved",
			between: func(g *fakegithub.Server, n int) { g.Push(repo, n, "octocat", "bbbb") },
		},
		{
			name: "our own", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, pr: fakegithub.PullRequest{Author: we}, state: "dead",
			reason: "Can not approve your own",
		},
		{
			name: "all that stand", kind: schemas.MutateDismissReview, params: `{"message":"stale"}`, state: "done", reason: "dismissed 2",
			given: func(g *fakegithub.Server, n int) {
				g.Review(repo, n, "ann", "APPROVED")
				g.Review(repo, n, "bob", "CHANGES_REQUESTED")
				g.Review(repo, n, "cat", "COMMENTED")
			},
			effects: []fakegithub.EffectKind{fakegithub.ReviewDismissed, fakegithub.ReviewDismissed},
		},
		{
			name: "of one person", kind: schemas.MutateDismissReview, params: `{"author":"Ann","message":"stale"}`, state: "done",
			given: func(g *fakegithub.Server, n int) {
				g.Review(repo, n, "ann", "APPROVED")
				g.Review(repo, n, "bob", "APPROVED")
			},
			effects: []fakegithub.EffectKind{fakegithub.ReviewDismissed},
		},
		{name: "none", kind: schemas.MutateDismissReview, params: `{"message":"stale"}`, state: "done", reason: "no review stands"},
		{
			name: "given after the decision", kind: schemas.MutateDismissReview, params: `{"message":"stale"}`, state: "done", reason: "no review stands",
			between: func(g *fakegithub.Server, n int) { g.Review(repo, n, "ann", "APPROVED") },
		},
	}
}

func commitCases() []kindCase {
	const run = `{"name":"gate","sha":"HEAD","status":"completed","conclusion":"success"}`
	return []kindCase{
		{name: "new", kind: schemas.MutateCheckRun, params: run, state: "done", effects: []fakegithub.EffectKind{fakegithub.CheckRunCreated}},
		{
			name: "unknown sha", kind: schemas.MutateCheckRun, params: strings.ReplaceAll(run, "HEAD", "ffff"), state: "dead",
			reason: "No commit found",
		},
		{
			name: "no permission", kind: schemas.MutateCheckRun, params: run, state: "dead", reason: "permission missing, one of: checks=write",
			given: func(g *fakegithub.Server, _ int) { g.Deny("checks=write") },
		},
		{
			name: "new", kind: schemas.MutateCommitStatus, params: `{"context":"gate","sha":"HEAD","state":"pending"}`, state: "done",
			effects: []fakegithub.EffectKind{fakegithub.StatusCreated},
		},
		{
			name: "the newest is equal", kind: schemas.MutateCommitStatus, params: `{"context":"Gate","sha":"HEAD","state":"pending"}`,
			given: func(g *fakegithub.Server, n int) { g.SetStatus(repo, n, "ann", "gate", "pending") },
			state: "done", reason: "the status is there",
		},
		{
			name: "an older one is equal", kind: schemas.MutateCommitStatus, params: `{"context":"gate","sha":"HEAD","state":"pending"}`,
			given: func(g *fakegithub.Server, n int) {
				g.SetStatus(repo, n, "ann", "gate", "pending")
				g.SetStatus(repo, n, "ann", "gate", "success")
			},
			state: "done", effects: []fakegithub.EffectKind{fakegithub.StatusCreated},
		},
	}
}

func mergeCases() []kindCase {
	const (
		queue = `{"method":"squash","sha":"HEAD","queue":true}`
		auto  = `{"method":"squash","sha":"HEAD","auto_merge":true}`
	)
	demand := func(g *fakegithub.Server, _ int) { g.DemandQueue(repo) }
	block := func(message string) func(*fakegithub.Server, int) {
		return func(g *fakegithub.Server, n int) { g.Block(repo, n, message) }
	}
	return []kindCase{
		{
			name: "queue demanded", kind: schemas.MutateMerge, params: queue, given: demand, state: "done", reason: "put into the merge queue",
			effects: []fakegithub.EffectKind{fakegithub.Enqueued},
		},
		{
			name: "queue demanded and not wanted", kind: schemas.MutateMerge, params: `{"method":"squash","sha":"HEAD","queue":false}`,
			given: demand, state: "dead", reason: "merge queue",
		},
		{
			name: "in the queue already", kind: schemas.MutateMerge, params: queue, given: demand, state: "done", reason: "merge queue",
			between: func(g *fakegithub.Server, n int) { g.Enqueue(repo, n, "ann") },
		},
		{
			name: "review missing", kind: schemas.MutateMerge, params: auto, given: block(fakegithub.MessageReviewMissing), state: "done",
			reason: "auto-merge switched on", effects: []fakegithub.EffectKind{fakegithub.AutoMergeEnabled},
		},
		{
			name: "check missing", kind: schemas.MutateMerge, params: auto, given: block(fakegithub.MessageCheckMissing), state: "done",
			reason: "requirements are not met", effects: []fakegithub.EffectKind{fakegithub.AutoMergeEnabled},
		},
		{
			name: "review missing, no auto-merge wanted", kind: schemas.MutateMerge, params: queue, given: block(fakegithub.MessageReviewMissing),
			state: "dead", reason: "approving review",
		},
		{
			name: "auto-merge forbidden", kind: schemas.MutateMerge, params: auto, state: "dead", reason: "not allowed",
			given: func(g *fakegithub.Server, n int) {
				g.ForbidAutoMerge(repo)
				block(fakegithub.MessageReviewMissing)(g, n)
			},
		},
		{
			name: "a conflict is no requirement", kind: schemas.MutateMerge, params: auto, given: block(fakegithub.MessageNotMergeable),
			state: "dead", reason: "not mergeable",
		},
		{
			name: "queue demanded and a review missing", kind: schemas.MutateMerge, params: `{"method":"squash","sha":"HEAD","queue":true,"auto_merge":true}`,
			given: func(g *fakegithub.Server, n int) { demand(g, n); block(fakegithub.MessageQueue)(g, n) }, state: "done",
			reason: "auto-merge switched on", effects: []fakegithub.EffectKind{fakegithub.AutoMergeEnabled},
		},
		{
			name: "auto-merge on already", kind: schemas.MutateMerge, params: auto, given: block(fakegithub.MessageReviewMissing), state: "done",
			between: func(g *fakegithub.Server, n int) { g.SwitchAutoMerge(repo, n, "ann") }, reason: "auto-merge is on",
		},
	}
}

// TestApprove_HeadThatMovedIsToldToTheLog: what was approved is not the head any
// more, and nobody told us.
func TestApprove_HeadThatMovedIsToldToTheLog(t *testing.T) {
	t.Parallel()
	r := newRig(t, always)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.open(a, number, schemas.MutateApprove, `{"sha":"HEAD"}`)
	r.github.PushUnseen(repo, number, "bbbb")
	r.passes(a)
	records := r.log.all()
	if len(records) != 1 || records[0].Key != entityOf(number) || !strings.Contains(string(records[0].Body), "bbbb") {
		t.Errorf("records: got %d, want the read of the new head", len(records))
	}
}

// TestMerge_QueueIsFoundLater: the answer to the enqueueing was lost, and the
// queue has not merged yet.
func TestMerge_QueueIsFoundLater(t *testing.T) {
	t.Parallel()
	r := newRig(t, always)
	r.github.DemandQueue(repo)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.open(a, number, schemas.MutateMerge, `{"method":"merge","sha":"HEAD","queue":true}`)
	r.github.Fail(fakegithub.Fault{Path: "/graphql", Body: "enqueuePullRequest", Status: 502, AfterApplying: true})
	r.passes(a)
	if got := r.reason(number); !strings.Contains(got, "found in the merge queue") {
		t.Errorf("reason: got %q", got)
	}
	r.github.RunQueue(repo)
	if !r.github.PullRequest(repo, number).Merged || r.ours(number, fakegithub.Enqueued) != 1 {
		t.Errorf("effects: got %v, want it enqueued once and merged by the queue", r.github.Effects())
	}
}

// TestSticky_LaterMutationsFindIt: three decisions, one comment.
func TestSticky_LaterMutationsFindIt(t *testing.T) {
	t.Parallel()
	r := newRig(t, always)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	for _, text := range []string{"one", "two", "two"} {
		r.open(a, number, schemas.MutateComment, `{"body":"`+text+`","sticky":"gate --> x"}`)
		r.passes(a)
	}
	comments := r.github.Comments(repo, number)
	if len(comments) != 1 || !strings.HasPrefix(comments[0].Body, "two\n\n<!-- pawl-sticky:gate+") {
		t.Fatalf("comments: got %+v", comments)
	}
	if got := r.ours(number, fakegithub.CommentEdited); got != 1 {
		t.Errorf("edits: got %d, want 1", got)
	}
	if _, ok := actuator.MarkerKey(comments[0].Body); !ok {
		t.Error("the comment does not end in a key")
	}
}

// TestStatus_LateLookDoesNotBringAnOlderStateBack: a mutation that is done is
// looked at again, after a later one has set another state.
func TestStatus_LateLookDoesNotBringAnOlderStateBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, always)
	r.github.SetNow(time.Now)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.open(a, number, schemas.MutateCommitStatus, `{"context":"gate","sha":"HEAD","state":"pending"}`)
	r.passes(a)
	r.github.SetNow(func() time.Time { return time.Now().Add(2 * time.Second) })
	r.github.SetStatus(repo, number, we, "gate", "success")
	r.exec(`update pawl.mutation set state = 'pending', settled_at = null, next_attempt_at = now()`)
	r.passes(a)
	statuses := r.github.Statuses(repo, r.github.PullRequest(repo, number).HeadSHA)
	if len(statuses) != 2 || statuses[1].State != "success" {
		t.Errorf("statuses: got %+v, want pending and success", statuses)
	}
	if got := r.reason(number); !strings.Contains(got, "later status") {
		t.Errorf("reason: got %q", got)
	}
}

// TestCheckRun_OfTheKeyIsUpdated: the run of our key shows something else, for
// somebody with our account has changed it.
func TestCheckRun_OfTheKeyIsUpdated(t *testing.T) {
	t.Parallel()
	r := newRig(t, always)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.open(a, number, schemas.MutateCheckRun, `{"name":"gate","sha":"HEAD","status":"completed","conclusion":"failure"}`)
	r.passes(a)
	r.exec(`update pawl.mutation set state = 'pending', settled_at = null, next_attempt_at = now(),
	        params = replace(params::text, 'failure', 'success')::json`)
	r.passes(a)
	runs := r.github.CheckRuns(repo, r.github.PullRequest(repo, number).HeadSHA)
	if len(runs) != 1 || runs[0].Conclusion != "success" {
		t.Errorf("check runs: got %+v, want one that is a success", runs)
	}
}

// TestLabels_WhatWasBegunIsEnded: of two labels one is taken off, then the
// provider refuses for a while. The condition does not hold any more, for our
// own removal is why.
func TestLabels_WhatWasBegunIsEnded(t *testing.T) {
	t.Parallel()
	r := newRig(t, "version: 1\nrules:\n  - {name: r, on: [labels_changed], when: '\"a\" in pr.labels', mutate: {remove_labels: [a, b]}}\n")
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"a", "b"}})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	fault := fakegithub.SecondaryLimit(0)
	fault.Method, fault.Path = "DELETE", "/labels/b"
	r.github.Fail(fault)
	r.passes(a)
	if got := r.github.PullRequest(repo, number).Labels; !slices.Equal(got, []string{"b"}) {
		t.Fatalf("labels: got %v, want b alone", got)
	}
	r.fold(number)
	until(t, "the other label is off", func() bool {
		r.due()
		r.passes(a)
		return len(r.github.PullRequest(repo, number).Labels) == 0
	})
	if got := r.mutations(number)[0].State; got != "done" {
		t.Errorf("state: got %s, want done", got)
	}
}
