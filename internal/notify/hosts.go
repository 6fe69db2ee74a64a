package notify

import (
	"sync"
	"time"
)

const (
	// maxPerHost bounds the callers that one host can hold.
	maxPerHost = 4
	// busyPause is when a caller that found all places taken comes again.
	busyPause = 2 * time.Second
	// maxFailures in a row, and a host is left alone.
	maxFailures = 3
	firstPause  = 5 * time.Second
	maxPause    = 5 * time.Minute
)

// outcome is what a host showed of itself in a call.
type outcome int

const (
	answered  outcome = iota // whatever it said
	failed                   // it did not answer, or said that it cannot
	withdrawn                // the caller went away first
)

// hosts keeps one host's trouble away from the others.
//
//	open ──3 failures in a row──▶ paused ──time──▶ one caller tries ──answered──▶ open
//	                                 ▲                   │
//	                                 └──────failed───────┘ twice the time, 5 min at most
//
// It keeps what is in use or in trouble, so it is bounded by the hosts that
// rules name.
type hosts struct {
	now func() time.Time

	// mu guards all below.
	mu     sync.Mutex
	byName map[string]*host
}

type host struct {
	running  int
	failures int // in a row
	pausedTo time.Time
}

// enter takes a place at a host, which leave gives back. It never waits: where
// there is none, it says when to come again.
func (h *hosts) enter(name string) (leave func(outcome), again time.Time, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.byName[name]
	if at == nil {
		at = &host{}
		h.byName[name] = at
	}
	now := h.now()
	switch {
	case now.Before(at.pausedTo):
		return nil, at.pausedTo, "not called: its last calls failed"
	case at.failures >= maxFailures && at.running > 0:
		return nil, now.Add(busyPause), "not called: its last calls failed, and another is trying it"
	case at.running >= maxPerHost:
		return nil, now.Add(busyPause), "not called: it is still busy with earlier messages"
	}
	at.running++
	return func(how outcome) { h.leave(name, at, how) }, time.Time{}, ""
}

func (h *hosts) leave(name string, at *host, how outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at.running--
	now := h.now()
	switch how {
	case answered:
		at.failures = 0
	case failed:
		// Those that were under way when the pause began tell nothing new.
		if !now.Before(at.pausedTo) {
			at.failures++
		}
		if at.failures >= maxFailures && !now.Before(at.pausedTo) {
			at.pausedTo = now.Add(pauseAfter(at.failures))
		}
	case withdrawn:
	}
	if at.running == 0 && at.failures == 0 {
		delete(h.byName, name)
	}
}

// pauseAfter doubles from the first pause on.
func pauseAfter(failures int) time.Duration {
	pause := firstPause
	for range failures - maxFailures {
		pause = min(2*pause, maxPause)
	}
	return pause
}
