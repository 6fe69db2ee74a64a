package provider_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pawl/internal/provider"
	"pawl/schemas"
)

func TestByName_KnowsEveryName(t *testing.T) {
	t.Parallel()
	for _, name := range provider.Names() {
		got, ok := provider.ByName(name)
		if !ok || got.Name() != name {
			t.Errorf("ByName(%q) = %v, %t", name, got, ok)
			continue
		}
		if status := got.SuccessStatus(); status < 200 || status > 299 {
			t.Errorf("%s: status of success = %d, want a 2xx", name, status)
		}
		if got.DefaultInstance() == "" || len(got.Events()) == 0 {
			t.Errorf("%s has no instance or no events", name)
		}
	}
	if got, ok := provider.ByName("sourceforge"); ok {
		t.Errorf(`ByName("sourceforge") = %v`, got)
	}
}

func TestDecode_GoesByTheRecordsProvider(t *testing.T) {
	t.Parallel()
	body := []byte(`{"number":7,"repository":{"id":101}}`)
	event, err := provider.Decode(schemas.Record{Key: "github.com:101#7", Provider: "github", Event: "pull_request", Body: body})
	if err != nil || event.PullRequest == nil {
		t.Errorf("Decode() of a record of GitHub = %+v, %v", event, err)
	}
}

func TestDecode_UnknownProviderIsIgnored(t *testing.T) {
	t.Parallel()
	record := schemas.Record{Key: "git.acme.com:1#7", ID: "d-1", Source: "s", Provider: "sourceforge", Event: "pull", Body: []byte("hello")}
	event, err := provider.Decode(record)
	if err != nil || !strings.Contains(event.Ignored, "sourceforge") {
		t.Errorf("Decode() = %+v, %v, want ignored with the provider's name", event, err)
	}
	if event.Entity != record.Key || event.DeliveryID != record.ID || event.Source != record.Source {
		t.Errorf("Decode() = %+v, want the record's key, id and source", event)
	}
}

func TestTakesToken_OfStatusPagesAlone(t *testing.T) {
	t.Parallel()
	pages := []string{"statuspage", "instatus", "betterstack", "monitor"}
	for _, name := range provider.Names() {
		of, _ := provider.ByName(name)
		if got, want := provider.TakesToken(of), slices.Contains(pages, name); got != want {
			t.Errorf("TakesToken(%s) = %t, want %t", name, got, want)
		}
	}
}

func TestAnswerWithin_IsTheShorterOfBoth(t *testing.T) {
	t.Parallel()
	for _, name := range provider.Names() {
		of, _ := provider.ByName(name)
		if got := provider.AnswerWithin(of, time.Second); got != time.Second {
			t.Errorf("AnswerWithin(%s, 1s) = %s", name, got)
		}
		want := time.Minute
		if name == "linear" {
			want = 4 * time.Second
		}
		if got := provider.AnswerWithin(of, time.Minute); got != want {
			t.Errorf("AnswerWithin(%s, 1m) = %s, want %s", name, got, want)
		}
	}
}

func TestSentAt_OnlyLinearKnows(t *testing.T) {
	t.Parallel()
	in := provider.Delivery{Header: http.Header{}, Raw: []byte(`{"webhookTimestamp":1681208494995}`)}
	for _, name := range provider.Names() {
		of, _ := provider.ByName(name)
		if at, known := provider.SentAt(of, in); known != (name == "linear") || known && at.UnixMilli() != 1681208494995 {
			t.Errorf("SentAt(%s) = %s, %t", name, at, known)
		}
	}
}
