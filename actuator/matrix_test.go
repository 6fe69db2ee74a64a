package actuator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// crashKind is a way of a mutation to have its effect, and how that shows.
type crashKind struct {
	name string
	kind schemas.MutationKind
	// params are those that the rules render, with the head in place of HEAD.
	params string
	pr     fakegithub.PullRequest
	// given is what is there before the decision.
	given  func(r *rig, number int)
	call   fakegithub.Fault // the call that changes
	effect fakegithub.EffectKind
	shows  func(r *rig, number int) bool
}

func crashKinds() []crashKind {
	return []crashKind{
		{
			name: "comment", kind: schemas.MutateComment, params: `{"body":"hello"}`, effect: fakegithub.CommentCreated,
			call:  fakegithub.Fault{Method: "POST", Path: "/comments"},
			shows: func(r *rig, n int) bool { return len(r.github.Comments(repo, n)) == 1 },
		},
		{
			name: "sticky, new", kind: schemas.MutateComment, params: `{"body":"hello","sticky":"gate"}`, effect: fakegithub.CommentCreated,
			call:  fakegithub.Fault{Method: "POST", Path: "/comments"},
			shows: func(r *rig, n int) bool { return len(r.github.Comments(repo, n)) == 1 },
		},
		{
			name: "sticky, edited", kind: schemas.MutateComment, params: `{"body":"after","sticky":"gate"}`, effect: fakegithub.CommentEdited,
			given: func(r *rig, n int) { r.github.Comment(repo, n, we, "before\n\n<!-- pawl-sticky:gate@1 -->") },
			call:  fakegithub.Fault{Method: "PATCH", Path: "/comments/"},
			shows: func(r *rig, n int) bool {
				comments := r.github.Comments(repo, n)
				return len(comments) == 1 && strings.HasPrefix(comments[0].Body, "after\n\n<!-- pawl-sticky:gate@")
			},
		},
		{
			name: "delete_comment", kind: schemas.MutateDeleteComment, params: `{"sticky":"gate"}`, effect: fakegithub.CommentDeleted,
			given: func(r *rig, n int) { r.github.Comment(repo, n, we, "before\n\n<!-- pawl-sticky:gate@1 -->") },
			call:  fakegithub.Fault{Method: "DELETE", Path: "/comments/"},
			shows: func(r *rig, n int) bool { return len(r.github.Comments(repo, n)) == 0 },
		},
		{
			name: "mirror, new", kind: schemas.MutateBridgeComment, effect: fakegithub.CommentCreated,
			params: `{"to":"pull_request","comment":"linear.app:comment/c1","change":"created","body":"hello"}`,
			call:   fakegithub.Fault{Method: "POST", Path: "/comments"},
			shows:  func(r *rig, n int) bool { return len(r.github.Comments(repo, n)) == 1 },
		},
		{
			name: "mirror, edited", kind: schemas.MutateBridgeComment, effect: fakegithub.CommentEdited,
			params: `{"to":"pull_request","comment":"linear.app:comment/c1","change":"edited","body":"after"}`,
			given:  func(r *rig, n int) { r.github.Comment(repo, n, we, "before\n\n"+mirrorMarker) },
			call:   fakegithub.Fault{Method: "PATCH", Path: "/comments/"},
			shows: func(r *rig, n int) bool {
				comments := r.github.Comments(repo, n)
				return len(comments) == 1 && strings.HasPrefix(comments[0].Body, "after\n\n<!-- pawl-sticky:linear.app%3Acomment%2Fc1@")
			},
		},
		{
			name: "mirror, removed", kind: schemas.MutateBridgeComment, effect: fakegithub.CommentDeleted,
			params: `{"to":"pull_request","comment":"linear.app:comment/c1","change":"deleted"}`,
			given:  func(r *rig, n int) { r.github.Comment(repo, n, we, "before\n\n"+mirrorMarker) },
			call:   fakegithub.Fault{Method: "DELETE", Path: "/comments/"},
			shows:  func(r *rig, n int) bool { return len(r.github.Comments(repo, n)) == 0 },
		},
		{
			name: "close", kind: schemas.MutateClose, params: `{}`, effect: fakegithub.Closed,
			call:  fakegithub.Fault{Method: "PATCH", Path: "/pulls/"},
			shows: func(r *rig, n int) bool { return r.github.PullRequest(repo, n).Closed },
		},
		{
			name: "reopen", kind: schemas.MutateReopen, params: `{}`, effect: fakegithub.Reopened,
			given: func(r *rig, n int) { r.github.Close(repo, n, "octocat") },
			call:  fakegithub.Fault{Method: "PATCH", Path: "/pulls/"},
			shows: func(r *rig, n int) bool { return !r.github.PullRequest(repo, n).Closed },
		},
		{
			name: "merge", kind: schemas.MutateMerge, params: `{"method":"squash","sha":"HEAD","queue":true}`, effect: fakegithub.Merged,
			call:  fakegithub.Fault{Method: "PUT", Path: "/merge"},
			shows: func(r *rig, n int) bool { return r.github.PullRequest(repo, n).Merged },
		},
		{
			name: "merge, queue", kind: schemas.MutateMerge, params: `{"method":"squash","sha":"HEAD","queue":true}`, effect: fakegithub.Enqueued,
			given: func(r *rig, _ int) { r.github.DemandQueue(repo) },
			call:  fakegithub.Fault{Method: "POST", Path: "/graphql", Body: "enqueuePullRequest"},
			shows: func(r *rig, n int) bool { return r.github.PullRequest(repo, n).Queued },
		},
		{
			name: "merge, auto-merge", kind: schemas.MutateMerge, params: `{"method":"squash","sha":"HEAD","auto_merge":true}`,
			effect: fakegithub.AutoMergeEnabled,
			given:  func(r *rig, n int) { r.github.Block(repo, n, fakegithub.MessageReviewMissing) },
			call:   fakegithub.Fault{Method: "POST", Path: "/graphql", Body: "enablePullRequestAutoMerge"},
			shows:  func(r *rig, n int) bool { return r.github.PullRequest(repo, n).AutoMerge },
		},
		{
			name: "update_branch", kind: schemas.MutateUpdateBranch, params: `{"sha":"HEAD"}`, effect: fakegithub.BranchUpdated,
			pr:    fakegithub.PullRequest{Behind: true},
			call:  fakegithub.Fault{Method: "PUT", Path: "/update-branch"},
			shows: func(r *rig, n int) bool { return !r.github.PullRequest(repo, n).Behind },
		},
		{
			name: "add_labels", kind: schemas.MutateAddLabels, params: `{"labels":["new"]}`, effect: fakegithub.Labeled,
			call:  fakegithub.Fault{Method: "POST", Path: "/labels"},
			shows: func(r *rig, n int) bool { return len(r.github.PullRequest(repo, n).Labels) == 1 },
		},
		{
			name: "remove_labels", kind: schemas.MutateRemoveLabels, params: `{"labels":["old"]}`, effect: fakegithub.Unlabeled,
			pr:    fakegithub.PullRequest{Labels: []string{"old"}},
			call:  fakegithub.Fault{Method: "DELETE", Path: "/labels"},
			shows: func(r *rig, n int) bool { return len(r.github.PullRequest(repo, n).Labels) == 0 },
		},
		{
			name: "request_review", kind: schemas.MutateRequestReview, params: `{"reviewers":["ann"]}`, effect: fakegithub.ReviewRequested,
			call: fakegithub.Fault{Method: "POST", Path: "/requested_reviewers"},
			shows: func(r *rig, n int) bool {
				people, teams := r.github.RequestedReviewers(repo, n)
				return len(people) == 1 && len(teams) == 0
			},
		},
		{
			name: "approve", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, effect: fakegithub.Reviewed,
			call: fakegithub.Fault{Method: "POST", Path: "/reviews"},
			shows: func(r *rig, n int) bool {
				return slices.ContainsFunc(r.github.Reviews(repo, n), func(v fakegithub.Review) bool {
					return v.Author == we && v.State == "APPROVED" && v.CommitID == r.github.PullRequest(repo, n).HeadSHA
				})
			},
		},
		{
			name: "dismiss_review", kind: schemas.MutateDismissReview, params: `{"message":"stale"}`, effect: fakegithub.ReviewDismissed,
			given: func(r *rig, n int) { r.github.Review(repo, n, "ann", "APPROVED") },
			call:  fakegithub.Fault{Method: "PUT", Path: "/dismissals"},
			shows: func(r *rig, n int) bool { return r.github.Reviews(repo, n)[0].State == "DISMISSED" },
		},
		{
			name: "check_run", kind: schemas.MutateCheckRun, effect: fakegithub.CheckRunCreated,
			params: `{"name":"gate","sha":"HEAD","status":"completed","conclusion":"success","title":"open"}`,
			call:   fakegithub.Fault{Method: "POST", Path: "/check-runs"},
			shows: func(r *rig, n int) bool {
				runs := r.github.CheckRuns(repo, r.github.PullRequest(repo, n).HeadSHA)
				last := runs[len(runs)-1]
				return last.Name == "gate" && last.Conclusion == "success" && last.Title == "open" && last.ExternalID != ""
			},
		},
		{
			name: "commit_status", kind: schemas.MutateCommitStatus, effect: fakegithub.StatusCreated,
			params: `{"context":"gate","sha":"HEAD","state":"success","description":"open"}`,
			call:   fakegithub.Fault{Method: "POST", Path: "/statuses/"},
			shows: func(r *rig, n int) bool {
				statuses := r.github.Statuses(repo, r.github.PullRequest(repo, n).HeadSHA)
				return statuses[len(statuses)-1].State == "success"
			},
		},
	}
}

// crashStep is where an actor dies, or an answer is lost.
type crashStep struct {
	name string
	at   string            // one of the actor's own steps
	call *fakegithub.Fault // else: what becomes of the call that changes
	// held: the actor is gone until the call is let go, and wakes up after it.
	held bool
	// over: the actor is gone after it has settled, before it gives its lease back.
	over     bool
	attempts int
}

func crashSteps() []crashStep {
	return []crashStep{
		{name: "decided", attempts: 1},
		{name: "claimed", at: actuator.StepClaimed, attempts: 2},
		{name: "looked", at: actuator.StepLooked, attempts: 2},
		{name: "sent", call: &fakegithub.Fault{Drop: true}, held: true, attempts: 2},
		{name: "applied", call: &fakegithub.Fault{Drop: true, AfterApplying: true}, held: true, attempts: 2},
		{name: "acted", at: actuator.StepActed, attempts: 2},
		{name: "settled", over: true, attempts: 1},
		{name: "502, not applied", call: &fakegithub.Fault{Status: 502}, attempts: 2},
		{name: "502, applied", call: &fakegithub.Fault{Status: 502, AfterApplying: true}, attempts: 1},
		{name: "lost, applied", call: &fakegithub.Fault{Drop: true, AfterApplying: true}, attempts: 1},
	}
}

// TestI10_CrashMatrix is hard part 9 for the actuator: it dies, or an answer is
// lost, at each step of each kind. Another takes over, and the provider shows
// the effect once. Then the dead one turns out to have been asleep, wakes up,
// and still everything is there once.
func TestI10_CrashMatrix(t *testing.T) {
	t.Parallel()
	var (
		mu   sync.Mutex
		rows []string
	)
	t.Cleanup(func() {
		slices.Sort(rows)
		t.Log("effects at the provider, state and attempts of the mutation after the takeover:\n" + strings.Join(rows, "\n"))
	})
	for _, kind := range crashKinds() {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "version: 1\nrules:\n  - {name: r, on: [labels_changed], mutate: {close: {}}}\n")
			row := fmt.Sprintf("%-18s", kind.name)
			for _, step := range crashSteps() {
				t.Run(step.name, func(t *testing.T) {
					r := r.within(t)
					row += fmt.Sprintf(" | %s: %s", step.name, r.crash(kind, step))
				})
			}
			mu.Lock()
			defer mu.Unlock()
			rows = append(rows, row)
		})
	}
}

// TestI10_EveryKindIsInTheMatrix: a kind without a row is not proven.
func TestI10_EveryKindIsInTheMatrix(t *testing.T) {
	t.Parallel()
	for _, kind := range schemas.MutationKinds() {
		if kind == schemas.MutateNotify {
			continue // calls no provider, and has a proof of its own
		}
		if !slices.ContainsFunc(crashKinds(), func(row crashKind) bool { return row.kind == kind }) {
			t.Errorf("%s has no row", kind)
		}
	}
}

// within is the same rig in a subtest.
func (r *rig) within(t *testing.T) *rig {
	t.Helper()
	inner := &rig{t: t, pool: r.pool, github: r.github, url: r.url, log: r.log}
	inner.rules.Store(r.rules.Load())
	inner.next.Store(r.next.Add(100))
	return inner
}

// open opens a mutation of a kind, as a decision of rule r would.
func (r *rig) open(a actor, number int, kind schemas.MutationKind, params string) schemas.Transition {
	r.t.Helper()
	transition := r.transition(number, schemas.KindLabelsChanged)
	r.decide(a, transition)
	params = strings.ReplaceAll(params, "HEAD", r.github.PullRequest(repo, number).HeadSHA)
	r.exec(`update pawl.mutation set kind = $1, params = $2::json where transition_id = $3`, string(kind), params, string(transition.ID))
	return transition
}

// crash plays one cell of the matrix and returns how it ended.
func (r *rig) crash(kind crashKind, step crashStep) string {
	r.t.Helper()
	number := r.github.Open(repo, kind.pr)
	if kind.given != nil {
		kind.given(r, number)
	}
	before := r.ours(number, kind.effect)
	gone, next := r.actor("gone"), r.actor("next")
	transition := r.open(gone, number, kind.kind, kind.params)
	wakeUp := r.fall(gone, kind, step)

	r.expire()
	r.due()
	r.decide(next, transition) // its offset was not committed: it comes again
	r.passes(next)
	effects := r.ours(number, kind.effect) - before
	if effects != 1 {
		r.t.Errorf("effects after the takeover: got %d, want 1: %v", effects, r.github.EffectsBy(we))
	}
	r.check(number, kind, step.attempts)
	ended := fmt.Sprintf("%d %s %d", effects, r.mutations(number)[0].State, query[int](r, `select attempt from pawl.mutation where entity_key = $1`, entityOf(number)))
	if wakeUp == nil {
		return ended
	}
	wakeUp()
	r.passes(next)
	r.check(number, kind, 0)
	if got := gone.counter(r.t, "pawl_actuator_fenced_settles_total"); got != 1 {
		r.t.Errorf("fenced settles: got %v, want 1", got)
	}
	return ended
}

// fall has an actor die at a step. It returns what wakes it up again, nil where
// it does not.
func (r *rig) fall(gone actor, kind crashKind, step crashStep) func() {
	r.t.Helper()
	if step.at == "" && step.call == nil {
		if step.over {
			r.passes(gone)
			r.exec(`update pawl.lease set expires_at = now() + interval '1 minute'`)
		}
		return nil
	}
	there, wake := make(chan struct{}), make(chan struct{})
	if step.call != nil {
		fault := *step.call
		fault.Method, fault.Path, fault.Body = kind.call.Method, kind.call.Path, kind.call.Body
		if step.held {
			fault.Reached, fault.Hold = there, wake
		}
		r.github.Fail(fault)
		if !step.held {
			r.passes(gone)
			return nil
		}
	}
	var once sync.Once
	gone.OnStep(func(at string, _ schemas.Mutation) {
		if at == step.at {
			once.Do(func() { close(there); <-wake })
		}
	})
	var asleep sync.WaitGroup
	asleep.Go(func() { _, _ = gone.Pass(context.Background()) })
	await(r.t, "the actor is gone", there)
	wakeUp := sync.OnceFunc(func() {
		close(wake)
		asleep.Wait()
	})
	r.t.Cleanup(wakeUp) // also where the test fails before it
	return wakeUp
}

// check reads the tables and the provider: they must agree that it is done.
func (r *rig) check(number int, kind crashKind, attempts int) {
	r.t.Helper()
	if !kind.shows(r, number) {
		r.t.Errorf("the provider does not show the effect: %v", r.github.EffectsBy(we))
	}
	entity := entityOf(number)
	mutations := r.mutations(number)
	if len(mutations) != 1 || mutations[0].State != "done" {
		r.t.Fatalf("mutations: got %v (%s), want one that is done", mutations, r.reason(number))
	}
	if got := query[int](r, `select attempt from pawl.mutation where entity_key = $1`, entity); attempts > 0 && got != attempts {
		r.t.Errorf("attempts: got %d, want %d (%s)", got, attempts, r.reason(number))
	}
	if got := query[int](r, `select count(*) from pawl.lease where expires_at > now() and entity_key = $1`, entity); got != 0 {
		r.t.Errorf("leases held: got %d, want none", got)
	}
	if got := query[int](r, `select count(*) from pawl.dead_letter where entity_key = $1`, entity); got != 0 {
		r.t.Errorf("dead letters: got %d, want none", got)
	}
}
