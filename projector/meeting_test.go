package projector_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/projector"
	"pawl/schemas"
)

// Hard parts 1 and 2: a result and the push that makes its commit the head are
// on different partitions, and each transaction could miss the other's write.

// result is the record of a check that ended on a commit.
func result(id string, attempt int, sha, status, conclusion string) schemas.Record {
	value := fmt.Sprintf(`{"action":%q,"repository":{"id":101,"full_name":"acme/api"},
		"check_run":{"id":%d,"name":"build","head_sha":%q,"status":%q,"conclusion":%q,"app":{"slug":"ci"},"pull_requests":[]}}`,
		status, attempt, sha, status, conclusion)
	return schemas.Record{
		Key: schemas.CommitKey("github.com", "101", sha), ID: schemas.DeliveryID(id), Source: "github", Provider: "github",
		Event: "check_run", Action: status, ReceivedAt: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
		ContentType: "application/json", ProviderHeaders: []schemas.Header{{Name: "X-GitHub-Event", Value: "check_run"}}, Body: []byte(value),
	}
}

func push(number, seconds int, sha string) schemas.Record {
	id := fmt.Sprintf("push-%d-%s", number, sha)
	return sealed(id, "synchronize", number, body("synchronize", number, seconds, fmt.Sprintf(`,"state":"open","head":{"sha":%q}`, sha)))
}

// partition is a log of one partition and its owner.
type partition struct {
	t       *testing.T
	applier *projector.Applier
	pool    *pgxpool.Pool
	number  int
	next    int64
}

func newPartition(t *testing.T, pool *pgxpool.Pool, number int) *partition {
	t.Helper()
	checkpoint, next, err := projector.Claim(t.Context(), pool, topic, number, fmt.Sprintf("projector-%d", number))
	if err != nil {
		t.Fatal(err)
	}
	return &partition{t: t, applier: projector.NewApplier(pool, checkpoint, nil), pool: pool, number: number, next: next}
}

// apply appends records and folds them in one batch, again where the database
// asks for it, as the projector's worker does.
func (p *partition) apply(records ...schemas.Record) {
	made := make([]projector.LogRecord, len(records))
	for i, record := range records {
		made[i] = ready(p.next+int64(i), record)
	}
	end := p.next + int64(len(records))
	batch := projector.Batch{Records: made, From: p.next, Next: end, LogEnd: end}
	for attempt := range 10 {
		_, err := p.applier.Apply(context.WithoutCancel(p.t.Context()), batch)
		if err == nil {
			p.next = end
			return
		}
		if errors.Is(err, projector.ErrFenced) || attempt == 9 {
			p.t.Errorf("partition %d: %v", p.number, err)
			return
		}
	}
}

// TestI4_ResultAndPushMeet holds the push's transaction open before its commit
// while the result is folded, and the other way around. Whichever commits second
// carries the change over.
func TestI4_ResultAndPushMeet(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"push", "result"} {
		t.Run(first+" commits first", func(t *testing.T) {
			t.Parallel()
			if got := raceOnce(t, first, false); got != "success" {
				t.Errorf("checks_state %s, want success", got)
			}
		})
	}
}

// TestI4_WithoutTheMeetingTheWakeUpIsLost shows that the test before can fail:
// without the shared row, the pull request waits for ever.
func TestI4_WithoutTheMeetingTheWakeUpIsLost(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"push", "result"} {
		t.Run(first+" commits first", func(t *testing.T) {
			t.Parallel()
			if got := raceOnce(t, first, true); got != "none" {
				t.Errorf("checks_state %s: the race did not happen, and the other test proves nothing", got)
			}
		})
	}
}

// raceOnce folds a push and a result so that their transactions overlap, and
// returns the pull request's checks_state.
func raceOnce(t *testing.T, first string, unmet bool) string {
	t.Helper()
	pool := newPool(t)
	pushes, results := newPartition(t, pool, 0), newPartition(t, pool, 1)
	pushes.apply(sealed("open", "opened", 7, body("opened", 7, 0, `,"state":"open","head":{"sha":"aaaa"}`)))
	if unmet {
		pushes.applier.SetUnmet()
		results.applier.SetUnmet()
	}
	one, other := pushes, results
	oneRecord, otherRecord := push(7, 10, "bbbb"), result("r-1", 1, "bbbb", "completed", "success")
	if first == "result" {
		one, other, oneRecord, otherRecord = results, pushes, otherRecord, oneRecord
	}
	overlap(one, other, oneRecord, otherRecord)
	return columnOf(t, pool, `select checks_state from pawl.pull_request`)
}

// overlap folds two records so that their transactions overlap: the first one is
// held open before its commit while the other one is folded.
func overlap(one, other *partition, oneRecord, otherRecord schemas.Record) {
	written, done := make(chan struct{}), make(chan struct{})
	one.applier.SetStep(func(step string) error {
		if step != "commit" {
			return nil
		}
		close(written)
		select { // the other one either ends without waiting, or waits for us
		case <-done:
		case <-time.After(300 * time.Millisecond):
		}
		return nil
	})
	var both sync.WaitGroup
	both.Go(func() { one.apply(oneRecord) })
	<-written
	both.Go(func() { defer close(done); other.apply(otherRecord) })
	both.Wait()
}

func columnOf(t *testing.T, pool *pgxpool.Pool, sql string) string {
	t.Helper()
	var text string
	if err := pool.QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// TestI4_ThousandsOfResultsRacePushes races pairs of a result and a push on two
// partitions, in batches of different sizes and in other orders: some commits are
// known before, for a check was queued on them, and some are not.
func TestI4_ThousandsOfResultsRacePushes(t *testing.T) {
	t.Parallel()
	pairs := 2000
	if testing.Short() {
		pairs = 200
	}
	wrong, twice := raceMany(t, pairs, false)
	if wrong != "0" || twice != "0" {
		t.Errorf("%s pull requests have the wrong checks_state, and %s not exactly one checks_changed to success", wrong, twice)
	}
}

// raceMany returns how many pull requests ended with another checks_state than
// success, and how many with another number of transitions to it than one.
func raceMany(t *testing.T, pairs int, unmet bool) (wrong, twice string) {
	t.Helper()
	pool := newPool(t)
	pushes, results := newPartition(t, pool, 0), newPartition(t, pool, 1)
	head := func(number int) string { return fmt.Sprintf("b%07d", number) }
	var opened, queued []schemas.Record
	for number := 1; number <= pairs; number++ {
		opened = append(opened, sealed(fmt.Sprint("open-", number), "opened", number,
			body("opened", number, 0, fmt.Sprintf(`,"state":"open","head":{"sha":"a%07d"}`, number))))
		if number%2 == 0 {
			queued = append(queued, result(fmt.Sprint("queued-", number), number, head(number), "queued", ""))
		}
	}
	pushes.apply(opened...)
	results.apply(queued...)
	if unmet {
		pushes.applier.SetUnmet()
		results.applier.SetUnmet()
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a fixed seed: the same batches each time
	for from := 1; from <= pairs; {
		size := min(1+random.IntN(12), pairs-from+1)
		numbers := make([]int, size)
		for i := range numbers {
			numbers[i] = from + i
		}
		from += size
		moved := shuffled(random, numbers, func(number int) schemas.Record { return push(number, 10, head(number)) })
		ended := shuffled(random, numbers, func(number int) schemas.Record {
			return result(fmt.Sprint("ended-", number), number, head(number), "completed", "success")
		})
		var both sync.WaitGroup
		both.Go(func() { pushes.apply(moved...) })
		both.Go(func() { results.apply(ended...) })
		both.Wait()
	}
	wrong = columnOf(t, pool, `select count(*)::text from pawl.pull_request where checks_state <> 'success'`)
	twice = columnOf(t, pool, `select count(*)::text from (
		select p.entity_key from pawl.pull_request p
		  left join pawl.transition t on t.entity_key = p.entity_key and t.kind = 'checks_changed' and t.to_value = 'success'
		 group by p.entity_key having count(t.id) <> 1) x`)
	return wrong, twice
}

func shuffled(random *rand.Rand, numbers []int, record func(int) schemas.Record) []schemas.Record {
	order := slices.Clone(numbers)
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	records := make([]schemas.Record, len(order))
	for i, number := range order {
		records[i] = record(number)
	}
	return records
}
