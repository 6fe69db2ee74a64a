package ingest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/produce"

	"pawl/schemas"
)

// message is a record as Kafka takes it.
type message struct {
	Key, Value []byte
	Headers    []kafka.Header
	Time       time.Time
}

// pending is a record whose caller waits.
type pending struct {
	message   message
	size      int64
	abandoned atomic.Bool // nobody waits any more
	done      chan struct{}
	place     Place // valid once done is closed, with err nil
	err       error
}

// frame is about what a record costs beside its parts.
const frame = 64

func newPending(record schemas.Record) *pending {
	headers := record.Headers()
	p := &pending{
		message: message{
			Key:     []byte(record.Key),
			Value:   record.Body,
			Headers: make([]kafka.Header, len(headers)),
			Time:    record.ReceivedAt,
		},
		size: int64(len(record.Key) + len(record.Body) + frame),
		done: make(chan struct{}),
	}
	for i, header := range headers {
		p.message.Headers[i] = kafka.Header{Key: header.Name, Value: []byte(header.Value)}
		p.size += int64(len(header.Name) + len(header.Value))
	}
	return p
}

// lane is the queue of one partition and the goroutine that empties it.
type lane struct {
	appender  *KafkaAppender
	partition int
	wake      chan struct{} // of size 1: there is something to take, or to drain

	mu       sync.Mutex // mu guards queue and draining
	queue    []*pending
	draining chan struct{} // closed by run once the queue is empty
}

func newLane(a *KafkaAppender, partition int) *lane {
	return &lane{appender: a, partition: partition, wake: make(chan struct{}, 1)}
}

func (l *lane) push(p *pending) {
	l.mu.Lock()
	l.queue = append(l.queue, p)
	l.mu.Unlock()
	l.signal()
}

func (l *lane) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// drain waits until the queue is empty and nothing is in flight.
func (l *lane) drain() {
	l.mu.Lock()
	l.draining = make(chan struct{})
	drained := l.draining
	l.mu.Unlock()
	l.signal()
	<-drained
}

// run produces one batch after the other until ctx ends.
func (l *lane) run(ctx context.Context) {
	defer l.giveUp()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		}
		for l.produceNext(ctx) {
		}
	}
}

// produceNext produces one batch. It takes the batch when it may send it, and
// no sooner, so that all that came while it waited for its turn is in it.
func (l *lane) produceNext(ctx context.Context) (more bool) {
	if l.empty() || !l.appender.enter(ctx) {
		return false
	}
	defer l.appender.leave()
	l.send(ctx, l.take())
	return true
}

// empty reports whether nothing waits, and tells it to drain.
func (l *lane) empty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) > 0 {
		return false
	}
	l.drainedLocked()
	return true
}

// take returns what goes into one request: as much as waits, within the bounds
// of a batch, and at least one record.
func (l *lane) take() []*pending {
	cfg := &l.appender.cfg
	l.mu.Lock()
	defer l.mu.Unlock()
	count, size := 0, int64(0)
	for count < len(l.queue) && count < cfg.MaxBatchRecords {
		next := l.queue[count].size
		if count > 0 && size+next > int64(cfg.MaxBatchBytes) {
			break
		}
		count, size = count+1, size+next
	}
	batch := slices.Clone(l.queue[:count])
	l.queue = slices.Delete(l.queue, 0, count)
	return batch
}

func (l *lane) drainedLocked() {
	if l.draining != nil {
		close(l.draining)
		l.draining = nil
	}
}

// giveUp answers what is left when the lane stops.
func (l *lane) giveUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.queue {
		l.answer(p, Place{}, ErrClosed)
	}
	l.queue = nil
	l.drainedLocked()
}

func (l *lane) answer(p *pending, place Place, err error) {
	l.appender.queued.Add(-p.size)
	p.place, p.err = place, err
	close(p.done)
}

// Backoff between the attempts for one batch.
const (
	firstBackoff = 20 * time.Millisecond
	maxBackoff   = 500 * time.Millisecond
)

// send brings one batch into the log, and answers each of its records. It
// tries again as long as someone waits, and nothing overtakes the batch.
func (l *lane) send(ctx context.Context, batch []*pending) {
	backoff := firstBackoff
	for attempt := 1; ; attempt++ {
		batch = l.dropAbandoned(batch)
		if len(batch) == 0 {
			return
		}
		offset, err := l.produce(ctx, batch)
		if err == nil {
			// Durable: every in-sync replica has the batch. A crash before this
			// line leaves records in the log that nobody was told of, and they
			// are sent again; after it, the provider may forget the delivery.
			l.answerAll(batch, offset)
			return
		}
		if isTooLarge(err) && len(batch) > 1 {
			l.sendHalves(ctx, batch)
			return
		}
		if !mayRetry(err) {
			l.fail(batch, err)
			return
		}
		l.appender.cfg.Log.WarnContext(ctx, "append failed, trying again", "topic", l.appender.topic,
			"partition", l.partition, "records", len(batch), "attempt", attempt, "err", err)
		if !l.pause(ctx, backoff) {
			l.fail(batch, ErrClosed)
			return
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

// sendHalves splits a batch that the broker found too large. The topic takes
// less than our batches hold, so max.message.bytes is set wrongly; single
// records may pass all the same.
func (l *lane) sendHalves(ctx context.Context, batch []*pending) {
	half := len(batch) / 2
	l.send(ctx, batch[:half])
	l.send(ctx, batch[half:])
}

// pause waits, and lets the other partitions have their turn meanwhile. It
// returns false if the appender stops.
func (l *lane) pause(ctx context.Context, d time.Duration) bool {
	l.appender.leave()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	l.appender.reenter()
	return ctx.Err() == nil
}

// dropAbandoned leaves out the records whose callers have gone: they were told
// that it failed, and will send again.
func (l *lane) dropAbandoned(batch []*pending) []*pending {
	return slices.DeleteFunc(batch, func(p *pending) bool {
		gone := p.abandoned.Load()
		if gone {
			l.answer(p, Place{}, ErrLog)
		}
		return gone
	})
}

func (l *lane) answerAll(batch []*pending, offset int64) {
	for i, p := range batch {
		l.answer(p, Place{Partition: l.partition, Offset: offset + int64(i)}, nil)
	}
}

func (l *lane) fail(batch []*pending, err error) {
	err = fmt.Errorf("%w: produce %d records to %s/%d: %w", ErrLog, len(batch), l.appender.topic, l.partition, err)
	for _, p := range batch {
		l.answer(p, Place{}, err)
	}
}

// produce sends one request with acks=all and returns the offset of the first
// record.
func (l *lane) produce(ctx context.Context, batch []*pending) (int64, error) {
	a := l.appender
	attempt, cancel := context.WithTimeout(ctx, a.cfg.AttemptTimeout)
	defer cancel()
	answer, err := a.transport().RoundTrip(attempt, a.client.Addr, &produce.Request{
		Acks: int16(kafka.RequireAll),
		// kafka-go's Client.Produce would ask the broker to give the replicas
		// half a second only.
		Timeout: int32(a.cfg.AttemptTimeout.Milliseconds()),
		Topics: []produce.RequestTopic{{
			Topic: a.topic,
			Partitions: []produce.RequestPartition{{
				Partition: int32(l.partition),
				RecordSet: protocol.RecordSet{
					Attributes: protocol.Attributes(a.cfg.Compression),
					Records:    protocol.NewRecordReader(recordsOf(batch)...),
				},
			}},
		}},
	})
	if err != nil {
		return 0, err
	}
	return offsetOf(answer)
}

func (a *KafkaAppender) transport() kafka.RoundTripper {
	if a.client.Transport != nil {
		return a.client.Transport
	}
	return kafka.DefaultTransport
}

func recordsOf(batch []*pending) []protocol.Record {
	records := make([]protocol.Record, len(batch))
	for i, p := range batch {
		records[i] = protocol.Record{
			Time:    p.message.Time,
			Key:     protocol.NewBytes(p.message.Key),
			Value:   protocol.NewBytes(p.message.Value),
			Headers: p.message.Headers,
		}
	}
	return records
}

// errNoAnswer is for an answer that does not speak of the partition.
var errNoAnswer = errors.New("the broker's answer does not name the partition")

func offsetOf(answer kafka.Response) (int64, error) {
	response, ok := answer.(*produce.Response)
	if !ok || len(response.Topics) == 0 || len(response.Topics[0].Partitions) == 0 {
		return 0, errNoAnswer
	}
	partition := &response.Topics[0].Partitions[0]
	if partition.ErrorCode != 0 {
		return 0, fmt.Errorf("%w (%s)", kafka.Error(partition.ErrorCode), partition.ErrorMessage)
	}
	return partition.BaseOffset, nil
}

func isTooLarge(err error) bool {
	return errors.Is(err, kafka.MessageSizeTooLarge) || errors.Is(err, kafka.RecordListTooLarge)
}

// mayRetry reports whether the same batch may succeed later. What is not known
// to be final may: a batch that is in the log twice does no harm.
func mayRetry(err error) bool {
	var code kafka.Error
	if !errors.As(err, &code) {
		var address *net.AddrError
		return !errors.As(err, &address)
	}
	switch code { //nolint:exhaustive // the codes that are final; all others, and those to come, may pass
	case kafka.MessageSizeTooLarge, kafka.RecordListTooLarge, kafka.InvalidMessageSize, kafka.InvalidTopic,
		kafka.InvalidRequiredAcks, kafka.TopicAuthorizationFailed, kafka.ClusterAuthorizationFailed,
		kafka.UnsupportedSASLMechanism, kafka.SASLAuthenticationFailed, kafka.UnsupportedVersion,
		kafka.UnsupportedForMessageFormat, kafka.UnsupportedCompressionType, kafka.InvalidRecord,
		kafka.PolicyViolation, kafka.InvalidRequest, kafka.InvalidTimestamp:
		return false
	}
	return true
}
