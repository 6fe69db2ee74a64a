package actuator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

func ruleOf(mutate string) string {
	return "version: 1\nrules:\n  - {name: r, on: [labels_changed], when: 'pr.state == \"open\"', mutate: " + mutate + "}\n"
}

// TestAct_LooksAndChangesOnlyWhatDiffers runs each kind against what the
// provider may show by the time the actor comes.
func TestAct_LooksAndChangesOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		mutate  string
		between func(g *fakegithub.Server, number int) // after the decision, unknown to us
		state   string
		reason  string // a part of it
		effects []fakegithub.EffectKind
	}{
		{name: "comment", mutate: "{comment: {body: hello}}", state: "done", effects: []fakegithub.EffectKind{fakegithub.CommentCreated}},
		{
			name: "comment on a closed one", mutate: "{comment: {body: hello}}", state: "done",
			between: func(g *fakegithub.Server, n int) { g.Close(repo, n, "octocat") },
			effects: []fakegithub.EffectKind{fakegithub.CommentCreated},
		},
		{name: "close", mutate: "{close: {}}", state: "done", effects: []fakegithub.EffectKind{fakegithub.Closed}},
		{
			name: "close a closed one", mutate: "{close: {}}", state: "done", reason: "found closed",
			between: func(g *fakegithub.Server, n int) { g.Close(repo, n, "octocat") },
		},
		{
			name: "close a merged one", mutate: "{close: {}}", state: "skipped", reason: "found merged",
			between: func(g *fakegithub.Server, n int) { g.Merge(repo, n, "octocat") },
		},
		{name: "merge", mutate: "{merge: {method: squash}}", state: "done", reason: "merged as", effects: []fakegithub.EffectKind{fakegithub.Merged}},
		{
			name: "merge a merged one", mutate: "{merge: {method: squash}}", state: "done", reason: "found merged as",
			between: func(g *fakegithub.Server, n int) { g.Merge(repo, n, "octocat") },
		},
		{
			name: "merge one that was merged at another head", mutate: "{merge: {method: squash}}", state: "skipped", reason: "found merged at head bbbb",
			between: func(g *fakegithub.Server, n int) { g.Push(repo, n, "octocat", "bbbb"); g.Merge(repo, n, "octocat") },
		},
		{
			name: "merge a closed one", mutate: "{merge: {method: squash}}", state: "skipped", reason: "found closed",
			between: func(g *fakegithub.Server, n int) { g.Close(repo, n, "octocat") },
		},
		{
			name: "merge against a branch rule", mutate: "{merge: {method: squash}}", state: "dead", reason: "not mergeable",
			between: func(g *fakegithub.Server, n int) { g.Block(repo, n, fakegithub.MessageNotMergeable) },
		},
		{
			name: "merge a draft", mutate: "{merge: {method: squash}}", state: "dead", reason: "draft",
			between: func(g *fakegithub.Server, n int) { g.SetDraft(repo, n, "octocat", true) },
		},
		{
			name: "merge in a race for the base", mutate: "{merge: {method: squash}}", state: "pending", reason: "Base branch was modified",
			between: func(g *fakegithub.Server, n int) { g.Block(repo, n, fakegithub.MessageBaseModified) },
		},
		{name: "add labels", mutate: "{add_labels: [a, b]}", state: "done", effects: []fakegithub.EffectKind{fakegithub.Labeled, fakegithub.Labeled}},
		{
			name: "add a label that is there in other case", mutate: "{add_labels: [a, b]}", state: "done",
			between: func(g *fakegithub.Server, n int) { g.Label(repo, n, "octocat", "A") },
			effects: []fakegithub.EffectKind{fakegithub.Labeled},
		},
		{
			name: "add labels that are there", mutate: "{add_labels: [a]}", state: "done", reason: "the labels are there",
			between: func(g *fakegithub.Server, n int) { g.Label(repo, n, "octocat", "a") },
		},
		{
			name: "remove a label with a slash and a space", mutate: "{remove_labels: ['area/api v2?']}", state: "done",
			between: func(g *fakegithub.Server, n int) { g.Label(repo, n, "octocat", "area/api v2?") },
			effects: []fakegithub.EffectKind{fakegithub.Unlabeled},
		},
		{name: "remove a label that is not there", mutate: "{remove_labels: [a]}", state: "done", reason: "none of the labels"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, ruleOf(tt.mutate))
			a := r.actor("a")
			number := r.github.Open(repo, fakegithub.PullRequest{})
			r.decide(a, r.transition(number, schemas.KindLabelsChanged))
			if tt.between != nil {
				tt.between(r.github, number)
			}
			if worked, err := a.Pass(t.Context()); !worked || err != nil {
				t.Fatalf("pass: %v, %v", worked, err)
			}
			var effects []fakegithub.EffectKind
			for _, effect := range r.github.EffectsBy(we) {
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

// TestI10_MarkerIsLookedForOnAllPages: the comment stands on the second page.
func TestI10_MarkerIsLookedForOnAllPages(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	key := query[string](r, `select idempotency_key from pawl.mutation`)
	for i := range 120 {
		r.github.Comment(repo, number, "octocat", fmt.Sprintf("comment %d", i))
	}
	r.github.Comment(repo, number, we, "hello\n\n"+actuator.Marker(schemas.IdempotencyKey(key)))
	r.passes(a)
	if got := r.ours(number, fakegithub.CommentCreated); got != 1 {
		t.Errorf("our comments: got %d, want the 1 that was there", got)
	}
	if got := r.mutations(number)[0].State; got != "done" {
		t.Errorf("state: got %s, want done", got)
	}
}

// TestI10_MarkerOfAnotherIsNotOurs: a person quotes the comment, or forges one.
func TestI10_MarkerOfAnotherIsNotOurs(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	mark := actuator.Marker(schemas.IdempotencyKey(query[string](r, `select idempotency_key from pawl.mutation`)))
	r.github.Comment(repo, number, "mallory", "hello\n\n"+mark)
	r.github.Comment(repo, number, we, "> hello\n> "+mark+"\n\nas we said")
	r.passes(a)
	if got := r.ours(number, fakegithub.CommentCreated); got != 2 {
		t.Errorf("our comments: got %d, want the quote and the new one", got)
	}
	if got := len(r.github.Comments(repo, number)); got != 3 {
		t.Errorf("comments: got %d, want all 3 left alone", got)
	}
}

func TestMarkerKey(t *testing.T) {
	t.Parallel()
	const key = "0123456789abcdef0123456789abcdef"
	tests := []struct {
		name, body string
		want       bool
	}{
		{"at the end", "hello\n\n<!-- pawl:" + key + " -->", true},
		{"with the provider's line ends", "hello\r\n\r\n<!-- pawl:" + key + " -->\r\n", true},
		{"in the middle", "<!-- pawl:" + key + " -->\nhello", false},
		{"no key", "<!-- pawl:what -->", false},
		{"none", "hello", false},
		{"other characters", "<!-- pawl:" + strings.Repeat("%", 32) + " -->", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := actuator.MarkerKey(tt.body)
			if ok != tt.want || (ok && got != key) {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}

func TestAgain_OwnEffectsOfTheDecisionDoNotCount(t *testing.T) {
	t.Parallel()
	decided := &schemas.PullRequest{State: schemas.Open, Labels: []string{"a", "b"}}
	tests := []struct {
		name, params string
		kind         schemas.MutationKind
		newest, want schemas.PullRequest
	}{
		{"closed by us", "{}", schemas.MutateClose, schemas.PullRequest{State: schemas.Closed}, schemas.PullRequest{State: schemas.Open}},
		{"merged since", "{}", schemas.MutateClose, schemas.PullRequest{State: schemas.Merged}, schemas.PullRequest{State: schemas.Merged}},
		{"merged by us", "{}", schemas.MutateMerge, schemas.PullRequest{State: schemas.Merged, MergeCommitSHA: "m"}, schemas.PullRequest{State: schemas.Open}},
		{
			"labels added by us", `{"labels":["b","c"]}`, schemas.MutateAddLabels,
			schemas.PullRequest{Labels: []string{"b", "c", "d"}},
			schemas.PullRequest{Labels: []string{"b", "d"}},
		},
		{
			"labels removed by us", `{"labels":["b","c"]}`, schemas.MutateRemoveLabels,
			schemas.PullRequest{Labels: []string{"d"}},
			schemas.PullRequest{Labels: []string{"b", "d"}},
		},
		{
			"asked by us", `{"reviewers":["ann"]}`, schemas.MutateRequestReview,
			schemas.PullRequest{RequestedReviewers: []string{"ann", "bob"}},
			schemas.PullRequest{RequestedReviewers: []string{"bob"}},
		},
		{
			"approved by us, which counts", `{}`, schemas.MutateApprove,
			schemas.PullRequest{State: schemas.Open, Approvals: 1},
			schemas.PullRequest{State: schemas.Open, Approvals: 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := actuator.WithoutOwn(&tt.newest, decided, tt.kind, tt.params)
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Errorf("row (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAct_EchoOfOwnCloseDoesNotSkipTheComment: the rule closes and comments; the
// echo of the closing is folded in between.
func TestAct_EchoOfOwnCloseDoesNotSkipTheComment(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("[{close: {}}, {comment: {body: closed}}]"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.transition(number, schemas.KindLabelsChanged))
	a.OnStep(func(step string, m schemas.Mutation) {
		if step == actuator.StepActed && m.Kind == schemas.MutateClose {
			r.fold(number)
		}
	})
	r.passes(a)
	want := []standing{{"r", "close", "done"}, {"r", "comment", "done"}}
	if diff := cmp.Diff(want, r.mutations(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s\n%s", diff, r.reason(number))
	}
}
