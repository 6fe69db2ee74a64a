package actuator

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// A rule with `after` has its mutations wait. Each later transition of the
// entity asks its condition again, on the state of that moment, and a contrary
// one cancels them; when the time has come they become pending, and acting asks
// again on the newest row, as it does for all.

// cancelWaiting cancels what waits for the transition's pull request and whose
// condition its state does not meet any more.
func (d *deciding) cancelWaiting(ctx context.Context, tx pgx.Tx) error {
	entity, now := d.transition.PartitionKey(), rules.NowOf(d.transition)
	if now.IsUnknown() {
		return nil
	}
	rows, err := tx.Query(ctx, d.store.sql.loadWaiting, string(entity))
	if err != nil {
		return err
	}
	var ids []int64
	var reasons []string
	var id int64
	var rule string
	var text []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &rule, &text}, func() error {
		var decided schemas.Transition
		if err := json.Unmarshal(text, &decided); err != nil {
			return fmt.Errorf("transition of waiting mutation %d: %w", id, err)
		}
		if decided.ID == d.transition.ID || isOlder(now, rules.NowOf(decided)) {
			return nil // the one that it waits for, or one from before it that came again
		}
		if holds, reason := d.set.Again(rule, decided, now); !holds {
			ids, reasons = append(ids, id), append(reasons, storable(reason))
		}
		return nil
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	rows, err = tx.Query(ctx, d.store.sql.cancelWaiting, ids, reasons)
	if err != nil {
		return err
	}
	var b became
	_, err = pgx.ForEachRow(rows, []any{&b.kind, &b.state}, func() error {
		d.became = append(d.became, b)
		return nil
	})
	return err
}

// isOlder reports whether a row is from before another. A transition that is
// delivered again says what was true then.
func isOlder(now, decided rules.Now) bool { return now.Version() < decided.Version() }

// wakeWaiting makes the mutations pending whose time has come.
func (s *store) wakeWaiting(ctx context.Context) error {
	if _, err := s.pool.Exec(ctx, s.sql.wakeWaiting); err != nil {
		return fmt.Errorf("wake what waits: %w", err)
	}
	return nil
}
