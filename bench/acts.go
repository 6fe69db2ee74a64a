package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/actuator/rules"
	"pawl/schemas"
)

const (
	actLatency = 50 * time.Millisecond
	actWorkers = 8
	// actRepository is the first repository of the pull requests acted on.
	actRepository = 400_000
)

// actRules want one comment for each pull request, whatever happens to it.
const actRules = `
version: 1
rules:
  - name: thank
    on: [opened, labels_changed]
    once: entity
    mutate: {comment: {body: "Thanks for {{pr.title}}"}}
`

// latent is a provider that is far away.
type latent struct {
	next    http.RoundTripper
	latency time.Duration
}

// RoundTrip implements http.RoundTripper.
func (l latent) RoundTrip(request *http.Request) (*http.Response, error) {
	timer := time.NewTimer(l.latency)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-request.Context().Done():
		return nil, context.Cause(request.Context())
	}
	return l.next.RoundTrip(request)
}

// actsRun has a fake GitHub with a number of pull requests, each of which was
// opened and then labeled.
type actsRun struct {
	count   int
	latency time.Duration
	github  *provided
	base    string
	stop    func()
}

func startActs(ctx context.Context, count int, latency time.Duration) (*actsRun, error) {
	a := &actsRun{count: count, latency: latency, github: newProvided()}
	for n := range count {
		a.github.open(a.place(n))
	}
	base, stop, err := a.github.serve(ctx)
	a.base, a.stop = base, stop
	return a, err
}

func (*actsRun) place(n int) (repository, number int) { return actRepository + n/100, n%100 + 1 }

// transition is the first or the second of a pull request.
func (a *actsRun) transition(n int) schemas.Transition {
	repository, number := a.place(n % a.count)
	kind := schemas.KindOpened
	if n >= a.count {
		kind = schemas.KindLabelsChanged
	}
	return transitionOf(repository, number, kind, "thanked")
}

// transport is one to the fake, with connections enough for everybody.
func (a *actsRun) transport() latent {
	return latent{&http.Transport{MaxIdleConnsPerHost: 2 * a.count}, a.latency}
}

// acted is what a run came to: acts a second, calls an act, and the comments
// that nobody wanted.
type acted struct {
	perSecond, calls float64
	doubles          int
}

// ended counts what the provider shows.
func (a *actsRun) ended(elapsed time.Duration) (acted, error) {
	comments := 0
	for n := range a.count {
		repository, number := a.place(n)
		there := len(a.github.Comments(fmt.Sprintf("acme/service-%d", repository), number))
		if there == 0 {
			return acted{}, fmt.Errorf("acme/service-%d#%d has no comment", repository, number)
		}
		comments += there
	}
	return acted{
		perSecond: float64(a.count) / elapsed.Seconds(),
		calls:     float64(len(a.github.Calls())) / float64(a.count),
		doubles:   comments - a.count,
	}, nil
}

// actor is the actuator under measurement.
func (a *actsRun) actor(pool *pgxpool.Pool, set *rules.Set) (*actuator.Actuator, error) {
	registry := prometheus.NewRegistry()
	client, err := actuator.NewGitHub(actuator.GitHubConfig{BaseURL: a.base, Token: benchToken, Transport: a.transport()}, registry)
	if err != nil {
		return nil, err
	}
	return actuator.New(actuator.Config{Owner: "bench", Workers: actWorkers}, pool, map[string]actuator.Provider{"github.com": client},
		func() *rules.Set { return set }, noLog{}, slog.New(slog.DiscardHandler), registry)
}

// pawl has the mutations decided on first, and measures from the start of the
// actor to the last settle.
func (a *actsRun) pawl(ctx context.Context, pool *pgxpool.Pool) (acted, error) {
	set, err := rules.Parse("bench.yaml", []byte(actRules))
	if err != nil {
		return acted{}, err
	}
	acts, err := a.actor(pool, set)
	if err != nil {
		return acted{}, err
	}
	_, err = inParallel(partitions, 2*a.count, func(n int) error {
		t := a.transition(n)
		raw, err := json.Marshal(t)
		if err != nil {
			return fmt.Errorf("make transition: %w", err)
		}
		return acts.Decide(ctx, t, raw)
	})
	if err != nil {
		return acted{}, err
	}
	running, stop := context.WithCancel(ctx)
	over := make(chan error, 1)
	begin := time.Now()
	go func() { over <- acts.Run(running) }()
	err = awaitDone(ctx, pool, a.count)
	elapsed := time.Since(begin)
	stop()
	if err := errors.Join(err, <-over); err != nil {
		return acted{}, err
	}
	return a.ended(elapsed)
}

// awaitDone waits until as many mutations are done.
func awaitDone(ctx context.Context, pool *pgxpool.Pool, count int) error {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var done int
		var refused *string
		err := pool.QueryRow(ctx, `select count(*) filter (where state = 'done'), min(reason) filter (where state in ('dead', 'skipped', 'cancelled'))
		                             from pawl.mutation`).Scan(&done, &refused)
		switch {
		case err != nil:
			return fmt.Errorf("watch the actor: %w", err)
		case refused != nil:
			return fmt.Errorf("a mutation was refused: %s", *refused)
		case done == count:
			return nil
		}
	}
	return fmt.Errorf("%d mutations were not done in time", count)
}

// naive posts the comment of every transition, without a look, a lease or a key,
// as many at a time as there are workers.
func (a *actsRun) naive(ctx context.Context, workers int) (acted, error) {
	client := &http.Client{Transport: a.transport()}
	begin := time.Now()
	_, err := inParallel(workers, 2*a.count, func(n int) error { return a.post(ctx, client, a.transition(n)) })
	if err != nil {
		return acted{}, err
	}
	return a.ended(time.Since(begin))
}

func (a *actsRun) post(ctx context.Context, client *http.Client, t schemas.Transition) error {
	address := fmt.Sprintf("%srepos/%s/issues/%d/comments", a.base, t.PullRequest.Repository, t.PullRequest.Number)
	body := bytes.NewReader(fmt.Appendf(nil, `{"body":%q}`, "Thanks for "+t.PullRequest.Title))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, body)
	if err != nil {
		return fmt.Errorf("post naively: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+benchToken)
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("post naively: %w", err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusCreated {
		return errors.Join(fmt.Errorf("post naively: %s", response.Status), err)
	}
	return nil
}

// benchActs measures acts against a provider that is 50 ms away.
func benchActs(ctx context.Context, r *report, p *parts, s size) error {
	r.section(fmt.Sprintf("Acts: comments on %d pull requests, %d workers, %s a call", s.acts, actWorkers, actLatency))
	pawl, err := onFake(ctx, s.acts, func(a *actsRun) (acted, error) {
		pool, _, err := p.database(ctx, "acts")
		if err != nil {
			return acted{}, err
		}
		defer pool.Close()
		return a.pawl(ctx, pool)
	})
	if err != nil {
		return err
	}
	unbounded, err := onFake(ctx, s.acts, func(a *actsRun) (acted, error) { return a.naive(ctx, 2*s.acts) })
	if err != nil {
		return err
	}
	eight, err := onFake(ctx, s.acts, func(a *actsRun) (acted, error) { return a.naive(ctx, actWorkers) })
	if err != nil {
		return err
	}
	if pawl.doubles != 0 {
		return fmt.Errorf("%d comments too many", pawl.doubles)
	}
	ideal := actWorkers / (pawl.calls * actLatency.Seconds())
	r.add("acts_per_second", pawl.perSecond, "1/s", "", fmt.Sprintf("%.2f calls an act: a look and a change", pawl.calls))
	r.add("acts_ideal_per_second", ideal, "1/s", "", "workers / (calls × latency)")
	r.add("acts_vs_ideal", pawl.perSecond/ideal, "x", "", "")
	r.add("acts_naive_per_second", unbounded.perSecond, "1/s", "", fmt.Sprintf("a goroutine for each of %d transitions", 2*s.acts))
	r.add("acts_naive_8_per_second", eight.perSecond, "1/s", "", "the same, eight at a time")
	r.add("acts_naive_doubles", float64(unbounded.doubles), "", "", "comments that nobody wanted; Pawl makes none")
	r.add("acts_vs_naive", pawl.perSecond/unbounded.perSecond, "x", "", "")
	r.add("acts_vs_naive_8", pawl.perSecond/eight.perSecond, "x", "", "")
	return nil
}

// onFake runs something against a fake of its own.
func onFake(ctx context.Context, count int, run func(*actsRun) (acted, error)) (acted, error) {
	a, err := startActs(ctx, count, actLatency)
	if err != nil {
		return acted{}, err
	}
	defer a.stop()
	return run(a)
}
