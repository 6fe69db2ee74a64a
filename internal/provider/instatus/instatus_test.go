package instatus_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"testing"
	"time"

	"pawl/internal/provider/instatus"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

const component = `{"meta":{"unsubscribe":"https://dashboard.instatus.com/unsubscribe?id=1&token=s3cr3t"},
	"page":{"id":"pg1","status_indicator":"HASISSUES"},
	"component_update":{"created_at":"2026-01-01T10:00:00.379Z","new_status":"MAJOROUTAGE","component_id":"c1"},
	"component":{"id":"c1","name":"API","status":"MAJOROUTAGE","created_at":"2025-01-01T00:00:00.000Z"}}`

func delivery(body string) webhook.Delivery {
	return webhook.Delivery{Header: http.Header{}, Raw: []byte(body), ContentType: "application/json", Source: "status"}
}

func read(t *testing.T, body string) (schemas.Record, schemas.Event) {
	t.Helper()
	record, err := instatus.New().Seal(delivery(body))
	if err != nil {
		t.Fatal(err)
	}
	event, err := instatus.New().Decode(record)
	if err != nil {
		t.Fatal(err)
	}
	return record, event
}

// TestVerify: the token where nothing is signed; a signature counts where there is
// one, also beside a right token.
func TestVerify(t *testing.T) {
	t.Parallel()
	mac := hmac.New(sha256.New, []byte("signing"))
	mac.Write([]byte(component))
	right := hex.EncodeToString(mac.Sum(nil))
	for _, test := range []struct {
		name, token, signature string
		place                  int
		err                    error
	}{
		{"the token", "t0ken", "", 0, nil},
		{"the signature of another secret of the source", "t0ken", right, 1, nil},
		{"the signature alone", "", right, 1, nil},
		{"a wrong signature beside a right token", "t0ken", right[2:] + "00", 0, webhook.ErrSignature},
		{"a signature that is none beside a right token", "t0ken", "x", 0, webhook.ErrSignature},
		{"a wrong token", "other", "", 0, webhook.ErrSignature},
		{"nothing", "", "", 0, webhook.ErrNoSignature},
	} {
		in := delivery(component)
		in.Token = test.token
		if test.signature != "" {
			in.Header.Set("x-instatus-webhook-signature", test.signature)
		}
		place, err := instatus.New().Verify(in, [][]byte{[]byte("t0ken"), []byte("signing")})
		if !errors.Is(err, test.err) || err == nil && place != test.place {
			t.Errorf("%s: %d, %v", test.name, place, err)
		}
	}
}

// TestComponent has the clock of its change, and the record cannot unsubscribe.
func TestComponent(t *testing.T) {
	t.Parallel()
	record, event := read(t, component)
	if record.Key != "instatus.com:pg1/c1" || event.Entity != record.Key || bytes.Contains(record.Body, []byte("s3cr3t")) {
		t.Errorf("%s, %s", record.Key, record.Body)
	}
	got := event.Components[0]
	want := time.Date(2026, 1, 1, 10, 0, 0, 379_000_000, time.UTC)
	if got.Status != schemas.ComponentMajorOutage || got.Before.Known || !got.UpdatedAt.Value.Equal(want) {
		t.Errorf("%+v", got)
	}
}

// TestStatuses_InCapitalsWithoutUnderscores; what is none is unknown.
func TestStatuses_InCapitalsWithoutUnderscores(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]schemas.ComponentStatus{
		"OPERATIONAL": schemas.ComponentOperational, "DEGRADEDPERFORMANCE": schemas.ComponentDegraded,
		"PARTIALOUTAGE": schemas.ComponentPartialOutage, "MAJOROUTAGE": schemas.ComponentMajorOutage,
		"UNDERMAINTENANCE": schemas.ComponentUnderMaintenance, "UP": schemas.ComponentUnknown, "": schemas.ComponentUnknown,
	} {
		_, event := read(t, `{"page":{"id":"pg1"},"component_update":{"component_id":"c1"},"component":{"id":"c1","status":"`+word+`"}}`)
		if got := event.Components[0].Status; got != want {
			t.Errorf("%s is %s, want %s", word, got, want)
		}
	}
}

// TestMaintenance stands under a member of its own, and one that has not started is
// scheduled.
func TestMaintenance(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]schemas.IncidentStatus{
		"NOTSTARTEDYET": schemas.IncidentScheduled, "INPROGRESS": schemas.IncidentInProgress, "VERIFYING": schemas.IncidentVerifying,
		"COMPLETED": schemas.IncidentCompleted, "POSTPONED": schemas.IncidentUnknown,
	} {
		record, event := read(t, `{"page":{"id":"pg1"},"maintenance":{"id":"m1","name":"Move","status":"`+word+`","impact":"UNDERMAINTENANCE",
			"url":"https://x.instatus.com/m1","created_at":"2026-01-01T10:00:00.000Z","updated_at":"2026-01-01T10:05:00.000Z",
			"maintenance_updates":[{"id":"n1","body":"old","created_at":"2026-01-01T10:00:00.000Z"},
			{"id":"n2","body":"new","created_at":"2026-01-01T10:05:00.000Z","updated_at":"2026-01-01T10:06:00.000Z"}]}}`)
		got := event.Incident
		if record.Event != "maintenance" || record.Key != "instatus.com:pg1!m1" || event.Entity != record.Key || got.Status != want || !got.Maintenance {
			t.Errorf("%s: %s %+v", word, record.Key, got)
		}
		if got.Body.Value != "new" || got.Updates != 2 || got.URL.Value != "https://x.instatus.com/m1" || got.UpdatedAt.Value.Minute() != 6 {
			t.Errorf("%s: %+v", word, got)
		}
	}
}

// TestIncident at the page's own clock; what it leaves out is not known.
func TestIncident(t *testing.T) {
	t.Parallel()
	_, event := read(t, `{"page":{"id":"pg1"},"incident":{"id":"i1","name":"Slow","status":"IDENTIFIED","impact":"PARTIALOUTAGE",
		"url":"https://x.instatus.com/i1","updated_at":"2026-01-01T10:05:00.000Z","incident_updates":[{"id":"n1","markdown":"*x*","body":"x","created_at":"2026-01-01T10:05:00.000Z"}]}}`)
	got := event.Incident
	if got.Status != schemas.IncidentIdentified || got.Maintenance || got.Components.Known || got.URL.Value != "https://x.instatus.com/i1" || event.Components != nil {
		t.Errorf("%+v", got)
	}
}
