package fakeforge

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Effect is one change of what a forge shows.
type Effect struct {
	Kind   string
	Number int
	By     string // login
	// Detail is the label, the comment's body, or the sha.
	Detail string
}

// Call is one request that was answered, or dropped with status 0.
type Call struct {
	Method string
	Path   string
	Status int
}

// Reply is an answer that was not sent yet: a fault may still swallow it.
type Reply struct {
	Status int
	Header http.Header
	Body   any // nil is no body
}

// OK is an answer with a body.
func OK(body any) Reply { return Reply{Status: http.StatusOK, Body: body} }

// Message is the shape in which GitLab and Gitea say why not.
func Message(status int, text string) Reply {
	return Reply{Status: status, Body: map[string]string{"message": text}}
}

// Core keeps the calls, the changes and the faults of one fake. The zero value
// is ready, and safe for concurrent use.
type Core struct {
	mu      sync.Mutex // mu guards what follows
	effects []Effect
	calls   []Call
	faults  []*Fault
	ids     int64
	clock   time.Time
}

// Handle makes a handler of a change. It runs apply once, unless a fault comes
// before it.
func (c *Core) Handle(apply func(*http.Request) Reply) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fault := c.takeFault(r)
		if fault != nil && !fault.AfterApplying {
			c.strike(w, r, fault, nil)
			if !fault.passes() {
				return
			}
			fault = nil
		}
		answer := apply(r)
		if fault != nil {
			c.strike(w, r, fault, &answer)
			return
		}
		c.answer(w, r, answer)
	}
}

func (c *Core) answer(w http.ResponseWriter, r *http.Request, answer Reply) {
	c.called(r, answer.Status)
	header := w.Header()
	for name, values := range answer.Header {
		header[name] = slices.Clone(values)
	}
	if answer.Body == nil {
		w.WriteHeader(answer.Status)
		return
	}
	header.Set("Content-Type", "application/json")
	w.WriteHeader(answer.Status)
	_ = json.NewEncoder(w).Encode(answer.Body)
}

func (c *Core) called(r *http.Request, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, Call{Method: r.Method, Path: r.URL.Path, Status: status})
}

// Record notes a change and returns its time. The clock is the fake's own: it
// moves by a second with each change.
func (c *Core) Record(effect Effect) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.effects = append(c.effects, effect)
	if c.clock.IsZero() {
		c.clock = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	c.clock = c.clock.Add(time.Second)
	return c.clock
}

// ID returns the next id.
func (c *Core) ID() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids++
	return 1000 + c.ids
}

// Effects returns every change, in order.
func (c *Core) Effects() []Effect {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.effects)
}

// EffectsBy returns the changes that one account made, in order.
func (c *Core) EffectsBy(login string) []Effect {
	return slices.DeleteFunc(c.Effects(), func(e Effect) bool { return e.By != login })
}

// Calls returns every request that was answered or dropped, in order.
func (c *Core) Calls() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.calls)
}
