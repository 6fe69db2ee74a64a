package actuator_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// client is one GitHub under limits, that several actors share.
func (r *rig) client(config actuator.GitHubConfig) *actuator.GitHub {
	r.t.Helper()
	config.BaseURL = r.url
	client, err := actuator.NewGitHub(config, prometheus.NewRegistry())
	if err != nil {
		r.t.Fatal(err)
	}
	return client
}

// TestLimits_ChangesAreASecondApart: two actors share a budget. Each mutation
// that has to wait goes back with its turn and gives its lease back.
func TestLimits_ChangesAreASecondApart(t *testing.T) {
	t.Parallel()
	const spacing = 150 * time.Millisecond
	r := newRig(t, always)
	client := r.client(actuator.GitHubConfig{Token: "t0ken", Spacing: spacing})
	a, b := r.actorOf("a", client), r.actorOf("b", client)
	for range 5 {
		r.decide(a, r.transition(r.github.Open(repo, fakegithub.PullRequest{}), schemas.KindLabelsChanged))
	}
	for range 5 {
		for _, each := range []actor{a, b} {
			r.passes(each)
		}
	}
	if got := query[int](r, `select count(*) from pawl.lease where expires_at > now()`); got != 0 {
		t.Errorf("leases held: got %d, want none while they wait", got)
	}
	if got := query[int](r, `select count(*) from pawl.mutation where state = 'pending' and attempt = 0`); got == 0 {
		t.Error("nothing waits, or the refusals counted as attempts")
	}
	until(t, "all are closed", func() bool {
		r.passes(a)
		r.passes(b)
		return query[int](r, `select count(*) from pawl.mutation where state = 'done' and attempt = 1`) == 5
	})
	var last time.Time
	for _, call := range r.github.Calls() {
		if call.Method != http.MethodPatch {
			continue
		}
		// The fake notes when it answers; a little is lost on the way.
		if gap := call.At.Sub(last); gap < spacing-20*time.Millisecond {
			t.Errorf("changes %s apart, want %s", gap, spacing)
		}
		last = call.At
	}
}

// TestLimits_SecondCallOfAMergeGetsItsTurn: the merge is refused and takes the
// turn, what the refusal asks for has to wait, and must not wait for ever.
func TestLimits_SecondCallOfAMergeGetsItsTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, params string
		given        func(g *fakegithub.Server, n int)
		effect       fakegithub.EffectKind
	}{
		{
			name: "queue", params: `{"method":"merge","sha":"HEAD","queue":true}`, effect: fakegithub.Enqueued,
			given: func(g *fakegithub.Server, _ int) { g.DemandQueue(repo) },
		},
		{
			name: "auto-merge", params: `{"method":"merge","sha":"HEAD","auto_merge":true}`, effect: fakegithub.AutoMergeEnabled,
			given: func(g *fakegithub.Server, n int) { g.Block(repo, n, fakegithub.MessageReviewMissing) },
		},
		{
			name: "auto-merge, where the queue refuses", params: `{"method":"merge","sha":"HEAD","queue":true,"auto_merge":true}`,
			effect: fakegithub.AutoMergeEnabled,
			given:  func(g *fakegithub.Server, n int) { g.DemandQueue(repo); g.Block(repo, n, fakegithub.MessageQueue) },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, always)
			a := r.actorOf("a", r.client(actuator.GitHubConfig{Token: "t0ken", Spacing: 200 * time.Millisecond}))
			number := r.github.Open(repo, fakegithub.PullRequest{})
			tt.given(r.github, number)
			r.open(a, number, schemas.MutateMerge, tt.params)
			until(t, "it is done", func() bool {
				r.passes(a)
				return r.mutations(number)[0].State == "done"
			})
			if got := r.ours(number, tt.effect); got != 1 {
				t.Errorf("effects: got %d, want 1", got)
			}
			if got := r.called("PUT", "/merge"); got != 1 {
				t.Errorf("merges tried: got %d, want 1", got)
			}
		})
	}
}

// TestLimits_OneInstallationDoesNotHoldUpAnother is hard part 12 for a limited
// installation: its mutation waits, the other's is made.
func TestLimits_OneInstallationDoesNotHoldUpAnother(t *testing.T) {
	t.Parallel()
	limits := map[string]func(*fakegithub.Server){
		"primary": func(g *fakegithub.Server) {
			g.Allow(fakegithub.InstallationCredential(1), 0, time.Now().Add(time.Hour))
		},
		"secondary": func(g *fakegithub.Server) {
			fault := fakegithub.SecondaryLimit(time.Hour)
			fault.Path = "/acme/api/pulls"
			g.Fail(fault)
		},
		"429": func(g *fakegithub.Server) {
			fault := fakegithub.TooManyRequests(time.Hour)
			fault.Path = "/acme/api/pulls"
			g.Fail(fault)
		},
	}
	for name, limit := range limits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, client := newAppRig(t)
			r.github.AddRepository(202, "other/web")
			r.github.Install(1, repo)
			r.github.Install(2, "other/web")
			a := r.actorOf("a", client)
			first, second := r.github.Open(repo, fakegithub.PullRequest{}), r.github.Open(repo, fakegithub.PullRequest{})
			elsewhere := r.github.Open("other/web", fakegithub.PullRequest{Number: 77})
			r.decide(a, r.transition(first, schemas.KindLabelsChanged), r.transition(second, schemas.KindLabelsChanged),
				r.transitionIn("other/web", 202, elsewhere))
			limit(r.github)
			r.passes(a)
			if !r.github.PullRequest("other/web", elsewhere).Closed {
				t.Error("the other installation's pull request is not closed")
			}
			waiting := query[int](r, `select count(*) from pawl.mutation
			  where state = 'pending' and attempt = 0 and next_attempt_at > now() + interval '50 minutes'`)
			if waiting != 2 {
				t.Errorf("waiting: got %d, want both of the limited installation, uncounted", waiting)
			}
			refused := 0
			for _, call := range r.github.Calls() {
				if call.Status == http.StatusForbidden || call.Status == http.StatusTooManyRequests {
					refused++
				}
			}
			if refused != 1 {
				t.Errorf("refused calls: got %d, want 1: the second knows without asking", refused)
			}
		})
	}
}

// transitionIn is a transition of a pull request of another repository.
func (r *rig) transitionIn(name string, id int64, number int) schemas.Transition {
	r.t.Helper()
	shown := r.github.PullRequest(name, number)
	t := r.transition(1, schemas.KindLabelsChanged)
	row := *t.PullRequest
	row.EntityKey = schemas.PullRequestKey("github.com", fmt.Sprint(id), int64(number))
	row.RepositoryID, row.Repository, row.Number, row.HeadSHA = fmt.Sprint(id), name, int64(number), shown.HeadSHA
	other := schemas.NewTransition(row.EntityKey, t.Kind, t.From, t.To, t.Cause)
	other.PullRequest = &row
	return other
}

func TestLimits_GaugeShowsTheLeast(t *testing.T) {
	t.Parallel()
	r, _ := newAppRig(t)
	registry := prometheus.NewRegistry()
	client, err := actuator.NewGitHub(r.appConfig(), registry)
	if err != nil {
		t.Fatal(err)
	}
	r.github.AddRepository(202, "other/web")
	r.github.Install(1, repo)
	r.github.Install(2, "other/web")
	r.github.Allow(fakegithub.InstallationCredential(1), 100, time.Now().Add(time.Hour))
	for _, name := range []string{repo, "other/web"} {
		number := r.github.Open(name, fakegithub.PullRequest{})
		if _, err := client.PullRequest(t.Context(), actuator.Ref{Repository: name, Number: int64(number)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := (actor{registry: registry}).counter(t, "pawl_provider_rate_limit_remaining"); got != 99 {
		t.Errorf("remaining: got %v, want 99, of the installation that has less", got)
	}
}
