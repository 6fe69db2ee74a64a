package ingest_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"pawl/ingest"
	"pawl/schemas"
)

// bounded is an appender that notes how long it is given.
type bounded struct{ until time.Time }

func (b *bounded) Append(ctx context.Context, _ schemas.Record) (ingest.Place, error) {
	b.until, _ = ctx.Deadline()
	return ingest.Place{}, nil
}

func (b *bounded) Ready(context.Context) error { return nil }

func fromLinear(t *testing.T, edge http.Handler, sent time.Time) *httptest.ResponseRecorder {
	t.Helper()
	return serve(edge, linearRequest(t, sent, newSecret))
}

// linearRequest is a delivery of Linear under a secret.
func linearRequest(t *testing.T, sent time.Time, secret string) *http.Request {
	t.Helper()
	body := fmt.Sprintf(`{"type":"Comment","action":"create","data":{"id":"c1","issueId":"i1"},"webhookTimestamp":%d}`, sent.UnixMilli())
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks/linear", strings.NewReader(body))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("Linear-Event", "Comment")
	r.Header.Set("Linear-Delivery", "d-1")
	r.Header.Set("Linear-Signature", hex.EncodeToString(mac.Sum(nil)))
	return r
}

func withLinear(timeout time.Duration) func(cfg *ingest.Config) {
	return func(cfg *ingest.Config) {
		cfg.Timeout = timeout
		source := githubSource()
		source.Name, source.Provider = "linear", "linear"
		cfg.Sources = append(cfg.Sources, source)
	}
}

// TestEdge_LinearIsAnsweredIn5Seconds, by exactly 200: it takes all else for a
// failure. What was sent long ago is counted, and taken.
func TestEdge_LinearIsAnsweredIn5Seconds(t *testing.T) {
	t.Parallel()
	log := new(bounded)
	edge, registry := newEdge(t, log, withLinear(time.Minute))
	start := time.Now()
	for _, age := range []time.Duration{0, 18 * time.Second, time.Hour, -time.Hour} {
		if got := fromLinear(t, edge, start.Add(-age)); got.Code != http.StatusOK {
			t.Errorf("sent %s ago: %d %s", age, got.Code, got.Body)
		}
		if left := log.until.Sub(start); left > 5*time.Second {
			t.Errorf("the log is given %s, and Linear waits 5 s", left)
		}
	}
	want := `
# HELP pawl_ingest_outside_window_total Verified deliveries that say they were sent more than a minute from now: retries with their first stamp, or replays. They are taken; the delivery's id tells a replay.
# TYPE pawl_ingest_outside_window_total counter
pawl_ingest_outside_window_total{source="linear"} 2
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "pawl_ingest_outside_window_total"); err != nil {
		t.Error(err)
	}
}

// TestEdge_LinearIsRefusedIn5Seconds, where the log does not answer: in the shorter
// of what Linear waits and what is configured. Others have what is configured.
func TestEdge_LinearIsRefusedIn5Seconds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		configured time.Duration
		ofLinear   bool
		want       time.Duration
	}{
		{"Linear waits shorter", time.Minute, true, 4 * time.Second},
		{"the edge waits shorter", time.Second, true, time.Second},
		{"GitHub", time.Minute, false, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			edge, _ := newEdge(t, &memory{hold: make(chan struct{})}, withLinear(test.configured))
			start, request := time.Now(), post(t, goodBody)
			if test.ofLinear {
				request = linearRequest(t, start, newSecret)
			}
			got := serve(edge, request)
			if elapsed := time.Since(start); got.Code != http.StatusServiceUnavailable || elapsed != test.want {
				t.Errorf("%s: %d after %s, want 503 after %s", test.name, got.Code, elapsed, test.want)
			}
			if err := edge.Drain(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEdge_WindowOfAMinute: a minute is within it, and what nobody proved is not
// counted.
func TestEdge_WindowOfAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		edge, registry := newEdge(t, new(memory), withLinear(time.Minute))
		for _, test := range []struct {
			ago    time.Duration
			secret string
		}{
			{time.Minute, newSecret},
			{-time.Minute, newSecret},
			{time.Hour, "guess"},
		} {
			serve(edge, linearRequest(t, time.Now().Add(-test.ago), test.secret))
			if n, err := testutil.GatherAndCount(registry, "pawl_ingest_outside_window_total"); err != nil || n != 0 {
				t.Errorf("sent %s ago: %d sources have some outside the window, %v", test.ago, n, err)
			}
		}
		serve(edge, linearRequest(t, time.Now().Add(-time.Minute-time.Millisecond), newSecret))
		if n, err := testutil.GatherAndCount(registry, "pawl_ingest_outside_window_total"); err != nil || n != 1 {
			t.Errorf("sent more than a minute ago: %d sources, %v, want 1", n, err)
		}
		if err := edge.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
