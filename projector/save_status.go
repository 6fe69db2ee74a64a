package projector

import (
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/schemas"
)

// queueComponents writes the components. Where one that was not there when the
// batch was loaded is there now, another partition wrote it, and the batch is read
// again: what it wrote may be the newer.
func (w writes) queueComponents(queue *pgx.Batch, rows []*schemas.StatusComponent) {
	if len(rows) == 0 {
		return
	}
	type row = *schemas.StatusComponent
	text := func(get func(row) string) []string { return column(rows, get) }
	queue.Queue(saveComponentsSQL,
		text(func(r row) string { return string(r.EntityKey) }),
		text(func(r row) string { return r.Instance }),
		text(func(r row) string { return r.PageID }),
		text(func(r row) string { return r.ComponentID }),
		text(func(r row) string { return r.Name }),
		text(func(r row) string { return r.Description }),
		text(func(r row) string { return r.GroupID }),
		text(func(r row) string { return string(r.Status) }),
		text(func(r row) string { return string(r.Before) }),
		column(rows, func(r row) *time.Time { return instantOf(r.ProviderUpdatedAt) }),
		column(rows, func(r row) int64 { return r.Version }),
		column(rows, func(r row) bool { return r.NeedsRead }),
		w.now).
		QueryRow(func(found pgx.Row) error { return requireLoaded(found, w.loadedComponents, rows) })
}

// requireLoaded compares how many components were new with how many had to be.
func requireLoaded(found pgx.Row, loaded map[schemas.EntityKey]bool, rows []*schemas.StatusComponent) error {
	var got, want int64
	if err := found.Scan(&got); err != nil {
		return fmt.Errorf("write status_component: %w", err)
	}
	for _, row := range rows {
		if !loaded[row.EntityKey] {
			want++
		}
	}
	if got != want {
		return errRaced
	}
	return nil
}

func (w writes) queueIncidents(queue *pgx.Batch, rows []*schemas.StatusIncident) {
	if len(rows) == 0 {
		return
	}
	type row = *schemas.StatusIncident
	text := func(get func(row) string) []string { return column(rows, get) }
	instant := func(get func(row) time.Time) []*time.Time {
		return column(rows, func(r row) *time.Time { return instantOf(get(r)) })
	}
	queue.Queue(saveIncidentsSQL,
		text(func(r row) string { return string(r.EntityKey) }),
		text(func(r row) string { return r.Instance }),
		text(func(r row) string { return r.PageID }),
		text(func(r row) string { return r.IncidentID }),
		text(func(r row) string { return r.Name }),
		text(func(r row) string { return string(r.Status) }),
		text(func(r row) string { return r.Impact }),
		column(rows, func(r row) bool { return r.Maintenance }),
		text(func(r row) string { return r.URL }),
		text(func(r row) string { return arrayLiteral(r.Components) }),
		text(func(r row) string { return r.UpdateID }),
		text(func(r row) string { return r.Body }),
		column(rows, func(r row) int64 { return r.Updates }),
		instant(func(r row) time.Time { return r.CreatedAt }),
		instant(func(r row) time.Time { return r.ResolvedAt }),
		instant(func(r row) time.Time { return r.ScheduledFor }),
		instant(func(r row) time.Time { return r.ScheduledUntil }),
		instant(func(r row) time.Time { return r.ProviderUpdatedAt }),
		column(rows, func(r row) int64 { return r.Version }),
		column(rows, func(r row) bool { return r.NeedsRead }),
		w.now)
}
