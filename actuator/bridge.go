package actuator

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// A mirror meets two entities: the comment, and the pull request that names its
// issue. Their transitions are decided on by two actors, in any order. Both read
// what the other's projector has committed: rows are committed before their
// transitions are published, so whoever decides second sees the other's row. Where
// both see each other, one key is opened twice, and is held once (I10).

// bridge adds the decisions of the rules that mirror comments, where they need to
// know more than the transition says.
func (d *deciding) bridge(ctx context.Context, tx pgx.Tx) error {
	if d.wants.IsNothing() {
		return nil
	}
	around, err := d.store.loadAround(ctx, tx, d.wants)
	if err != nil {
		return fmt.Errorf("load what is mirrored: %w", err)
	}
	d.decisions = append(d.decisions, d.set.Bridge(d.transition, around)...)
	return nil
}

func (s *store) loadAround(ctx context.Context, tx pgx.Tx, wants rules.BridgeWants) (around rules.BridgeAround, err error) {
	if wants.Issue != "" || wants.UnderPullRequests != "" {
		around.PullRequests, err = collect[*schemas.PullRequest](ctx, tx, s.sql.loadLinked, wants.Issue, wants.UnderPullRequests)
	}
	if err == nil && wants.UnderIssues != "" {
		around.Issues, err = collect[string](ctx, tx, s.sql.loadMirrors, wants.UnderIssues)
	}
	if err == nil && len(wants.Earlier) > 0 {
		around.Comments, err = collect[schemas.Comment](ctx, tx, s.sql.loadEarlier, wants.Earlier, wants.Limit)
	}
	return around, err
}

// collect returns the rows of one column. One that is JSON is read into its type.
func collect[T any](ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[T])
}

// encodeDecided returns the transitions that were decided on, where they are not
// as they stand in the log.
func encodeDecided(decisions []rules.Decision) (map[decisionKey]string, error) {
	texts := make(map[decisionKey]string)
	for _, decision := range decisions {
		if decision.Transition == nil || len(decision.Mutations) == 0 {
			continue
		}
		text, err := json.Marshal(decision.Transition)
		if err != nil {
			return nil, fmt.Errorf("write the transition for %s: %w", decision.Entity, err) // unreachable: it was read from JSON
		}
		texts[keyOf(decision)] = string(text)
	}
	return texts, nil
}
