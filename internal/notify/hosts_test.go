package notify_test

import (
	"errors"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pawl/internal/notify"
)

// TestHosts_AHangingHostHoldsNobodyElse: its callers are bounded, those beyond
// are told at once, and other hosts are served meanwhile.
func TestHosts_AHangingHostHoldsNobodyElse(t *testing.T) {
	t.Parallel()
	arrived, free := make(chan struct{}, notify.MaxPerHost), make(chan struct{})
	hanging := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-free
		w.WriteHeader(http.StatusOK)
	})
	healthy := newReceiver(t, status(http.StatusOK))
	sender := newSender(t, loopback())
	var group sync.WaitGroup
	for range notify.MaxPerHost {
		group.Go(func() {
			if err := sender.Send(t.Context(), hanging.hook("/"), message); err != nil {
				t.Errorf("a held call: %v", err)
			}
		})
	}
	for range notify.MaxPerHost {
		<-arrived
	}
	begun := time.Now()
	fault := failure(t, sender.Send(t.Context(), hanging.hook("/"), message))
	if fault.Verdict != notify.Later || fault.RetryAt.Before(begun) || time.Since(begun) > time.Second {
		t.Errorf("one too many: %s, %v after %s, want later at once", fault.Verdict, fault, time.Since(begun))
	}
	if err := sender.Send(t.Context(), healthy.hook("/"), message); err != nil {
		t.Errorf("another host: %v", err)
	}
	close(free)
	group.Wait()
	if got := len(hanging.requests()); got != notify.MaxPerHost {
		t.Errorf("%d requests, want %d", got, notify.MaxPerHost)
	}
	if kept := sender.HostsKept(); kept != 0 {
		t.Errorf("%d hosts are kept after all went well", kept)
	}
}

// TestHosts_AFailingHostIsLeftAlone: for a pause that doubles, with one caller
// who tries after it.
func TestHosts_AFailingHostIsLeftAlone(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	broken.Store(true)
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if broken.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	sender := newSender(t, loopback())
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	sender.SetClock(func() time.Time { return now })
	send := func() error { return sender.Send(t.Context(), r.hook("/"), message) }
	expect := func(what string, verdict notify.Verdict, requests int, retryAt time.Time) {
		t.Helper()
		fault := failure(t, send())
		if fault.Verdict != verdict || !fault.RetryAt.Equal(retryAt) || len(r.requests()) != requests {
			t.Errorf("%s: %s at %s after %d requests, want %s at %s after %d",
				what, fault.Verdict, fault.RetryAt, len(r.requests()), verdict, retryAt, requests)
		}
	}
	for n := range notify.MaxFailures {
		expect("a failure", notify.Unknown, n+1, time.Time{})
	}
	expect("paused", notify.Later, 3, now.Add(notify.FirstPause))
	now = now.Add(notify.FirstPause)
	expect("tried", notify.Unknown, 4, time.Time{})
	expect("paused for twice the time", notify.Later, 4, now.Add(2*notify.FirstPause))
	now = now.Add(2 * notify.FirstPause)
	broken.Store(false)
	for range 2 {
		if err := send(); err != nil {
			t.Errorf("healed: %v", err)
		}
	}
	if kept := sender.HostsKept(); kept != 0 {
		t.Errorf("%d hosts are kept after all went well", kept)
	}
}

// TestHosts_ARefusalIsNoFailure: what a host answers is about one message.
func TestHosts_ARefusalIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, code := range []int{http.StatusNotFound, http.StatusTooManyRequests} {
		r := newReceiver(t, status(code))
		sender := newSender(t, loopback())
		for range 3 * notify.MaxFailures {
			_ = sender.Send(t.Context(), r.hook("/"), message)
		}
		if got := len(r.requests()); got != 3*notify.MaxFailures {
			t.Errorf("%d: %d requests, want each", code, got)
		}
	}
}

// TestSend_LeavesNoGoroutine: whether it goes well, fails or hangs.
func TestSend_LeavesNoGoroutine(t *testing.T) { // not parallel: it counts
	good, bad := newReceiver(t, status(http.StatusOK)), newReceiver(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	config := loopback()
	config.Timeout = 50 * time.Millisecond
	before := runtime.NumGoroutine()
	for range 10 {
		sender := newSender(t, config)
		_ = sender.Send(t.Context(), good.hook("/"), message)
		_ = sender.Send(t.Context(), bad.hook("/"), message)
		sender.Reroute(bad.address())
		var fault *notify.SendError
		if err := sender.Send(t.Context(), rows[1].url, message); !errors.As(err, &fault) {
			t.Errorf("a hanging service: %v", err)
		}
		_ = sender.Send(t.Context(), "smtp://"+bad.address()+"/?from=a@b.c&to=d@e.f", message)
	}
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before+2 && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if after := runtime.NumGoroutine(); after > before+2 {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}
