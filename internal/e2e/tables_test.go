package e2e_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/internal/fakegithub"
	"pawl/schemas"
)

var deliveriesTopic = schemas.TopicsWithPrefix(schemas.DefaultTopicPrefix).Deliveries

// counts reads a query of a key and a number a row.
func counts[K comparable, N any](t *testing.T, pool *pgxpool.Pool, sql string) map[K]N {
	t.Helper()
	found, err := pool.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	made := make(map[K]N)
	var key K
	var count N
	if _, err := pgx.ForEachRow(found, []any{&key, &count}, func() error {
		made[key] = count
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return made
}

// unfolded returns nil when every acknowledged delivery has at least as many
// verdicts as acknowledgements.
func (w *world) unfolded() error {
	verdicts := counts[string, int](w.t, w.pool, `select delivery_id, count(*) from pawl.delivery group by 1`)
	missing := 0
	for id, times := range w.posts.acknowledged() {
		if verdicts[id] < times {
			missing++
		}
	}
	if missing > 0 {
		return fmt.Errorf("%d acknowledged deliveries have no verdict", missing)
	}
	return nil
}

// unsettled returns nil when nothing is left to do. Work goes round: an act
// makes a delivery, which makes an act. One look at each place can miss what
// moves meanwhile; two in a row cannot, if the log did not grow between them,
// since what goes round passes through the log.
func (w *world) unsettled() error {
	first := logEnds(w.t, w.broker, deliveriesTopic)
	if err := w.workLeft(first); err != nil {
		return err
	}
	second := logEnds(w.t, w.broker, deliveriesTopic)
	if !maps.Equal(first, second) {
		return fmt.Errorf("the log grew from %v to %v", first, second)
	}
	return w.workLeft(second)
}

// workLeft returns nil where every delivery of the provider is posted, the log is
// folded to its ends, everything acknowledged has its verdict, the outbox is
// empty, every transition that a rule listens to is decided on, and no mutation
// is open.
func (w *world) workLeft(ends map[int]int64) error {
	if waiting := w.unposted.Load(); waiting > 0 {
		return fmt.Errorf("%d deliveries of the provider wait", waiting)
	}
	if diff := cmp.Diff(w.checkpoints(), ends); diff != "" {
		return fmt.Errorf("checkpoints are not at the log's end (-got +want):\n%s", diff)
	}
	if err := w.unfolded(); err != nil {
		return err
	}
	var outbox, open, undecided int
	err := w.pool.QueryRow(w.t.Context(), `
		select (select count(*) from pawl.outbox),
		       (select count(*) from pawl.mutation where settled_at is null),
		       (select count(*) from pawl.transition t
		         where t.kind = any ($1)
		           and not exists (select from pawl.decision d where d.transition_id = t.id))`, w.rules.listens,
	).Scan(&outbox, &open, &undecided)
	if err != nil {
		w.t.Fatal(err)
	}
	if outbox+open+undecided > 0 {
		return fmt.Errorf("%d in the outbox, %d mutations open, %d transitions undecided", outbox, open, undecided)
	}
	return nil
}

// checkLog compares the log with the verdicts and the checkpoint (I4, I14): one
// verdict for each offset below the end, and the checkpoint at the end.
func (w *world) checkLog() {
	w.t.Helper()
	ends := logEnds(w.t, w.broker, deliveriesTopic)
	verdicts := counts[int, int64](w.t, w.pool, `select log_partition, count(*) from pawl.delivery group by 1`)
	if diff := cmp.Diff(verdicts, ends); diff != "" {
		w.t.Errorf("verdicts of each partition, want one for each record (-got +want):\n%s", diff)
	}
	last := counts[int, int64](w.t, w.pool, `select log_partition, max(log_offset) + 1 from pawl.delivery group by 1`)
	if diff := cmp.Diff(last, ends); diff != "" {
		w.t.Errorf("newest verdict of each partition, want the log's end (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(w.checkpoints(), ends); diff != "" {
		w.t.Errorf("checkpoints, want the log's end (-got +want):\n%s", diff)
	}
}

func (w *world) checkpoints() map[int]int64 {
	w.t.Helper()
	return counts[int, int64](w.t, w.pool, `select log_partition, next_offset from pawl.checkpoint where next_offset > 0`)
}

// row is what is compared of a pull request.
type row struct{ State, Head string }

// checkRows compares the rows with what the provider shows.
func (w *world) checkRows(numbers []int) {
	w.t.Helper()
	states := counts[int, string](w.t, w.pool, `select number, state from pawl.pull_request`)
	heads := counts[int, string](w.t, w.pool, `select number, head_sha from pawl.pull_request`)
	got, want := make(map[int]row), make(map[int]row)
	for number, state := range states {
		got[number] = row{state, heads[number]}
	}
	for _, number := range numbers {
		want[number] = shownBy(w.github.PullRequest(repository, number))
	}
	if diff := cmp.Diff(got, want); diff != "" {
		w.t.Errorf("rows, want what the provider shows (-got +want):\n%s", diff)
	}
}

func shownBy(pr fakegithub.PullRequest) row {
	switch {
	case pr.Merged:
		return row{"merged", pr.HeadSHA}
	case pr.Closed:
		return row{"closed", pr.HeadSHA}
	}
	return row{"open", pr.HeadSHA}
}

// checkTransitions follows the transitions of each pull request: each begins
// where the one before ended, the last ends in the row, and one that was merged
// is merged once.
func (w *world) checkTransitions() {
	w.t.Helper()
	broken := counts[string, string](w.t, w.pool, `
		with chain as (
		  select entity_key, kind in ('head_changed') as of_head, from_value, to_value, id,
		         lag(to_value) over line as before, lead(id) over line is null as newest
		    from pawl.transition
		   where kind in ('opened', 'closed', 'merged', 'reopened', 'head_changed')
		  window line as (partition by entity_key, kind in ('head_changed') order by log_offset))
		select c.id, format('%s: %s -> %s after %s, row %s at %s', c.entity_key, c.from_value, c.to_value, c.before, p.state, p.head_sha)
		  from chain c join pawl.pull_request p using (entity_key)
		 where (c.before is not null and c.from_value is distinct from c.before)
		    or (c.newest and c.to_value is distinct from case when c.of_head then p.head_sha else p.state end)`)
	for id, text := range broken {
		w.t.Errorf("transition %s does not follow: %s", id, text)
	}
	twice := counts[string, int](w.t, w.pool, `
		select entity_key, count(*) from pawl.transition where kind = 'merged' group by 1 having count(*) > 1`)
	if len(twice) > 0 {
		w.t.Errorf("merged more than once: %v", twice)
	}
}

// effect is one thing that was done to a pull request.
type effect struct {
	Number int
	Kind   string
}

// effects counts what Pawl did, as the provider saw it.
func (w *world) effects() map[effect]int {
	made := make(map[effect]int)
	names := map[fakegithub.EffectKind]schemas.MutationKind{
		fakegithub.Merged: schemas.MutateMerge, fakegithub.Labeled: schemas.MutateAddLabels,
		fakegithub.CommentCreated: schemas.MutateComment,
	}
	for _, seen := range w.github.EffectsBy(login) {
		made[effect{seen.Number, string(names[seen.Kind])}]++
	}
	return made
}

// checkEffects compares what the provider saw with the mutations (I10): each
// effect once, each with a mutation that is done, and none that is done without.
func (w *world) checkEffects() {
	w.t.Helper()
	done := make(map[effect]int)
	found, err := w.pool.Query(w.t.Context(), `
		select distinct p.number, m.kind from pawl.mutation m join pawl.pull_request p using (entity_key) where m.state = 'done'`)
	if err != nil {
		w.t.Fatal(err)
	}
	var one effect
	if _, err := pgx.ForEachRow(found, []any{&one.Number, &one.Kind}, func() error {
		done[one] = 1
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	effects := w.effects()
	if diff := cmp.Diff(effects, done); diff != "" {
		w.t.Errorf("what the provider saw, want each mutation that is done, once (-got +want):\n%s", diff)
	}
	twice := counts[string, int](w.t, w.pool, `
		select idempotency_key, count(*) from pawl.mutation where state not in ('skipped', 'cancelled') group by 1 having count(*) > 1`)
	if len(twice) > 0 {
		w.t.Errorf("keys held more than once: %v", twice)
	}
	dead := counts[int64, string](w.t, w.pool, `select id, stage || ': ' || reason from pawl.dead_letter`)
	if len(dead) > 0 {
		w.t.Errorf("dead letters: %v", dead)
	}
}
