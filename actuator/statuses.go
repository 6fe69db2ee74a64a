package actuator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// A rule of pull requests can read the status of a component. Where that status alone
// is why it did not act, its decision waits, and a change of the component has it
// decided again: the same transition, on the newest row, under the same keys.
//
//	decide on a pull request    lock shared ─▶ read statuses ─▶ decide ─▶ it waits
//	component_changed           lock        ─▶ read statuses ─▶ what waits is decided again
//
// Nobody waits for ever: the two meet on the component's lock. Either the decision is
// committed before the change is looked at, and is found; or it reads its statuses
// after that, and the row that the change came from was committed before its
// transition was published.

// statusLocks is the first half of the key of the locks.
const statusLocks = 0x7061776c // "pawl"

// readStatuses locks the components that the rules read, in the order of their keys,
// and puts their statuses into the transition. One that changed is locked alone.
func (d *deciding) readStatuses(ctx context.Context, tx pgx.Tx, changed schemas.EntityKey) (err error) {
	d.transition.Statuses, err = d.store.lockStatuses(ctx, tx, d.set.Reads(), changed)
	return err
}

func (s *store) lockStatuses(ctx context.Context, tx pgx.Tx, keys []schemas.EntityKey, changed schemas.EntityKey) (
	found map[schemas.EntityKey]schemas.ComponentStatus, err error,
) {
	queue := new(pgx.Batch)
	for _, key := range keys {
		lock := s.sql.lockStatusShared
		if key == changed {
			lock = s.sql.lockStatus
		}
		queue.Queue(lock, statusLocks, string(key))
	}
	queue.Queue(s.sql.loadStatuses, keys).Query(func(rows pgx.Rows) error {
		found, err = scanStatuses(rows)
		return err
	})
	if err := tx.SendBatch(ctx, queue).Close(); err != nil {
		return nil, fmt.Errorf("read statuses: %w", err)
	}
	return found, nil
}

func scanStatuses(rows pgx.Rows) (map[schemas.EntityKey]schemas.ComponentStatus, error) {
	found := make(map[schemas.EntityKey]schemas.ComponentStatus)
	var key schemas.EntityKey
	var status schemas.ComponentStatus
	_, err := pgx.ForEachRow(rows, []any{&key, &status}, func() error {
		found[key] = status
		return nil
	})
	return found, err
}

// isReadBy reports whether a transition is of a component that the rules read.
func isReadBy(set *rules.Set, t schemas.Transition) bool {
	return t.Kind == schemas.KindComponentChanged && slices.Contains(set.Reads(), t.Entity)
}

// wake decides again what waits for the component, and cancels what waits for its
// time and is contrary now.
func (d *deciding) wake(ctx context.Context, tx pgx.Tx) error {
	if err := d.cancelReaders(ctx, tx); err != nil {
		return fmt.Errorf("cancel what reads %s: %w", d.transition.Entity, err)
	}
	rows, err := tx.Query(ctx, d.store.sql.loadWaitingDecisions, string(d.transition.Entity))
	if err != nil {
		return err
	}
	waiting, err := collectDecided(rows, d.transition.Statuses)
	if err != nil {
		return fmt.Errorf("read what waits for %s: %w", d.transition.Entity, err)
	}
	for _, w := range waiting {
		if err := d.again(ctx, tx, w); err != nil {
			return fmt.Errorf("decide again on transition %s: %w", w.t.ID, err)
		}
	}
	return nil
}

// decidedBefore is a transition that a rule has decided on, with the pull request
// and the statuses as they are now.
type decidedBefore struct {
	rule string
	t    schemas.Transition
}

func collectDecided(rows pgx.Rows, statuses map[schemas.EntityKey]schemas.ComponentStatus) ([]decidedBefore, error) {
	var found []decidedBefore
	var rule string
	var value, row []byte
	_, err := pgx.ForEachRow(rows, []any{&rule, &value, &row}, func() error {
		w := decidedBefore{rule: rule}
		if err := json.Unmarshal(value, &w.t); err != nil {
			return err
		}
		w.t.PullRequest, w.t.Statuses = new(schemas.PullRequest), statuses
		found = append(found, w)
		return json.Unmarshal(row, w.t.PullRequest)
	})
	return found, err
}

// again decides once more, and opens what is wanted now. A rule that is no more, or
// does not listen any more, waits for nothing.
func (d *deciding) again(ctx context.Context, tx pgx.Tx, w decidedBefore) error {
	decision, listens := d.set.DecideAgain(w.rule, w.t)
	if !listens {
		return d.store.waitFor(ctx, tx, waits{w.t.ID, w.rule, w.t.PullRequest.EntityKey, nil})
	}
	decision.Reason = fmt.Sprintf("after %s became %s: %s", d.transition.Entity, d.transition.To.Text, decision.Reason)
	inner := deciding{store: d.store, set: d.set, transition: w.t, decisions: []rules.Decision{decision}, outcomes: make(map[decisionKey]string)}
	if _, err := tx.Exec(ctx, d.store.sql.changeDecision, w.t.ID, decision.Rule, decision.Entity, string(decision.Outcome),
		storable(decision.Reason), string(decision.Values), keysLiteral(decision.WaitsFor), d.set.Hash, string(d.set.Mode)); err != nil {
		return err
	}
	if err := inner.act(ctx, tx, map[decisionKey]bool{keyOf(decision): true}); err != nil {
		return err
	}
	d.became = append(d.became, inner.became...)
	return nil
}

// cancelReaders cancels the mutations that wait for their time and whose condition a
// component makes false. Their decisions wait for it.
func (d *deciding) cancelReaders(ctx context.Context, tx pgx.Tx) error {
	var readers []string
	for _, info := range d.set.Rules() {
		if info.After > 0 && slices.Contains(info.Reads, d.transition.Entity) {
			readers = append(readers, info.Name)
		}
	}
	if len(readers) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, d.store.sql.loadReaders, readers)
	if err != nil {
		return err
	}
	var contrary cancelling
	var id int64
	var rule string
	var value, row []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &rule, &value, &row}, func() error {
		var decided schemas.Transition
		pr := new(schemas.PullRequest)
		if err := json.Unmarshal(value, &decided); err != nil {
			return err
		}
		if err := json.Unmarshal(row, pr); err != nil {
			return err
		}
		contrary.ask(d.set, id, rule, decided, rules.Now{PullRequest: pr, Statuses: d.transition.Statuses})
		return nil
	})
	if err != nil {
		return err
	}
	return d.cancel(ctx, tx, contrary)
}

// keysLiteral writes keys as an array of PostgreSQL. They have no character that it
// takes for its own, but are quoted all the same.
func keysLiteral(keys []schemas.EntityKey) string {
	text := "{"
	for i, key := range keys {
		if i > 0 {
			text += ","
		}
		quoted, _ := json.Marshal(string(key)) // a text is JSON, and JSON's quotes are PostgreSQL's
		text += string(quoted)
	}
	return text + "}"
}

// knowStatuses puts the newest statuses beside the newest row, for a rule that reads
// some.
func (a *Actuator) knowStatuses(ctx context.Context, m *mutation) error {
	info, ok := a.rules().Rule(m.Rule)
	if !ok || len(info.Reads) == 0 {
		return nil
	}
	ctx, cancel := unhurried(ctx)
	defer cancel()
	rows, err := a.store.pool.Query(ctx, a.store.sql.loadStatuses, info.Reads)
	if err != nil {
		return fmt.Errorf("read statuses: %w", err)
	}
	m.Newest.Statuses, err = scanStatuses(rows)
	return err
}

// settleWaiting settles a mutation that was skipped for the status of a component
// alone, and has its decision wait for that. Where a status has changed since it was
// asked, the mutation is tried again instead: nobody would wake it.
func (s *store) settleWaiting(ctx context.Context, m mutation, o *outcome, settle func(querier) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		now, err := s.lockStatuses(ctx, tx, o.waitsFor, "")
		if err != nil {
			return err
		}
		for _, key := range o.waitsFor {
			if now[key] != o.asked[key] {
				*o = retry(fmt.Sprintf("%s became %s meanwhile", key, now[key]), 0)
				o.uncounted = true
				return settle(tx)
			}
		}
		if err := settle(tx); err != nil {
			return err
		}
		return s.waitFor(ctx, tx, waits{m.TransitionID, m.Rule, m.Entity, o.waitsFor})
	})
}

// querier is the pool, or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}
