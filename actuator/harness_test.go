package actuator_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/actuator/rules"
	"pawl/internal/fakegithub"
	"pawl/internal/pgtest"
	"pawl/schemas"
)

const (
	repo         = "acme/api"
	repositoryID = 101
	we           = "pawl[bot]"
	deadline     = 20 * time.Second
)

// rig is a database, a fake GitHub, and the rules.
type rig struct {
	t      *testing.T
	pool   *pgxpool.Pool
	github *fakegithub.Server
	url    string
	rules  atomic.Pointer[rules.Set]
	log    *logged
	next   atomic.Int64
}

// logged keeps what is appended to the log, and can fail.
type logged struct {
	mu      sync.Mutex // mu guards what follows
	records []schemas.Record
	err     error
}

func (l *logged) Append(_ context.Context, record schemas.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	l.records = append(l.records, record)
	return nil
}

func (l *logged) all() []schemas.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.records)
}

func newRig(t *testing.T, rulesText string) *rig {
	t.Helper()
	r := &rig{t: t, pool: pgtest.NewPool(t), github: fakegithub.New(fakegithub.Config{Token: "t0ken", Login: we}), log: &logged{}}
	server := httptest.NewServer(r.github)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	r.url = server.URL
	r.github.AddRepository(repositoryID, repo)
	r.setRules(rulesText)
	return r
}

func (r *rig) setRules(text string) {
	r.t.Helper()
	set, err := rules.Parse("pawl.yaml", []byte(text))
	if err != nil {
		r.t.Fatal(err)
	}
	r.rules.Store(set)
}

// actor is one actuator with a registry of its own.
type actor struct {
	*actuator.Actuator
	registry *prometheus.Registry
}

func (r *rig) actor(owner string, configs ...actuator.Config) actor {
	r.t.Helper()
	config := actuator.Config{}
	if len(configs) > 0 {
		config = configs[0]
	}
	config.Owner = owner
	config.Poll = cmp.Or(config.Poll, 50*time.Millisecond)
	registry := prometheus.NewRegistry()
	client, err := actuator.NewGitHub(actuator.GitHubConfig{BaseURL: r.url, Token: "t0ken"}, registry)
	if err != nil {
		r.t.Fatal(err)
	}
	a, err := actuator.New(config, r.pool, map[string]actuator.Provider{"github.com": client},
		r.rules.Load, r.log, slog.New(slog.DiscardHandler), registry)
	if err != nil {
		r.t.Fatal(err)
	}
	return actor{a, registry}
}

// counter sums a metric over its labels.
func (a actor) counter(t *testing.T, name string) float64 {
	t.Helper()
	families, err := a.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, metric := range family.GetMetric() {
			sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		}
	}
	return sum
}

func entityOf(number int) schemas.EntityKey {
	return schemas.PullRequestKey("github.com", fmt.Sprint(repositoryID), int64(number))
}

// row is the pull request as folded from what the fake shows.
func (r *rig) row(number int) *schemas.PullRequest {
	shown := r.github.PullRequest(repo, number)
	row := &schemas.PullRequest{
		EntityKey: entityOf(number), Instance: "github.com", RepositoryID: fmt.Sprint(repositoryID), Repository: repo,
		Number: int64(number), Title: shown.Title, Body: shown.Body, Author: shown.Author, State: schemas.Open,
		Draft: shown.Draft, HeadSHA: shown.HeadSHA, HeadRef: shown.HeadRef, BaseRef: shown.BaseRef, BaseSHA: shown.BaseSHA,
		Labels: slices.Sorted(slices.Values(shown.Labels)), RequestedReviewers: []string{}, Assignees: []string{},
		Checks: []schemas.PullRequestCheck{}, Reviews: []schemas.PullRequestReview{}, Links: []string{},
		ChecksState: schemas.ChecksNone, CreatedAt: shown.CreatedAt, ProviderUpdatedAt: shown.UpdatedAt, Version: 1,
		MergeCommitSHA: shown.MergeCommitSHA,
	}
	if row.Labels == nil {
		row.Labels = []string{}
	}
	switch {
	case shown.Merged:
		row.State, row.MergedAt, row.ClosedAt = schemas.Merged, shown.MergedAt, shown.ClosedAt
	case shown.Closed:
		row.State, row.ClosedAt = schemas.Closed, shown.ClosedAt
	}
	return row
}

// fold writes the row, as the projector would after the newest delivery.
func (r *rig) fold(number int) *schemas.PullRequest {
	r.t.Helper()
	row := r.row(number)
	text, err := json.Marshal(row)
	if err != nil {
		r.t.Fatal(err)
	}
	r.exec(`delete from pawl.pull_request where entity_key = $1`, row.EntityKey)
	r.exec(`insert into pawl.pull_request
	        select p.* from json_populate_record(null::pawl.pull_request,
	          ($1::jsonb || jsonb_build_object('arrival', '{}'::jsonb, 'folded_at', now()))::json) p`, string(text))
	return row
}

func (r *rig) exec(sql string, arguments ...any) {
	r.t.Helper()
	if _, err := r.pool.Exec(context.Background(), sql, arguments...); err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
}

// transition makes a transition of the pull request as it is folded now, each
// with a delivery of its own.
func (r *rig) transition(number int, kind schemas.Kind) schemas.Transition {
	r.t.Helper()
	cause := schemas.Cause{
		Source: "github", DeliveryID: schemas.DeliveryID(fmt.Sprintf("d-%d", r.next.Add(1))), Provider: "github",
		Event: "pull_request", Sender: schemas.Actor{Login: "octocat"}, ReceivedAt: time.Now().UTC(),
	}
	t := schemas.NewTransition(entityOf(number), kind, schemas.Value{}, schemas.Value{Text: string(kind)}, cause)
	t.PullRequest = r.fold(number)
	return t
}

func (r *rig) decide(a actor, transitions ...schemas.Transition) {
	r.t.Helper()
	for _, t := range transitions {
		if err := a.Decide(context.Background(), t, encode(r.t, t)); err != nil {
			r.t.Fatal(err)
		}
	}
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// passes runs passes until there is nothing due.
func (r *rig) passes(a actor) {
	r.t.Helper()
	for {
		worked, err := a.Pass(context.Background())
		if err != nil {
			r.t.Fatal(err)
		}
		if !worked {
			return
		}
	}
}

// standing is what a test compares of a mutation.
type standing struct {
	Rule  string
	Kind  string
	State string
}

func (r *rig) mutations(number int) []standing {
	r.t.Helper()
	rows, err := r.pool.Query(context.Background(),
		`select rule, kind, state from pawl.mutation where entity_key = $1 order by id`, entityOf(number))
	if err != nil {
		r.t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[standing])
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

func (r *rig) reason(number int) string {
	r.t.Helper()
	return query[string](r, `select coalesce(reason, '') from pawl.mutation where entity_key = $1 order by id desc limit 1`, entityOf(number))
}

func query[T any](r *rig, sql string, arguments ...any) T {
	r.t.Helper()
	var value T
	if err := r.pool.QueryRow(context.Background(), sql, arguments...).Scan(&value); err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	return value
}

// expire ends all leases, as their time would.
func (r *rig) expire() {
	r.t.Helper()
	r.exec(`update pawl.lease set expires_at = now() - interval '1 second'`)
}

// due makes what waits for a time due now.
func (r *rig) due() {
	r.t.Helper()
	r.exec(`update pawl.mutation set next_attempt_at = now() where state = 'pending'`)
}

// ours counts our effects of a kind on a pull request.
func (r *rig) ours(number int, kind fakegithub.EffectKind) int {
	count := 0
	for _, effect := range r.github.EffectsBy(we) {
		if effect.Number == number && effect.Kind == kind {
			count++
		}
	}
	return count
}

// called counts the calls of a method whose path ends so.
func (r *rig) called(method, suffix string) int {
	count := 0
	for _, call := range r.github.Calls() {
		if call.Method == method && len(call.Path) >= len(suffix) && call.Path[len(call.Path)-len(suffix):] == suffix {
			count++
		}
	}
	return count
}

// until polls for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("not within %s: %s", deadline, what)
}

// await waits for a channel.
func await(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(deadline):
		t.Fatalf("not within %s: %s", deadline, what)
	}
}

const mergeRules = `
version: 1
rules:
  - name: merge-when-labeled
    on: [reopened, labels_changed, opened]
    when: pr.state == "open" && "automerge" in pr.labels
    once: head
    mutate: {merge: {method: squash}}
`
