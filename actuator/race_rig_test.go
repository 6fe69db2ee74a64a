package actuator_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// contest is one scenario, played by several actuators on one database and one fake
// GitHub: a pull request for each kind of mutation, all at the same time.
type contest struct {
	*rig
	scenario raceScenario
	actors   []actor
	cells    map[schemas.EntityKey]*raceCell
	refused  *refusals
	chores   sync.WaitGroup // what the scenario does beside the actors
}

// raceCell is one kind in one scenario, and how it ended.
type raceCell struct {
	kind   crashKind
	number int
	before int // effects of ours that were there
	// comment is the id of the comment that is there before; 0 for none.
	comment int64
	key     string
	struck  atomic.Bool // the scenario has had its effect on it

	mu     sync.Mutex // mu guards faults
	faults []string

	effects, attempts, fenced int
}

func (c *raceCell) fault(format string, arguments ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, fmt.Sprintf(format, arguments...))
}

// raceWorkers is how many workers all actuators of a race have together: more
// than there are kinds, for one of each may sleep.
const raceWorkers = 48

// newContest opens a pull request and a mutation for each kind.
func newContest(t *testing.T, scenario raceScenario, kinds []crashKind, actuators int) *contest {
	t.Helper()
	r := &contest{
		rig: newRig(t, "version: 1\nrules:\n  - {name: r, on: [labels_changed], mutate: {close: {}}}\n"), scenario: scenario,
		cells: make(map[schemas.EntityKey]*raceCell), refused: &refusals{by: make(map[string]int)},
	}
	config := r.pool.Config()
	config.MaxConns = 16
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	r.pool = pool
	for i := range actuators {
		r.actors = append(r.actors, r.racer(fmt.Sprintf("actor-%d", i), raceWorkers/actuators))
	}
	for i, kind := range kinds {
		r.openCell(kind, 101+i) // no number is the beginning of another
	}
	return r
}

// racer is an actuator whose refused settles are noted, by entity.
func (r *contest) racer(owner string, workers int) actor {
	r.t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: workers}
	r.t.Cleanup(transport.CloseIdleConnections)
	return r.racerOn(owner, workers, r.pool, transport)
}

func (r *contest) racerOn(owner string, workers int, pool *pgxpool.Pool, transport http.RoundTripper) actor {
	r.t.Helper()
	config := r.scenario.config
	config.Owner, config.Workers, config.Poll = owner, workers, 20*time.Millisecond
	config.MaxAttempts = 10_000
	registry := prometheus.NewRegistry()
	client, err := actuator.NewGitHub(actuator.GitHubConfig{BaseURL: r.url, Token: "t0ken", Transport: transport}, registry)
	if err != nil {
		r.t.Fatal(err)
	}
	a, err := actuator.New(config, pool, map[string]actuator.Provider{"github.com": client}, r.rules.Load, r.log, slog.New(r.refused), registry)
	if err != nil {
		r.t.Fatal(err)
	}
	a.RetryAtOnce()
	a.OnStep(r.onStep)
	return actor{a, registry}
}

func (r *contest) openCell(kind crashKind, number int) {
	r.t.Helper()
	pr := kind.pr
	pr.Number = number
	r.github.Open(repo, pr)
	if kind.given != nil {
		kind.given(r.rig, number)
	}
	transition := r.open(r.actors[0], number, kind.kind, kind.params)
	for _, a := range r.actors[1:] {
		r.decide(a, transition) // the log hands a transition to several
	}
	cell := &raceCell{kind: kind, number: number, before: r.ours(number, kind.effect)}
	for _, comment := range r.github.Comments(repo, number) {
		cell.comment = comment.ID
	}
	cell.key = query[string](r.rig, `select idempotency_key from pawl.mutation where entity_key = $1`, entityOf(number))
	r.cells[entityOf(number)] = cell
}

// start has all actuators act, and returns what waits until there is nothing
// left to do and then has each of them look once more, for what it still has to
// ask for.
func (r *contest) start() (end func()) {
	r.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r.t.Cleanup(stop)
	for _, cell := range r.cells {
		if r.scenario.around != nil {
			r.scenario.around(r, cell)
		}
	}
	var running sync.WaitGroup
	for _, a := range r.actors {
		running.Go(func() { _ = a.Run(ctx) })
	}
	return func() {
		r.t.Helper()
		settled := func() bool {
			return query[int](r.rig, `select count(*) from pawl.mutation where state in ('pending', 'claimed')`) == 0
		}
		until(r.t, "every mutation is settled", settled)
		r.chores.Wait()
		stop()
		running.Wait()
		rounds := 0
		until(r.t, "what was asked for last is settled", func() bool { // an entity may be under the lease of who was stopped
			for _, a := range r.actors {
				r.passes(a)
			}
			rounds++
			return rounds >= 2 && settled()
		})
		for entity, cell := range r.cells {
			r.judge(entity, cell)
		}
		r.count()
	}
}

// onStep lets the scenario strike each mutation once, in the hands of whoever
// comes first.
func (r *contest) onStep(step string, m schemas.Mutation) {
	cell := r.cells[m.Entity]
	if r.scenario.at != step || !cell.struck.CompareAndSwap(false, true) {
		return
	}
	r.scenario.strike(r, cell)
}

// ask is query for goroutines that may not end the test.
func ask[T any](r *contest, cell *raceCell, sql string) (value T) {
	if err := r.pool.QueryRow(context.Background(), sql, entityOf(cell.number)).Scan(&value); err != nil {
		cell.fault("%s: %v", sql, err)
	}
	return value
}

// await waits until an SQL condition on the cell's entity is true.
func (r *contest) await(cell *raceCell, what, sql string) {
	if !poll(func() bool { return ask[bool](r, cell, sql) }) {
		cell.fault("not within %s: %s", deadline, what)
	}
}

// poll is until for goroutines that may not end the test.
func poll(holds func() bool) bool {
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return false
}

// awaitOther waits until the lease is somebody else's.
func (r *contest) awaitOther(cell *raceCell, fence int64) {
	r.await(cell, "another claims", fmt.Sprintf(`select fence > %d from pawl.lease where entity_key = $1`, fence))
}

func (r *contest) awaitSettled(cell *raceCell) {
	r.await(cell, "another settles", `select bool_and(state not in ('pending', 'claimed')) from pawl.mutation where entity_key = $1`)
}

func (r *contest) fence(cell *raceCell) int64 {
	return ask[int64](r, cell, `select fence from pawl.lease where entity_key = $1`)
}

// faultOn is a fault of the call of one cell that changes.
func (c *raceCell) faultOn(fault fakegithub.Fault) fakegithub.Fault {
	fault.Method, fault.Body = c.kind.call.Method, c.kind.call.Body
	switch path := c.kind.call.Path; path {
	case "/pulls/":
		fault.Path = fmt.Sprintf("/pulls/%d", c.number)
	case "/comments/":
		fault.Path = fmt.Sprintf("/comments/%d", c.comment) // all ids have four digits
	case "/dismissals", "/check-runs", "/statuses/", "/graphql":
		fault.Path = path // one kind alone makes this call
	default:
		fault.Path = fmt.Sprintf("/%d%s", c.number, path)
	}
	return fault
}

// judge compares what the provider shows and the row with what must be.
func (r *contest) judge(entity schemas.EntityKey, cell *raceCell) {
	kind, number := cell.kind, cell.number
	cell.effects = r.ours(number, kind.effect) - cell.before
	if kind.effect == fakegithub.CommentCreated {
		cell.effects -= r.ours(number, fakegithub.CommentDeleted) // those that were taken back
	}
	cell.attempts = query[int](r.rig, `select attempt from pawl.mutation where entity_key = $1`, entity)
	cell.fenced = r.refused.of(entity)
	if !kind.shows(r.rig, number) {
		cell.fault("the provider does not show the effect: %v", r.github.EffectsBy(we))
	}
	if got := r.standing(cell); got != 1 {
		cell.fault("stands %d times at the provider, want once", got)
	}
	if mutations := r.mutations(number); len(mutations) != 1 || mutations[0].State != "done" {
		cell.fault("mutations: got %v (%s), want one that is done", mutations, r.reason(number))
	}
	if query[bool](r.rig, `select exists (select from pawl.lease where entity_key = $1 and expires_at > now())`, entity) {
		cell.fault("its lease is held")
	}
	if query[bool](r.rig, `select exists (select from pawl.dead_letter where entity_key = $1)`, entity) {
		cell.fault("it has a dead letter")
	}
	switch {
	case r.scenario.fenced && cell.fenced == 0:
		cell.fault("no settle was refused, though an actor slept past its lease")
	case r.scenario.calm && cell.fenced > 0:
		cell.fault("%d settles were refused, though nobody lost a lease", cell.fenced)
	}
}

// standing counts how often the effect is there, by what tells it from others'.
func (r *contest) standing(cell *raceCell) int {
	pr, count := r.github.PullRequest(repo, cell.number), 0
	if cell.kind.effect == fakegithub.CommentDeleted {
		return cell.effects
	}
	switch cell.kind.kind {
	case schemas.MutateComment, schemas.MutateBridgeComment:
		for _, comment := range r.github.Comments(repo, cell.number) {
			if key, ok := actuator.MarkerKey(comment.Body); ok && string(key) == cell.key {
				count++
			}
		}
	case schemas.MutateApprove:
		for _, review := range r.github.Reviews(repo, cell.number) {
			if review.Author == we && review.State == "APPROVED" && review.CommitID == pr.HeadSHA {
				count = r.scenario.oneMore(count)
			}
		}
	case schemas.MutateCheckRun:
		for _, run := range r.github.CheckRuns(repo, pr.HeadSHA) {
			if run.ExternalID == cell.key {
				count = r.scenario.oneMore(count)
			}
		}
	case schemas.MutateCommitStatus:
		return 1 // the newest is what GitHub shows, and shows was asked
	default: // what GitHub itself makes once
		return cell.effects
	}
	return count
}

// oneMore counts what GitHub has no call to take back. Where a call outlived its
// lease it may be there twice; GitHub then counts the newest approval of a person
// and the newest run of a name, and both say the same.
func (s raceScenario) oneMore(count int) int {
	if s.outlived {
		return 1
	}
	return count + 1
}

// count compares what was noted with the metric.
func (r *contest) count() {
	r.t.Helper()
	counted := 0.0
	for _, a := range r.actors {
		counted += a.counter(r.t, "pawl_actuator_fenced_settles_total")
	}
	noted := 0
	for _, cell := range r.cells {
		noted += cell.fenced
	}
	if float64(noted) != counted {
		r.t.Errorf("pawl_actuator_fenced_settles_total: got %v, and %d settles were refused", counted, noted)
	}
}

// refusals is a handler of logs that notes the settles that were refused.
type refusals struct {
	mu sync.Mutex // mu guards by
	by map[string]int
}

func (f *refusals) of(entity schemas.EntityKey) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.by[string(entity)]
}

// Enabled implements slog.Handler.
func (*refusals) Enabled(_ context.Context, level slog.Level) bool { return level == slog.LevelWarn }

// Handle implements slog.Handler.
func (f *refusals) Handle(_ context.Context, record slog.Record) error {
	if !strings.HasPrefix(record.Message, "settle refused") {
		return nil
	}
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "entity" {
			f.mu.Lock()
			f.by[a.Value.String()]++
			f.mu.Unlock()
		}
		return true
	})
	return nil
}

// WithAttrs implements slog.Handler.
func (f *refusals) WithAttrs([]slog.Attr) slog.Handler { return f }

// WithGroup implements slog.Handler.
func (f *refusals) WithGroup(string) slog.Handler { return f }

// inOrder returns the cells in the order of their pull requests.
func (r *contest) inOrder() []*raceCell {
	var cells []*raceCell
	for _, cell := range r.cells {
		cells = append(cells, cell)
	}
	slices.SortFunc(cells, func(a, b *raceCell) int { return cmp.Compare(a.number, b.number) })
	return cells
}
