package betterstack_test

import (
	"bytes"
	"errors"
	"net/http"
	"testing"

	"pawl/internal/provider/betterstack"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// read seals and decodes a body.
func read(t *testing.T, body string) (schemas.Record, schemas.Event) {
	t.Helper()
	record, err := betterstack.New().Seal(webhook.Delivery{Header: http.Header{}, Source: "status", Raw: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	event, err := betterstack.New().Decode(record)
	if err != nil {
		t.Fatal(err)
	}
	return record, event
}

// TestIncident in the shape of the vendor's page: no status, no impact, no components.
// So neither its status nor its end is known.
func TestIncident(t *testing.T) {
	t.Parallel()
	record, event := read(t, `{"event_type":"incident","meta":{"unsubscribe":"https://status.acme.com/unsubscribe/s3cr3t"},
		"page":{"id":"1234","status_indicator":"downtime","status_description":"Some services are down"},
		"incident":{"id":"i1","name":"Down","created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-01T10:05:00Z",
		"shortlink":"https://status.acme.com/incidents/i1","organization_id":"12",
		"incident_updates":[{"id":"n2","status_report_id":"i1","body":"We know.","created_at":"2026-01-01T10:05:00Z","updated_at":"2026-01-01T10:05:00Z"},
		{"id":"n1","status_report_id":"i1","body":"We look.","created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-01T10:00:00Z"}]}}`)
	got := event.Incident
	if record.Key != "betterstack.com:1234!i1" || record.Event != "incident" || bytes.Contains(record.Body, []byte("s3cr3t")) {
		t.Errorf("%s %s %s", record.Key, record.Event, record.Body)
	}
	if got.Status != schemas.IncidentUnknown || got.ResolvedAt.Known || got.Body.Value != "We know." || got.Updates != 2 ||
		got.URL.Value != "https://status.acme.com/incidents/i1" || got.UpdatedAt.Value.Minute() != 5 || event.Components != nil {
		t.Errorf("%+v %+v", got, event.Components)
	}
}

// TestMaintenance says when it begins and ends.
func TestMaintenance(t *testing.T) {
	t.Parallel()
	record, event := read(t, `{"event_type":"maintenance","page":{"id":"1234","status_indicator":"maintenance"},
		"maintenance":{"id":"m1","name":"Upgrade","created_at":"2026-01-01T09:00:00Z","updated_at":"2026-01-02T02:00:00Z",
		"starts_at":"2026-01-02T02:00:00Z","ends_at":"2026-01-02T04:00:00Z",
		"maintenance_updates":[{"id":"n1","status_report_id":"m1","body":"Tonight.","created_at":"2026-01-01T09:00:00Z"}]}}`)
	got := event.Incident
	if record.Key != "betterstack.com:1234!m1" || record.Event != "maintenance" || !got.Maintenance || got.Body.Value != "Tonight." ||
		got.ScheduledFor.Value.Hour() != 2 || got.ScheduledUntil.Value.Hour() != 4 {
		t.Errorf("%s %s %+v", record.Key, record.Event, got)
	}
}

// TestStatuses in the vendor's words for what is on a page; what is not watched is
// unknown.
func TestStatuses(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]schemas.ComponentStatus{
		"operational": schemas.ComponentOperational, "degraded": schemas.ComponentDegraded, "downtime": schemas.ComponentMajorOutage,
		"maintenance": schemas.ComponentUnderMaintenance, "not_monitored": schemas.ComponentUnknown, "resolved": schemas.ComponentUnknown,
	} {
		record, event := read(t, `{"event_type":"component_update","page":{"id":"1234"},
			"component_update":{"created_at":"2026-01-01T10:00:00Z","new_status":"`+word+`","component_id":"c1"},"component":{"id":"c1","name":"API","status":"`+word+`"}}`)
		if got := event.Components[0]; record.Key != "betterstack.com:1234/c1" || got.Status != want || !got.UpdatedAt.Known {
			t.Errorf("%s: %s %+v, want %s", word, record.Key, got, want)
		}
	}
}

// TestSender: its deliveries name themselves, so that a source of another provider says
// what is wrong.
func TestSender(t *testing.T) {
	t.Parallel()
	in := webhook.Delivery{Header: http.Header{}, Source: "status", Raw: []byte(`{"page":{"id":"1"},"incident":{"id":"i1"}}`)}
	in.Header.Set("X-BetterUptime-Event", "incident")
	if _, err := betterstack.New().Seal(in); err != nil {
		t.Errorf("its own: %v", err)
	}
	if other, found := webhook.OtherProvider(in.Header, "statuspage"); !found || other != betterstack.Name {
		t.Errorf("%q, %t", other, found)
	}
}

// TestPages: a page that the source does not name is refused.
func TestPages(t *testing.T) {
	t.Parallel()
	in := webhook.Delivery{Header: http.Header{}, Pages: []string{"1"}, Raw: []byte(`{"page":{"id":"2"},"incident":{"id":"i1"}}`)}
	if _, err := betterstack.New().Seal(in); !errors.Is(err, webhook.ErrPage) {
		t.Errorf("%v, want ErrPage", err)
	}
}
