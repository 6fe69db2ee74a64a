package projector_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/internal/pgtest"
	"pawl/internal/provider"
	"pawl/projector"
	"pawl/schemas"
)

const topic = "pawl.deliveries"

// body returns a minimal pull_request payload.
func body(action string, number int, seconds int, fields string) string {
	updated := time.Date(2026, 1, 1, 0, 0, seconds, 0, time.UTC).Format(time.RFC3339)
	return fmt.Sprintf(`{"action":%q,"number":%d,"repository":{"id":101,"full_name":"acme/api"},"pull_request":{"number":%d,"updated_at":%q%s}}`,
		action, number, number, updated, fields)
}

// sealed returns the headers and the value of a record as ingest writes them.
func sealed(id, action string, number int, value string) schemas.Record {
	return schemas.Record{
		Key: schemas.PullRequestKey("github.com", "101", int64(number)), ID: schemas.DeliveryID(id), Source: "github",
		Provider: "github", Event: "pull_request", Action: action, Subject: fmt.Sprintf("acme/api#%d", number),
		ReceivedAt: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), ContentType: "application/json",
		ProviderHeaders: []schemas.Header{{Name: "X-GitHub-Event", Value: "pull_request"}}, Body: []byte(value),
	}
}

func ready(offset int64, record schemas.Record) projector.LogRecord {
	return projector.Prepare(offset, []byte(record.Key), record.Headers(), record.Body, record.ReceivedAt, provider.Decode)
}

// story is a log of one partition: two pull requests, a duplicate, a stale
// delivery, a body that is not JSON.
func story() []projector.LogRecord {
	records := []schemas.Record{
		sealed("d-1", "opened", 7, body("opened", 7, 0, `,"state":"open","title":"t","labels":[]`)),
		sealed("d-2", "opened", 8, body("opened", 8, 0, `,"state":"open","head":{"sha":"a"}`)),
		sealed("d-3", "closed", 7, body("closed", 7, 60, `,"state":"closed","merged":true,"merged_at":"2026-01-01T00:01:00Z"`)),
		sealed("d-3", "closed", 7, body("closed", 7, 60, `,"state":"closed","merged":true,"merged_at":"2026-01-01T00:01:00Z"`)),
		sealed("d-4", "synchronize", 7, body("synchronize", 7, 5, `,"state":"open","head":{"sha":"b"}`)),
		sealed("d-5", "labeled", 8, `{"action":"labeled","number":8,`),
		sealed("d-6", "labeled", 8, body("labeled", 8, 9, `,"state":"open","labels":[{"name":"q\"uo\\te"},{"name":"x"}]`)),
	}
	made := make([]projector.LogRecord, len(records))
	for i, record := range records {
		made[i] = ready(int64(i), record)
	}
	return made
}

func batchOf(records []projector.LogRecord, from, end int64) projector.Batch {
	return projector.Batch{Records: records[from:end], From: from, Next: end, LogEnd: int64(len(records))}
}

func claim(t *testing.T, pool *pgxpool.Pool, owner string) (*projector.Applier, int64) {
	t.Helper()
	checkpoint, next, err := projector.Claim(t.Context(), pool, topic, 0, owner)
	if err != nil {
		t.Fatal(err)
	}
	return projector.NewApplier(pool, checkpoint, nil), next
}

// newPool returns a pool as the projector runs on, with a database of its own.
func newPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	projector.Configure(config)
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// tables returns what the tables hold, less what differs from run to run.
func tables(t *testing.T, pool *pgxpool.Pool) map[string][]string {
	t.Helper()
	found := make(map[string][]string)
	for name, sql := range map[string]string{
		"pull_request": `select to_jsonb(p) - 'folded_at' from pawl.pull_request p order by entity_key`,
		"comment":      `select to_jsonb(p) - 'folded_at' from pawl.comment p order by entity_key`,
		"delivery":     `select to_jsonb(p) - 'folded_at' from pawl.delivery p order by log_offset`,
		"transition":   `select to_jsonb(p) - 'folded_at' from pawl.transition p order by log_offset, id`,
		"outbox":       `select jsonb_build_array(shard, transition_id, partition_key) from pawl.outbox order by id`,
		"dead_letter":  `select to_jsonb(p) - 'created_at' - 'id' from pawl.dead_letter p order by log_offset`,
		"checkpoint":   `select to_jsonb(p) - 'updated_at' - 'epoch' - 'owner' from pawl.checkpoint p`,
	} {
		rows, err := pool.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found[name] = lines
	}
	return found
}

// checkVerdicts holds I14: every offset below the checkpoint has one verdict.
func checkVerdicts(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	var missing int
	err := pool.QueryRow(t.Context(), `
		select count(*)
		  from pawl.checkpoint c
		 cross join lateral generate_series(0, c.next_offset - 1) as o (log_offset)
		  left join pawl.delivery d using (topic, log_partition, log_offset)
		 where d.verdict is null`).Scan(&missing)
	if err != nil {
		t.Fatal(err)
	}
	if missing > 0 {
		t.Errorf("%d records below the checkpoint have no verdict", missing)
	}
}

// wanted is the tables after an undisturbed run.
func wanted(t *testing.T) map[string][]string {
	t.Helper()
	pool := newPool(t)
	applier, _ := claim(t, pool, "one")
	if _, err := applier.Apply(t.Context(), batchOf(story(), 0, 7)); err != nil {
		t.Fatal(err)
	}
	checkVerdicts(t, pool)
	return tables(t, pool)
}

func TestApply_WritesStateVerdictsTransitionsAndOutbox(t *testing.T) {
	t.Parallel()
	got := wanted(t)
	counts := map[string]int{}
	for name, rows := range got {
		counts[name] = len(rows)
	}
	want := map[string]int{
		"pull_request": 2, "comment": 0, "delivery": 7, "transition": 4, "outbox": 4, "dead_letter": 1, "checkpoint": 1,
	}
	if diff := cmp.Diff(counts, want); diff != "" {
		t.Errorf("rows (-got +want):\n%s", diff)
	}
	var verdicts []string
	for _, row := range got["delivery"] {
		_, rest, _ := strings.Cut(row, `"verdict": "`)
		verdict, _, _ := strings.Cut(rest, `"`)
		verdicts = append(verdicts, verdict)
	}
	if diff := cmp.Diff(verdicts, []string{"applied", "applied", "applied", "duplicate", "stale", "dead", "applied"}); diff != "" {
		t.Errorf("verdicts (-got +want):\n%s", diff)
	}
	if !strings.Contains(got["pull_request"][1], `"labels": ["q\"uo\\te", "x"]`) {
		t.Errorf("labels came out as %s", got["pull_request"][1])
	}
}

func TestI4_BatchesOfAnySizeEndInTheSameTables(t *testing.T) {
	t.Parallel()
	want := wanted(t)
	for size := int64(1); size < 7; size++ {
		pool := newPool(t)
		applier, _ := claim(t, pool, "one")
		for from := int64(0); from < 7; from += size {
			if _, err := applier.Apply(t.Context(), batchOf(story(), from, min(from+size, 7))); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(tables(t, pool), want); diff != "" {
			t.Errorf("batches of %d (-got +want):\n%s", size, diff)
		}
	}
}

func TestI4_ReplayingABatchChangesNothing(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	applier, _ := claim(t, pool, "one")
	if _, err := applier.Apply(t.Context(), batchOf(story(), 0, 7)); err != nil {
		t.Fatal(err)
	}
	before := tables(t, pool)
	if _, err := applier.Apply(t.Context(), batchOf(story(), 0, 7)); !errors.Is(err, projector.ErrFenced) {
		t.Errorf("replay: got %v, want ErrFenced", err)
	}
	if diff := cmp.Diff(tables(t, pool), before); diff != "" {
		t.Errorf("tables changed (-got +want):\n%s", diff)
	}
}

// TestI4_LostPartitionCannotCommit is the zombie: paused with an open batch,
// another owner claims and folds, and the zombie wakes.
func TestI4_LostPartitionCannotCommit(t *testing.T) {
	t.Parallel()
	for _, paused := range []string{"advance", "save", "commit"} {
		t.Run("paused before "+paused, func(t *testing.T) {
			t.Parallel()
			pool := newPool(t)
			zombie, _ := claim(t, pool, "zombie")
			asleep, wake := make(chan struct{}), make(chan struct{})
			zombie.SetStep(func(step string) error {
				if step == paused {
					close(asleep)
					<-wake
				}
				return nil
			})
			woke := make(chan error, 1)
			go func() {
				_, err := zombie.Apply(context.WithoutCancel(t.Context()), batchOf(story(), 0, 3))
				woke <- err
			}()
			<-asleep
			if paused != "advance" {
				// The zombie holds the checkpoint's row until its session ends:
				// the new owner waits for it, as it would for lock_timeout.
				go func() { time.Sleep(50 * time.Millisecond); close(wake) }()
			}
			owner, next := claim(t, pool, "owner")
			if _, err := owner.Apply(t.Context(), batchOf(story(), next, 7)); err != nil {
				t.Fatal(err)
			}
			if paused == "advance" {
				close(wake)
				if err := <-woke; !errors.Is(err, projector.ErrFenced) {
					t.Errorf("the zombie's commit: got %v, want ErrFenced", err)
				}
			} else if err := <-woke; err != nil {
				t.Errorf("the zombie was first: %v", err)
			}
			if diff := cmp.Diff(tables(t, pool), wanted(t)); diff != "" {
				t.Errorf("tables (-got +want):\n%s", diff)
			}
		})
	}
}

// TestI4_CrashAtEveryStep fails before and after each write, starts again from
// the stored checkpoint, and holds the tables to those of an undisturbed run.
func TestI4_CrashAtEveryStep(t *testing.T) {
	t.Parallel()
	want := wanted(t)
	crash := errors.New("crash")
	for _, step := range []string{"advance", "save", "saved", "commit", "committed"} {
		for _, at := range []int64{1, 4, 7} {
			t.Run(fmt.Sprintf("%s of a batch of %d", step, at), func(t *testing.T) {
				t.Parallel()
				pool := newPool(t)
				applier, _ := claim(t, pool, "crashed")
				applier.SetStep(func(name string) error {
					if name == step {
						return crash
					}
					return nil
				})
				if _, err := applier.Apply(t.Context(), batchOf(story(), 0, at)); !errors.Is(err, crash) {
					t.Fatalf("got %v, want the crash", err)
				}
				next, from := claim(t, pool, "next")
				if wantFrom := map[bool]int64{true: at, false: 0}[step == "committed"]; from != wantFrom {
					t.Fatalf("the next owner starts from %d, want %d", from, wantFrom)
				}
				if from < 7 {
					if _, err := next.Apply(t.Context(), batchOf(story(), from, 7)); err != nil {
						t.Fatal(err)
					}
				}
				checkVerdicts(t, pool)
				if diff := cmp.Diff(tables(t, pool), want); diff != "" {
					t.Errorf("tables (-got +want):\n%s", diff)
				}
			})
		}
	}
}

// TestApply_PoisonIsSetAsideAlone: what only the database or the fold refuses
// is found by halving; the rest of the batch is applied.
func TestApply_PoisonIsSetAsideAlone(t *testing.T) {
	t.Parallel()
	poisons := map[string]projector.LogRecord{
		"refused by the database": ready(3, sealed("d-x", "opened", 9, body("opened", 9, 0, `,"state":"open"`))),
		"no headers":              projector.Prepare(3, []byte("k"), nil, []byte("x"), time.Time{}, provider.Decode),
		"a key with NUL":          projector.Prepare(3, []byte("github.com:1\x00#2"), sealed("d-x", "", 1, "").Headers(), []byte("{}"), time.Time{}, provider.Decode),
		"another entity's key":    ready(3, sealed("d-x", "opened", 9, body("opened", 10, 0, `,"state":"open"`))),
		"headers not UTF-8": projector.Prepare(3, []byte("github.com:101#9"),
			[]schemas.Header{{Name: "ce_id", Value: "\xff\x00"}, {Name: "ce_source", Value: "/sources/x"}, {Name: "ce_type", Value: "github.pull_request"}},
			[]byte("\xff\xfe"), time.Time{}, provider.Decode),
		"the decoder panics": projector.Prepare(3, []byte("github.com:101#9"), sealed("d-x", "opened", 9, "").Headers(), []byte("{}"), time.Time{},
			func(schemas.Record) (schemas.Event, error) { panic("no such field") }),
	}
	refused := poisons["refused by the database"]
	refused.Event.PullRequest.Number = -1 // the table's own rule
	poisons["refused by the database"] = refused
	for name, poison := range poisons {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := newPool(t)
			applier, _ := claim(t, pool, "one")
			records := story()
			records[3] = poison
			results, err := applier.Apply(t.Context(), batchOf(records, 0, 7))
			if err != nil {
				t.Fatal(err)
			}
			if results[3].Verdict != schemas.Dead || results[3].Reason == "" {
				t.Errorf("the poison ended %s (%s), want dead with a reason", results[3].Verdict, results[3].Reason)
			}
			if results[2].Verdict != schemas.Applied || results[6].Verdict != schemas.Applied {
				t.Errorf("its neighbours ended %s and %s", results[2].Verdict, results[6].Verdict)
			}
			checkVerdicts(t, pool)
			if got := tables(t, pool)["dead_letter"]; len(got) != 2 {
				t.Errorf("dead letters: %v", got)
			}
		})
	}
}

// TestApply_LargeBody: 25 MB that is no pull request is a dead letter of 25 MB.
func TestApply_LargeBody(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	applier, _ := claim(t, pool, "one")
	large := sealed("d-1", "opened", 7, `{"action":"opened","x":"`+strings.Repeat("a", schemas.MaxBody-30)+`"`)
	batch := projector.Batch{Records: []projector.LogRecord{ready(0, large)}, Next: 1, LogEnd: 1}
	results, err := applier.Apply(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Verdict != schemas.Dead {
		t.Errorf("got %s", results[0].Verdict)
	}
	var size int
	if err := pool.QueryRow(t.Context(), `select length(value) from pawl.dead_letter`).Scan(&size); err != nil || size != len(large.Body) {
		t.Errorf("the dead letter holds %d bytes, want %d (%v)", size, len(large.Body), err)
	}
}

func TestApply_ReusedDeliveryIDIsFlagged(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	applier, _ := claim(t, pool, "one")
	records := []projector.LogRecord{
		ready(0, sealed("d-1", "opened", 7, body("opened", 7, 0, `,"state":"open"`))),
		ready(1, sealed("d-1", "closed", 7, body("closed", 7, 5, `,"state":"closed"`))),
	}
	for from := range int64(2) { // in two batches, so that the table tells
		if _, err := applier.Apply(t.Context(), batchOf(records, from, from+1)); err != nil {
			t.Fatal(err)
		}
	}
	var reused []bool
	rows, err := pool.Query(t.Context(), `select id_reused from pawl.delivery order by log_offset`)
	if err != nil {
		t.Fatal(err)
	}
	if reused, err = pgx.CollectRows(rows, pgx.RowTo[bool]); err != nil || !slices.Equal(reused, []bool{false, true}) {
		t.Errorf("id_reused %v, %v", reused, err)
	}
}
