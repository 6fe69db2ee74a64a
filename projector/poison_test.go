package projector_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/kafkatest"
	"pawl/projector"
	"pawl/schemas"
)

// incompressible is text that an index cannot make smaller.
func incompressible(size int) string {
	const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	source := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the test wants the same text each time
	text := make([]byte, size)
	for i := range text {
		text[i] = alphabet[source.IntN(len(alphabet))]
	}
	return string(text)
}

// TestApply_IdentifierTooLongForAnIndexIsSetAside: anyone may produce to the
// topic, and an index takes no value of more than a third of a page.
func TestApply_IdentifierTooLongForAnIndexIsSetAside(t *testing.T) {
	t.Parallel()
	long := incompressible(8000)
	opened := sealed("d-x", "opened", 9, body("opened", 9, 0, `,"state":"open"`))
	key, id, source := opened, opened, opened
	key.Key, id.ID, source.Source = schemas.EntityKey("github.com:"+long), schemas.DeliveryID(long), long
	for name, poison := range map[string]schemas.Record{"key": key, "delivery id": id, "source": source} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := newPool(t)
			applier, _ := claim(t, pool, "one")
			records := story()
			records[3] = ready(3, poison)
			results, err := applier.Apply(t.Context(), batchOf(records, 0, 7))
			if err != nil {
				t.Fatalf("the partition is stuck: %v", err)
			}
			if results[3].Verdict != schemas.Dead {
				t.Errorf("got %s, want dead", results[3].Verdict)
			}
			checkVerdicts(t, pool)
		})
	}
}

// TestApply_TimeThatJSONCannotHoldStopsNothing: RFC 3339 ends with the year
// 9999, and a zone can carry a time past it.
func TestApply_TimeThatJSONCannotHoldStopsNothing(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"created_at", "closed_at", "merged_at"} {
		for _, at := range []string{"9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"} {
			t.Run(field+" "+at, func(t *testing.T) {
				t.Parallel()
				pool := newPool(t)
				applier, _ := claim(t, pool, "one")
				records := append(story(), ready(7, sealed("d-y", "labeled", 9, body("labeled", 9, 5, `,"labels":[{"name":"x"}]`))))
				records[3] = ready(3, sealed("d-x", "closed", 9, body("closed", 9, 0, fmt.Sprintf(`,"state":"closed","merged":true,%q:%q`, field, at))))
				for _, end := range []int64{7, 8} { // the second batch reads what the first one stored
					from := map[int64]int64{7: 0, 8: 7}[end]
					if _, err := applier.Apply(t.Context(), batchOf(records, from, end)); err != nil {
						t.Fatalf("the partition is stuck: %v", err)
					}
				}
				checkVerdicts(t, pool)
			})
		}
	}
}

// TestApply_WhatCannotBeSetAsideEither: a checkpoint that was set back meets the
// verdicts that are there. No record is at fault, and none is made a dead letter.
func TestApply_WhatCannotBeSetAsideEither(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	applier, _ := claim(t, pool, "one")
	if _, err := applier.Apply(t.Context(), batchOf(story(), 0, 7)); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), `update pawl.checkpoint set next_offset = 0`); err != nil {
		t.Fatal(err)
	}
	before := tables(t, pool)
	again, next := claim(t, pool, "two")
	_, err := again.Apply(t.Context(), batchOf(story(), next, 7))
	if err == nil || !strings.Contains(err.Error(), "can be neither folded nor set aside") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(tables(t, pool), before); diff != "" {
		t.Errorf("tables changed (-got +want):\n%s", diff)
	}
}

// TestProjector_LargestRecordPasses: 25 MB through the broker, and what comes
// after it.
func TestProjector_LargestRecordPasses(t *testing.T) {
	t.Parallel()
	broker, pool := kafkatest.Start(t), newPool(t)
	padding := strings.Repeat("a", schemas.MaxBody-400)
	produce(t, broker.Client(), sealed("d-1", "opened", 7, body("opened", 7, 0, `,"state":"open","unread":"`+padding+`"`)))
	produce(t, broker.Client(), sealed("d-2", "labeled", 7, body("labeled", 7, 5, `,"labels":[{"name":"x"}]`)))
	run(t, broker, pool, "one")
	waitFor(t, pool, 2, `select count(*)::int from pawl.delivery where verdict = 'applied'`)
}

// TestI4_OneTransitionTwiceInABatchIsPublishedOnce: a reused delivery id can
// cause the same transition twice, and a batch must end as single records do.
func TestI4_OneTransitionTwiceInABatchIsPublishedOnce(t *testing.T) {
	t.Parallel()
	records := []projector.LogRecord{
		ready(0, sealed("d-0", "opened", 7, body("opened", 7, 0, `,"state":"open"`))),
		ready(1, sealed("d-1", "closed", 7, body("closed", 7, 5, `,"state":"closed"`))),
		ready(2, sealed("d-2", "reopened", 7, body("reopened", 7, 6, `,"state":"open"`))),
		ready(3, sealed("d-1", "closed", 7, body("closed", 7, 7, `,"state":"closed"`))),
	}
	found := make(map[int64]map[string][]string)
	for _, size := range []int64{1, 4} {
		pool := newPool(t)
		applier, _ := claim(t, pool, "one")
		for from := int64(0); from < 4; from += size {
			if _, err := applier.Apply(t.Context(), batchOf(records, from, from+size)); err != nil {
				t.Fatal(err)
			}
		}
		found[size] = tables(t, pool)
	}
	if diff := cmp.Diff(found[4], found[1]); diff != "" {
		t.Errorf("a batch of four (-got) and four of one (+want) differ:\n%s", diff)
	}
}

// TestI5_EntityInTwoPartitionsDoesNotGoBack: after partitions were added, or by
// a producer with another partitioner, two owners can fold one entity at once.
// The other one comes while the first stands between its load and its writes.
func TestI5_EntityInTwoPartitionsDoesNotGoBack(t *testing.T) {
	t.Parallel()
	merged := ready(0, sealed("d-2", "closed", 7, body("closed", 7, 60, `,"state":"closed","merged":true,"merged_at":"2026-01-01T00:01:00Z"`)))
	records := []projector.LogRecord{
		ready(0, sealed("d-0", "opened", 7, body("opened", 7, 0, `,"state":"open"`))),
		ready(1, sealed("d-1", "labeled", 7, body("labeled", 7, 5, `,"state":"open","labels":[{"name":"x"}]`))),
	}
	for name, seen := range map[string]int64{"a row that is there": 1, "first sight": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := newPool(t)
			first, _ := claim(t, pool, "one")
			if _, err := first.Apply(t.Context(), batchOf(records, 0, seen)); err != nil {
				t.Fatal(err)
			}
			checkpoint, _, err := projector.Claim(t.Context(), pool, topic, 1, "two")
			if err != nil {
				t.Fatal(err)
			}
			other := make(chan error, 1)
			first.SetStep(func(step string) error {
				if step != "save" {
					return nil
				}
				first.SetStep(nil)
				go func() {
					_, err := projector.NewApplier(pool, checkpoint, nil).Apply(context.WithoutCancel(t.Context()),
						projector.Batch{Records: []projector.LogRecord{merged}, Next: 1})
					other <- err
				}()
				waitFor(t, pool, 1, `
					select (select count(*) from pawl.delivery where log_partition = 1)::int
					     + (select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')::int`)
				return nil
			})
			if _, err := first.Apply(t.Context(), batchOf(records, seen, 2)); err != nil {
				if _, err = first.Apply(t.Context(), batchOf(records, seen, 2)); err != nil { // what raced is read again
					t.Fatal(err)
				}
			}
			if err := <-other; err != nil {
				t.Fatal(errors.Join(errors.New("the other partition"), err))
			}
			var state string
			if err := pool.QueryRow(t.Context(), `select state from pawl.pull_request`).Scan(&state); err != nil || state != "merged" {
				t.Errorf("the row went back from merged to %s (%v)", state, err)
			}
			checkVerdicts(t, pool)
		})
	}
}

// eventually polls until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Errorf("not within %s: %s", patience, what)
}
