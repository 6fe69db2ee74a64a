package deadletters_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/internal/deadletters"
	"pawl/internal/pgtest"
	"pawl/schemas"
)

// appended is a record that was appended again.
type appended struct {
	Topic, Key, Value string
	Headers           []schemas.Header
}

func newBox(t *testing.T) (*deadletters.Box, *pgxpool.Pool, *[]appended) {
	t.Helper()
	pool := pgtest.NewPool(t)
	var records []appended
	box := deadletters.New(pool, func(_ context.Context, topic string, key []byte, headers []schemas.Header, value []byte) error {
		records = append(records, appended{topic, string(key), string(value), headers})
		return nil
	})
	return box, pool, &records
}

func exec(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func query(t *testing.T, pool *pgxpool.Pool, sql string) string {
	t.Helper()
	var text string
	if err := pool.QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

const deadRecord = `insert into pawl.dead_letter (stage, topic, log_partition, log_offset, entity_key, source, delivery_id, reason, headers, value, created_at)
	values ('projector', 'pawl.deliveries', 1, 5, 'github.com:101#7', 'github', 'd-1', 'title is a number', '[["ce_id","d-1"],["ce_type","github.pull_request"]]', '{"a":1}', now())`

// deadMutation is the first of two mutations of a decision; the second waits for it.
const deadMutation = `insert into pawl.mutation (entity_key, rule, kind, params, idempotency_key, state, transition_id, position, transition, attempt,
	  next_attempt_at, created_at, settled_at, on_refusal)
	values ('github.com:101#7', 'r', 'merge', '{}', 'k-1', 'dead', 't', 0, '{}', 10, now(), now(), now(), 'wait'),
	       ('github.com:101#7', 'r', 'comment', '{}', 'k-2', 'waiting', 't', 1, '{}', 0, 'infinity', now(), null, 'wait');
	insert into pawl.dead_letter (stage, entity_key, mutation_id, reason, created_at)
	select 'actuator', entity_key, id, 'conflicts', now() from pawl.mutation where state = 'dead'`

func TestList_ShowsWhatWaits(t *testing.T) {
	t.Parallel()
	box, pool, _ := newBox(t)
	exec(t, pool, deadRecord)
	exec(t, pool, deadMutation)
	letters, err := box.List(t.Context(), deadletters.Filter{})
	if err != nil || len(letters) != 2 {
		t.Fatalf("%d letters, %v", len(letters), err)
	}
	if newest := letters[0]; newest.Stage != "actuator" || *newest.Rule != "r" || *newest.Kind != "merge" || newest.Reason != "conflicts" {
		t.Errorf("the newest is %+v", newest)
	}
	if oldest := letters[1]; *oldest.Topic != "pawl.deliveries" || *oldest.Offset != 5 || oldest.ValueBytes != 7 {
		t.Errorf("the oldest is %+v", oldest)
	}
	one, err := box.List(t.Context(), deadletters.Filter{Stage: "projector", Entity: "github.com:101#7"})
	if err != nil || len(one) != 1 {
		t.Errorf("of the projector: %d, %v", len(one), err)
	}
}

func TestRetry_AppendsARecordAsItStood(t *testing.T) {
	t.Parallel()
	box, pool, records := newBox(t)
	exec(t, pool, deadRecord)
	if err := box.Retry(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	want := []appended{{
		"pawl.deliveries", "github.com:101#7", `{"a":1}`,
		[]schemas.Header{{Name: "ce_id", Value: "d-1"}, {Name: "ce_type", Value: "github.pull_request"}},
	}}
	if diff := cmp.Diff(*records, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	if err := box.Retry(t.Context(), 1); !errors.Is(err, deadletters.ErrNotOpen) {
		t.Errorf("a second retry: %v, want %v", err, deadletters.ErrNotOpen)
	}
	if got := query(t, pool, `select resolution from pawl.dead_letter`); got != "retried" {
		t.Errorf("resolution %s", got)
	}
}

func TestRetry_StaysOpenWhereTheLogIsAway(t *testing.T) {
	t.Parallel()
	pool := pgtest.NewPool(t)
	away := errors.New("the log is away")
	box := deadletters.New(pool, func(context.Context, string, []byte, []schemas.Header, []byte) error { return away })
	exec(t, pool, deadRecord)
	if err := box.Retry(t.Context(), 1); !errors.Is(err, away) {
		t.Errorf("got %v", err)
	}
	if letters, err := box.List(t.Context(), deadletters.Filter{}); err != nil || len(letters) != 1 {
		t.Errorf("%d letters wait, %v, want 1", len(letters), err)
	}
}

func TestRetry_MakesAMutationPending(t *testing.T) {
	t.Parallel()
	box, pool, _ := newBox(t)
	exec(t, pool, deadMutation)
	if err := box.Retry(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if got := query(t, pool, `select state || ' ' || attempt from pawl.mutation where position = 0`); got != "pending 1" { // attempted: looked at first
		t.Errorf("the mutation is %s", got)
	}
	if got := query(t, pool, `select state from pawl.mutation where position = 1`); got != "waiting" {
		t.Errorf("the later one is %s, want waiting until the first is done", got)
	}
}

func TestDrop_CancelsWhatWaitedForIt(t *testing.T) {
	t.Parallel()
	box, pool, _ := newBox(t)
	exec(t, pool, deadMutation)
	if err := box.Drop(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if got := query(t, pool, `select string_agg(state, ' ' order by position) from pawl.mutation`); got != "dead cancelled" {
		t.Errorf("mutations are %s", got)
	}
}

func TestResolve_NamesWhatIsNotThere(t *testing.T) {
	t.Parallel()
	box, _, _ := newBox(t)
	if err := box.Drop(t.Context(), 99); !errors.Is(err, deadletters.ErrNotOpen) {
		t.Errorf("got %v, want %v", err, deadletters.ErrNotOpen)
	}
}
