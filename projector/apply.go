package projector

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/schemas"
)

// Applier applies batches of one partition under the checkpoint that was
// claimed for it.
type Applier struct {
	pool       *pgxpool.Pool
	checkpoint Checkpoint
	links      FindLinks
	step       func(name string) error // test seam: called before each step, nil in production
	unmet      bool                    // test seam: leaves out the locks on which partitions meet
}

// NewApplier returns an applier for a claimed partition. Links may be nil.
func NewApplier(pool *pgxpool.Pool, checkpoint Checkpoint, links FindLinks) *Applier {
	return &Applier{pool: pool, checkpoint: checkpoint, links: links}
}

// Apply folds a batch and writes all that comes of it in one transaction, or,
// where a record makes that fail, in as many as it takes to set that record
// aside. It returns the results in the order of the records.
//
// ErrFenced means that nothing was written. Any other error leaves it unknown
// how far the batch got: read the checkpoint and start from there. The results
// beside an error are those of the records that were committed before it.
func (a *Applier) Apply(ctx context.Context, batch Batch) ([]Result, error) {
	results, err := a.applyOnce(ctx, batch)
	if err == nil || !isDataFault(err) {
		return results, err
	}
	if len(batch.Records) == 1 {
		return a.setAside(ctx, batch, err)
	}
	first, second := batch.split()
	results, err = a.Apply(ctx, first)
	if err != nil {
		return results, err
	}
	rest, err := a.Apply(ctx, second)
	return append(results, rest...), err
}

// setAside makes a dead letter of the one record of a batch. Where even that
// cannot be written, the fault is not the record's alone, and only a person can
// tell what is: to try for ever would hide it.
func (a *Applier) setAside(ctx context.Context, batch Batch, cause error) ([]Result, error) {
	batch.Records[0].Err = fmt.Errorf("apply: %w", cause)
	results, err := a.applyOnce(ctx, batch)
	if err != nil && isDataFault(err) {
		return nil, &stopError{
			reason: fmt.Sprintf("record %d can be neither folded nor set aside: %v", batch.From, err), start: batch.LogStart, end: batch.LogEnd,
		}
	}
	return results, err
}

// split halves a batch of at least two records.
func (b Batch) split() (first, second Batch) {
	half := len(b.Records) / 2
	first, second = b, b
	first.Records, second.Records = b.Records[:half], b.Records[half:]
	first.Next = second.Records[0].Offset
	second.From = first.Next
	return first, second
}

// errPanic wraps a panic of the fold, errUnwritable what no statement can carry.
var (
	errPanic      = errors.New("panic in the fold")
	errUnwritable = errors.New("value cannot be written")
)

// isDataFault reports whether an error is the fault of a record rather than of
// the world: PostgreSQL's classes 22 (data), 23 (constraint) and 54 (limit), a
// panic of the fold, or a value that JSON cannot hold.
func isDataFault(err error) bool {
	if errors.Is(err, errPanic) || errors.Is(err, errUnwritable) {
		return true
	}
	var fault *pgconn.PgError
	if !errors.As(err, &fault) || len(fault.Code) != 5 {
		return false
	}
	switch fault.Code[:2] {
	case "22", "23", "54":
		return true
	}
	return false
}

// applyOnce is the one transaction: begin, compare and advance, load, fold,
// write, commit.
func (a *Applier) applyOnce(ctx context.Context, batch Batch) ([]Result, error) {
	at := fmt.Sprintf("%s/%d from %d", a.checkpoint.Topic, a.checkpoint.Partition, batch.From)
	tx, err := a.pool.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("apply %s: begin: %w", at, err)
	}
	defer rollback(ctx, tx)

	held, err := a.advanceAndLoad(ctx, tx, batch)
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", at, err)
	}
	before := loaded{heads: headsOf(held), components: keysIn(held.Components)}
	locked := maps.Clone(held.Commits)
	results, err := foldBatch(held, batch)
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", at, err)
	}
	if !a.unmet && !metAll(held, before.heads, locked) {
		return nil, fmt.Errorf("apply %s: %w", at, errRaced)
	}
	if err := a.save(ctx, tx, batch, held, before, results); err != nil {
		return nil, fmt.Errorf("apply %s: %w", at, err)
	}
	if err := a.before("commit"); err != nil {
		return nil, fmt.Errorf("apply %s: %w", at, err)
	}
	// The commit point. A crash before this line leaves nothing of the batch,
	// a crash after it leaves all of it, and in both the next owner starts from
	// the checkpoint that is stored.
	if err := tx.Commit(ctx); err != nil {
		return nil, fmt.Errorf("apply %s: commit: %w", at, err)
	}
	return results, a.before("committed")
}

// rollback ends a transaction that was not committed, in bounded time: a dead
// network must not hold the worker, and with it the generation.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_ = tx.Rollback(ctx)
}

// rollbackTimeout bounds a rollback.
const rollbackTimeout = 5 * time.Second

// advanceAndLoad moves the checkpoint, locks what the batch touches, and loads
// what stands around it, in two round trips.
func (a *Applier) advanceAndLoad(ctx context.Context, tx pgx.Tx, batch Batch) (*Held, error) {
	if err := a.before("advance"); err != nil {
		return nil, err
	}
	held, now := NewHeld(), time.Now()
	held.Links = a.links
	queue := new(pgx.Batch)
	queue.Queue(advanceCheckpointSQL, a.checkpoint.Topic, a.checkpoint.Partition, a.checkpoint.Epoch,
		batch.From, batch.Next, batch.LogEnd, batch.LogStart, lastReceived(batch), now).
		Exec(func(tag pgconn.CommandTag) error {
			if tag.RowsAffected() != 1 {
				return ErrFenced
			}
			return nil
		})
	want := wants(batch)
	want.unmet = a.unmet
	want.queueLocks(queue, held, now)
	if err := tx.SendBatch(ctx, queue).Close(); err != nil {
		return nil, fmt.Errorf("advance and lock: %w", err)
	}
	if err := a.before("load"); err != nil {
		return nil, err
	}
	queue = new(pgx.Batch)
	want.queueLoads(queue, held)
	if err := tx.SendBatch(ctx, queue).Close(); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	return held, nil
}

// loaded is what was there before the fold: where it is no more the same when it
// is written, another partition was faster.
type loaded struct {
	heads      map[schemas.EntityKey]schemas.EntityKey
	components map[schemas.EntityKey]bool
}

func keysIn[V any](rows map[schemas.EntityKey]V) map[schemas.EntityKey]bool {
	keys := make(map[schemas.EntityKey]bool, len(rows))
	for key := range rows {
		keys[key] = true
	}
	return keys
}

// headsOf returns the heads of the pull requests that were there before the fold.
func headsOf(held *Held) map[schemas.EntityKey]schemas.EntityKey {
	heads := make(map[schemas.EntityKey]schemas.EntityKey, len(held.States))
	for key, state := range held.States {
		if state.PullRequest != nil {
			heads[key] = state.PullRequest.HeadCommit
		}
	}
	return heads
}

// metAll reports whether every head that the fold brought was locked. One that
// was not looked like no new head when the locks were taken: another partition
// wrote the same pull request meanwhile.
func metAll(held *Held, heads map[schemas.EntityKey]schemas.EntityKey, locked map[schemas.EntityKey]CommitState) bool {
	for key, row := range held.changed.pullRequests {
		if row.HeadCommit == heads[key] || row.HeadCommit == "" {
			continue
		}
		if met, ok := locked[row.HeadCommit]; !ok || met.Commit == nil {
			if parsed, err := schemas.ParseKey(row.HeadCommit); err == nil && parsed.Kind == schemas.KeyCommit {
				return false
			}
		}
	}
	return true
}

// foldBatch folds the records in order. A panic is an error of the batch, which
// is then halved until the record is found.
func foldBatch(held *Held, batch Batch) (results []Result, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = fmt.Errorf("%w: %v", errPanic, recovered)
		}
	}()
	results = make([]Result, len(batch.Records))
	for i, record := range batch.Records {
		results[i] = held.Fold(record.Decoded)
	}
	return results, nil
}

// save writes all that came of the batch, in one round trip.
func (a *Applier) save(ctx context.Context, tx pgx.Tx, batch Batch, held *Held, was loaded, results []Result) error {
	if err := a.before("save"); err != nil {
		return err
	}
	writes := writes{checkpoint: a.checkpoint, batch: batch, results: results, now: time.Now()}
	queue := new(pgx.Batch)
	writes.queueCommits(queue, held.ChangedCommits(), held.ChangedChecks())
	writes.queueRepositories(queue, held.ChangedRepositories())
	writes.queuePullRequests(queue, held.ChangedPullRequests(), was.heads)
	writes.queueComments(queue, held.ChangedComments())
	writes.queueReviews(queue, held.ChangedReviews(), held.ChangedThreads())
	writes.queueLinks(queue, held.ChangedLinks())
	writes.queueComponents(queue, held.ChangedComponents(), was.components)
	writes.queueIncidents(queue, held.ChangedIncidents())
	writes.queueDeliveries(queue)
	if err := writes.queueTransitions(queue); err != nil {
		return err
	}
	if err := writes.queueDeadLetters(queue); err != nil {
		return err
	}
	if err := tx.SendBatch(ctx, queue).Close(); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return a.before("saved")
}

func (a *Applier) before(step string) error {
	if a.step == nil {
		return nil
	}
	return a.step(step)
}

// lastReceived is the receive time of the batch's newest record, or nil.
func lastReceived(batch Batch) *time.Time {
	for i := len(batch.Records) - 1; i >= 0; i-- {
		if at := batch.Records[i].Record.ReceivedAt; !at.IsZero() {
			return &at
		}
	}
	return nil
}
