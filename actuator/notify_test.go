package actuator_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/internal/notify"
	"pawl/schemas"
)

const (
	notifyRules = `
version: 1
rules:
  - name: tell
    on: [labels_changed]
    when: pr.state == "open"
    mutate: {notify: {url: "env:HOOK", title: "{{pr.repository}}", text: "labels of #{{pr.number}}"}}
`
	hookAddress = "https://hooks.example.com/hunter2"
)

// sent is one message that a notifier was given.
type sent struct {
	url     string
	message notify.Message
}

// notifier keeps what it sends, and fails as it is told, in that order.
type notifier struct {
	mu    sync.Mutex // mu guards what follows
	sent  []sent
	fails []error
}

func (n *notifier) Send(_ context.Context, url string, message notify.Message) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sent = append(n.sent, sent{url, message})
	if len(n.fails) == 0 {
		return nil
	}
	err := n.fails[0]
	n.fails = n.fails[1:]
	return err
}

func (n *notifier) all() []sent {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]sent(nil), n.sent...)
}

func resolveHook(reference string) (string, error) {
	if reference != "env:HOOK" {
		return "", errors.New(reference + " is not set, or is empty")
	}
	return hookAddress, nil
}

// telling is a rig whose rule has told of one pull request.
func telling(t *testing.T, fails ...error) (*rig, actor, *notifier) {
	t.Helper()
	r := newRig(t, notifyRules)
	n := &notifier{fails: fails}
	a := r.actor("a", actuator.Config{Notifier: n, Resolve: resolveHook, MaxAttempts: 3})
	r.decide(a, r.turn(r.github.Open(repo, fakegithub.PullRequest{}), schemas.KindLabelsChanged))
	r.passes(a)
	return r, a, n
}

func TestNotify_SendsOnceWithTheKeyAndWhatItIsAbout(t *testing.T) {
	t.Parallel()
	r, a, n := telling(t)
	r.passes(a)
	all := n.all()
	if len(all) != 1 {
		t.Fatalf("messages: got %d, want 1", len(all))
	}
	got := all[0]
	if got.url != hookAddress || got.message.Title != repo || got.message.Text != "labels of #1" ||
		got.message.Key != query[string](r, `select idempotency_key from pawl.mutation`) {
		t.Errorf("got %+v", got)
	}
	var data map[string]any
	if err := json.Unmarshal(encode(t, got.message.Data), &data); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"entity": "github.com:101#1", "repository": repo, "number": 1.0, "rule": "tell", "kind": "labels_changed",
		"transition_id": query[string](r, `select transition_id from pawl.mutation`), "from": data["from"], "to": "labels_changed",
	}
	if diff := cmp.Diff(want, data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(trace{"done", "to be done", "notify env:HOOK", "taken"}, r.trace(1)); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	if row := query[string](r, `select m::text from pawl.mutation m`); strings.Contains(row, "hunter2") {
		t.Errorf("the address is in the row: %s", row)
	}
	if got := len(r.github.Calls()); got != 0 {
		t.Errorf("calls to the provider: got %d, want none", got)
	}
}

func TestNotify_PermanentIsDead(t *testing.T) {
	t.Parallel()
	r, _, _ := telling(t, &notify.SendError{Verdict: notify.Permanent, Target: "https://hooks.example.com", Reason: "answered 404 Not Found"})
	want := trace{"dead", "to be done", "notify env:HOOK", "notify https://hooks.example.com: answered 404 Not Found"}
	if diff := cmp.Diff(want, r.trace(1)); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	if got := r.openLetters(); len(got) != 1 {
		t.Errorf("dead letters: got %v, want one", got)
	}
}

func TestNotify_LaterIsPendingAtThatTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		err         *notify.SendError
		least, most time.Duration
		attempt     int
	}{
		{"with a time", &notify.SendError{Verdict: notify.Later, Reason: "answered 429", RetryAt: time.Now().Add(time.Hour)}, 58 * time.Minute, time.Hour, 0},
		{"with a time of next week", &notify.SendError{Verdict: notify.Later, Reason: "answered 429", RetryAt: time.Now().Add(168 * time.Hour)}, 2 * time.Hour, 2 * time.Hour, 0},
		{"without", &notify.SendError{Verdict: notify.Later, Reason: "the connection was refused"}, 0, 3 * time.Second, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, a, n := telling(t, tt.err)
			var wait time.Duration
			var attempt int
			err := r.pool.QueryRow(t.Context(), `select next_attempt_at - now(), attempt from pawl.mutation where state = 'pending'`).Scan(&wait, &attempt)
			if err != nil {
				t.Fatal(err)
			}
			if wait < tt.least-time.Minute || wait > tt.most || attempt != tt.attempt {
				t.Errorf("got %s and attempt %d, want %s to %s and %d", wait, attempt, tt.least, tt.most, tt.attempt)
			}
			r.due()
			r.passes(a)
			if len(n.all()) != 2 || r.trace(1).State != "done" {
				t.Errorf("in the end: %d messages, %+v", len(n.all()), r.trace(1))
			}
		})
	}
}

// TestNotify_UnknownIsSentAgainUnderTheSameKey, and ends as a dead letter.
func TestNotify_UnknownIsSentAgainUnderTheSameKey(t *testing.T) {
	t.Parallel()
	lost := &notify.SendError{Verdict: notify.Unknown, Target: "https://hooks.example.com", Reason: "no answer in time after the message was sent"}
	for attempts, state := range map[int]string{2: "done", 3: "dead"} {
		var fails []error
		for range attempts {
			fails = append(fails, lost)
		}
		r, a, n := telling(t, fails...)
		for range 3 {
			r.due()
			r.passes(a)
		}
		all := n.all()
		if len(all) != 3 || r.trace(1).State != state {
			t.Fatalf("%d lost answers: %d messages, %+v, want 3 and %s", attempts, len(all), r.trace(1), state)
		}
		for _, one := range all {
			if one.message.Key != all[0].message.Key {
				t.Errorf("keys: %s and %s", all[0].message.Key, one.message.Key)
			}
		}
	}
}

// TestNotify_ConditionIsAskedAgain before it is sent.
func TestNotify_ConditionIsAskedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, notifyRules)
	n := new(notifier)
	a := r.actor("a", actuator.Config{Notifier: n, Resolve: resolveHook})
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.turn(number, schemas.KindLabelsChanged))
	r.github.Close(repo, number, "octocat")
	r.fold(number)
	r.passes(a)
	if len(n.all()) != 0 || r.trace(number).State != "skipped" {
		t.Errorf("got %d messages, %+v", len(n.all()), r.trace(number))
	}
}

func TestNotify_WhatIsNotConfiguredIsDead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config actuator.Config
		says   string
	}{
		{"nobody sends", actuator.Config{}, "nobody is configured to send notifications"},
		{"no address", actuator.Config{Notifier: new(notifier), Resolve: func(reference string) (string, error) {
			return "", errors.New(reference + " is not set, or is empty")
		}}, "env:HOOK is not set"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, notifyRules)
			a := r.actor("a", tt.config)
			r.decide(a, r.turn(r.github.Open(repo, fakegithub.PullRequest{}), schemas.KindLabelsChanged))
			r.passes(a)
			if got := r.reason(1); r.trace(1).State != "dead" || !strings.Contains(got, tt.says) {
				t.Errorf("got %s: %s, want it dead: %s", r.trace(1).State, got, tt.says)
			}
		})
	}
}

// TestNotify_NeedsNoProvider: the entity's instance has none; what is to be done
// there is dead, and the message is sent.
func TestNotify_NeedsNoProvider(t *testing.T) {
	t.Parallel()
	r := newRig(t, strings.Replace(notifyRules, "mutate: {notify", "on_refusal: go_on\n    mutate: {close: {}, notify", 1))
	n := new(notifier)
	registry := prometheus.NewRegistry()
	without, err := actuator.New(actuator.Config{Owner: "a", Notifier: n, Resolve: resolveHook}, r.pool, nil,
		r.rules.Load, r.log, slog.New(slog.DiscardHandler), registry)
	if err != nil {
		t.Fatal(err)
	}
	a := actor{without, registry}
	r.decide(a, r.turn(r.github.Open(repo, fakegithub.PullRequest{}), schemas.KindLabelsChanged))
	r.passes(a)
	r.wantMutations(1, standing{"tell", "close", "dead"}, standing{"tell", "notify", "done"})
	if got := r.reasons(1); !strings.Contains(got, `no provider is configured for "github.com"`) {
		t.Errorf("reasons: %s", got)
	}
	if got := len(n.all()); got != 1 {
		t.Errorf("messages: got %d, want 1", got)
	}
}

// TestNotify_ThroughTheRealSender: to a webhook on this machine, which the guard
// lets through where it is allowed.
func TestNotify_ThroughTheRealSender(t *testing.T) {
	t.Parallel()
	for name, allow := range map[string][]string{"allowed": {"127.0.0.1"}, "not allowed": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := make(chan *http.Request, 10)
			bodies := make(chan string, 10)
			receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
				body, _ := io.ReadAll(request.Body)
				got <- request
				bodies <- string(body)
			}))
			t.Cleanup(receiver.Close)
			sender, err := notify.New(notify.Config{Allow: allow})
			if err != nil {
				t.Fatal(err)
			}
			secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
			r := newRig(t, notifyRules)
			a := r.actor("a", actuator.Config{Notifier: sender, Resolve: func(string) (string, error) {
				return receiver.URL + "/hunter2#" + secret, nil
			}})
			r.decide(a, r.turn(r.github.Open(repo, fakegithub.PullRequest{}), schemas.KindLabelsChanged))
			r.passes(a)
			row := query[string](r, `select m::text from pawl.mutation m`)
			if strings.Contains(row, "hunter2") || strings.Contains(row, secret) {
				t.Errorf("the address is in the row: %s", row)
			}
			if allow == nil {
				if r.trace(1).State != "dead" || !strings.Contains(r.reason(1), "notify.allow") || len(got) != 0 {
					t.Errorf("got %+v: %s, and %d requests", r.trace(1), r.reason(1), len(got))
				}
				return
			}
			if r.trace(1).State != "done" || len(got) != 1 {
				t.Fatalf("got %+v: %s, and %d requests", r.trace(1), r.reason(1), len(got))
			}
			request, body := <-got, <-bodies
			key := query[string](r, `select idempotency_key from pawl.mutation`)
			if request.Header.Get("Idempotency-Key") != key || request.Header.Get("Webhook-Signature") == "" ||
				!strings.Contains(body, `"rule":"tell"`) || !strings.Contains(body, `"text":"labels of #1"`) {
				t.Errorf("request: %v\n%s", request.Header, body)
			}
		})
	}
}
