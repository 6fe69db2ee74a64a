package actuator

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pawl/schemas"
)

// bound opens those mutations dead that are more than the rules allow for one
// entity within an hour: two bots that answer each other, or a rule that answers
// itself, end here, and a person sees it.
func (d *deciding) bound(ctx context.Context, tx pgx.Tx, wanted []*opening) error {
	limits := d.set.Limits()
	if limits.PerRule == 0 && limits.PerEntity == 0 {
		return nil
	}
	recent := make(map[schemas.EntityKey]map[string]int)
	for _, o := range wanted {
		if recent[o.entity] == nil {
			counted, err := d.countRecent(ctx, tx, o.entity)
			if err != nil {
				return err
			}
			recent[o.entity] = counted
		}
		counted := recent[o.entity]
		all := 0
		for _, count := range counted {
			all += count
		}
		switch {
		case limits.PerRule > 0 && counted[o.rule] >= limits.PerRule:
			o.refused = fmt.Sprintf("rule %s has made %d mutations of %s within an hour, and limits.per_rule is %d: it looks like a loop", o.rule, counted[o.rule], o.entity, limits.PerRule)
		case limits.PerEntity > 0 && all >= limits.PerEntity:
			o.refused = fmt.Sprintf("the rules have made %d mutations of %s within an hour, and limits.per_entity is %d: it looks like a loop", all, o.entity, limits.PerEntity)
		default:
			counted[o.rule]++
		}
	}
	return nil
}

func (d *deciding) countRecent(ctx context.Context, tx pgx.Tx, entity schemas.EntityKey) (map[string]int, error) {
	rows, err := tx.Query(ctx, d.store.sql.countRecent, string(entity))
	if err != nil {
		return nil, err
	}
	counted := make(map[string]int)
	var rule string
	var count int
	_, err = pgx.ForEachRow(rows, []any{&rule, &count}, func() error {
		counted[rule] = count
		return nil
	})
	return counted, err
}
