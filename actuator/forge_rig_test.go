package actuator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/internal/fakeforge"
	"pawl/internal/fakegitea"
	"pawl/internal/fakegitlab"
	"pawl/internal/provider"
	"pawl/schemas"
)

const bot = "pawl"

// forge is a fake of a provider that is not GitHub.
type forge struct {
	name      string
	instance  string
	core      *fakeforge.Core
	handler   http.Handler
	newClient func(url string) (actuator.Provider, error)
	// pull is the pull request as it would be folded from what is shown.
	pull func(number int) schemas.PullRequest
}

// forgeRig is a rig whose provider is a forge.
type forgeRig struct {
	*rig
	forge
}

func newForgeRig(t *testing.T, f forge) *forgeRig {
	t.Helper()
	r := &forgeRig{rig: newRig(t, always), forge: f}
	server := httptest.NewServer(f.handler)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	r.url = server.URL
	return r
}

// newLab is a GitLab with one project, and Ann and Bob.
func newLab() (*fakegitlab.Server, forge) {
	lab := fakegitlab.New(fakegitlab.Config{Token: "t0ken", Login: bot})
	lab.AddProject(repositoryID, repo)
	lab.AddUser("ann")
	lab.AddUser("bob")
	return lab, forge{
		name: "gitlab", instance: "gitlab.com", core: &lab.Core, handler: lab,
		newClient: func(url string) (actuator.Provider, error) {
			return actuator.NewGitLab(actuator.GitLabConfig{BaseURL: url, Token: "t0ken"}, prometheus.NewRegistry())
		},
		pull: func(number int) schemas.PullRequest {
			shown := lab.MergeRequest(repositoryID, number)
			state := schemas.Open
			switch shown.State {
			case "merged":
				state = schemas.Merged
			case "closed":
				state = schemas.Closed
			}
			return schemas.PullRequest{
				State: state, Author: shown.Author, HeadSHA: shown.SHA, Labels: shown.Labels, ProviderUpdatedAt: shown.UpdatedAt,
			}
		},
	}
}

// newTea is a Gitea with one repository and some labels.
func newTea() (*fakegitea.Server, forge) {
	tea := fakegitea.New(fakegitea.Config{Token: "t0ken", Login: bot}, repositoryID, repo)
	tea.AddLabels("new", "old")
	return tea, forge{
		name: "gitea", instance: "gitea.com", core: &tea.Core, handler: tea,
		newClient: func(url string) (actuator.Provider, error) {
			return actuator.NewGitea(actuator.GiteaConfig{BaseURL: url, Token: "t0ken"}, prometheus.NewRegistry())
		},
		pull: func(number int) schemas.PullRequest {
			shown := tea.PullRequest(number)
			state := schemas.Open
			switch {
			case shown.Merged:
				state = schemas.Merged
			case shown.Closed:
				state = schemas.Closed
			}
			pr := schemas.PullRequest{
				State: state, Author: shown.Author, HeadSHA: shown.HeadSHA, Labels: shown.Labels, ProviderUpdatedAt: shown.UpdatedAt,
			}
			for _, review := range tea.Reviews(number) {
				pr.Reviews = append(pr.Reviews, schemas.PullRequestReview{
					Author: review.Author, State: schemas.ReviewApproved, HeadSHA: review.CommitID, SubmittedAt: review.SubmittedAt,
				})
			}
			return pr
		},
	}
}

func (r *forgeRig) within(t *testing.T) *forgeRig {
	t.Helper()
	return &forgeRig{rig: r.rig.within(t), forge: r.forge}
}

func (r *forgeRig) actor(owner string) actor {
	r.t.Helper()
	client, err := r.newClient(r.url)
	if err != nil {
		r.t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	a, err := actuator.New(actuator.Config{Owner: owner}, r.pool, map[string]actuator.Provider{r.instance: client},
		r.rules.Load, r.log, slog.New(slog.DiscardHandler), registry)
	if err != nil {
		r.t.Fatal(err)
	}
	return actor{a, registry}
}

func (r *forgeRig) entity(number int) schemas.EntityKey {
	return schemas.PullRequestKey(r.instance, fmt.Sprint(repositoryID), int64(number))
}

// row is the pull request with the fields that a row must have.
func (r *forgeRig) row(number int) *schemas.PullRequest {
	row := r.pull(number)
	row.EntityKey, row.Instance, row.RepositoryID, row.Repository = r.entity(number), r.instance, fmt.Sprint(repositoryID), repo
	row.Number, row.ChecksState, row.Version = int64(number), schemas.ChecksNone, 1
	row.Labels = append([]string{}, row.Labels...)
	row.RequestedReviewers, row.Assignees, row.Links = []string{}, []string{}, []string{}
	row.Checks, row.Reviews = []schemas.PullRequestCheck{}, append([]schemas.PullRequestReview{}, row.Reviews...)
	return &row
}

// open opens a mutation of a kind, as a decision of rule r would.
func (r *forgeRig) open(a actor, number int, kind schemas.MutationKind, params string) schemas.Transition {
	r.t.Helper()
	transition := schemas.NewTransition(r.entity(number), schemas.KindLabelsChanged, schemas.Value{}, schemas.Value{Text: "x"}, schemas.Cause{
		Source: r.name, DeliveryID: schemas.DeliveryID(fmt.Sprintf("d-%d", r.next.Add(1))), Provider: r.name,
		Event: "merge_request", Sender: schemas.Actor{Login: "ann"}, ReceivedAt: time.Now().UTC(),
	})
	transition.PullRequest = r.row(number)
	text, err := json.Marshal(transition.PullRequest)
	if err != nil {
		r.t.Fatal(err)
	}
	r.exec(`insert into pawl.pull_request
	        select p.* from json_populate_record(null::pawl.pull_request,
	          ($1::jsonb || jsonb_build_object('arrival', '{}'::jsonb, 'folded_at', now()))::json) p
	        on conflict do nothing`, string(text))
	r.decide(a, transition)
	params = strings.ReplaceAll(params, "HEAD", transition.PullRequest.HeadSHA)
	r.exec(`update pawl.mutation set kind = $1, params = $2::json where transition_id = $3`, string(kind), params, string(transition.ID))
	return transition
}

// ended is how the one mutation of a pull request stands.
type ended struct {
	state, reason string
	attempt       int
}

func (r *forgeRig) ended(number int) ended {
	r.t.Helper()
	var e ended
	err := r.pool.QueryRow(context.Background(), `select state, coalesce(reason, ''), attempt from pawl.mutation where entity_key = $1`,
		r.entity(number)).Scan(&e.state, &e.reason, &e.attempt)
	if err != nil {
		r.t.Fatal(err)
	}
	return e
}

// effects are the kinds of our effects on a pull request, in order.
func (r *forgeRig) effects(number int) []string {
	var kinds []string
	for _, effect := range r.core.EffectsBy(bot) {
		if effect.Number == number {
			kinds = append(kinds, effect.Kind)
		}
	}
	return kinds
}

// forgeKind is a way of a mutation to have its effect at a forge.
type forgeKind struct {
	name   string
	kind   schemas.MutationKind
	params string
	open   func() int // opens a pull request, with what is there before the decision
	// method and path are the call that changes.
	method, path string
	effect       string
	shows        func(number int) bool
}

// forgeMatrix is TestI10_CrashMatrix for a forge.
func forgeMatrix(t *testing.T, f forge, kinds []forgeKind) {
	t.Helper()
	for _, kind := range schemas.MutationKinds() {
		has := slices.ContainsFunc(kinds, func(row forgeKind) bool { return row.kind == kind })
		if can := actuator.Supports(f.name)(kind) && kind != schemas.MutateNotify; can != has {
			t.Errorf("%s: supported: %v, in the matrix: %v", kind, can, has)
		}
	}
	var (
		mu   sync.Mutex
		rows []string
	)
	t.Cleanup(func() {
		slices.Sort(rows)
		t.Log("effects at " + f.name + ", state and attempts of the mutation after the takeover:\n" + strings.Join(rows, "\n"))
	})
	r := newForgeRig(t, f)
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			row := fmt.Sprintf("%-18s", kind.name)
			for _, step := range crashSteps() {
				t.Run(step.name, func(t *testing.T) { row += fmt.Sprintf(" | %s: %s", step.name, r.within(t).crash(kind, step)) })
			}
			mu.Lock()
			defer mu.Unlock()
			rows = append(rows, row)
		})
	}
}

// crash plays one cell of the matrix and returns how it ended.
func (r *forgeRig) crash(kind forgeKind, step crashStep) string {
	r.t.Helper()
	number := kind.open()
	before := len(r.effects(number))
	gone, next := r.actor("gone"), r.actor("next")
	transition := r.open(gone, number, kind.kind, kind.params)
	wakeUp := r.fall(gone, kind, step)
	r.expire()
	r.due()
	r.decide(next, transition)
	r.passes(next)
	made := r.effects(number)[before:]
	if len(made) != 1 || made[0] != kind.effect {
		r.t.Errorf("effects after the takeover: got %v, want one %s", made, kind.effect)
	}
	r.check(number, kind, step.attempts)
	if wakeUp != nil {
		wakeUp()
		r.passes(next)
		r.check(number, kind, 0)
		if got := gone.counter(r.t, "pawl_actuator_fenced_settles_total"); got != 1 {
			r.t.Errorf("fenced settles: got %v, want 1", got)
		}
	}
	e := r.ended(number)
	return fmt.Sprintf("%d %s %d", len(made), e.state, e.attempt)
}

func (r *forgeRig) check(number int, kind forgeKind, attempts int) {
	r.t.Helper()
	e := r.ended(number)
	if !kind.shows(number) || e.state != "done" || (attempts > 0 && e.attempt != attempts) {
		r.t.Errorf("shown: %v, %s after %d attempts (%s); want it shown and done after %d", kind.shows(number), e.state, e.attempt, e.reason, attempts)
	}
}

// fall has an actor die at a step. It returns what wakes it up again, nil where
// it does not.
func (r *forgeRig) fall(gone actor, kind forgeKind, step crashStep) func() {
	r.t.Helper()
	if step.at == "" && step.call == nil {
		if step.over {
			r.passes(gone)
			r.exec(`update pawl.lease set expires_at = now() + interval '1 minute'`)
		}
		return nil
	}
	there, wake := make(chan struct{}), make(chan struct{})
	letGo := sync.OnceFunc(func() { close(wake) })
	r.t.Cleanup(letGo) // also where the test has failed, or the server could not end
	if step.call != nil {
		fault := &fakeforge.Fault{
			Method: kind.method, Path: kind.path, Drop: step.call.Drop, Status: step.call.Status, AfterApplying: step.call.AfterApplying,
		}
		if step.held {
			fault.Reached, fault.Hold = there, wake
		}
		r.core.Fail(fault)
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
	return func() {
		letGo()
		asleep.Wait()
	}
}

// forgeCase is a mutation, and what the forge may show by the time the actor
// comes.
type forgeCase struct {
	name    string
	kind    schemas.MutationKind
	params  string
	open    func() int
	between func(number int) // after the decision, unknown to us
	state   string
	reason  string // a part of it
	effects []string
	// reads is how often the live pull request went to the log.
	reads int
}

// play has an actor do one mutation, once.
func (tt forgeCase) play(t *testing.T, f forge) {
	t.Helper()
	r := newForgeRig(t, f)
	a := r.actor("a")
	number := tt.open()
	before := len(r.effects(number))
	r.open(a, number, tt.kind, tt.params)
	if tt.between != nil {
		tt.between(number)
	}
	if worked, err := a.Pass(t.Context()); !worked || err != nil {
		t.Fatalf("pass: %v, %v", worked, err)
	}
	if diff := cmp.Diff(tt.effects, slices.Clip(r.effects(number)[before:]), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	if e := r.ended(number); e.state != tt.state || !strings.Contains(e.reason, tt.reason) {
		t.Errorf("ended: got %s (%s), want %s with %q", e.state, e.reason, tt.state, tt.reason)
	}
	r.checkReads(number, tt.reads)
}

// checkReads holds the records of live reads against what decoding makes of them.
func (r *forgeRig) checkReads(number, want int) {
	r.t.Helper()
	records := r.log.all()
	if len(records) != want {
		r.t.Fatalf("reads in the log: got %d, want %d", len(records), want)
	}
	for _, record := range records {
		event, err := provider.Decode(record)
		if err != nil {
			r.t.Fatal(err)
		}
		got, shown := event.PullRequest, r.pull(number)
		if got == nil || event.Entity != r.entity(number) || got.Change != "" || got.HeadSHA.Value != shown.HeadSHA || got.Repository != repo {
			r.t.Errorf("read: got %+v of %s, want %s at %s and no change", got, event.Entity, r.entity(number), shown.HeadSHA)
		}
		if _, err := schemas.ParseRecord([]byte(record.Key), record.Headers(), record.Body); err != nil {
			r.t.Errorf("record: %v", err)
		}
	}
}
