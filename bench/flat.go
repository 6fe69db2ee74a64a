package main

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/schemas"
)

// flatRepository is the first repository of the rows that are present.
const flatRepository = 100_000

// The rows that are present: copies of one pull request that the projector
// itself folded, each with a delivery. They are inserted in pieces.
const (
	copyPullRequests = `
insert into pawl.pull_request
select filled.*
  from pawl.pull_request p, generate_series($1::bigint, $2::bigint) n,
       lateral jsonb_populate_record(p, jsonb_build_object(
         'entity_key', 'github.com:' || (100000 + n / 100) || '#' || (n % 100 + 1),
         'repository_id', (100000 + n / 100)::text, 'number', n % 100 + 1,
         'repository', 'acme/service-' || (100000 + n / 100),
         'title', 'Change number ' || (n % 100 + 1) || ' of the service',
         'head_sha', md5(n::text) || 'ffffffff')) filled
 where p.entity_key = $3`
	copyDeliveries = `
insert into pawl.delivery
select filled.*
  from pawl.delivery d, generate_series($1::bigint, $2::bigint) n,
       lateral jsonb_populate_record(d, jsonb_build_object(
         'topic', 'bench.present', 'log_partition', n % 4, 'log_offset', n / 4,
         'delivery_id', md5(n::text), 'entity_key', 'github.com:' || (100000 + n / 100) || '#' || (n % 100 + 1),
         'subject', 'acme/service-' || (100000 + n / 100) || '#' || (n % 100 + 1))) filled
 where d.topic = $3`
)

// table is a database with a number of rows present.
type table struct {
	name string
	rows int
	pool *pgxpool.Pool
}

// benchFlat measures whether the projector slows down as the tables grow. Each
// load updates rows that lie evenly over all that are present.
func benchFlat(ctx context.Context, r *report, p *parts, s size) error {
	r.section("Projector with many rows present")
	tables := []*table{{name: "flat_few", rows: s.few}, {name: "flat_many", rows: s.many}}
	for _, t := range tables {
		if err := t.open(ctx, p); err != nil {
			return err
		}
		defer t.pool.Close()
	}
	rates := make([][]float64, len(tables))
	deliveries := s.deliveries / 2
	for round := range s.rounds {
		for i, t := range tables {
			topic := fmt.Sprintf("bench.%s.%d", t.name, round)
			rate, err := foldSpread(ctx, p, t, topic, deliveries, round)
			if err != nil {
				return err
			}
			rates[i] = append(rates[i], rate)
		}
	}
	for i, t := range tables {
		r.add(t.name+"_per_second", median(rates[i]), "1/s", "", fmt.Sprintf("%d pull requests and as many deliveries present", t.rows))
	}
	r.add("rows_flat", median(rates[1])/median(rates[0]), "x", ">= 0.7", "many rows against few, medians of runs in turns")
	return nil
}

func foldSpread(ctx context.Context, p *parts, t *table, topic string, deliveries, round int) (float64, error) {
	if err := p.makeTopic(ctx, topic); err != nil {
		return 0, err
	}
	if err := fill(ctx, p.client(), topic, spread(deliveries, t.rows, round)); err != nil {
		return 0, err
	}
	if _, err := t.pool.Exec(ctx, "checkpoint"); err != nil {
		return 0, fmt.Errorf("checkpoint: %w", err)
	}
	return runProjector(ctx, p, t.pool, topic, deliveries)
}

// spread yields the usual load, but of pull requests that lie evenly over the
// rows present, and each round newer than the one before.
func spread(deliveries, rows, round int) iter.Seq[schemas.Record] {
	start := time.Date(2026, 2, 1, round, 0, 0, 0, time.UTC)
	prs := deliveries / len(life)
	return func(yield func(schemas.Record) bool) {
		for group := range 4 {
			for at, s := range life {
				for n := group * prs / 4; n < (group+1)*prs/4; n++ {
					record := loadRecord(flatRepository, n*(rows/prs)+round, at, s, start)
					record.ID += schemas.DeliveryID(fmt.Sprintf("-%d", round))
					if !yield(record) {
						return
					}
				}
			}
		}
	}
}

// open makes the database and its rows: it folds the first of a life, so that
// the copies are of what the projector writes.
func (t *table) open(ctx context.Context, p *parts) error {
	pool, url, err := p.database(ctx, t.name)
	if err != nil {
		return err
	}
	t.pool = pool
	seed := "bench.seed." + t.name
	if err := p.makeTopic(ctx, seed); err != nil {
		return err
	}
	record := loadRecord(1, 0, 0, life[0], time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	if err := fill(ctx, p.client(), seed, func(yield func(schemas.Record) bool) { yield(record) }); err != nil {
		return err
	}
	if _, err := runProjector(ctx, p, pool, seed, 1); err != nil {
		return err
	}
	return t.copyRows(ctx, url, seed, record.Key)
}

// copyRows does it on a connection of its own: the pool's are set up for
// look-ups by index alone.
func (t *table) copyRows(ctx context.Context, url, seed string, key schemas.EntityKey) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("copy rows: %w", err)
	}
	defer conn.Close(ctx)
	const piece = 100_000
	for from := 0; from < t.rows; from += piece {
		to := min(from+piece, t.rows) - 1
		if _, err := conn.Exec(ctx, copyPullRequests, from, to, string(key)); err != nil {
			return fmt.Errorf("copy pull requests: %w", err)
		}
		if _, err := conn.Exec(ctx, copyDeliveries, from, to, seed); err != nil {
			return fmt.Errorf("copy deliveries: %w", err)
		}
	}
	if _, err := conn.Exec(ctx, "vacuum (analyze) pawl.pull_request, pawl.delivery"); err != nil {
		return fmt.Errorf("analyze: %w", err)
	}
	return nil
}
