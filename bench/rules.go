package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/actuator/rules"
	"pawl/schemas"
)

// ruleCount is how many rules each transition goes through.
const ruleCount = 50

// fiftyRules all listen to the load's transitions. Each asks for one of ten
// labels; whom it is on, the last part of the condition decides.
func fiftyRules() (*rules.Set, error) {
	var text strings.Builder
	text.WriteString("version: 1\nrules:\n")
	for i := range ruleCount {
		fmt.Fprintf(&text, "  - name: rule-%d\n    on: [labels_changed]\n", i)
		fmt.Fprintf(&text, "    when: pr.state == \"open\" && !pr.draft && \"label-%d\" in pr.labels && pr.approvals >= 1\n", i%10)
		text.WriteString("    mutate: {comment: {body: \"{{pr.title}} (#{{pr.number}}) has what it needs\"}}\n")
	}
	return rules.Parse("bench.yaml", []byte(text.String()))
}

// decided is a transition and its text in the log.
type decided struct {
	transition schemas.Transition
	raw        []byte
}

// decidedLoad makes transitions of as many pull requests. One in ten is approved,
// and meets the conditions of five of the fifty rules.
func decidedLoad(count int) ([]decided, error) {
	load := make([]decided, count)
	for n := range load {
		approvals := int64(0)
		if n%10 == 0 {
			approvals = 1
		}
		t := transitionOf(300_000+n/100, n%100+1, schemas.KindLabelsChanged, fmt.Sprintf("label-%d", n/10%10))
		t.PullRequest.Approvals = approvals
		raw, err := json.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("make transition: %w", err)
		}
		load[n] = decided{t, raw}
	}
	return load, nil
}

// transitionOf makes a transition of an open pull request that carries a label.
func transitionOf(repository, number int, kind schemas.Kind, label string) schemas.Transition {
	key := schemas.PullRequestKey("github.com", fmt.Sprint(repository), int64(number))
	at := time.Date(2026, 1, 1, 0, 0, number, 0, time.UTC)
	cause := schemas.Cause{
		Source: "github", DeliveryID: schemas.DeliveryID(fmt.Sprintf("%s-%d-%d", kind, repository, number)), Provider: "github",
		Event: "pull_request", Sender: schemas.Actor{Login: "octocat"}, ReceivedAt: at,
	}
	t := schemas.NewTransition(key, kind, schemas.Value{}, schemas.Value{Text: label}, cause)
	t.PullRequest = &schemas.PullRequest{
		EntityKey: key, Instance: "github.com", RepositoryID: fmt.Sprint(repository), Repository: fmt.Sprintf("acme/service-%d", repository),
		Number: int64(number), Title: fmt.Sprintf("Change number %d of the service", number), Body: strings.Repeat("What it does and why. ", 40),
		Author: "octocat", State: schemas.Open, HeadSHA: fmt.Sprintf("%040x", number*8), HeadRef: "change", BaseRef: "main",
		BaseSHA: fmt.Sprintf("%040x", 1), Labels: []string{label, "size/XS"}, RequestedReviewers: []string{}, Assignees: []string{},
		Checks: []schemas.PullRequestCheck{}, Reviews: []schemas.PullRequestReview{}, Links: []string{},
		ChecksState: schemas.ChecksSuccess, CreatedAt: at, ProviderUpdatedAt: at, Version: 1,
	}
	return t
}

// inParallel does as many things on a number of goroutines, and returns how
// many a second.
func inParallel(workers, count int, do func(n int) error) (float64, error) {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var group sync.WaitGroup
	begin := time.Now()
	for range workers {
		group.Go(func() {
			for n := int(next.Add(1) - 1); n < count && failed.Load() == nil; n = int(next.Add(1) - 1) {
				if err := do(n); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	group.Wait()
	elapsed := time.Since(begin)
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(count) / elapsed.Seconds(), nil
}

// readAndDecide reads each transition as it stands in the log, on all cores. A nil set
// evaluates nothing: that is the limit.
func readAndDecide(load []decided, set *rules.Set) (float64, error) {
	return inParallel(runtime.NumCPU(), len(load), func(n int) error {
		var t schemas.Transition
		if err := json.Unmarshal(load[n].raw, &t); err != nil {
			return fmt.Errorf("read transition: %w", err)
		}
		if set == nil {
			return nil
		}
		if got := len(set.Decide(t)); got != ruleCount {
			return fmt.Errorf("%d rules decided on transition %s, want %d", got, t.ID, ruleCount)
		}
		return nil
	})
}

// newDecider is an actuator that acts on nothing.
func newDecider(pool *pgxpool.Pool, set *rules.Set) (*actuator.Actuator, error) {
	return actuator.New(actuator.Config{Owner: "bench"}, pool, nil, func() *rules.Set { return set }, noLog{},
		slog.New(slog.DiscardHandler), prometheus.NewRegistry())
}

// decideAll has the load decided on, as many at a time as there are workers.
// Each decision is a transaction of its own.
func decideAll(ctx context.Context, pool *pgxpool.Pool, set *rules.Set, load []decided, workers int) (float64, error) {
	decider, err := newDecider(pool, set)
	if err != nil {
		return 0, err
	}
	rate, err := inParallel(workers, len(load), func(n int) error { return decider.Decide(ctx, load[n].transition, load[n].raw) })
	if err != nil {
		return 0, err
	}
	var recorded int
	if err := pool.QueryRow(ctx, "select count(*) from pawl.decision").Scan(&recorded); err != nil {
		return 0, fmt.Errorf("count decisions: %w", err)
	}
	if want := ruleCount * len(load); recorded != want {
		return 0, fmt.Errorf("%d decisions are recorded, want %d", recorded, want)
	}
	return rate, nil
}

// decideOn is decideAll on a database of its own. Unsynced does not wait for the disk
// at a commit: what a batch of many transitions would gain of it at most.
func decideOn(ctx context.Context, p *parts, name string, set *rules.Set, load []decided, workers int, unsynced bool) (float64, *pgxpool.Pool, error) {
	opened, url, err := p.database(ctx, name)
	if err != nil {
		return 0, nil, err
	}
	opened.Close() // it is set up for the projector
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return 0, nil, fmt.Errorf("open database %s: %w", name, err)
	}
	config.MaxConns = partitions + 1
	if unsynced {
		config.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return 0, nil, fmt.Errorf("open database %s: %w", name, err)
	}
	rate, err := decideAll(ctx, pool, set, load, workers)
	if err != nil {
		pool.Close()
		return 0, nil, err
	}
	return rate, pool, nil
}

// benchDecisions measures decisions: in memory, and with all that is written of them.
func benchDecisions(ctx context.Context, r *report, p *parts, s size) error {
	r.section(fmt.Sprintf("Rules: transitions through %d rules", ruleCount))
	set, err := fiftyRules()
	if err != nil {
		return err
	}
	load, err := decidedLoad(s.decided)
	if err != nil {
		return err
	}
	if err := decideInMemory(r, set, load); err != nil {
		return err
	}
	return decideInPostgres(ctx, r, p, set, load)
}

func decideInMemory(r *report, set *rules.Set, load []decided) error {
	if _, err := readAndDecide(load, set); err != nil { // warm
		return err
	}
	read, err := readAndDecide(load, nil)
	if err != nil {
		return err
	}
	evaluated, err := readAndDecide(load, set)
	if err != nil {
		return err
	}
	r.add("rules_per_second", evaluated, "1/s", "", fmt.Sprintf("read from JSON and decided in memory on all cores; %d pull requests", len(load)))
	r.add("rules_read_per_second", read, "1/s", "", "the same, evaluating nothing")
	r.add("rules_vs_read", evaluated/read, "x", "", "share of evaluating nothing")
	return nil
}

func decideInPostgres(ctx context.Context, r *report, p *parts, set *rules.Set, load []decided) error {
	one, pool, err := decideOn(ctx, p, "decide_1", set, load, 1, false)
	if err != nil {
		return err
	}
	pool.Close()
	unsynced, pool, err := decideOn(ctx, p, "decide_unsynced", set, load, partitions, true)
	if err != nil {
		return err
	}
	pool.Close()
	all, pool, err := decideOn(ctx, p, "decide_all", set, load, partitions, false)
	if err != nil {
		return err
	}
	defer pool.Close()
	elapsed, err := copyTables(ctx, pool, "decision", "mutation")
	if err != nil {
		return err
	}
	copied := float64(len(load)) / elapsed.Seconds()
	r.add("decide_per_second", all, "1/s", "", fmt.Sprintf("with PostgreSQL, a transaction each, %d at a time as there are partitions", partitions))
	r.add("decide_1_per_second", one, "1/s", "", "one at a time")
	r.add("decide_unsynced_per_second", unsynced, "1/s", "", "without waiting for the disk: a batch's gain on that side, at most")
	r.add("decide_copy_per_second", copied, "1/s", "", "raw COPY of the same decisions and mutations into bare tables")
	r.add("decide_vs_copy", all/copied, "x", "", "share of raw COPY")
	r.add("decide_vs_unsynced", all/unsynced, "x", "", "")
	return nil
}
