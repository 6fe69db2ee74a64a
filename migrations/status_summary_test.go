package migrations_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"pawl/internal/pgtest"
	"pawl/schemas"
)

// TestStatusSummary_IsTheWorstOfThePage: the view ranks the statuses as the program
// does, and counts what goes on.
func TestStatusSummary_IsTheWorstOfThePage(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, status := range schemas.ComponentStatuses() {
		if _, err := conn.Exec(t.Context(), `insert into pawl.status_component (entity_key, instance, page_id, component_id, status, version, folded_at)
			values ('statuspage.io:pg1/' || $1, 'statuspage.io', 'pg1', $1, $1, 1, now())`, string(status)); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := conn.QueryRow(t.Context(), `select status from pawl.status_summary where page_id = 'pg1'`).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != string(status) {
			t.Errorf("with %s the page is %s", status, got)
		}
	}
	if _, err := conn.Exec(t.Context(), `insert into pawl.status_incident (entity_key, instance, page_id, incident_id, status, maintenance, version, folded_at)
		select 'statuspage.io:pg1!' || n, 'statuspage.io', 'pg1', n::text, s, m, 1, now()
		  from (values (1, 'investigating', false), (2, 'resolved', false), (3, 'scheduled', true), (4, 'in_progress', true)) as v (n, s, m)`); err != nil {
		t.Fatal(err)
	}
	var components, broken, incidents, maintenance int64
	if err := conn.QueryRow(t.Context(), `select components, not_operational, open_incidents, open_maintenance
		from pawl.status_summary where page_id = 'pg1'`).Scan(&components, &broken, &incidents, &maintenance); err != nil {
		t.Fatal(err)
	}
	if components != 6 || broken != 5 || incidents != 1 || maintenance != 2 {
		t.Errorf("%d components, %d not operational, %d incidents, %d maintenance", components, broken, incidents, maintenance)
	}
}
