package actuator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pawl/schemas"
)

// ErrUnreadable is wrapped by the errors of Handle for a message that will
// never be read: it belongs into the dead letters.
var ErrUnreadable = errors.New("transition cannot be read")

// Handle decides on the transition that a message carries. It is a handler for
// watermill's router; the router is made by Router.
func (a *Actuator) Handle(msg *message.Message) error {
	var t schemas.Transition
	if err := json.Unmarshal(msg.Payload, &t); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if t.ID == "" || t.Entity == "" {
		return fmt.Errorf("%w: it has no id or no entity", ErrUnreadable)
	}
	middleware.SetCorrelationID(string(t.Cause.DeliveryID), msg)
	return a.Decide(msg.Context(), t, msg.Payload)
}

// Decide asks each rule that listens to the transition, and writes what it said
// and the mutations it opens in one transaction. Deciding again changes nothing.
// Raw is the transition as it stood in the log.
func (a *Actuator) Decide(ctx context.Context, t schemas.Transition, raw []byte) error {
	if err := a.lookAtTwins(ctx, t); err != nil {
		return err
	}
	set := a.ruleSet()
	d := deciding{store: a.store, set: set, transition: t, raw: raw, wants: set.BridgeWants(t)}
	if !d.readsStatuses() {
		d.decide()
		if len(d.decisions) == 0 && !set.AnyWaits() && d.wants.IsNothing() {
			return nil
		}
	}
	// The commit point is the end of this transaction. Before it nothing is
	// decided, and the transition is read again. After it the decisions stand,
	// and a second reading finds them.
	err := pgx.BeginFunc(ctx, a.store.pool, func(tx pgx.Tx) error { return d.run(ctx, tx) })
	if err != nil {
		return fmt.Errorf("decide on transition %s of %s: %w", t.ID, t.Entity, readable(err))
	}
	a.metrics.count(d.became)
	for _, outcome := range d.outcomes {
		a.metrics.decisions.WithLabelValues(outcome).Inc()
	}
	return nil
}

// readable marks errors of the data itself: no retry will mend them.
func readable(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (strings.HasPrefix(refused.Code, "22") || strings.HasPrefix(refused.Code, "23")) {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return err
}

// lookAtTwins asks for another look where a comment of ours shows up beside one
// with the same marker: a call that was believed lost arrived after all, when
// nobody was looking any more.
func (a *Actuator) lookAtTwins(ctx context.Context, t schemas.Transition) error {
	if t.Kind != schemas.KindCommentCreated || t.Comment == nil {
		return nil
	}
	key, ok := markerKey(t.Comment.Body)
	if !ok {
		return nil
	}
	tag, err := a.store.pool.Exec(ctx, a.store.sql.lookAtTwins, string(key), string(t.Comment.Parent), "%"+marker(key)+"%")
	if err != nil {
		return fmt.Errorf("look for twins of comment %s: %w", t.Entity, readable(err))
	}
	if tag.RowsAffected() > 0 {
		a.log.WarnContext(ctx, "two comments carry one marker, looking again", "entity", t.Comment.Parent, "idempotency_key", key)
		a.signal()
	}
	return nil
}
