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
	body := fmt.Sprintf(`{"type":"Comment","action":"create","data":{"id":"c1","issueId":"i1"},"webhookTimestamp":%d}`, sent.UnixMilli())
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks/linear", strings.NewReader(body))
	mac := hmac.New(sha256.New, []byte(newSecret))
	mac.Write([]byte(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("Linear-Event", "Comment")
	r.Header.Set("Linear-Delivery", "d-1")
	r.Header.Set("Linear-Signature", hex.EncodeToString(mac.Sum(nil)))
	return serve(edge, r)
}

// TestEdge_LinearIsAnsweredIn5Seconds, by exactly 200: it takes all else for a
// failure. What was sent long ago is counted, and taken.
func TestEdge_LinearIsAnsweredIn5Seconds(t *testing.T) {
	t.Parallel()
	log := new(bounded)
	edge, registry := newEdge(t, log, func(cfg *ingest.Config) {
		cfg.Timeout = time.Minute
		source := githubSource()
		source.Name, source.Provider = "linear", "linear"
		cfg.Sources = append(cfg.Sources, source)
	})
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
