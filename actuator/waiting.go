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
	var contrary cancelling
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
		contrary.ask(d.set, id, rule, decided, now)
		return nil
	})
	if err != nil {
		return err
	}
	return d.cancel(ctx, tx, contrary)
}

// cancelling are mutations that wait and are contrary to the state of the moment.
type cancelling struct {
	ids     []int64
	reasons []string
	waits   []waits
}

// waits is a decision that waits for components.
type waits struct {
	transition schemas.TransitionID
	rule       string
	entity     schemas.EntityKey
	components []schemas.EntityKey
}

// ask adds a mutation whose condition does not hold any more. Where the status of a
// component alone is the reason, its decision is to wait for it.
func (c *cancelling) ask(set *rules.Set, id int64, rule string, decided schemas.Transition, now rules.Now) {
	holds, reason := set.Again(rule, decided, now)
	if holds {
		return
	}
	c.ids, c.reasons = append(c.ids, id), append(c.reasons, storable(reason))
	if components := set.WaitsFor(rule, decided, now); len(components) > 0 {
		c.waits = append(c.waits, waits{decided.ID, rule, now.PullRequest.EntityKey, components})
	}
}

// cancel ends them, and gives their keys back.
func (d *deciding) cancel(ctx context.Context, tx pgx.Tx, contrary cancelling) error {
	if len(contrary.ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, d.store.sql.cancelWaiting, contrary.ids, contrary.reasons)
	if err != nil {
		return err
	}
	var b became
	_, err = pgx.ForEachRow(rows, []any{&b.kind, &b.state}, func() error {
		d.became = append(d.became, b)
		return nil
	})
	if err != nil {
		return err
	}
	return d.store.waitFor(ctx, tx, contrary.waits...)
}

// waitFor has decisions wait for their components, and no more where there are none.
func (s *store) waitFor(ctx context.Context, tx pgx.Tx, all ...waits) error {
	if len(all) == 0 {
		return nil
	}
	var transitions, names, entities, components []string
	for _, w := range all {
		transitions, names = append(transitions, string(w.transition)), append(names, w.rule)
		entities, components = append(entities, string(w.entity)), append(components, keysLiteral(w.components))
	}
	_, err := tx.Exec(ctx, s.sql.waitFor, transitions, names, entities, components)
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
