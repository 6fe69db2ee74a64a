package ingest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pawl/ingest"
)

func TestI1_NoAnswerBeforeTheLogConfirms(t *testing.T) {
	t.Parallel()
	log := &memory{hold: make(chan struct{}), entered: make(chan struct{}, 1)}
	edge, _ := newEdge(t, log, nil)
	answered := make(chan int, 1)
	go func() { answered <- serve(edge, post(t, goodBody)).Code }()
	<-log.entered
	select {
	case status := <-answered:
		t.Fatalf("answered %d before the log confirmed", status)
	case <-time.After(50 * time.Millisecond):
	}
	close(log.hold)
	if got := <-answered; got != http.StatusAccepted {
		t.Errorf("status = %d, want %d", got, http.StatusAccepted)
	}
}

func TestI1_LogThatNeverConfirmsIsAnsweredInBoundedTime(t *testing.T) {
	t.Parallel()
	log := &memory{hold: make(chan struct{})}
	edge, _ := newEdge(t, log, func(cfg *ingest.Config) { cfg.Timeout = 100 * time.Millisecond })
	start := time.Now()
	response := serve(edge, post(t, goodBody))
	if response.Code != http.StatusServiceUnavailable {
		t.Errorf("status = %d, want 503", response.Code)
	}
	if elapsed := time.Since(start); elapsed > 3*time.Second {
		t.Errorf("answered after %s", elapsed)
	}
}

func TestEdge_BodyThatTricklesInEndsWithTheTimeout(t *testing.T) {
	t.Parallel()
	edge, _ := newEdge(t, &memory{}, func(cfg *ingest.Config) { cfg.Timeout = 200 * time.Millisecond })
	server := httptest.NewServer(edge)
	t.Cleanup(server.Close)
	body, writer := io.Pipe()
	t.Cleanup(func() { _ = writer.Close() })
	go func() { _, _ = writer.Write([]byte(goodBody[:10])) }()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/webhooks/github", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = post(t, goodBody).Header
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if got := answerOf(t, response.Header, response.Body)["error"]; response.StatusCode != http.StatusBadRequest || got != "body_slow" {
		t.Errorf("status %d, error %v, want 400 body_slow", response.StatusCode, got)
	}
}

func TestEdge_DrainFinishesWhatIsInFlightAndRefusesTheRest(t *testing.T) {
	t.Parallel()
	log := &memory{hold: make(chan struct{}), entered: make(chan struct{}, 1)}
	edge, _ := newEdge(t, log, nil)
	if err := edge.Ready(t.Context()); err != nil {
		t.Fatalf("not ready before the drain: %v", err)
	}
	answered := make(chan int, 1)
	go func() { answered <- serve(edge, post(t, goodBody)).Code }()
	<-log.entered

	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := edge.Drain(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Drain() with a delivery in flight = %v, want the end of its context", err)
	}
	response := serve(edge, post(t, goodBody))
	if got := answerOf(t, response.Header(), response.Body)["error"]; response.Code != http.StatusServiceUnavailable || got != "draining" {
		t.Errorf("while draining: status %d, error %v, want 503 draining", response.Code, got)
	}
	if edge.Ready(t.Context()) == nil {
		t.Error("ready while draining")
	}
	close(log.hold)
	if got := <-answered; got != http.StatusAccepted {
		t.Errorf("the delivery in flight got %d, want 202", got)
	}
	for range 2 {
		if err := edge.Drain(t.Context()); err != nil {
			t.Errorf("Drain() = %v", err)
		}
	}
}

func TestNew_NamesAllFaults(t *testing.T) {
	t.Parallel()
	_, err := ingest.New(ingest.Config{Sources: []ingest.Source{
		{Name: "Git Hub", Provider: "github", Secrets: []ingest.Secret{{Value: []byte("s")}}},
		{Name: "a", Provider: "sourceforge", Secrets: []ingest.Secret{{Value: []byte("s")}}},
		{Name: "b", Provider: "github"},
		{Name: "c", Provider: "github", Secrets: []ingest.Secret{{Value: []byte("s")}, {}}},
		{Name: "d", Provider: "github", Instance: "https://ghe.acme.com", Secrets: []ingest.Secret{{Value: []byte("s")}}},
		{Name: "e", Provider: "github", Secrets: []ingest.Secret{{Value: []byte("s")}}},
		{Name: "e", Provider: "github", Secrets: []ingest.Secret{{Value: []byte("s")}}},
	}}, &memory{}, nil, nil)
	if err == nil {
		t.Fatal("New() = nil, want all faults")
	}
	for _, says := range []string{"letters", `provider "sourceforge"`, "no secret", "secret 2 is empty", "must be a host", "taken"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("New() = %v, want it to say %q", err, says)
		}
	}
}
