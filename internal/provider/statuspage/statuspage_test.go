package statuspage_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/statuspage"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

const (
	meta = `"meta":{"unsubscribe":"https://x.statuspage.io/?unsubscribe=s3cr3t","generated_at":"2026-01-01T10:00:09.498Z"}`
	on   = `"page":{"id":"pg1","status_indicator":"none"}`

	componentBody = `{` + meta + `,` + on + `,"component":{"id":"c1","page_id":"pg1","group_id":null,"name":"API",` +
		`"description":"The API","status":"major_outage","updated_at":"2026-01-01T10:00:09.371Z"},` +
		`"component_update":{"id":"u1","component_id":"c1","old_status":"operational","new_status":"major_outage",` +
		`"created_at":"2026-01-01T10:00:09.379Z"}}`

	incidentBody = `{` + meta + `,` + on + `,"incident":{"id":"i1","page_id":"pg1","name":"Slow","status":"identified",` +
		`"impact":"minor","shortlink":"https://stspg.io/1","created_at":"2026-01-01T10:00:00.507Z",` +
		`"updated_at":"2026-01-01T10:05:00.603Z","resolved_at":null,"scheduled_for":null,"scheduled_until":null,` +
		`"components":[{"id":"c2","name":"Web","status":"PARTIALOUTAGE"},` +
		`{"id":"c1","name":"API","status":"degraded_performance","updated_at":"2025-12-31T09:00:00.001Z"},` +
		`{"id":"c1","name":"API","status":"operational","updated_at":"2025-12-30T09:00:00Z"},{"id":"a/b","name":"Odd"}],` +
		`"incident_updates":[{"id":"n1","body":"old","created_at":"2026-01-01T10:00:00.500Z","updated_at":"2026-01-01T10:06:00.700Z",` +
		`"display_at":"2026-01-01T11:00:00Z"},{"id":"n2","body":"new","created_at":"2026-01-01T10:05:00.600Z",` +
		`"updated_at":"2026-01-01T10:05:00.600Z","display_at":"2025-01-01T00:00:00Z"}]}}`
)

func delivery(body string) webhook.Delivery {
	return webhook.Delivery{Header: http.Header{}, Raw: []byte(body), ContentType: "application/json", Source: "status"}
}

func sealed(tb testing.TB, body string) schemas.Record {
	tb.Helper()
	record, err := statuspage.New().Seal(delivery(body))
	if err != nil {
		tb.Fatal(err)
	}
	return record
}

func decoded(tb testing.TB, body string) schemas.Event {
	tb.Helper()
	event, err := statuspage.New().Decode(sealed(tb, body))
	if err != nil {
		tb.Fatal(err)
	}
	return event
}

func said(text string) schemas.Stated[time.Time] {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return schemas.Say(at)
}

func TestVerify(t *testing.T) {
	t.Parallel()
	secrets := [][]byte{nil, []byte("t0ken-a"), []byte("t0ken-b")}
	for _, test := range []struct {
		name, token string
		secrets     [][]byte
		place       int
		want        error
	}{
		{"the first secret", "t0ken-a", secrets, 1, nil},
		{"an older secret", "t0ken-b", secrets, 2, nil},
		{"wrong", "t0ken-x", secrets, 0, webhook.ErrSignature},
		{"the beginning alone", "t0ken-", secrets, 0, webhook.ErrSignature},
		{"no token", "", secrets, 0, webhook.ErrNoSignature},
		{"no token and an empty secret", "", [][]byte{nil}, 0, webhook.ErrNoSignature},
		{"an empty secret proves nothing", "t0ken-x", [][]byte{nil}, 0, webhook.ErrNoSecret},
	} {
		place, err := statuspage.New().Verify(webhook.Delivery{Token: test.token}, test.secrets)
		if place != test.place || !errors.Is(err, test.want) {
			t.Errorf("%s: Verify() = %d, %v, want %d, %v", test.name, place, err, test.place, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "t0ken") {
			t.Errorf("%s: the error shows a token: %v", test.name, err)
		}
	}
}

func TestSeal_KeyEventAndID(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, key, event, subject, id string }{
		{"a component", componentBody, "statuspage.io:pg1/c1", "component_update", "pg1/API", "u1-"},
		{"an incident, by its newest update", incidentBody, "statuspage.io:pg1!i1", "incident", "pg1!Slow", "n2-"},
		{"neither", `{"page":{"id":"pg1"}}`, "statuspage.io", "other", "", ""},
	} {
		record := sealed(t, test.body)
		if string(record.Key) != test.key || record.Event != test.event || record.Subject != test.subject {
			t.Errorf("%s: %s, %s, %q", test.name, record.Key, record.Event, record.Subject)
		}
		if id := string(record.ID); !strings.HasPrefix(id, test.id) || len(id) != len(test.id)+16 || record.ID != sealed(t, test.body).ID {
			t.Errorf("%s: id = %s", test.name, id)
		}
	}
}

func TestSeal_TheCapabilityURLIsNotInTheRecord(t *testing.T) {
	t.Parallel()
	for _, body := range []string{componentBody, incidentBody, strings.Replace(componentBody, `"unsubscribe"`, `"\u0075nsubscribe"`, 1)} {
		record := sealed(t, body)
		want := body[:strings.Index(body, `{"meta":{`)+len(`{"meta":{`)] + body[strings.Index(body, `"generated_at"`):]
		if got := string(record.Body); got != want {
			t.Errorf("body = %s, want %s", got, want)
		}
	}
}

func TestSeal_Pages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		body  string
		pages []string
		want  error
	}{
		{componentBody, nil, nil},
		{componentBody, []string{"pg0", "pg1"}, nil},
		{componentBody, []string{"pg0"}, webhook.ErrPage},
		{`{"page":{}}`, []string{"pg0"}, webhook.ErrPage},
	} {
		in := delivery(test.body)
		in.Pages = test.pages
		if _, err := statuspage.New().Seal(in); !errors.Is(err, test.want) {
			t.Errorf("pages %v: Seal() = %v, want %v", test.pages, err, test.want)
		}
	}
}

func TestSeal_RefusesWhatCanBeInNoKeyAndNamesIt(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"page":{"id":"a:b"},"incident":{"id":"i1"}}`:                         "page.id",
		`{"page":{"id":7},"incident":{"id":"i1"}}`:                             "page.id",
		`{"page":{"id":"pg1"},"incident":{"id":"i 1"}}`:                        "incident.id",
		`{"page":{"id":"pg1"},"component":{"id":"c/1"},"component_update":{}}`: "component.id",
		`{"page":`: "not JSON",
	} {
		if _, err := statuspage.New().Seal(delivery(body)); !errors.Is(err, webhook.ErrBody) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: Seal() = %v, want ErrBody with %s", body, err, want)
		}
	}
}

func TestDecode_Component(t *testing.T) {
	t.Parallel()
	want := []schemas.ComponentSnapshot{{
		Key: "statuspage.io:pg1/c1", Instance: "statuspage.io", PageID: "pg1", ComponentID: "c1", Name: schemas.Say("API"),
		Description: schemas.Say("The API"), GroupID: schemas.Say(""), Status: schemas.ComponentMajorOutage,
		Before: schemas.Say(schemas.ComponentOperational), UpdatedAt: said("2026-01-01T10:00:09.371Z"),
	}}
	event := decoded(t, componentBody)
	if diff := cmp.Diff(event.Components, want); diff != "" || event.Entity != want[0].Key {
		t.Errorf("entity %s, components (-got +want):\n%s", event.Entity, diff)
	}
}

func TestDecode_ComponentStatus(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status, changed string
		want            schemas.ComponentStatus
	}{
		{"operational", "", schemas.ComponentOperational},
		{"UNDERMAINTENANCE", "", schemas.ComponentUnderMaintenance},
		{"Partial Outage", "", schemas.ComponentPartialOutage},
		{"degraded-performance", "", schemas.ComponentDegraded},
		{"wobbly", "operational", schemas.ComponentUnknown},
		{"", "MAJOROUTAGE", schemas.ComponentMajorOutage},
		{"", "", schemas.ComponentUnknown},
	} {
		event := decoded(t, `{`+on+`,"component":{"id":"c1","status":"`+test.status+`"},"component_update":{"new_status":"`+
			test.changed+`","created_at":"2026-01-01T10:00:09.379Z"}}`)
		if got := event.Components[0]; got.Status != test.want || got.UpdatedAt != said("2026-01-01T10:00:09.379Z") {
			t.Errorf("status %q, %q = %s at %v, want %s", test.status, test.changed, got.Status, got.UpdatedAt, test.want)
		}
	}
}

func TestDecode_Incident(t *testing.T) {
	t.Parallel()
	event := decoded(t, incidentBody)
	never := schemas.Say(time.Time{})
	want := &schemas.IncidentSnapshot{
		Instance: "statuspage.io", PageID: "pg1", IncidentID: "i1", Name: schemas.Say("Slow"), Status: schemas.IncidentIdentified,
		Impact: schemas.Say("minor"), URL: schemas.Say("https://stspg.io/1"), Components: schemas.Say([]string{"API", "Odd", "Web"}),
		// The newest by when it was made, though it is shown under an older time.
		UpdateID: schemas.Say("n2"), Body: schemas.Say("new"), Updates: 2,
		CreatedAt: said("2026-01-01T10:00:00.507Z"), ResolvedAt: never, ScheduledFor: never, ScheduledUntil: never,
		UpdatedAt: said("2026-01-01T10:06:00.700Z"), // an older update was edited
	}
	if diff := cmp.Diff(event.Incident, want); diff != "" || event.Entity != "statuspage.io:pg1!i1" {
		t.Errorf("entity %s, incident (-got +want):\n%s", event.Entity, diff)
	}
	components := []schemas.ComponentSnapshot{
		{
			Key: "statuspage.io:pg1/c1", Instance: "statuspage.io", PageID: "pg1", ComponentID: "c1", Name: schemas.Say("API"),
			Status: schemas.ComponentDegraded, UpdatedAt: said("2025-12-31T09:00:00.001Z"),
		},
		{
			Key: "statuspage.io:pg1/c2", Instance: "statuspage.io", PageID: "pg1", ComponentID: "c2", Name: schemas.Say("Web"),
			Status: schemas.ComponentPartialOutage, UpdatedAt: want.UpdatedAt,
		},
	}
	if diff := cmp.Diff(event.Components, components); diff != "" {
		t.Errorf("components (-got +want):\n%s", diff)
	}
}

func TestDecode_IncidentStatusAndMaintenance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fields      string
		status      schemas.IncidentStatus
		maintenance bool
	}{
		{`"status":"investigating"`, schemas.IncidentInvestigating, false},
		{`"status":"INPROGRESS"`, schemas.IncidentInProgress, true},
		{`"status":"completed"`, schemas.IncidentCompleted, true},
		{`"status":"resolved","scheduled_until":"2026-01-01T10:00:00Z"`, schemas.IncidentResolved, true},
		{`"status":"wobbly","scheduled_for":null`, schemas.IncidentUnknown, false},
		{`"name":"x"`, schemas.IncidentUnknown, false},
	} {
		got := decoded(t, `{`+on+`,"incident":{"id":"i1",`+test.fields+`}}`).Incident
		if got.Status != test.status || got.Maintenance != test.maintenance || got.UpdatedAt.Known {
			t.Errorf("%s = %s, maintenance %t, at %v", test.fields, got.Status, got.Maintenance, got.UpdatedAt)
		}
	}
}

func TestDecode_NamesTheFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"page":{"id":"pg1"},"component":{"id":"c1","page_id":"pg2"},"component_update":{}}`:     "component.page_id",
		`{"page":{"id":"pg1"},"component":{"id":"c1","group_id":7},"component_update":{}}`:        "component.group_id",
		`{"page":{"id":"pg1"},"component":{"id":"c1","status":7},"component_update":{}}`:          "status",
		`{"page":{"id":"pg1"},"incident":{"id":"i1","page_id":"pg2"}}`:                            "incident.page_id",
		`{"page":{"id":"pg1"},"incident":{"id":"i1","incident_updates":7}}`:                       "incident_updates",
		`{"page":{"id":"pg1"},"incident":{"id":"i1","components":[{"id":"c1","page_id":"pg2"}]}}`: "incident.components.page_id",
	} {
		_, err := statuspage.New().Decode(sealed(t, body))
		if !errors.Is(err, payload.ErrPayload) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: Decode() = %v, want %s named", body, err, want)
		}
	}
}

func TestDecode_OtherIsIgnored(t *testing.T) {
	t.Parallel()
	if event := decoded(t, `{"page":{"id":"pg1"}}`); event.Ignored == "" {
		t.Errorf("Decode() = %+v, want ignored", event)
	}
}

// FuzzSealDecode: what is sealed has a key that can be read, no capability URL,
// and is decoded to the same key or not at all.
func FuzzSealDecode(f *testing.F) {
	for _, seed := range []string{
		componentBody, incidentBody, `{"page":{"id":"pg1"}}`, `{"page":5}`, `[]`, `null`,
		`{"page":{"id":"pg1"},"component":{"id":"c1"},"component":{"name":"x"},"component_update":{"component_id":"c2"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		record, err := statuspage.New().Seal(delivery(string(body)))
		if err != nil {
			return
		}
		if _, err := schemas.ParseKey(record.Key); err != nil || record.ID == "" {
			t.Fatalf("key %q, id %q: %v", record.Key, record.ID, err)
		}
		event, err := statuspage.New().Decode(record)
		if err == nil && event.Entity != record.Key {
			t.Errorf("sealed as %s, decoded as %s", record.Key, event.Entity)
		}
	})
}
