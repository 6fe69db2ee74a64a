package simulate

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/internal/plan"
	"pawl/schemas"
)

// statement returns the text of one statement.
func statement(name string) string {
	text, err := statements.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err) // unreachable unless a name is misspelled
	}
	return string(text)
}

// eachPage hands over the recorded transitions, some at a time and in the order of
// folding. The cursor ends with the transaction.
func (s *simulation) eachPage(ctx context.Context, tx pgx.Tx, take func([]schemas.Transition) error) error {
	var kinds []string
	for _, kind := range schemas.Kinds() {
		kinds = append(kinds, string(kind))
	}
	if _, err := tx.Exec(ctx, statement("transitions"), s.options.Since, kinds); err != nil {
		return fmt.Errorf("read transitions: %w", err)
	}
	for {
		rows, err := tx.Query(ctx, fmt.Sprintf("fetch forward %d from transition_page", pageSize))
		if err != nil {
			return fmt.Errorf("read transitions: %w", err)
		}
		var page []schemas.Transition
		var value []byte
		_, err = pgx.ForEachRow(rows, []any{&value, &s.report.Until}, func() error {
			t, err := decode(value)
			page = append(page, t)
			return err
		})
		if err != nil {
			return fmt.Errorf("read transitions: %w", err)
		}
		if len(page) == 0 {
			s.report.Until = s.report.Until.UTC()
			return nil
		}
		if err := take(page); err != nil {
			return err
		}
	}
}

func decode(value []byte) (schemas.Transition, error) {
	var t schemas.Transition
	if err := json.Unmarshal(value, &t); err != nil {
		return t, fmt.Errorf("a recorded transition is not of this version's form: %w", err)
	}
	return t, nil
}

// hold makes known which keys are held since before, for the entities of a page
// that come up for the first time.
func (s *simulation) hold(ctx context.Context, tx pgx.Tx, page []schemas.Transition) error {
	var entities []string
	for _, t := range page {
		if entity := t.PartitionKey(); !s.seen[entity] {
			s.seen[entity] = true
			entities = append(entities, string(entity))
		}
	}
	if len(entities) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, statement("held_before"), entities, s.options.Since)
	if err != nil {
		return fmt.Errorf("read what holds keys: %w", err)
	}
	var past plan.Past
	_, err = pgx.ForEachRow(rows, []any{&past.Entity, &past.Rule, &past.Key, &past.At}, func() error {
		s.new.Hold(past)
		if s.old != nil {
			s.old.Hold(past)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read what holds keys: %w", err)
	}
	return nil
}

// readDone reads what was really opened.
func (s *simulation) readDone(ctx context.Context, tx pgx.Tx) ([]*wish, error) {
	rows, err := tx.Query(ctx, statement("really_done"), s.options.Since)
	if err != nil {
		return nil, fmt.Errorf("read what was done: %w", err)
	}
	var done []*wish
	for rows.Next() {
		w := new(wish)
		var params []byte
		var receivedAt time.Time
		var refused, limited bool
		o := &w.side.Origin
		err := rows.Scan(&w.side.MutationID, &w.entity, &w.rule, &w.kind, &w.place, &params, &w.side.Key, &w.side.State, &w.side.Reason,
			&o.ID, &o.Entity, &o.Kind, &o.DeliveryID, &receivedAt, &o.Name, &refused, &limited)
		if err != nil {
			rows.Close()
			return nil, fmt.Errorf("read what was done: %w", err)
		}
		w.side.Params, o.ReceivedAt = params, receivedAt.UTC()
		w.will = willOf(schemas.MutationState(w.side.State), refused, limited)
		done = append(done, w)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read what was done: %w", err)
	}
	return done, nil
}

// willOf says what a real mutation tells of its rules.
func willOf(state schemas.MutationState, refused, limited bool) will {
	switch state {
	case schemas.MutationPlanned, schemas.MutationWaiting, schemas.MutationPending, schemas.MutationClaimed, schemas.MutationDone:
		return does
	case schemas.MutationDead:
		if limited {
			return doesNot
		}
		return does
	case schemas.MutationSkipped:
		return inVain
	case schemas.MutationCancelled:
		if refused {
			return inVain
		}
	}
	return doesNot
}
