package simulate

import (
	"context"
	"embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/actuator/rules"
	"pawl/internal/plan"
	"pawl/schemas"
)

//go:embed sql/*.sql
var statements embed.FS

// Options say what is compared.
type Options struct {
	// Since is the time of folding from which on transitions are taken; zero
	// takes all.
	Since time.Time
	New   *rules.Set
	// Old are the rules to compare with. Nil compares with what was really done.
	Old *rules.Set
}

// pageSize is how many transitions are in memory at a time.
const pageSize = 500

// mostErrors bounds the decisions with an error that are told.
const mostErrors = 1000

// Run decides on what is recorded and compares. It writes nothing.
func Run(ctx context.Context, pool *pgxpool.Pool, options Options) (*Report, error) {
	s := &simulation{
		options: options, new: plan.New(options.New), seen: make(map[schemas.EntityKey]bool),
		report: &Report{Since: options.Since, Decisions: make(map[string]int), Mutations: []Line{}, Errors: []plan.Decision{}},
	}
	if options.Old != nil {
		s.old = plan.New(options.Old)
	}
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	if err := pgx.BeginTxFunc(ctx, pool, snapshot, func(tx pgx.Tx) error { return s.run(ctx, tx) }); err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	return s.report, nil
}

// simulation is one comparison under way.
type simulation struct {
	options  Options
	new, old *plan.Plan // old is nil where the comparison is with what was done
	seen     map[schemas.EntityKey]bool
	report   *Report
}

func (s *simulation) run(ctx context.Context, tx pgx.Tx) error {
	err := s.eachPage(ctx, tx, func(page []schemas.Transition) error {
		if err := s.hold(ctx, tx, page); err != nil {
			return err
		}
		for _, t := range page {
			s.take(t)
		}
		return nil
	})
	if err != nil {
		return err
	}
	old, err := s.oldSide(ctx, tx)
	if err != nil {
		return err
	}
	s.new.Finish()
	s.report.Mutations = pair(wishesOf(s.new), old)
	for _, line := range s.report.Mutations {
		s.report.Totals.count(line.Sign)
	}
	return s.sayWhy(ctx, tx)
}

// take has both sides decide on a transition.
func (s *simulation) take(t schemas.Transition) {
	s.report.Transitions++
	if s.old != nil {
		s.old.Take(t)
	}
	for _, d := range s.new.Take(t) {
		s.report.Decisions[string(d.Outcome)]++
		switch {
		case d.Outcome != rules.OutcomeError:
		case len(s.report.Errors) < mostErrors:
			s.report.Errors = append(s.report.Errors, d)
		default:
			s.report.MoreErrors++
		}
	}
}

// oldSide returns what the new rules are compared with.
func (s *simulation) oldSide(ctx context.Context, tx pgx.Tx) ([]*wish, error) {
	if s.old == nil {
		return s.readDone(ctx, tx)
	}
	s.old.Finish()
	return wishesOf(s.old), nil
}
