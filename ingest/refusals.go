package ingest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"pawl/internal/provider/own"
	"pawl/schemas"
)

// Times of the notes of refusals.
const (
	// noteEvery is the least time between two notes of one source and outcome.
	noteEvery = time.Minute
	// noteTimeout bounds the append of one note.
	noteTimeout = 5 * time.Second
	// noteDrain bounds the append of all notes that are left when the edge
	// drains.
	noteDrain = 2 * time.Second
)

// refusals notes in the log what the edge refused: how many deliveries of which
// source, and why. A refused delivery itself never enters the log.
//
//	refuse ─▶ note ─▶ tally of (source, outcome) ─▶ due ─▶ append
//	                  counts only                   at once, then once a minute
//
// A note is for people, so it gives way to everything else. A request counts one
// up and goes on; one goroutine appends, it lives only while something is to be
// appended, and what it cannot append it keeps and tries again. Memory and
// records are bounded by the configuration: a tally each source and outcome,
// and a record each tally and minute, whatever comes.
type refusals struct {
	appender Appender
	log      *slog.Logger

	mu       sync.Mutex // mu guards what follows
	tallies  map[tallyKey]*tally
	running  chan struct{} // closed by the goroutine at its end; nil: none runs
	cancel   context.CancelFunc
	draining chan struct{} // closed when what is left is to be appended now
	drained  bool          // draining is closed
}

// tallyKey is what refusals are counted by.
type tallyKey struct {
	from    *source
	outcome string
}

// tally is what is not yet in the log.
type tally struct {
	count       int64
	first, last time.Time
	reason      string
	unsent      *schemas.Record // made, and not known to be in the log
	next        time.Time       // no note before
}

func (t *tally) isEmpty() bool { return t.count == 0 && t.unsent == nil }

func newRefusals(appender Appender, log *slog.Logger) *refusals {
	return &refusals{
		appender: appender, log: log,
		tallies: make(map[tallyKey]*tally), draining: make(chan struct{}),
	}
}

// note counts a refusal. It never waits for the log.
func (r *refusals) note(from *source, why refusal, at time.Time) {
	reason := reasonOf(why)
	if from == nil || reason == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.drained {
		return
	}
	key := tallyKey{from, why.outcome}
	t := r.tallies[key]
	if t == nil {
		t = new(tally)
		r.tallies[key] = t
	}
	if t.count == 0 {
		t.first, t.last = at, at
	}
	t.count, t.reason = t.count+1, reason
	if at.After(t.last) {
		t.last = at
	}
	r.startLocked()
}

func (r *refusals) startLocked() {
	if r.running != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.running, r.cancel = make(chan struct{}), cancel
	go r.run(ctx, r.running)
}

// run appends what is due until nothing is left.
func (r *refusals) run(ctx context.Context, done chan struct{}) {
	defer close(done)
	for {
		due, wait := r.due()
		for _, key := range due {
			r.append(ctx, key)
		}
		if len(due) > 0 {
			continue
		}
		if wait < 0 {
			return
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-r.draining:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// due returns the tallies to append now, or how long to wait for the next one;
// less than zero is for ever, and the goroutine is no longer the running one.
func (r *refusals) due() (due []tallyKey, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	wait = -1
	for key, t := range r.tallies {
		switch left := t.next.Sub(now); {
		case t.isEmpty():
		case left <= 0:
			due = append(due, key)
		case r.drained:
			due = append(due, key)
		case wait < 0 || left < wait:
			wait = left
		}
	}
	if len(due) == 0 && wait < 0 {
		r.cancel()
		r.running = nil
	}
	return due, wait
}

// append brings one tally into the log. A record that was tried before goes
// first, as it was: should it be there already, the fold knows its id.
func (r *refusals) append(ctx context.Context, key tallyKey) {
	record, err := r.take(key)
	if err == nil {
		ctx, cancel := context.WithTimeoutCause(ctx, noteTimeout, errTooLong)
		defer cancel()
		_, err = r.appender.Append(ctx, record)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tallies[key]
	switch {
	case err == nil:
		t.unsent = nil
	case r.drained:
		t.unsent, t.count = nil, 0 // the edge ends: there is no later attempt
	}
	if err != nil {
		r.log.WarnContext(ctx, "refusals not noted in the log", "source_name", key.from.name, "reason", key.outcome, "err", err)
	}
}

// take returns the record that goes next.
func (r *refusals) take(key tallyKey) (schemas.Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tallies[key]
	t.next = time.Now().Add(noteEvery)
	if t.unsent != nil {
		return *t.unsent, nil
	}
	record, err := own.Refusals{
		Source: key.from.name, Outcome: key.outcome, Reason: t.reason,
		Count: t.count, FirstAt: t.first.UTC(), LastAt: t.last.UTC(),
	}.Record(key.from.instance)
	if err != nil {
		return schemas.Record{}, err
	}
	record.TraceParent = traceParent("")
	t.unsent, t.count = &record, 0
	return record, nil
}

// errDrained is why the last notes are given up.
var errDrained = errors.New("the edge has drained")

// drain appends what is left, as far as that is soon done, and takes no more.
func (r *refusals) drain(ctx context.Context) {
	ctx, end := context.WithTimeoutCause(ctx, noteDrain, errDrained)
	defer end()
	r.mu.Lock()
	if !r.drained {
		r.drained = true
		close(r.draining)
	}
	running, cancel := r.running, r.cancel
	r.mu.Unlock()
	if running == nil {
		return
	}
	select {
	case <-running:
	case <-ctx.Done():
		cancel()
		<-running
	}
}

// reasonOf returns what a note says of an outcome. It is made of constants and
// of what the configuration says, never of the request. Empty is not noted: the
// log or the network was at fault and not the source, or it was no delivery.
func reasonOf(why refusal) string {
	switch why.outcome {
	case outcomeProvider:
		return "they are of another provider than the source is configured for; " + why.do
	case outcomeUnsigned:
		return "they carry no signature that is accepted; set a secret on the webhook"
	case outcomeForged:
		return "no secret of the source makes their signature; the webhook has another secret, or something between changed the body"
	case outcomePage:
		return "they are of a status page that is not one of the source's pages"
	case "headers":
		return "their headers are not those of a delivery, or name another instance than the source"
	case "body":
		return "their body is not JSON"
	case "media_type":
		return "their content type is not supported; set the webhook's to application/json"
	case "too_large":
		return "their body is larger than the edge takes"
	}
	return ""
}
