package main

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/internal/kafkatest"
	"pawl/internal/pgtest"
	"pawl/internal/provider"
	"pawl/projector"
	"pawl/schemas"
)

func TestPullRequest_IsOfARealSizeAndDecodes(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for at, s := range life {
		for n := range 4 {
			record := loadRecord(1000, n, at, s, start)
			if size := len(record.Body); size < 10_000 || size > 25_600 {
				t.Errorf("body of %s has %d bytes, want 10 to 25 KB", s.action, size)
			}
			event, err := provider.Decode(record)
			if err != nil {
				t.Fatal(err)
			}
			if event.Ignored != "" || event.PullRequest == nil {
				t.Fatalf("%s is ignored (%q), want a snapshot", s.action, event.Ignored)
			}
		}
	}
}

func TestExchange_ReadsNoFurtherThanTheAnswer(t *testing.T) {
	t.Parallel()
	appender := &taking{}
	addr, stop, err := serveEdge(t.Context(), appender)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	deliveries, _, err := edgeLoad(small)
	if err != nil {
		t.Fatal(err)
	}
	run := &loadRun{addr: addr, deliveries: deliveries, connections: 4, count: 100}
	if _, err := run.drive(t.Context()); err != nil {
		t.Fatal(err)
	}
	ids := appender.taken()
	slices.Sort(ids)
	if got := len(slices.Compact(ids)); got != 100 {
		t.Errorf("%d delivery ids reached the appender, want 100 different ones", got)
	}
}

// final is what both ways must agree on.
type final struct {
	State, Title, Head string
	Labels             []string
	Updated            time.Time
	Merged             *time.Time
	Deliveries         int64
}

// TestNaive_EndsWhereTheProjectorEnds: a comparison of speed means something
// only if both do the job.
func TestNaive_EndsWhereTheProjectorEnds(t *testing.T) {
	t.Parallel()
	broker, url := kafkatest.Start(t), pgtest.New(t)
	const deliveries = 200
	topic := broker.Topics().Deliveries
	if err := fill(t.Context(), broker.Client(), topic, load(deliveries, 1000)); err != nil {
		t.Fatal(err)
	}
	if _, err := runNaive(t.Context(), url, naivePullRequests, slices.Collect(load(deliveries, 1000)), 1); err != nil {
		t.Fatal(err)
	}
	pool := pgtest.Pool(t, url)
	foldAll(t, broker, pool, deliveries)
	got := readFinal(t, pool, `
select p.repository || '#' || p.number, p.state, p.title, p.head_sha, p.labels, p.provider_updated_at, p.merged_at,
       (select count(*) from pawl.delivery d where d.entity_key = p.entity_key and d.verdict = 'applied')
  from pawl.pull_request p`)
	want := readFinal(t, pool, `
select p.repository || '#' || p.number, p.state, p.title, p.head_sha, p.labels, p.updated_at, p.merged_at,
       (select count(*) from naive.journal j where j.repository_id = p.repository_id and j.number = p.number and j.applied)
  from naive.pull_request p`)
	if len(want) != deliveries/len(life) {
		t.Fatalf("the naive way has %d pull requests, want %d", len(want), deliveries/len(life))
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("pull requests (-projector +naive):\n%s", diff)
	}
}

func foldAll(t *testing.T, broker *kafkatest.Broker, pool *pgxpool.Pool, deliveries int64) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	made := projector.New(projector.Config{Brokers: broker.Addrs(), Topic: broker.Topics().Deliveries, Group: "bench", Owner: "bench"},
		pool, broker.Client(), provider.Decode, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	ended := make(chan error, 1)
	go func() { ended <- made.Run(ctx) }()
	for folded := int64(0); folded < deliveries; time.Sleep(10 * time.Millisecond) {
		if err := pool.QueryRow(ctx, "select count(*) from pawl.delivery").Scan(&folded); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func readFinal(t *testing.T, pool *pgxpool.Pool, query string) map[string]final {
	t.Helper()
	rows, err := pool.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]final)
	var name string
	var f final
	_, err = pgx.ForEachRow(rows, []any{&name, &f.State, &f.Title, &f.Head, &f.Labels, &f.Updated, &f.Merged, &f.Deliveries}, func() error {
		f.Labels = slices.Clone(f.Labels)
		found[name] = f
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestSpread_LiesEvenlyOverTheRowsPresent(t *testing.T) {
	t.Parallel()
	const rows = 1000
	lowest, highest := rows, 0
	for record := range spread(100, rows, 1) {
		number := rowNumber(t, record.Key)
		lowest, highest = min(lowest, number), max(highest, number)
	}
	if lowest > rows/20 || highest < rows-rows/10 || highest >= rows {
		t.Errorf("rows %d to %d of %d are folded, want all over them", lowest, highest, rows)
	}
}

// rowNumber is n of copyPullRequests for a key.
func rowNumber(t *testing.T, key schemas.EntityKey) int {
	t.Helper()
	repository, number, ok := strings.Cut(strings.TrimPrefix(string(key), "github.com:"), "#")
	if !ok {
		t.Fatalf("key %s has no number", key)
	}
	first, err := strconv.Atoi(repository)
	if err != nil {
		t.Fatal(err)
	}
	second, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	return (first-flatRepository)*100 + second - 1
}

// TestDecisions_AreAllRecorded: a rate of decisions means something only if they
// are decisions, and some of them want something.
func TestDecisions_AreAllRecorded(t *testing.T) {
	t.Parallel()
	set, err := fiftyRules()
	if err != nil {
		t.Fatal(err)
	}
	load, err := decidedLoad(20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readAndDecide(load, set); err != nil {
		t.Error(err)
	}
	pool := pgtest.NewPool(t)
	if _, err := decideAll(t.Context(), pool, set, load, 4); err != nil {
		t.Fatal(err)
	}
	var wanted, opened int
	err = pool.QueryRow(t.Context(), `select (select count(*) from pawl.decision where outcome = 'mutate'), (select count(*) from pawl.mutation where state = 'pending')`).
		Scan(&wanted, &opened)
	if err != nil {
		t.Fatal(err)
	}
	if wanted != 10 || opened != 10 {
		t.Errorf("%d decisions to mutate and %d mutations, want 10: five rules for each of two pull requests", wanted, opened)
	}
	if _, err := decideAll(t.Context(), pgtest.NewPool(t), set, append(load, load[0]), 1); err == nil {
		t.Error("no error where a transition counts twice, want one")
	}
}

// TestActs_OneCommentEachAndTheNaiveWayTwo holds what the two ways end with
// against each other.
func TestActs_OneCommentEachAndTheNaiveWayTwo(t *testing.T) {
	t.Parallel()
	const count = 12
	start := func() *actsRun {
		run, err := startActs(t.Context(), count, time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(run.stop)
		return run
	}
	got, err := start().pawl(t.Context(), pgtest.NewPool(t))
	if err != nil {
		t.Fatal(err)
	}
	// Each worker may ask once who we are.
	if got.doubles != 0 || got.calls < 2 || got.calls > 2+float64(actWorkers+1)/count {
		t.Errorf("%d comments too many and %.2f calls an act, want none and two calls", got.doubles, got.calls)
	}
	for _, workers := range []int{1, 2 * count} {
		got, err := start().naive(t.Context(), workers)
		if err != nil {
			t.Fatal(err)
		}
		if got.doubles != count {
			t.Errorf("%d comments too many with %d goroutines, want %d", got.doubles, workers, count)
		}
	}
}
