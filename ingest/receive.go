package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"pawl/internal/provider"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// ServeHTTP takes one delivery.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	if !e.enter() {
		e.refuse(w, r, nil, start, refusalDraining())
		return
	}
	defer e.leave()

	from, token, ok := e.sourceOf(r)
	if !ok {
		e.refuse(w, r, nil, start, refusalNoSource(r.URL.Path))
		return
	}
	if refused := e.take(w, r, from, token, start); refused != nil {
		e.refuse(w, r, from, start, *refused)
	}
}

// take brings a delivery through the four steps. It has answered if it returns
// nil.
func (e *Edge) take(w http.ResponseWriter, r *http.Request, from *source, token string, start time.Time) *refusal {
	ctx, cancel := context.WithDeadlineCause(r.Context(), start.Add(provider.AnswerWithin(from.provider, e.timeout)), errTooLong)
	defer cancel()

	raw, done, refused := e.receive(ctx, w, r)
	if refused != nil {
		return refused
	}
	delivery := provider.Delivery{
		Header:      r.Header,
		Raw:         raw,
		ContentType: r.Header.Get("Content-Type"),
		Instance:    from.instance,
		Source:      from.name,
		ReceivedAt:  start.UTC(),
		TraceParent: traceParent(r.Header.Get(schemas.HeaderTraceParent)),
		Token:       token,
		Pages:       from.pages,
	}
	if refused := e.verify(from, delivery); refused != nil {
		return refused
	}
	record, refused := seal(from, delivery)
	if refused != nil {
		return refused
	}
	place, refused := e.append(ctx, record)
	if refused != nil {
		refused.event = from.eventLabel(record.Event)
		return refused
	}
	// The commit point. Before this line nobody was told that the delivery is
	// safe: after a crash the provider counts it as failed, and a record that is
	// in the log already is folded once all the same. After it, the provider may
	// forget the delivery (I1).
	answer(w, from.provider.SuccessStatus(), accepted{record.ID, record.Key, place.Partition, place.Offset})
	done()
	e.metrics.taken(from.name, from.eventLabel(record.Event), len(raw))
	e.logAppended(ctx, record, place, start)
	return nil
}

func (e *Edge) logAppended(ctx context.Context, record schemas.Record, place Place, start time.Time) {
	if !e.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	e.log.DebugContext(ctx, "delivery appended", "source_name", record.Source, "delivery_id", record.ID,
		"event", record.Event, "entity", record.Key, "partition", place.Partition, "offset", place.Offset,
		"elapsed", time.Since(start))
}

// Sizes of bodies.
const (
	pooledBody = 64 << 10 // up to here, buffers are used again
	largeBody  = 1 << 20  // above, memory is taken as the bytes come, and few at a time
)

// receive reads the body whole. done gives its memory back; it is called only
// when nobody can refer to the body any more.
func (e *Edge) receive(ctx context.Context, w http.ResponseWriter, r *http.Request) (raw []byte, done func(), refused *refusal) {
	if r.Method != http.MethodPost {
		return nil, nil, refusalMethod(r.Method)
	}
	if _, err := webhook.MediaOf(r.Header.Get("Content-Type")); err != nil {
		return nil, nil, refusalMedia(err)
	}
	if r.ContentLength > e.maxBody {
		return nil, nil, refusalTooLarge(e.maxBody)
	}
	defer boundRead(ctx, w)()
	raw, done, err := e.read(ctx, http.MaxBytesReader(w, r.Body, e.maxBody), r.ContentLength)
	if err != nil {
		return nil, nil, refusalUnread(err)
	}
	return raw, done, nil
}

// boundRead lets a body that trickles in end with the request's time. What it
// returns takes the bound away again: the server reads on in the background, to
// learn whether the client is still there. A writer that knows no deadlines, in
// a test, has none.
func boundRead(ctx context.Context, w http.ResponseWriter) (unbound func()) {
	control := http.NewResponseController(w)
	if deadline, ok := ctx.Deadline(); ok {
		_ = control.SetReadDeadline(deadline)
	}
	return func() { _ = control.SetReadDeadline(time.Time{}) }
}

func (e *Edge) read(ctx context.Context, body io.Reader, length int64) ([]byte, func(), error) {
	switch {
	case length >= 0 && length <= pooledBody:
		buffer := e.buffers.Get().(*[]byte) // the pool holds nothing else
		raw := (*buffer)[:length]
		_, err := io.ReadFull(body, raw)
		return raw, func() { e.buffers.Put(buffer) }, err
	case length >= 0 && length <= largeBody:
		raw := make([]byte, length)
		_, err := io.ReadFull(body, raw)
		return raw, func() {}, err
	}
	return e.readLarge(ctx, body)
}

// readLarge reads a body that is large, or does not say how large it is. Its
// memory grows with what has come, so that a claim alone costs nothing.
func (e *Edge) readLarge(ctx context.Context, body io.Reader) ([]byte, func(), error) {
	select {
	case e.large <- struct{}{}:
		defer func() { <-e.large }()
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("%w: other large bodies are being read", ErrBusy)
	}
	raw, err := io.ReadAll(body)
	return raw, func() {}, err
}

// verify asks the provider whether one of the source's secrets proves the
// delivery, and notes which.
func (e *Edge) verify(from *source, delivery provider.Delivery) *refusal {
	place, err := from.provider.Verify(delivery, from.values)
	if err == nil {
		e.metrics.usedSecret(from.name, from.secrets[place].Name)
		e.noteWindow(from, delivery)
		return nil
	}
	if other, ok := errors.AsType[*webhook.SenderError](webhook.CheckSender(delivery, from.provider.Name())); ok {
		return refusalProvider(http.StatusUnauthorized, other)
	}
	return refusalUnverified(err)
}

// replayWindow is how far from now a delivery may say it was sent: Linear's own.
const replayWindow = time.Minute

// noteWindow counts what was sent long ago, or is to be. It is taken all the same: a
// retry may have its first stamp.
func (e *Edge) noteWindow(from *source, delivery provider.Delivery) {
	if sent, known := provider.SentAt(from.provider, delivery); known && delivery.ReceivedAt.Sub(sent).Abs() > replayWindow {
		e.metrics.outsideWindow(from.name)
	}
}

// seal has the provider make the record.
func seal(from *source, delivery provider.Delivery) (schemas.Record, *refusal) {
	record, err := from.provider.Seal(delivery)
	if err != nil {
		return schemas.Record{}, refusalUnsealed(err)
	}
	return record, nil
}

// append makes the record durable, within the request's time.
func (e *Edge) append(ctx context.Context, record schemas.Record) (Place, *refusal) {
	start := time.Now()
	place, err := e.appender.Append(ctx, record)
	if err != nil {
		return Place{}, refusalNotAppended(err)
	}
	e.metrics.appended(time.Since(start))
	return place, nil
}

// eventLabel keeps the labels of the metrics few, whatever comes.
func (s *source) eventLabel(event string) string {
	if s.events[event] {
		return event
	}
	return labelOther
}
