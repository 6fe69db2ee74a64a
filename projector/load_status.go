package projector

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/schemas"
)

// wantStatus notes the rows that a delivery of a status page is about.
func (w *wanted) wantStatus(event schemas.Event) {
	for _, component := range event.Components {
		w.components = append(w.components, string(component.Key))
	}
	if event.Incident != nil {
		w.incidents = append(w.incidents, string(event.Entity))
	}
}

// queueStatus locks the rows of status pages, after all others. A component is
// shown by its own deliveries and by those of incidents, which are on other
// partitions: the second of two waits, and folds on what the first one wrote.
func (w *wanted) queueStatus(queue *pgx.Batch, held *Held) {
	if len(w.components) > 0 {
		sql := loadComponentsSQL
		if w.unmet {
			sql = strings.Replace(sql, "for update", "", 1)
		}
		queue.Queue(sql, w.components).Query(func(rows pgx.Rows) error { return readComponents(rows, held) })
	}
	if len(w.incidents) > 0 {
		queue.Queue(loadIncidentsSQL, w.incidents).Query(func(rows pgx.Rows) error { return readIncidents(rows, held) })
	}
}

func readComponents(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		component := new(schemas.StatusComponent)
		var updated *time.Time
		if err := rows.Scan(&component.EntityKey, &component.Instance, &component.PageID, &component.ComponentID, &component.Name,
			&component.Description, &component.GroupID, &component.Status, &component.Before, &updated,
			&component.Version, &component.NeedsRead); err != nil {
			return fmt.Errorf("read status_component: %w", err)
		}
		component.ProviderUpdatedAt = known(updated)
		held.Components[component.EntityKey] = component
	}
	return rows.Err()
}

func readIncidents(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		incident := new(schemas.StatusIncident)
		var created, resolved, from, until, updated *time.Time
		if err := rows.Scan(&incident.EntityKey, &incident.Instance, &incident.PageID, &incident.IncidentID, &incident.Name,
			&incident.Status, &incident.Impact, &incident.Maintenance, &incident.URL, &incident.Components,
			&incident.UpdateID, &incident.Body, &incident.Updates, &created, &resolved, &from, &until, &updated,
			&incident.Version, &incident.NeedsRead); err != nil {
			return fmt.Errorf("read status_incident: %w", err)
		}
		incident.CreatedAt, incident.ResolvedAt, incident.ScheduledFor = known(created), known(resolved), known(from)
		incident.ScheduledUntil, incident.ProviderUpdatedAt = known(until), known(updated)
		held.Incidents[incident.EntityKey] = incident
	}
	return rows.Err()
}
