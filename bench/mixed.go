package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// mixedEnd is what a pull request of the mixed load ended as.
type mixedEnd struct {
	State, HeadSHA, ChecksState string
	Approvals                   int64
}

const (
	projectedEnds = `select repository_id || '#' || number, state, head_sha, checks_state, approvals from pawl.pull_request`
	naiveEnds     = `select repository_id || '#' || number, state, head_sha, checks_state, approvals from naive.pull_request`
)

func readEnds(ctx context.Context, pool *pgxpool.Pool, query string) (map[string]mixedEnd, error) {
	rows, err := pool.Query(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read the ends: %w", err)
	}
	ends := make(map[string]mixedEnd)
	var key string
	var end mixedEnd
	_, err = pgx.ForEachRow(rows, []any{&key, &end.State, &end.HeadSHA, &end.ChecksState, &end.Approvals}, func() error {
		ends[key] = end
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the ends: %w", err)
	}
	return ends, nil
}

// sameEnds returns an error where the naive way ended otherwise than the
// projector did: a comparison of speed means something only if both do the job.
func sameEnds(projected, naive map[string]mixedEnd) error {
	var faults []error
	for key, end := range naive {
		if got := projected[key]; got != end && len(faults) < 5 {
			faults = append(faults, fmt.Errorf("%s ended as %+v in the projector and as %+v in the naive way", key, got, end))
		}
	}
	return errors.Join(faults...)
}

// mixedTopic holds the mixed load.
const mixedTopic = "bench.mixed"

// mixedRun is one run of the mixed section.
type mixedRun struct {
	parts      *parts
	pool       *pgxpool.Pool
	url        string
	deliveries int
}

// benchMixed measures the projector against the naive way where half of the
// deliveries are checks.
func benchMixed(ctx context.Context, r *report, p *parts, deliveries int) error {
	r.section("Projector, mixed load: pull requests, reviews, comments, and as many check events")
	if err := p.makeTopic(ctx, mixedTopic); err != nil {
		return err
	}
	deliveries = wholeLives(deliveries)
	if err := fill(ctx, p.client(), mixedTopic, mixed(deliveries)); err != nil {
		return err
	}
	pool, url, err := p.database(ctx, "mixed")
	if err != nil {
		return err
	}
	defer pool.Close()
	return (&mixedRun{p, pool, url, deliveries}).measure(ctx, r)
}

// wholeLives rounds down to the deliveries of whole lives.
func wholeLives(deliveries int) int { return deliveries / len(mixedLife) * len(mixedLife) }

func (m *mixedRun) measure(ctx context.Context, r *report) error {
	naive1, ends1, err := m.naive(ctx, wholeLives(m.deliveries/20), 1)
	if err != nil {
		return err
	}
	folded, err := runProjector(ctx, m.parts, m.pool, mixedTopic, m.deliveries)
	if err != nil {
		return err
	}
	part := wholeLives(m.deliveries / 10)
	naive8, ends8, err := m.naive(ctx, part, 8)
	if err != nil {
		return err
	}
	if err := m.compare(ctx, ends1, ends8); err != nil {
		return err
	}
	copied, err := runCopy(ctx, m.pool, m.deliveries)
	if err != nil {
		return err
	}
	decoded, err := runDecode(slices.Collect(mixed(part)))
	if err != nil {
		return err
	}
	note := fmt.Sprintf("%d deliveries of %d pull requests, half of them checks; ends compared", m.deliveries, m.deliveries/len(mixedLife))
	r.add("mixed_per_second", folded, "1/s", "", note)
	r.add("mixed_naive_1_per_second", naive1, "1/s", "", "one transaction a delivery, one connection")
	r.add("mixed_naive_8_per_second", naive8, "1/s", "", "the same on eight connections")
	r.add("mixed_copy_per_second", copied, "1/s", "", "raw COPY of the same rows into bare tables")
	r.add("mixed_decode_per_second", decoded, "1/s", "", "decoding alone, on all cores")
	r.add("mixed_vs_naive_1", folded/naive1, "x", "", "")
	r.add("mixed_vs_naive_8", folded/naive8, "x", "", "")
	r.add("mixed_vs_copy", folded/copied, "x", "", "share of raw COPY")
	r.add("mixed_vs_decode", folded/decoded, "x", "", "share of decoding alone")
	return nil
}

// naive runs the naive way over the first of the load, and returns deliveries a
// second and what its pull requests ended as.
func (m *mixedRun) naive(ctx context.Context, deliveries, workers int) (float64, map[string]mixedEnd, error) {
	rate, err := runNaive(ctx, m.url, naiveMixed, slices.Collect(mixed(deliveries)), workers)
	if err != nil {
		return 0, nil, err
	}
	ends, err := readEnds(ctx, m.pool, naiveEnds)
	if err == nil && len(ends) != deliveries/len(mixedLife) {
		err = fmt.Errorf("the naive way has %d pull requests, want %d", len(ends), deliveries/len(mixedLife))
	}
	return rate, ends, err
}

// compare holds what the naive runs ended as against the projector.
func (m *mixedRun) compare(ctx context.Context, naive ...map[string]mixedEnd) error {
	projected, err := readEnds(ctx, m.pool, projectedEnds)
	if err != nil {
		return err
	}
	for _, ends := range naive {
		if err := sameEnds(projected, ends); err != nil {
			return err
		}
	}
	return nil
}
