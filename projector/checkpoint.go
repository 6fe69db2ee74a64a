package projector

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrFenced means that the partition has another owner now, or that the batch
// was committed before: nothing of it was written (I4).
var ErrFenced = errors.New("partition has another owner or the batch was committed before")

// Checkpoint is the right to fold a partition, taken when it was assigned.
type Checkpoint struct {
	Topic     string
	Partition int
	Epoch     int64
}

// Claim takes a partition: every older owner's commits fail from here on. It
// returns the next offset to fold.
func Claim(ctx context.Context, pool *pgxpool.Pool, topic string, partition int, owner string) (Checkpoint, int64, error) {
	claimed := Checkpoint{Topic: topic, Partition: partition}
	var next int64
	err := pool.QueryRow(ctx, claimCheckpointSQL, topic, partition, owner).Scan(&next, &claimed.Epoch)
	if err != nil {
		return claimed, 0, fmt.Errorf("claim checkpoint of %s/%d: %w", topic, partition, err)
	}
	return claimed, next, nil
}

// Read returns the next offset to fold, or ErrFenced if the partition was
// claimed by another since.
func (c Checkpoint) Read(ctx context.Context, pool *pgxpool.Pool) (int64, error) {
	var next int64
	err := pool.QueryRow(ctx, readCheckpointSQL, c.Topic, c.Partition, c.Epoch).Scan(&next)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("read checkpoint of %s/%d: %w", c.Topic, c.Partition, ErrFenced)
	}
	if err != nil {
		return 0, fmt.Errorf("read checkpoint of %s/%d: %w", c.Topic, c.Partition, err)
	}
	return next, nil
}

// stop notes why the partition is not folded; no reason means that it is again.
func (c Checkpoint) stop(ctx context.Context, pool *pgxpool.Pool, reason string, logStart, logEnd int64) error {
	_, err := pool.Exec(ctx, stopCheckpointSQL, c.Topic, c.Partition, c.Epoch, reason, logStart, logEnd)
	if err != nil {
		return fmt.Errorf("stop %s/%d: %w", c.Topic, c.Partition, err)
	}
	return nil
}
