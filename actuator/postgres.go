package actuator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/schemas"
)

// statementTimeout bounds each statement of claim and settle. They are not cut
// short by the end of the program: what is held is given back first.
const statementTimeout = 10 * time.Second

// claimRounds bounds how often a claim is lost to a faster actor before this one
// sleeps until the next wake-up.
const claimRounds = 20

var errStatementTimeout = errors.New("the database did not answer in time")

// store is pawl.mutation and pawl.lease.
type store struct {
	pool *pgxpool.Pool
	sql  statements
}

// unhurried returns a context that outlives the caller's, for one statement.
func unhurried(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithoutCancel(ctx), statementTimeout, errStatementTimeout)
}

// claim takes the lease of an entity that has a mutation due. Found is false
// where nothing is due. Two actors that reach for one entity at once: one of
// them gets no fence, and looks for another entity.
func (s *store) claim(ctx context.Context, owner string, length time.Duration) (l lease, found bool, err error) {
	ctx, cancel := unhurried(ctx)
	defer cancel()
	for range claimRounds {
		var entity string
		var fence *int64
		err := s.pool.QueryRow(ctx, s.sql.claimEntity, owner, length).Scan(&entity, &fence)
		if errors.Is(err, pgx.ErrNoRows) {
			return lease{}, false, nil
		}
		if err != nil {
			return lease{}, false, fmt.Errorf("claim: %w", err)
		}
		if fence != nil {
			return lease{entity: schemas.EntityKey(entity), fence: *fence}, true, nil
		}
	}
	return lease{}, false, nil // the others take what there is
}

// take renews the lease and claims the oldest unsettled mutation. Found is
// false where none is due, and where the lease is another's.
func (s *store) take(ctx context.Context, l lease, owner string, length time.Duration) (m mutation, found bool, err error) {
	ctx, cancel := unhurried(ctx)
	defer cancel()
	var params, transition, newest, before []byte
	row := s.pool.QueryRow(ctx, s.sql.takeMutation, l.entity, l.fence, owner, length)
	err = row.Scan(&m.ID, &m.Entity, &m.Rule, &m.Kind, &params, &m.IdempotencyKey, &m.TransitionID, &m.Attempt, &m.CreatedAt,
		&transition, &newest, &before)
	if errors.Is(err, pgx.ErrNoRows) {
		return mutation{}, false, nil
	}
	if err != nil {
		return mutation{}, false, fmt.Errorf("take a mutation of %s under fence %d: %w", l.entity, l.fence, err)
	}
	m.State, m.Params = schemas.MutationClaimed, params
	if err := m.read(transition, newest, before); err != nil {
		// unreachable unless the row was written by something else
		return m, true, fmt.Errorf("read mutation %d: %w", m.ID, err)
	}
	return m, true, nil
}

func (m *mutation) read(transition, newest, before []byte) error {
	if err := json.Unmarshal(transition, &m.Transition); err != nil {
		return fmt.Errorf("transition: %w", err)
	}
	if newest != nil {
		if err := json.Unmarshal(newest, &m.Newest); err != nil {
			return fmt.Errorf("row: %w", err)
		}
	}
	return json.Unmarshal(before, &m.Before)
}

// settle ends a claim under its fence, and returns what became of the later
// mutations of the decision. It reports false where the claim is another's by
// now; nothing was changed then.
func (s *store) settle(ctx context.Context, m mutation, fence int64, o *outcome) (bool, []became, error) {
	ctx, cancel := unhurried(ctx)
	defer cancel()
	var settled int
	var kinds, states []string
	settle := func(by querier) error {
		uncounted := 0
		if o.uncounted {
			uncounted = 1
		}
		m.State, m.Reason = o.state, storable(o.reason)
		value, err := json.Marshal(m.Mutation)
		if err != nil {
			return err // unreachable unless params are no JSON
		}
		return by.QueryRow(ctx, s.sql.settleMutation, m.ID, fence, m.State, m.Reason, uncounted, o.after, value,
			storable(o.seen), storable(o.sent), storable(o.answer)).Scan(&settled, &kinds, &states)
	}
	// The commit point. A crash before it leaves the claim to a lease that ends;
	// whoever comes next looks and finds what was done. After it the outcome
	// stands, and a later claim of this mutation does not come.
	var err error
	if len(o.waitsFor) > 0 {
		err = s.settleWaiting(ctx, m, o, settle)
	} else {
		err = settle(s.pool)
	}
	if err != nil {
		return false, nil, fmt.Errorf("settle mutation %d as %s under fence %d: %w", m.ID, o.state, fence, err)
	}
	followed := make([]became, len(kinds))
	for i := range kinds {
		followed[i] = became{kinds[i], states[i]}
	}
	return settled == 1, followed, nil
}

// release ends a lease now. A lease that is another's by now stays.
func (s *store) release(ctx context.Context, l lease) error {
	ctx, cancel := unhurried(ctx)
	defer cancel()
	if _, err := s.pool.Exec(ctx, s.sql.releaseLease, l.entity, l.fence); err != nil {
		return fmt.Errorf("release lease of %s under fence %d: %w", l.entity, l.fence, err)
	}
	return nil
}

// lookAgain asks for another look at a mutation that is done. It reports
// whether there is nothing left to ask for.
func (s *store) lookAgain(ctx context.Context, id int64) (bool, error) {
	tag, err := s.pool.Exec(ctx, s.sql.lookAgain, id)
	if err != nil {
		return false, fmt.Errorf("ask for another look at mutation %d: %w", id, err)
	}
	if tag.RowsAffected() == 1 {
		return true, nil
	}
	var state schemas.MutationState
	err = s.pool.QueryRow(ctx, s.sql.readState, id).Scan(&state)
	if errors.Is(err, pgx.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read state of mutation %d: %w", id, err)
	}
	// Claimed: its holder may have looked before the effect showed. Done: it was
	// settled since. In any other state it is looked at before it is acted on.
	return state != schemas.MutationClaimed && state != schemas.MutationDone, nil
}

// storable makes a text one that PostgreSQL takes: no NUL, valid UTF-8.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", "�")
}
