package betterstack_test

import (
	"errors"
	"net/http"
	"testing"

	"pawl/internal/provider/betterstack"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// TestIncident: event_type says no more than the member that is there.
func TestIncident(t *testing.T) {
	t.Parallel()
	record, err := (betterstack.Provider{}).Seal(webhook.Delivery{Header: http.Header{}, Source: "status", Raw: []byte(`{"event_type":"incident",
		"page":{"id":"1234","status_indicator":"downtime"},
		"incident":{"id":"i1","name":"Down","status":"investigating","impact":"downtime","created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-01T10:05:00Z",
		"incident_updates":[{"id":"n1","status_report_id":"i1","body":"We look.","created_at":"2026-01-01T10:05:00Z"}],
		"components":[{"id":"c1","name":"API","status":"downtime"}]}}`)})
	if err != nil || record.Key != "betterstack.com:1234!i1" || record.Event != "incident" {
		t.Fatalf("%s %s, %v", record.Key, record.Event, err)
	}
	event, err := (betterstack.Provider{}).Decode(record)
	if err != nil || event.Incident.Status != schemas.IncidentInvestigating || event.Incident.Body.Value != "We look." ||
		event.Components[0].Status != schemas.ComponentUnknown || !event.Components[0].UpdatedAt.Known {
		t.Errorf("%+v %+v, %v", event.Incident, event.Components, err)
	}
}

// TestPages: a page that the source does not name is refused.
func TestPages(t *testing.T) {
	t.Parallel()
	in := webhook.Delivery{Header: http.Header{}, Pages: []string{"1"}, Raw: []byte(`{"page":{"id":"2"},"incident":{"id":"i1"}}`)}
	if _, err := (betterstack.Provider{}).Seal(in); !errors.Is(err, webhook.ErrPage) {
		t.Errorf("%v, want ErrPage", err)
	}
}
