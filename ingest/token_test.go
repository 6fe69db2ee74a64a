package ingest_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pawl/ingest"
)

// TestEdge_Token: a token in the path proves a delivery of a provider that takes
// one, and is shown nowhere.
func TestEdge_Token(t *testing.T) {
	t.Parallel()
	const page1 = `{"page":{"id":"pg1"},"component":{"id":"c1"},"component_update":{"id":"u1"}}`
	page2 := strings.Replace(page1, "pg1", "pg2", 1)
	for _, test := range []struct {
		name, path, body string
		status           int
		reason           string
	}{
		{"right", "/webhooks/status/t0ken", page1, 200, `"delivery_id":"u1-`},
		{"wrong", "/webhooks/status/t0ken2", page1, 401, `"signature_wrong"`},
		{"missing", "/webhooks/status", page1, 401, `"signature_missing"`},
		{"empty", "/webhooks/status/", page1, 404, `"no_source"`},
		{"of a provider that takes none", "/webhooks/github/t0ken", page1, 404, `"no_source"`},
		{"of no source", "/webhooks/other/t0ken", page1, 404, `"no_source"`},
		{"under another path", "/hooks/status/t0ken", page1, 404, `"no_source"`},
		{"another page", "/webhooks/status/t0ken", page2, 403, `"page"`},
		{"no delivery", "/webhooks/status/t0ken", `{`, 400, `"body"`},
	} {
		var log bytes.Buffer
		edge, err := ingest.New(ingest.Config{Sources: []ingest.Source{
			{Name: "status", Provider: "statuspage", Secrets: []ingest.Secret{{Value: []byte("t0ken")}}, Pages: []string{"pg1"}},
			{Name: "github", Provider: "github", Secrets: []ingest.Secret{{Value: []byte("s")}}},
		}}, new(memory), nil, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
		if err != nil {
			t.Fatal(err)
		}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, test.path, strings.NewReader(test.body))
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		edge.ServeHTTP(answer, request)
		if err := edge.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if answer.Code != test.status || !strings.Contains(answer.Body.String(), test.reason) {
			t.Errorf("%s: %d %s, want %d %s", test.name, answer.Code, answer.Body, test.status, test.reason)
		}
		if shown := answer.Body.String() + log.String(); strings.Contains(shown, "t0ken") {
			t.Errorf("%s: the token is shown: %s", test.name, shown)
		}
	}
}
