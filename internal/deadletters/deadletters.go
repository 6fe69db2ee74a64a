// Package deadletters is what a person does with what was set aside: look at it,
// try it again, or drop it.
//
//	record      (stage projector)  retry appends it to its topic again, byte for byte
//	transition  (stage actuator)   likewise: one that could not be read
//	mutation    (stage actuator)   retry makes it pending, its attempts counted anew
//
// A dead letter stays in the table, marked with what became of it, so that the
// history of an entity is whole. What is marked is not counted any more.
//
// A retry that fails again makes a new dead letter. A crash between appending a
// record and marking it leaves it open, and the next retry appends it twice: the
// fold tells the second as a duplicate, unless it is dead again.
package deadletters

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/schemas"
)

// ErrNotOpen means that there is no such dead letter, or that somebody has
// retried or dropped it already.
var ErrNotOpen = errors.New("no open dead letter")

// Letter is one dead letter.
type Letter struct {
	ID         int64             `json:"id"`
	Stage      string            `json:"stage"`
	Entity     schemas.EntityKey `json:"entity"`
	Topic      *string           `json:"topic,omitempty"`
	Partition  *int32            `json:"partition,omitempty"`
	Offset     *int64            `json:"offset,omitempty"`
	Source     *string           `json:"source,omitempty"`
	DeliveryID *string           `json:"delivery_id,omitempty"`
	MutationID *int64            `json:"mutation_id,omitempty"`
	Rule       *string           `json:"rule,omitempty"`
	Kind       *string           `json:"kind,omitempty"`
	Reason     string            `json:"reason"`
	Seen       *string           `json:"seen,omitempty"`
	Sent       *string           `json:"sent,omitempty"`
	Answer     *string           `json:"answer,omitempty"`
	CreatedAt  time.Time         `json:"created_at"`
	ResolvedAt *time.Time        `json:"resolved_at,omitempty"`
	Resolution *string           `json:"resolution,omitempty"`
	// ValueBytes is the size of the record's value. The value itself is shown by
	// nobody: it is a payload.
	ValueBytes int `json:"value_bytes"`
}

// Append writes a record to a topic and returns once it is durable there.
type Append func(ctx context.Context, topic string, key []byte, headers []schemas.Header, value []byte) error

// Box is the table of dead letters.
type Box struct {
	pool   *pgxpool.Pool
	append Append
}

// New returns the box. Append is needed to retry records alone.
func New(pool *pgxpool.Pool, appendRecord Append) *Box { return &Box{pool, appendRecord} }

var (
	//go:embed sql/list.sql
	listSQL string
	//go:embed sql/take.sql
	takeSQL string
	//go:embed sql/mark.sql
	markSQL string
	//go:embed sql/revive.sql
	reviveSQL string
	//go:embed sql/drop_later.sql
	dropLaterSQL string
)

// Filter chooses dead letters. Zero values choose all that are open.
type Filter struct {
	Entity schemas.EntityKey
	Stage  string
	ID     int64
	// Resolved includes those that were retried or dropped.
	Resolved bool
	// Limit is how many are listed at the most, the newest; 0 is 100.
	Limit int
}

// List returns dead letters, the newest first.
func (b *Box) List(ctx context.Context, f Filter) ([]Letter, error) {
	if f.Limit == 0 {
		f.Limit = 100
	}
	rows, err := b.pool.Query(ctx, listSQL, string(f.Entity), f.Stage, f.ID, f.Resolved, f.Limit)
	if err != nil {
		return nil, fmt.Errorf("list dead letters: %w", err)
	}
	letters, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Letter])
	if err != nil {
		return nil, fmt.Errorf("list dead letters: %w", err)
	}
	return letters, nil
}

// taken is an open dead letter, locked.
type taken struct {
	stage    string
	entity   string
	topic    *string
	mutation *int64
	headers  []byte
	value    []byte
}

// Retry tries a dead letter again. The error wraps ErrNotOpen where it is not
// there to be tried.
func (b *Box) Retry(ctx context.Context, id int64) error {
	return b.resolve(ctx, id, "retried", func(tx pgx.Tx, letter taken) error {
		if letter.mutation != nil {
			return revive(ctx, tx, *letter.mutation)
		}
		return b.appendAgain(ctx, letter)
	})
}

// Drop gives a dead letter up. The mutations that waited for a dead one are
// cancelled.
func (b *Box) Drop(ctx context.Context, id int64) error {
	return b.resolve(ctx, id, "dropped", func(tx pgx.Tx, letter taken) error {
		if letter.mutation == nil {
			return nil
		}
		_, err := tx.Exec(ctx, dropLaterSQL, *letter.mutation)
		return err
	})
}

func (b *Box) resolve(ctx context.Context, id int64, resolution string, do func(pgx.Tx, taken) error) error {
	err := pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
		var letter taken
		err := tx.QueryRow(ctx, takeSQL, id).Scan(&letter.stage, &letter.entity, &letter.topic, &letter.mutation, &letter.headers, &letter.value)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNotOpen
		}
		if err != nil {
			return err
		}
		if err := do(tx, letter); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, markSQL, id, resolution)
		return err
	})
	if err != nil {
		return fmt.Errorf("dead letter %d: %w", id, err)
	}
	return nil
}

// revive makes a dead mutation pending again.
func revive(ctx context.Context, tx pgx.Tx, mutation int64) error {
	tag, err := tx.Exec(ctx, reviveSQL, mutation)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("mutation %d is not dead any more: drop the letter", mutation)
	}
	return nil
}

func (b *Box) appendAgain(ctx context.Context, letter taken) error {
	if letter.topic == nil || b.append == nil {
		return errors.New("it names no topic to append it to")
	}
	var pairs [][2]string
	if err := json.Unmarshal(letter.headers, &pairs); err != nil {
		return fmt.Errorf("read its headers: %w", err)
	}
	headers := make([]schemas.Header, len(pairs))
	for i, pair := range pairs {
		headers[i] = schemas.Header{Name: pair[0], Value: pair[1]}
	}
	return b.append(ctx, *letter.topic, []byte(letter.entity), headers, letter.value)
}
