package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"pawl/ingest"
	"pawl/internal/provider"
	"pawl/schemas"
)

// writerAppender is the appender that one would write first: the stock
// kafka-go Writer, one for all, which batches by size and by a timer.
type writerAppender struct{ writer *kafka.Writer }

// Append makes a record durable. The Writer tells no offsets.
func (a writerAppender) Append(ctx context.Context, record schemas.Record) (ingest.Place, error) {
	return ingest.Place{}, a.writer.WriteMessages(ctx, messageOf(record))
}

// Ready says nothing.
func (writerAppender) Ready(context.Context) error { return nil }

func messageOf(record schemas.Record) kafka.Message {
	headers := record.Headers()
	message := kafka.Message{
		Key: []byte(record.Key), Value: record.Body, Time: record.ReceivedAt, Headers: make([]kafka.Header, len(headers)),
	}
	for i, header := range headers {
		message.Headers[i] = kafka.Header{Key: header.Name, Value: []byte(header.Value)}
	}
	return message
}

// way is a way to append: ours, or the Writer at one setting.
type way struct {
	name string
	open func(client *kafka.Client, topic string) (ingest.Appender, func())
}

// ours is the appender as pawl up runs it on the embedded broker.
var ours = way{"pawl", func(client *kafka.Client, topic string) (ingest.Appender, func()) {
	appender := ingest.NewKafkaAppender(client, topic, ingest.AppenderConfig{MaxInFlight: 1})
	return appender, func() { _ = appender.Close(context.Background()) }
}}

// writerWays are the settings of the Writer that are tried.
func writerWays() []way {
	var ways []way
	for _, timeout := range []time.Duration{time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond} {
		for _, compression := range []kafka.Compression{0, kafka.Lz4, kafka.Zstd} {
			ways = append(ways, writerWay(timeout, compression))
		}
	}
	return ways
}

func writerWay(timeout time.Duration, compression kafka.Compression) way {
	name := "no compression"
	if compression != 0 {
		name = compression.String()
	}
	return way{
		fmt.Sprintf("Writer %s, %s", timeout, name),
		func(client *kafka.Client, topic string) (ingest.Appender, func()) {
			writer := &kafka.Writer{
				Addr: client.Addr, Topic: topic, Transport: client.Transport, RequiredAcks: kafka.RequireAll,
				Balancer:  kafka.Murmur2Balancer{Consistent: true},
				BatchSize: 100, BatchTimeout: timeout, BatchBytes: 1 << 20, Compression: compression,
			}
			return writerAppender{writer}, func() { _ = writer.Close() }
		},
	}
}

// edgeBench is what the cells of the edge's table share.
type edgeBench struct {
	parts   *parts
	seconds float64 // how long a cell runs, about
	topics  int
}

// freshTopic makes a topic for one cell: no cell reads or waits for another's.
func (e *edgeBench) freshTopic(ctx context.Context) (string, error) {
	e.topics++
	topic := fmt.Sprintf("bench.edge.%d", e.topics)
	return topic, e.parts.makeTopic(ctx, topic)
}

// overHTTP measures one cell: the edge on a fresh topic, over net/http.
func (e *edgeBench) overHTTP(ctx context.Context, w way, deliveries []delivery, connections int) (loadResult, error) {
	topic, err := e.freshTopic(ctx)
	if err != nil {
		return loadResult{}, err
	}
	appender, closeAppender := w.open(e.parts.client(), topic)
	defer closeAppender()
	addr, stop, err := serveEdge(ctx, appender)
	if err != nil {
		return loadResult{}, err
	}
	defer stop()
	run := func(count int) (loadResult, error) {
		return (&loadRun{addr: addr, deliveries: deliveries, connections: connections, count: count}).drive(ctx)
	}
	return sized(run, connections, e.seconds)
}

// sized warms up with a short run, and then runs for about so long.
func sized(run func(count int) (loadResult, error), callers int, seconds float64) (loadResult, error) {
	warm, err := run(20*callers + 100)
	if err != nil {
		return loadResult{}, err
	}
	return run(max(20*callers, int(warm.perSecond*seconds)))
}

// serveEdge serves the edge on loopback, with one GitHub source.
func serveEdge(ctx context.Context, appender ingest.Appender) (addr string, stop func(), err error) {
	edge, err := ingest.New(ingest.Config{Sources: []ingest.Source{
		{Name: "github", Provider: "github", Secrets: []ingest.Secret{{Name: "bench", Value: []byte(benchSecret)}}},
	}}, appender, nil, nil)
	if err != nil {
		return "", nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("serve the edge: %w", err)
	}
	server := &http.Server{Handler: edge, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), func() { _ = server.Close() }, nil
}

// direct drives the appender from a number of goroutines, without HTTP and HMAC.
func (e *edgeBench) direct(ctx context.Context, records []schemas.Record, callers int) (loadResult, error) {
	topic, err := e.freshTopic(ctx)
	if err != nil {
		return loadResult{}, err
	}
	appender, closeAppender := ours.open(e.parts.client(), topic)
	defer closeAppender()
	return sized(func(count int) (loadResult, error) {
		return callAll(callers, count, func(n int64) error {
			_, err := appender.Append(ctx, records[int(n)%len(records)])
			return err
		})
	}, callers, e.seconds)
}

// callAll makes count calls from a number of goroutines.
func callAll(callers, count int, call func(n int64) error) (loadResult, error) {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	latencies := make([][]time.Duration, callers)
	begin := time.Now()
	var group sync.WaitGroup
	for c := range callers {
		group.Go(func() {
			for n := next.Add(1); n <= int64(count); n = next.Add(1) {
				start := time.Now()
				if err := call(n); err != nil {
					failed.Store(&err)
					return
				}
				latencies[c] = append(latencies[c], time.Since(start))
			}
		})
	}
	group.Wait()
	elapsed := time.Since(begin)
	if err := failed.Load(); err != nil {
		return loadResult{}, *err
	}
	var all []time.Duration
	for _, took := range latencies {
		all = append(all, took...)
	}
	return loadResult{float64(count) / elapsed.Seconds(), percentile(all, 0.50), percentile(all, 0.99)}, nil
}

// bareProduce measures a produce request of one record at a time, acks=all and
// compressed as the edge does it.
func (e *edgeBench) bareProduce(ctx context.Context, records []schemas.Record) (loadResult, error) {
	topic, err := e.freshTopic(ctx)
	if err != nil {
		return loadResult{}, err
	}
	client := e.parts.client()
	return sized(func(count int) (loadResult, error) {
		return callAll(1, count, func(n int64) error {
			message := messageOf(records[int(n)%len(records)])
			_, err := client.Produce(ctx, &kafka.ProduceRequest{
				Topic: topic, Partition: int(n) % partitions, RequiredAcks: kafka.RequireAll, Compression: kafka.Zstd,
				Records: kafka.NewRecordReader(kafka.Record{
					Time: message.Time, Key: kafka.NewBytes(message.Key), Value: kafka.NewBytes(message.Value), Headers: message.Headers,
				}),
			})
			return err
		})
	}, 1, e.seconds)
}

// edgeLoad returns the same deliveries as HTTP requests and as sealed records:
// pull_request bodies of one size, of 512 pull requests.
func edgeLoad(size int) ([]delivery, []schemas.Record, error) {
	github, ok := provider.ByName("github")
	if !ok {
		return nil, nil, errors.New("no provider github")
	}
	var deliveries []delivery
	var records []schemas.Record
	for n := range 512 {
		body := pullRequest(1000+n/100, n%100+1, life[0], time.Unix(1_767_225_600, 0), size)
		deliveries = append(deliveries, newDelivery("pull_request", body))
		header := http.Header{}
		header.Set("X-GitHub-Event", "pull_request")
		header.Set("X-GitHub-Delivery", fmt.Sprintf("%0*d", idWidth, n))
		header.Set("Content-Type", "application/json")
		record, err := github.Seal(provider.Delivery{
			Source: "github", Instance: "github.com", ContentType: "application/json", Header: header, Raw: body, ReceivedAt: time.Now(),
		})
		if err != nil {
			return nil, nil, fmt.Errorf("seal: %w", err)
		}
		records = append(records, record)
	}
	return deliveries, records, nil
}
