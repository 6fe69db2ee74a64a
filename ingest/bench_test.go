package ingest_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"pawl/ingest"
	"pawl/internal/kafkatest"
	"pawl/schemas"
)

// benchBody is a pull_request payload of about size bytes, of text that
// compresses like a real one.
func benchBody(size int) []byte {
	var b strings.Builder
	b.WriteString(`{"action":"labeled","number":7,"pull_request":{"number":7,"links":{`)
	for i := 0; b.Len() < size-200; i++ {
		fmt.Fprintf(&b, `"x%d_url":"https://api.github.com/repos/acme/api/pulls/%x/commits{/sha}","n%d":%d,`, i, i*2654435761, i, i*7919)
	}
	b.WriteString(`"end":null}},"repository":{"id":101,"full_name":"acme/api"}}`)
	return []byte(b.String())
}

// load runs n calls from some callers at once and reports the rate.
func load(b *testing.B, callers int, call func(caller, i int) error) {
	b.Helper()
	var next atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for caller := range callers {
		group.Go(func() {
			for {
				i := int(next.Add(1))
				if i > b.N {
					return
				}
				if err := call(caller, i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// benchRecord has one of many keys, which spread over the partitions.
func benchRecord(body []byte, i int) schemas.Record {
	return schemas.Record{
		Key: schemas.PullRequestKey("github.com", "101", int64(i%997+1)), ID: schemas.DeliveryID(fmt.Sprint("d-", i)),
		Source: "github", Provider: "github", Event: "pull_request", Action: "labeled", Subject: "acme/api#7",
		ReceivedAt: time.Now(), ContentType: "application/json", Body: body,
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, compression := range []kafka.Compression{0, kafka.Snappy, kafka.Lz4, kafka.Zstd} {
		for _, callers := range []int{1, 64, 256} {
			for _, inFlight := range []int{0, 1} {
				b.Run(fmt.Sprintf("%s/callers=%d/inflight=%d", compression, callers, inFlight), func(b *testing.B) {
					broker := kafkatest.Start(b)
					appender := ingest.NewKafkaAppender(broker.Client(), broker.Topics().Deliveries, ingest.AppenderConfig{
						Compression: compression, NoCompression: compression == 0, MaxInFlight: inFlight,
					})
					defer func() { _ = appender.Close(context.Background()) }()
					body := benchBody(24 << 10)
					load(b, callers, func(_, i int) error {
						_, err := appender.Append(b.Context(), benchRecord(body, i))
						return err
					})
				})
			}
		}
	}
}

// BenchmarkWriter is the stock kafka-go Writer at the settings that did best.
func BenchmarkWriter(b *testing.B) {
	for _, timeout := range []time.Duration{time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond} {
		for _, compression := range []kafka.Compression{0, kafka.Lz4, kafka.Zstd} {
			for _, callers := range []int{64} {
				b.Run(fmt.Sprintf("%s/%s/callers=%d", timeout, compression, callers), func(b *testing.B) {
					broker := kafkatest.Start(b)
					client := broker.Client()
					writer := &kafka.Writer{
						Addr: client.Addr, Topic: broker.Topics().Deliveries, Transport: client.Transport,
						Balancer: kafka.Murmur2Balancer{Consistent: true}, RequiredAcks: kafka.RequireAll,
						BatchTimeout: timeout, BatchSize: 100, Compression: compression,
					}
					defer func() { _ = writer.Close() }()
					body := benchBody(24 << 10)
					load(b, callers, func(_, i int) error {
						record := benchRecord(body, i)
						var headers []kafka.Header
						for _, header := range record.Headers() {
							headers = append(headers, kafka.Header{Key: header.Name, Value: []byte(header.Value)})
						}
						return writer.WriteMessages(b.Context(), kafka.Message{Key: []byte(record.Key), Value: record.Body, Headers: headers})
					})
				})
			}
		}
	}
}

// BenchmarkEdge goes over HTTP and HMAC, with bare connections on the other
// side, since client and server share the machine.
func BenchmarkEdge(b *testing.B) {
	for _, callers := range []int{1, 64, 256} {
		for _, size := range []int{10 << 10, 24 << 10} {
			b.Run(fmt.Sprintf("callers=%d/kb=%d", callers, size>>10), func(b *testing.B) { benchEdge(b, callers, size, appendKafka) })
		}
	}
}

// BenchmarkEdgeWithoutLog is the cost of HTTP, HMAC and sealing alone.
func BenchmarkEdgeWithoutLog(b *testing.B) {
	benchEdge(b, 64, 24<<10, func(*testing.B) ingest.Appender { return nowhere{} })
}

type nowhere struct{}

func (nowhere) Append(context.Context, schemas.Record) (ingest.Place, error) {
	return ingest.Place{}, nil
}
func (nowhere) Ready(context.Context) error { return nil }

func appendKafka(b *testing.B) ingest.Appender {
	b.Helper()
	broker := kafkatest.Start(b)
	appender := ingest.NewKafkaAppender(broker.Client(), broker.Topics().Deliveries, ingest.AppenderConfig{MaxInFlight: 1})
	b.Cleanup(func() { _ = appender.Close(context.Background()) })
	return appender
}

func benchEdge(b *testing.B, callers, size int, to func(*testing.B) ingest.Appender) {
	b.Helper()
	const secret = "s3cret"
	edge, err := ingest.New(ingest.Config{Sources: []ingest.Source{
		{Name: "github", Provider: "github", Secrets: []ingest.Secret{{Value: []byte(secret)}}},
	}}, to(b), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: edge, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }()
	b.Cleanup(func() { _ = server.Close() })

	requests := make([][]byte, 256)
	for i := range requests {
		body := bytes.Replace(benchBody(size), []byte(`"number":7`), fmt.Appendf(nil, `"number":%d`, i+1), 2)
		requests[i] = rawRequest(body, secret, i)
	}
	conns := make([]*bufio.ReadWriter, callers)
	for i := range conns {
		conn, err := net.Dial("tcp", listener.Addr().String()) //nolint:noctx // a test
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = conn.Close() })
		conns[i] = bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriterSize(conn, 1))
	}
	load(b, callers, func(caller, i int) error { return exchange(conns[caller], requests[i%len(requests)]) })
}

func rawRequest(body []byte, secret string, i int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST /webhooks/github HTTP/1.1\r\nHost: x\r\nUser-Agent: GitHub-Hookshot/1\r\nAccept: */*\r\n"+
		"Content-Type: application/json\r\nX-GitHub-Event: pull_request\r\nX-GitHub-Delivery: 72d3162e-cc78-11e3-81ab-%012d\r\n"+
		"X-GitHub-Hook-ID: 292430182\r\nX-GitHub-Hook-Installation-Target-Type: repository\r\n"+
		"X-GitHub-Hook-Installation-Target-ID: 79929171\r\nX-Hub-Signature-256: %s\r\nContent-Length: %d\r\n\r\n",
		i, sign(body, secret), len(body))
	b.Write(body)
	return b.Bytes()
}

func exchange(conn *bufio.ReadWriter, request []byte) error {
	if _, err := conn.Write(request); err != nil {
		return err
	}
	if err := conn.Flush(); err != nil {
		return err
	}
	response, err := http.ReadResponse(conn.Reader, nil)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusAccepted {
		return fmt.Errorf("status %d: %s", response.StatusCode, text)
	}
	return nil
}
