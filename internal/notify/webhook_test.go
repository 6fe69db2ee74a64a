package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/notify"
)

func TestWebhook_IsSignedAndCarriesTheKey(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusNoContent))
	sender := newSender(t, loopback())
	old := "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("o", 24)))
	url := strings.Replace(r.hook("/hooks/a%2Fb?c=d"), "http://", "http://user:word@", 1) + "," + old
	if err := sender.Send(t.Context(), url, message); err != nil {
		t.Fatal(err)
	}
	got := r.requests()[0]
	if got.path != "/hooks/a%2Fb?c=d" {
		t.Errorf("path %q: the fragment is not sent, the rest is", got.path)
	}
	for name, want := range map[string]string{
		"Webhook-Id": key, "Idempotency-Key": key, "Content-Type": "application/json",
		"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("user:word")),
	} {
		if value := got.header.Get(name); value != want {
			t.Errorf("%s: %q, want %q", name, value, want)
		}
	}
	sent := got.header.Get("Webhook-Timestamp")
	if seconds, err := strconv.ParseInt(sent, 10, 64); err != nil || time.Since(time.Unix(seconds, 0)).Abs() > time.Minute {
		t.Errorf("timestamp %q is not now", sent)
	}
	signed := strings.Fields(got.header.Get("Webhook-Signature"))
	for i, secret := range []string{secret, old} {
		raw, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		mac := hmac.New(sha256.New, raw)
		fmt.Fprintf(mac, "%s.%s.%s", key, sent, got.body)
		if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); len(signed) != 2 || signed[i] != want {
			t.Errorf("signatures %v, want %s at %d", signed, want, i)
		}
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(got.body), &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"type": "notify", "key": key, "title": "Status", "text": "api is down",
		"data": map[string]any{"entity": "github.com:101#7", "rule": "tell-status"},
	}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

func TestWebhook_AttemptsOfAMessageSendTheSameBytes(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	sender := newSender(t, loopback())
	for range 2 {
		if err := sender.Send(t.Context(), r.hook("/"), message); err != nil {
			t.Fatal(err)
		}
	}
	got := r.requests()
	if got[0].body != got[1].body || got[0].header.Get("Webhook-Id") != got[1].header.Get("Webhook-Id") {
		t.Errorf("two attempts differ: %+v", got)
	}
}

func TestWebhook_VerdictByStatus(t *testing.T) {
	t.Parallel()
	now := time.Now()
	cases := []struct {
		status     int
		retryAfter string
		verdict    notify.Verdict
		retryIn    time.Duration // -1: not said
	}{
		{200, "", "", 0},
		{202, "", "", 0},
		{204, "", "", 0},
		{301, "", notify.Permanent, -1},
		{307, "", notify.Permanent, -1},
		{400, "", notify.Permanent, -1},
		{401, "", notify.Permanent, -1},
		{404, "30", notify.Permanent, -1},
		{410, "", notify.Permanent, -1},
		{408, "", notify.Later, -1},
		{425, "", notify.Later, -1},
		{429, "", notify.Later, -1},
		{429, "90", notify.Later, 90 * time.Second},
		{429, now.Add(time.Hour).UTC().Format(http.TimeFormat), notify.Later, time.Hour},
		{503, "120", notify.Later, 2 * time.Minute},
		{429, "soon", notify.Later, -1},
		{500, "", notify.Unknown, -1},
		{502, "", notify.Unknown, -1},
		{504, "", notify.Unknown, -1},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.status, c.retryAfter), func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
				if c.retryAfter != "" {
					w.Header().Set("Retry-After", c.retryAfter)
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
			})
			err := newSender(t, loopback()).Send(t.Context(), r.hook("/path-secret"), message)
			if c.verdict == "" {
				if err != nil {
					t.Errorf("Send() = %v", err)
				}
				return
			}
			fault := failure(t, err)
			if fault.Verdict != c.verdict || fault.Target != r.URL {
				t.Errorf("got %s at %s, want %s at %s", fault.Verdict, fault.Target, c.verdict, r.URL)
			}
			if wait := fault.RetryAt.Sub(now); c.retryIn < 0 != fault.RetryAt.IsZero() || c.retryIn > 0 && (wait-c.retryIn).Abs() > 10*time.Second {
				t.Errorf("again at %s, want in %s", fault.RetryAt, c.retryIn)
			}
			noSecret(t, err, []string{"path-secret", "whsec"})
			if len(r.requests()) != 1 {
				t.Errorf("%d requests, want 1", len(r.requests()))
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Time{
		"": {}, "soon": {}, "-1": {}, "NaN": {},
		"0": now, " 7 ": now.Add(7 * time.Second), "0.25": now.Add(250 * time.Millisecond),
		"99999999999999999999": now.Add(24 * time.Hour), "Inf": now.Add(24 * time.Hour),
		"Thu, 01 Jan 2026 00:01:00 GMT":    now.Add(time.Minute),
		"Thursday, 01-Jan-26 00:01:00 GMT": now.Add(time.Minute),
		"Wed, 31 Dec 2025 00:00:00 GMT":    now,
		"Sat, 01 Jan 2039 00:00:00 GMT":    now.Add(24 * time.Hour),
	} {
		if got := notify.RetryAfter(header, now); !got.Equal(want) {
			t.Errorf("RetryAfter(%q) = %s, want %s", header, got, want)
		}
	}
}

func TestWebhook_LostAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	fault := failure(t, newSender(t, loopback()).Send(t.Context(), r.hook("/"), message))
	if fault.Verdict != notify.Unknown || len(r.requests()) != 1 {
		t.Errorf("got %v (%s) after %d requests, want unknown after 1", fault, fault.Verdict, len(r.requests()))
	}
}

func TestWebhook_NobodyListensIsLater(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	r.Close()
	fault := failure(t, newSender(t, loopback()).Send(t.Context(), r.hook("/"), message))
	if fault.Verdict != notify.Later || !strings.Contains(fault.Reason, "nothing was sent") {
		t.Errorf("got %s, %v, want later: nothing was sent", fault.Verdict, fault)
	}
}

func TestSend_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	fault := failure(t, newSender(t, loopback()).Send(ctx, r.hook("/"), message))
	if fault.Verdict != notify.Unknown || time.Since(begun) > 5*time.Second {
		t.Errorf("got %s, %v after %s, want unknown soon", fault.Verdict, fault, time.Since(begun))
	}
}

func TestSend_RefusesWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	sender := newSender(t, loopback())
	for name, message := range map[string]notify.Message{
		"no text": {Title: "t", Key: key}, "no key": {Text: "t"}, "key with a dot": {Text: "t", Key: "a.b"},
		"key with a line": {Text: "t", Key: "a\nb"}, "long key": {Text: "t", Key: strings.Repeat("k", 200)},
		"data": {Text: "t", Key: key, Data: func() {}},
	} {
		if fault := failure(t, sender.Send(t.Context(), r.hook("/"), message)); fault.Verdict != notify.Permanent {
			t.Errorf("%s: %s, want permanent", name, fault.Verdict)
		}
	}
	if got := r.requests(); len(got) != 0 {
		t.Errorf("sent %v", got)
	}
}
