package relay

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"

	"pawl/internal/watermillkafka"
	"pawl/schemas"
)

// publishShard publishes the oldest rows of a shard, in one transaction, and
// reports whether there may be more. A shard that another relay serves has no
// more: that relay goes on until it is empty.
func (r *Relay) publishShard(ctx context.Context, shard int) (more bool, err error) {
	tx, err := r.pool.Begin(ctx)
	if err != nil {
		return false, fmt.Errorf("relay shard %d: begin: %w", shard, err)
	}
	defer rollBack(ctx, tx)
	taken, err := r.lock(ctx, tx, shard)
	if err != nil || !taken {
		return false, err
	}
	rows, err := r.readOutbox(ctx, tx, shard)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	if err := r.publish(ctx, r.topics.Transitions, r.messagesOf(ctx, rows)); err != nil {
		return false, fmt.Errorf("relay shard %d: %w", shard, err)
	}
	// The log has the transitions. A crash from here to the commit leaves their
	// rows, and they are published again under the same ids.
	if _, err := tx.Exec(ctx, deleteOutbox, idsOf(rows)); err != nil {
		return false, fmt.Errorf("relay shard %d: delete rows: %w", shard, err)
	}
	if err := tx.Commit(ctx); err != nil {
		return false, fmt.Errorf("relay shard %d: commit: %w", shard, err)
	}
	// The commit point. Before it the rows stand and another relay may not touch
	// the shard; after it they are gone and the shard is free.
	r.metrics.records.WithLabelValues(r.topics.Transitions).Add(float64(len(rows)))
	return len(rows) == r.cfg.BatchRows, nil
}

// outboxRow is a row of the outbox with its transition.
type outboxRow struct {
	ID           int64
	PartitionKey string
	TransitionID schemas.TransitionID
	Entity       schemas.EntityKey
	Kind         schemas.Kind
	Value        []byte
}

func idsOf(rows []outboxRow) []int64 {
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return ids
}

func (r *Relay) readOutbox(ctx context.Context, tx pgx.Tx, shard int) ([]outboxRow, error) {
	found, err := tx.Query(ctx, readOutbox, shard, r.cfg.BatchRows)
	if err != nil {
		return nil, fmt.Errorf("read shard %d: %w", shard, err)
	}
	rows, err := pgx.CollectRows(found, pgx.RowToStructByPos[outboxRow])
	if err != nil {
		return nil, fmt.Errorf("read shard %d: %w", shard, err)
	}
	return rows, nil
}

// messagesOf makes the rows' messages, in their order. The payload is the value
// as the projector wrote it, byte for byte.
func (r *Relay) messagesOf(ctx context.Context, rows []outboxRow) []*message.Message {
	messages := make([]*message.Message, len(rows))
	for i, row := range rows {
		var transition schemas.Transition
		if err := json.Unmarshal(row.Value, &transition); err != nil {
			// A newer projector may write what this relay cannot read. The
			// value is for the reader; the headers get what the columns say.
			r.cfg.Log.WarnContext(ctx, "transition cannot be decoded, published with fewer headers",
				"transition_id", row.TransitionID, "entity", row.Entity, "kind", row.Kind, "err", err)
			transition = schemas.Transition{}
		}
		transition.ID, transition.Entity, transition.Kind = row.TransitionID, row.Entity, row.Kind
		m := message.NewMessage(string(row.TransitionID), row.Value)
		setHeaders(m, transition.Headers())
		m.Metadata.Set(schemas.HeaderPartitionKey, row.PartitionKey)
		m.Metadata.Set(watermillkafka.PartitionKey, row.PartitionKey)
		messages[i] = m
	}
	return messages
}

func setHeaders(m *message.Message, headers []schemas.Header) {
	for _, header := range headers {
		m.Metadata.Set(header.Name, header.Value)
	}
}
