package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// benchLatency measures how long it takes from when a delivery is due at the
// edge until its row is visible, and until its mutation reaches the provider,
// with all roles running beside each other.
func benchLatency(ctx context.Context, r *report, p *parts, s size) error {
	r.section("Latency: delivery posted, row visible, mutation sent; all roles on this machine")
	all, err := startStages(ctx, p, "latency")
	if err != nil {
		return err
	}
	defer all.close()
	l := &latencyBench{stages: all}
	if _, err := l.measure(ctx, latencyLoad{count: 64, connections: 4, actEvery: 1}); err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	most, err := l.measure(ctx, latencyLoad{count: int(3000 * s.seconds), connections: 64, actEvery: actEvery})
	if err != nil {
		return fmt.Errorf("at most: %w", err)
	}
	r.add("to_state_max_per_second", most.statePerSecond, "1/s", "", "until the last row was visible")
	r.add("to_mutation_max_per_second", most.mutationPerSecond, "1/s", "", fmt.Sprintf("until the last of the mutations was sent; one delivery in %d leads to one", actEvery))
	loads := []struct {
		name  string
		to    []string
		load  latencyLoad
		notes string
	}{
		{"10", []string{"state", "mutation"}, latencyLoad{rate: 10, count: int(40 * s.seconds), actEvery: 1}, "each delivery leads to a mutation"},
		{"500", []string{"state", "mutation"}, latencyLoad{rate: 500, count: int(1500 * s.seconds), actEvery: actEvery}, ""},
		{"half", []string{"state"}, half(most.statePerSecond, s.seconds), ""},
		{"half", []string{"mutation"}, half(most.mutationPerSecond, s.seconds), ""},
	}
	for _, each := range loads {
		each.load.connections = 32
		result, err := l.measure(ctx, each.load)
		if err != nil {
			return fmt.Errorf("at %s: %w", each.name, err)
		}
		for _, to := range each.to {
			took := map[string][]time.Duration{"state": result.toState, "mutation": result.toMutation}[to]
			note := fmt.Sprintf("%.0f deliveries a second, %d measured %s", each.load.rate, len(took), each.notes)
			r.add("to_"+to+"_p50_ms_"+each.name, milliseconds(percentile(took, 0.50)), "ms", "", note)
			r.add("to_"+to+"_p99_ms_"+each.name, milliseconds(percentile(took, 0.99)), "ms", "", "")
		}
	}
	return nil
}

// actEvery: one delivery in so many leads to a mutation, except at the lowest
// rate. Each is a transition all the same, and is decided on.
const actEvery = 10

func half(most, seconds float64) latencyLoad {
	return latencyLoad{rate: most / 2, count: int(most / 2 * seconds), actEvery: actEvery}
}

// latencyLoad is one run: so many new pull requests opened, at a rate.
type latencyLoad struct {
	rate        float64
	count       int
	connections int
	actEvery    int
}

// latencyResult is what a run came to. The rates are until the last row was
// visible, and the last mutation sent.
type latencyResult struct {
	toState, toMutation               []time.Duration
	statePerSecond, mutationPerSecond float64
}

// posted is a delivery that the edge took.
type posted struct {
	due       time.Time
	partition int
	offset    int64
	name      string // of the pull request that a mutation is due for, or empty
}

type latencyBench struct {
	*stages
	next int // number of the next new pull request
}

func (l *latencyBench) measure(ctx context.Context, load latencyLoad) (latencyResult, error) {
	deliveries, names := l.build(load)
	watching := watch(ctx, l.stages)
	var mu sync.Mutex // mu guards taken and failed
	var taken []posted
	var failed error
	run := &loadRun{addr: l.addr, deliveries: deliveries, connections: load.connections, count: load.count, rate: load.rate}
	run.answered = func(n int64, due time.Time, answer []byte) {
		partition, offset, err := placeOf(answer)
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
		taken = append(taken, posted{due, partition, offset, names[n-1]})
	}
	begin := time.Now()
	_, err := run.drive(ctx)
	if err = errors.Join(err, failed); err != nil {
		watching.stop()
		return latencyResult{}, err
	}
	return l.await(ctx, watching, taken, begin)
}

// build makes the deliveries that open new pull requests, and opens them at the
// fake.
func (l *latencyBench) build(load latencyLoad) (deliveries []delivery, names []string) {
	for n := range load.count {
		repository, number := 200_000+l.next/100, l.next%100+1
		l.next++
		bytes, s, name := large, life[0], ""
		if n%3 == 0 {
			bytes = small
		}
		if n%load.actEvery == load.actEvery-1 {
			s.labels = []string{"act"}
			name = "acme/service-" + strconv.Itoa(repository) + "#" + strconv.Itoa(number)
		}
		l.github.open(repository, number)
		deliveries = append(deliveries, newDelivery("pull_request", pullRequest(repository, number, s, time.Now(), bytes)))
		names = append(names, name)
	}
	return deliveries, names
}

// await waits for the rows and the mutations of what was posted.
func (l *latencyBench) await(ctx context.Context, watching *watcher, taken []posted, begin time.Time) (latencyResult, error) {
	var result latencyResult
	defer watching.stop()
	lastState, lastMutation := begin, begin
	deadline := time.Now().Add(3 * time.Minute)
	mutated := 0
	for _, p := range taken {
		at, err := l.until(ctx, deadline, func() (time.Time, bool) { return watching.visibleAt(p.partition, p.offset) })
		if err != nil {
			return latencyResult{}, fmt.Errorf("row of %d/%d: %w", p.partition, p.offset, err)
		}
		result.toState = append(result.toState, at.Sub(p.due))
		lastState = latest(lastState, at)
	}
	for _, p := range taken {
		if p.name == "" {
			continue
		}
		at, err := l.until(ctx, deadline, func() (time.Time, bool) { return l.github.sentAt(p.name) })
		if err != nil {
			return latencyResult{}, fmt.Errorf("mutation of %s, %d before it: %w", p.name, mutated, err)
		}
		mutated++
		result.toMutation = append(result.toMutation, at.Sub(p.due))
		lastMutation = latest(lastMutation, at)
	}
	result.statePerSecond = float64(len(taken)) / lastState.Sub(begin).Seconds()
	result.mutationPerSecond = float64(len(taken)) / lastMutation.Sub(begin).Seconds()
	return result, watching.err()
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// until asks until there is a time, or a stage has failed.
func (l *latencyBench) until(ctx context.Context, deadline time.Time, ask func() (time.Time, bool)) (time.Time, error) {
	for {
		if at, ok := ask(); ok {
			return at, nil
		}
		if time.Now().After(deadline) {
			return time.Time{}, errors.New("did not come in time")
		}
		select {
		case err := <-l.failed:
			return time.Time{}, err
		case <-ctx.Done():
			return time.Time{}, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
