package actuator

import (
	"context"
	"maps"

	"github.com/jackc/pgx/v5"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// bound refuses those mutations that are more than the rules allow for one entity
// within an hour: two bots that answer each other, or a rule that answers itself,
// end here, dead, and a person sees it. A key that is held opens nothing and so
// counts for nothing; it is asked for only where something would be refused.
func (d *deciding) bound(ctx context.Context, tx pgx.Tx, wanted []*opening) error {
	limits := d.set.Limits()
	if limits.PerRule == 0 && limits.PerEntity == 0 {
		return nil
	}
	for _, of := range byEntity(wanted) {
		if err := d.boundOne(ctx, tx, limits, of); err != nil {
			return err
		}
	}
	return nil
}

// boundOne does so for the mutations of one entity.
func (d *deciding) boundOne(ctx context.Context, tx pgx.Tx, limits rules.Limits, wanted []*opening) error {
	counted, err := d.countRecent(ctx, tx, wanted[0].entity)
	if err != nil {
		return err
	}
	if !refuse(limits, maps.Clone(counted), wanted) {
		return nil
	}
	if err := d.findHolders(ctx, tx, wanted); err != nil {
		return err
	}
	refuse(limits, counted, wanted)
	return nil
}

// byEntity parts mutations by their entity, in their order.
func byEntity(wanted []*opening) [][]*opening {
	var parts [][]*opening
	places := make(map[schemas.EntityKey]int)
	for _, o := range wanted {
		at, ok := places[o.entity]
		if !ok {
			at, parts = len(parts), append(parts, nil)
			places[o.entity] = at
		}
		parts[at] = append(parts[at], o)
	}
	return parts
}

// refuse notes of each mutation whose key is not held why it is too many, and
// reports whether one is.
func refuse(limits rules.Limits, counted map[string]int, wanted []*opening) bool {
	some := false
	for _, o := range wanted {
		o.refused = ""
		if o.holder == "" {
			o.refused = limits.Refuse(counted, o.rule, o.entity)
		}
		some = some || o.refused != ""
	}
	return some
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
