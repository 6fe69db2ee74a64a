package ingest_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"pawl/ingest"
	"pawl/internal/provider/own"
	"pawl/schemas"
)

const (
	newSecret = "the new secret"
	oldSecret = "the old secret"
	goodBody  = `{"action":"opened","number":7,"repository":{"id":101,"full_name":"acme/api"}}`
)

// sign returns X-Hub-Signature-256 of a body.
func sign(body []byte, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// memory is an Appender that keeps its records in memory. It can fail before
// and after it keeps one, as a log can.
type memory struct {
	mu      sync.Mutex // mu guards what follows
	records []schemas.Record
	before  error
	after   error
	hold    chan struct{} // Append waits for it to be closed
	entered chan struct{}
}

func (m *memory) Append(ctx context.Context, record schemas.Record) (ingest.Place, error) {
	if m.entered != nil {
		m.entered <- struct{}{}
	}
	if m.hold != nil {
		select {
		case <-m.hold:
		case <-ctx.Done():
			return ingest.Place{}, context.Cause(ctx)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.before != nil {
		return ingest.Place{}, m.before
	}
	record.Body = slices.Clone(record.Body) // the edge uses it again
	m.records = append(m.records, record)
	if m.after != nil {
		return ingest.Place{}, m.after
	}
	return ingest.Place{Partition: 3, Offset: int64(len(m.records) - 1)}, nil
}

func (m *memory) Ready(context.Context) error { return m.before }

// kept returns the deliveries that were appended.
func (m *memory) kept() []schemas.Record {
	return slices.DeleteFunc(m.all(), func(r schemas.Record) bool { return r.Provider == own.Name })
}

func (m *memory) all() []schemas.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.records)
}

func githubSource() ingest.Source {
	return ingest.Source{Name: "github", Provider: "github", Secrets: []ingest.Secret{
		{Name: "new", Value: []byte(newSecret)}, {Name: "old", Value: []byte(oldSecret)},
	}}
}

func newEdge(t *testing.T, appender ingest.Appender, change func(cfg *ingest.Config)) (*ingest.Edge, *prometheus.Registry) {
	t.Helper()
	cfg := ingest.Config{Sources: []ingest.Source{githubSource()}}
	if change != nil {
		change(&cfg)
	}
	registry := prometheus.NewRegistry()
	edge, err := ingest.New(cfg, appender, ingest.NewMetrics(registry), nil)
	if err != nil {
		t.Fatal(err)
	}
	return edge, registry
}

// post is a good delivery, signed.
func post(t *testing.T, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks/github", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-GitHub-Event", "pull_request")
	r.Header.Set("X-GitHub-Delivery", "d-1")
	r.Header.Set("X-Hub-Signature-256", sign([]byte(body), newSecret))
	return r
}

func serve(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	return recorder
}

// answerOf reads the JSON of an answer.
func answerOf(t *testing.T, header http.Header, body io.Reader) map[string]any {
	t.Helper()
	if got := header.Get("Content-Type"); got != "application/json" {
		t.Errorf("content type of the answer = %q", got)
	}
	var fields map[string]any
	if err := json.NewDecoder(body).Decode(&fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestEdge_Statuses(t *testing.T) {
	t.Parallel()
	setBody := func(r *http.Request, body string) {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		r.Header.Set("X-Hub-Signature-256", sign([]byte(body), newSecret))
	}
	tests := []struct {
		name   string
		change func(r *http.Request)
		log    *memory
		status int
		reason string // the error field
	}{
		{name: "good", status: 202},
		{name: "signed with the old secret", change: func(r *http.Request) { r.Header.Set("X-Hub-Signature-256", sign([]byte(goodBody), oldSecret)) }, status: 202},
		{name: "charset", change: func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=utf-8") }, status: 202},
		{name: "no length", change: func(r *http.Request) { r.ContentLength = -1 }, status: 202},
		{name: "form", change: func(r *http.Request) {
			setBody(r, url.Values{"payload": {goodBody}}.Encode())
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}, status: 202},
		{name: "event that is not folded", change: func(r *http.Request) { r.Header.Set("X-GitHub-Event", "push") }, status: 202},
		{name: "ping without a repository", change: func(r *http.Request) {
			setBody(r, `{"zen":"Keep it."}`)
			r.Header.Set("X-GitHub-Event", "ping")
		}, status: 202},
		{name: "another provider's headers change nothing", change: func(r *http.Request) { r.Header.Set("X-Gitlab-Token", "x") }, status: 202},

		{name: "not JSON", change: func(r *http.Request) { setBody(r, "hello") }, status: 400, reason: "body"},
		{name: "empty body", change: func(r *http.Request) { setBody(r, "") }, status: 400, reason: "body"},
		{name: "no event", change: func(r *http.Request) { r.Header.Del("X-GitHub-Event") }, status: 400, reason: "headers"},
		{name: "no delivery id", change: func(r *http.Request) { r.Header.Del("X-GitHub-Delivery") }, status: 400, reason: "headers"},
		{name: "another instance", change: func(r *http.Request) { r.Header.Set("X-GitHub-Enterprise-Host", "ghe.acme.com") }, status: 400, reason: "headers"},
		{name: "form without payload", change: func(r *http.Request) {
			setBody(r, "a=b")
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}, status: 400, reason: "body"},
		{name: "body ends early", change: func(r *http.Request) { r.ContentLength++ }, status: 400, reason: "body_cut"},
		{name: "body breaks off", change: func(r *http.Request) { r.Body = io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF)) }, status: 400, reason: "body_cut"},

		{name: "no signature", change: func(r *http.Request) { r.Header.Del("X-Hub-Signature-256") }, status: 401, reason: "signature_missing"},
		{name: "SHA-1 only", change: func(r *http.Request) {
			r.Header.Del("X-Hub-Signature-256")
			r.Header.Set("X-Hub-Signature", "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59")
		}, status: 401, reason: "signature_missing"},
		{name: "wrong signature", change: func(r *http.Request) { r.Header.Set("X-Hub-Signature-256", sign([]byte(goodBody), "guess")) }, status: 401, reason: "signature_wrong"},
		{name: "signature of another body", change: func(r *http.Request) { r.Header.Set("X-Hub-Signature-256", sign([]byte("{}"), newSecret)) }, status: 401, reason: "signature_wrong"},
		{name: "signature over the form's JSON", change: func(r *http.Request) {
			setBody(r, url.Values{"payload": {goodBody}}.Encode())
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("X-Hub-Signature-256", sign([]byte(goodBody), newSecret))
		}, status: 401, reason: "signature_wrong"},
		{name: "signed with an empty secret", change: func(r *http.Request) { r.Header.Set("X-Hub-Signature-256", sign([]byte(goodBody), "")) }, status: 401, reason: "signature_wrong"},

		{name: "of another provider", change: func(r *http.Request) {
			r.Header = http.Header{"Content-Type": {"application/json"}, "X-Gitlab-Event": {"Push Hook"}, "X-Gitlab-Token": {newSecret}}
		}, status: 401, reason: "wrong_provider"},
		{name: "of another provider, which signs as this one", change: func(r *http.Request) { r.Header.Set("X-Gitea-Event", "pull_request") }, status: 400, reason: "wrong_provider"},

		{name: "unknown source", change: func(r *http.Request) { r.URL.Path = "/webhooks/other" }, status: 404, reason: "no_source"},
		{name: "no source", change: func(r *http.Request) { r.URL.Path = "/webhooks/" }, status: 404, reason: "no_source"},
		{name: "more path", change: func(r *http.Request) { r.URL.Path = "/webhooks/github/x" }, status: 404, reason: "no_source"},
		{name: "other path", change: func(r *http.Request) { r.URL.Path = "/" }, status: 404, reason: "no_source"},
		{name: "GET", change: func(r *http.Request) { r.Method = http.MethodGet }, status: 405, reason: "method"},
		{name: "PUT", change: func(r *http.Request) { r.Method = http.MethodPut }, status: 405, reason: "method"},
		{name: "too large by its length", change: func(r *http.Request) { setBody(r, strings.Repeat("x", 2001)) }, status: 413, reason: "too_large"},
		{name: "too large without a length", change: func(r *http.Request) {
			setBody(r, strings.Repeat("x", 2001))
			r.ContentLength = -1
		}, status: 413, reason: "too_large"},
		{name: "no content type", change: func(r *http.Request) { r.Header.Del("Content-Type") }, status: 415, reason: "media_type"},
		{name: "multipart", change: func(r *http.Request) { r.Header.Set("Content-Type", "multipart/form-data; boundary=x") }, status: 415, reason: "media_type"},
		{name: "text", change: func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, status: 415, reason: "media_type"},

		{name: "log away", log: &memory{before: ingest.ErrLog}, status: 503, reason: "log_away"},
		{name: "log fails after it kept the record", log: &memory{after: errors.New("connection reset")}, status: 503, reason: "log_away"},
		{name: "queue full", log: &memory{before: ingest.ErrBusy}, status: 503, reason: "busy"},
		{name: "appender closed", log: &memory{before: ingest.ErrClosed}, status: 503, reason: "draining"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log := test.log
			if log == nil {
				log = &memory{}
			}
			edge, registry := newEdge(t, log, func(cfg *ingest.Config) { cfg.MaxBody = 2000 })
			r := post(t, goodBody)
			if test.change != nil {
				test.change(r)
			}
			response := serve(edge, r)
			if response.Code != test.status {
				t.Errorf("status = %d, want %d", response.Code, test.status)
			}
			fields := answerOf(t, response.Header(), response.Body)
			if test.status == 202 {
				checkAppended(t, fields, log)
				return
			}
			if fields["error"] != test.reason || fields["what"] == "" || fields["do"] == "" {
				t.Errorf("answer = %v, want the error %q with what and do", fields, test.reason)
			}
			checkRefused(t, response, registry, test.reason)
			if test.status != 503 && len(log.kept()) != 0 {
				t.Error("a refused delivery was appended")
			}
		})
	}
}

func checkAppended(t *testing.T, fields map[string]any, log *memory) {
	t.Helper()
	kept := log.kept()
	if len(kept) != 1 {
		t.Fatalf("%d records in the log, want 1", len(kept))
	}
	want := map[string]any{"delivery_id": "d-1", "key": string(kept[0].Key), "partition": 3.0, "offset": 0.0}
	if diff := cmp.Diff(fields, want); diff != "" {
		t.Errorf("answer (-got +want):\n%s", diff)
	}
}

func checkRefused(t *testing.T, response *httptest.ResponseRecorder, registry *prometheus.Registry, reason string) {
	t.Helper()
	if got := response.Header().Get("Retry-After") != ""; got != (response.Code == http.StatusServiceUnavailable) {
		t.Errorf("Retry-After is there: %t", got)
	}
	if got := response.Header().Get("Allow"); (got == "POST") != (response.Code == http.StatusMethodNotAllowed) {
		t.Errorf("Allow = %q", got)
	}
	if got := counted(t, registry, reason); got != 1 {
		t.Errorf("%v deliveries counted under the outcome %q, want 1", got, reason)
	}
}

// counted returns pawl_ingest_deliveries_total of an outcome.
func counted(t *testing.T, registry *prometheus.Registry, outcome string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "outcome" && label.GetValue() == outcome {
					sum += metric.GetCounter().GetValue()
				}
			}
		}
	}
	return sum
}

// An answer must not help to guess a secret.
func TestEdge_AnswerGivesNoSecretAway(t *testing.T) {
	t.Parallel()
	edge, _ := newEdge(t, &memory{}, nil)
	r := post(t, goodBody)
	r.Header.Set("X-Hub-Signature-256", sign([]byte(goodBody), "guess"))
	response := serve(edge, r)
	text := response.Body.Bytes()
	for _, secret := range []string{newSecret, oldSecret, `"new"`, `"old"`, sign([]byte(goodBody), newSecret)[7:], sign([]byte(goodBody), oldSecret)[7:]} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("the answer contains %q: %s", secret, text)
		}
	}
}

func TestEdge_RecordCarriesNoSecretAndNoSignature(t *testing.T) {
	t.Parallel()
	log := &memory{}
	edge, _ := newEdge(t, log, nil)
	r := post(t, goodBody)
	r.Header.Set("Authorization", "Bearer token")
	r.Header.Set("X-Hub-Signature", "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59")
	r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	serve(edge, r)
	got := log.kept()[0]
	got.ReceivedAt = time.Time{}
	want := schemas.Record{
		Key: "github.com:101#7", ID: "d-1", Source: "github", Provider: "github", Event: "pull_request", Action: "opened",
		Subject: "acme/api#7", ContentType: "application/json", Body: []byte(goodBody),
		TraceParent:     "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		ProviderHeaders: []schemas.Header{{Name: "X-GitHub-Event", Value: "pull_request"}},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("record (-got +want):\n%s", diff)
	}
}

func TestEdge_SecretRotationIsCounted(t *testing.T) {
	t.Parallel()
	edge, registry := newEdge(t, &memory{}, nil)
	for _, secret := range []string{oldSecret, oldSecret, newSecret} {
		r := post(t, goodBody)
		r.Header.Set("X-Hub-Signature-256", sign([]byte(goodBody), secret))
		serve(edge, r)
	}
	const want = `# HELP pawl_ingest_secret_uses_total Deliveries verified with each secret of a source. A secret that stands still may be removed.
# TYPE pawl_ingest_secret_uses_total counter
pawl_ingest_secret_uses_total{secret="new",source="github"} 1
pawl_ingest_secret_uses_total{secret="old",source="github"} 2
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "pawl_ingest_secret_uses_total"); err != nil {
		t.Error(err)
	}
	if got := testutil.CollectAndCount(registry, "pawl_ingest_secret_last_used_seconds"); got != 2 {
		t.Errorf("%d secrets have a time of last use, want 2", got)
	}
}

// What is not verified must not fill the metrics, whatever it says it is.
func TestEdge_UnverifiedMakesNoLabel(t *testing.T) {
	t.Parallel()
	edge, registry := newEdge(t, &memory{}, nil)
	series := 0
	for i, event := range []string{"a", "b", "c", "pull_request"} {
		r := post(t, goodBody)
		r.Header.Set("X-GitHub-Event", event)
		r.Header.Set("X-Hub-Signature-256", sign([]byte(goodBody), "guess"))
		serve(edge, r)
		r = post(t, goodBody)
		r.URL.Path = "/webhooks/" + event
		serve(edge, r)
		got := testutil.CollectAndCount(registry, "pawl_ingest_deliveries_total")
		if i == 0 {
			series = got
		}
		if got != series {
			t.Errorf("%d series after event %q, want %d as before", got, event, series)
		}
	}
}

func TestEdge_EventLabelIsBounded(t *testing.T) {
	t.Parallel()
	edge, registry := newEdge(t, &memory{}, nil)
	for _, event := range []string{"from_the_future", "from_beyond", "push"} {
		r := post(t, goodBody)
		r.Header.Set("X-GitHub-Event", event)
		serve(edge, r)
	}
	const want = `# HELP pawl_ingest_deliveries_total Deliveries by what became of them; those that are appended or an unknown_event are durable in the log.
# TYPE pawl_ingest_deliveries_total counter
pawl_ingest_deliveries_total{event="other",outcome="unknown_event",source="github"} 2
pawl_ingest_deliveries_total{event="push",outcome="appended",source="github"} 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "pawl_ingest_deliveries_total"); err != nil {
		t.Error(err)
	}
}

// I1: as long as the log has not confirmed the record, there is no answer; and
// the wait is bounded.
