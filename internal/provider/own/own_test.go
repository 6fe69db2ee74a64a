package own_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/own"
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

func refusals() own.Refusals {
	return own.Refusals{
		Source: "github", Outcome: "signature_wrong", Reason: "no secret of the source made the signature", Count: 12,
		FirstAt: time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC), LastAt: time.Date(2026, 1, 1, 10, 0, 59, 5, time.UTC),
	}
}

func record(t *testing.T, of own.Refusals) schemas.Record {
	t.Helper()
	made, err := of.Record("github.com")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestRecord_IsReadBackAsASentence(t *testing.T) {
	t.Parallel()
	made := record(t, refusals())
	got, err := own.DecodeRefusals(made)
	if err != nil {
		t.Fatal(err)
	}
	want := schemas.Event{
		Entity: "github.com", Source: "github", DeliveryID: made.ID, Provider: "pawl", Name: "refusals", ReceivedAt: refusals().LastAt,
		Ignored: "source github refused 12 deliveries: no secret of the source made the signature " +
			"(signature_wrong, from 2026-01-01T10:00:00Z to 2026-01-01T10:00:59Z)",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("event (-got +want):\n%s", diff)
	}
}

// A record passes through the log as headers and a body.
func TestRecord_KeepsTheContractOfTheLog(t *testing.T) {
	t.Parallel()
	made := record(t, refusals())
	read, err := schemas.ParseRecord([]byte(made.Key), made.Headers(), made.Body)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read, made); diff != "" {
		t.Errorf("record (-read +made):\n%s", diff)
	}
}

func TestRecord_IDIsThatOfItsContent(t *testing.T) {
	t.Parallel()
	later := refusals()
	later.Count++
	first, again, other := record(t, refusals()), record(t, refusals()), record(t, later)
	if first.ID != again.ID || first.ID == other.ID {
		t.Errorf("ids %s and %s of one content, %s of another", first.ID, again.ID, other.ID)
	}
}

func TestDecodeRefusals_TellsWhatIsStated(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"one", `{"source":"a","outcome":"headers","reason":"why","count":1}`, "source a refused 1 delivery: why (headers)"},
		{"one moment", `{"outcome":"headers","count":2,"last_at":"2026-01-01T00:00:00Z"}`, "source s refused 2 deliveries: headers (headers, at 2026-01-01T00:00:00Z)"},
		{"no source", `{"outcome":"body","count":3}`, "source s refused 3 deliveries: body (body)"},
		{"NUL", `{"source":"a\u0000b","outcome":"body","count":3}`, "source ab refused 3 deliveries: body (body)"},
		{"long", `{"outcome":"body","count":3,"reason":"` + strings.Repeat("x", 999) + `"}`, "source s refused 3 deliveries: " + strings.Repeat("x", 300) + " (body)"},
	} {
		got, err := own.DecodeRefusals(schemas.Record{Key: "github.com", Source: "s", Provider: "pawl", Event: "refusals", Body: []byte(test.body)})
		if err != nil || got.Ignored != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, got.Ignored, err, test.want)
		}
	}
}

func TestDecodeRefusals_ErrorsNameTheField(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{}`:                               "outcome",
		`{"outcome":"body"}`:               "count",
		`{"outcome":"body","count":0}`:     "count",
		`{"outcome":7,"count":1}`:          "outcome",
		`{"outcome":"body","count":"one"}`: "count",
		`[]`:                               "object",
		`hello`:                            "not JSON",
	} {
		got, err := own.DecodeRefusals(schemas.Record{Key: "github.com", Source: "s", Provider: "pawl", Event: "refusals", Body: []byte(body)})
		if !errors.Is(err, payload.ErrPayload) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v, want an error that names %s", body, got, err, want)
		}
	}
}

func TestDecodeRefusals_OtherEventsAreIgnored(t *testing.T) {
	t.Parallel()
	got, err := own.DecodeRefusals(schemas.Record{Key: "github.com", Source: "s", Provider: "pawl", Event: "dreams", Body: []byte("hello")})
	if err != nil || got.Ignored != "event dreams is not folded" {
		t.Errorf("%q, %v", got.Ignored, err)
	}
}

// The body holds what Refusals has, and nothing else.
func TestRecord_BodyHasSixFields(t *testing.T) {
	t.Parallel()
	var keys map[string]any
	if err := json.Unmarshal(record(t, refusals()).Body, &keys); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"source": "github", "outcome": "signature_wrong", "reason": "no secret of the source made the signature", "count": 12.0,
		"first_at": "2026-01-01T10:00:00Z", "last_at": "2026-01-01T10:00:59.000000005Z",
	}
	if diff := cmp.Diff(keys, want); diff != "" {
		t.Errorf("body (-got +want):\n%s", diff)
	}
}
