package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"

	"pawl/internal/watermillkafka"
	"pawl/schemas"
)

const (
	// deadLetterShard is the lock of the dead letters; no shard of the outbox is
	// negative.
	deadLetterShard = -1
	deadLetterRows  = 100
	// deadLetterBytes bounds the values of one batch. A value may have 25 MB.
	deadLetterBytes = 4 << 20
)

// headerValueOmitted stands on a dead letter that the topic did not take with
// its value. The table has the value.
const headerValueOmitted = "pawl_value_omitted"

// deadLetter is a row of the table.
type deadLetter struct {
	ID        int64
	Topic     string
	Partition int32
	Offset    int64
	Entity    string
	Reason    string
	Stage     string
	Headers   []byte
	Value     []byte
}

// publishDeadLetters publishes the oldest dead letters of the projector that the
// topic does not have, in one transaction, and reports whether there may be
// more. Those of the actuator are mutations, no records, and stay in the table.
func (r *Relay) publishDeadLetters(ctx context.Context) (more bool, err error) {
	tx, err := r.pool.Begin(ctx)
	if err != nil {
		return false, fmt.Errorf("relay dead letters: begin: %w", err)
	}
	defer rollBack(ctx, tx)
	taken, err := r.lock(ctx, tx, deadLetterShard)
	if err != nil || !taken {
		return false, err
	}
	letters, err := readLetters(ctx, tx)
	if err != nil || len(letters) == 0 {
		return false, err
	}
	if err := r.publishLetters(ctx, letters); err != nil {
		return false, fmt.Errorf("relay dead letters: %w", err)
	}
	ids := make([]int64, len(letters))
	for i, letter := range letters {
		ids[i] = letter.ID
	}
	// The topic has them. A crash from here to the commit publishes them again,
	// with the same origin in their headers.
	if _, err := tx.Exec(ctx, markDeadLetters, time.Now(), ids); err != nil {
		return false, fmt.Errorf("relay dead letters: mark: %w", err)
	}
	if err := tx.Commit(ctx); err != nil {
		return false, fmt.Errorf("relay dead letters: commit: %w", err)
	}
	// The commit point: from here on nobody publishes them again.
	r.metrics.records.WithLabelValues(r.topics.DeadLetters).Add(float64(len(letters)))
	return true, nil
}

func readLetters(ctx context.Context, tx pgx.Tx) ([]deadLetter, error) {
	rows, err := tx.Query(ctx, readDeadLetters, deadLetterRows, deadLetterBytes)
	if err != nil {
		return nil, fmt.Errorf("read dead letters: %w", err)
	}
	letters, err := pgx.CollectRows(rows, pgx.RowToStructByPos[deadLetter])
	if err != nil {
		return nil, fmt.Errorf("read dead letters: %w", err)
	}
	return letters, nil
}

// publishLetters publishes a batch. If one of it is too large for the topic they
// go one by one, and that one without its value: it must not hold back the rest
// for ever.
func (r *Relay) publishLetters(ctx context.Context, letters []deadLetter) error {
	messages := make([]*message.Message, len(letters))
	for i, letter := range letters {
		messages[i] = r.letterMessage(ctx, letter)
	}
	err := r.publish(ctx, r.topics.DeadLetters, messages)
	if !errors.Is(err, watermillkafka.ErrTooLarge) {
		return err
	}
	for i, m := range messages {
		err := r.publish(ctx, r.topics.DeadLetters, []*message.Message{m})
		if errors.Is(err, watermillkafka.ErrTooLarge) {
			r.cfg.Log.WarnContext(ctx, "dead letter is too large for its topic, published without its value",
				"topic", letters[i].Topic, "partition", letters[i].Partition, "offset", letters[i].Offset)
			m.Payload = nil
			m.Metadata.Set(headerValueOmitted, "true")
			err = r.publish(ctx, r.topics.DeadLetters, []*message.Message{m})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// letterMessage makes a dead letter's message: the value and headers of the
// record that it was, and why and where it was set aside.
func (r *Relay) letterMessage(ctx context.Context, letter deadLetter) *message.Message {
	m := message.NewMessage("", letter.Value)
	var pairs [][2]string
	if len(letter.Headers) > 0 {
		if err := json.Unmarshal(letter.Headers, &pairs); err != nil {
			r.cfg.Log.WarnContext(ctx, "headers of a dead letter cannot be decoded, published without them",
				"topic", letter.Topic, "partition", letter.Partition, "offset", letter.Offset, "err", err)
		}
	}
	for _, pair := range pairs {
		m.Metadata.Set(pair[0], pair[1])
	}
	setHeaders(m, []schemas.Header{
		{Name: schemas.HeaderReason, Value: letter.Reason},
		{Name: schemas.HeaderStage, Value: letter.Stage},
		{Name: schemas.HeaderTopic, Value: letter.Topic},
		{Name: schemas.HeaderPartition, Value: strconv.Itoa(int(letter.Partition))},
		{Name: schemas.HeaderOffset, Value: strconv.FormatInt(letter.Offset, 10)},
	})
	m.UUID = m.Metadata.Get(schemas.HeaderID)
	m.Metadata.Set(watermillkafka.PartitionKey, letter.Entity)
	return m
}
