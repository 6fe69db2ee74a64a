package projector

import (
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/schemas"
)

// queueComponents writes the components. Where one that was not there when the
// batch was loaded is there now, another partition wrote it, and the batch is read
// again: what it wrote may be the newer.
func (w writes) queueComponents(queue *pgx.Batch, rows []*schemas.StatusComponent, loaded map[schemas.EntityKey]bool) {
	if len(rows) == 0 {
		return
	}
	fresh := countNew(rows, loaded, func(r *schemas.StatusComponent) schemas.EntityKey { return r.EntityKey })
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
		QueryRow(func(found pgx.Row) error { return requireNew(found, fresh) })
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
