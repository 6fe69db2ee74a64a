package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"pawl/ingest"
	"pawl/internal/kafkatest"
	"pawl/schemas"
)

const produceKey = 0 // the API key of Produce

func newAppender(t *testing.T, broker *kafkatest.Broker, cfg ingest.AppenderConfig) *ingest.KafkaAppender {
	t.Helper()
	appender := ingest.NewKafkaAppender(broker.Client(), broker.Topics().Deliveries, cfg)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = appender.Close(ctx)
	})
	return appender
}

func recordOf(number int64, id, body string) schemas.Record {
	return schemas.Record{
		Key: schemas.PullRequestKey("github.com", "101", number), ID: schemas.DeliveryID(id), Source: "github",
		Provider: "github", Event: "pull_request", ReceivedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Body: []byte(body),
	}
}

// logged is a record as it stands in the log.
type logged struct {
	place  ingest.Place
	record schemas.Record
}

// readLog reads all of pawl.deliveries.
func readLog(t *testing.T, broker *kafkatest.Broker) []logged {
	t.Helper()
	client := broker.Client()
	var all []logged
	for partition := range kafkatest.Partitions {
		conn, err := kafka.DialLeader(t.Context(), "tcp", broker.Addrs()[0], broker.Topics().Deliveries, partition)
		if err != nil {
			t.Fatal(err)
		}
		last, err := conn.ReadLastOffset()
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		for next := int64(0); next < last; {
			response, err := client.Fetch(t.Context(), &kafka.FetchRequest{
				Topic: broker.Topics().Deliveries, Partition: partition, Offset: next, MinBytes: 1, MaxBytes: 32 << 20, MaxWait: time.Second,
			})
			if err != nil {
				t.Fatal(err)
			}
			for {
				read, err := response.Records.ReadRecord()
				if err != nil {
					break
				}
				if read.Offset >= next {
					all = append(all, logged{ingest.Place{Partition: partition, Offset: read.Offset}, parse(t, read)})
					next = read.Offset + 1
				}
			}
		}
	}
	return all
}

func parse(t *testing.T, read *kafka.Record) schemas.Record {
	t.Helper()
	key, err := kafka.ReadAll(read.Key)
	if err != nil {
		t.Fatal(err)
	}
	body, err := kafka.ReadAll(read.Value)
	if err != nil {
		t.Fatal(err)
	}
	var headers []schemas.Header
	for _, header := range read.Headers {
		headers = append(headers, schemas.Header{Name: header.Key, Value: string(header.Value)})
	}
	record, err := schemas.ParseRecord(key, headers, body)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func TestAppend_RecordIsInTheLogAsItWas(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	for _, compression := range []kafka.Compression{0, kafka.Lz4, kafka.Zstd} {
		appender := newAppender(t, broker, ingest.AppenderConfig{Compression: compression, NoCompression: compression == 0})
		want := recordOf(7, "d-"+compression.String(), " {\"a\": \"\x00\xff\"} ")
		want.TraceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
		want.ProviderHeaders = []schemas.Header{{Name: "X-GitHub-Event", Value: "pull_request"}}
		place, err := appender.Append(t.Context(), want)
		if err != nil {
			t.Fatal(err)
		}
		all := readLog(t, broker)
		got := all[len(all)-1]
		if diff := cmp.Diff(got.record, want); diff != "" {
			t.Errorf("record in the log (-got +want):\n%s", diff)
		}
		if got.place != place {
			t.Errorf("the record is at %v, and Append said %v", got.place, place)
		}
	}
}

// I1: while the broker holds its answer, Append does not return.
func TestI1_AppendWaitsForTheBrokersAnswer(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	appender := newAppender(t, broker, ingest.AppenderConfig{})
	edge, _ := newEdge(t, appender, nil)
	held, release := holdProduce(broker)

	answered := make(chan int, 1)
	go func() { answered <- serve(edge, post(t, goodBody)).Code }()
	<-held
	select {
	case status := <-answered:
		t.Fatalf("answered %d before the broker did", status)
	case <-time.After(100 * time.Millisecond):
	}
	close(release)
	if got := <-answered; got != http.StatusAccepted {
		t.Errorf("status = %d, want 202", got)
	}
	if got := len(readLog(t, broker)); got != 1 {
		t.Errorf("%d records in the log, want 1", got)
	}
}

// holdProduce holds the next produce request at the broker: held tells that it
// is there, and closing release lets it go on.
func holdProduce(broker *kafkatest.Broker) (held <-chan struct{}, release chan<- struct{}) {
	cluster := broker.Cluster()
	arrived, proceed := make(chan struct{}), make(chan struct{})
	var once atomic.Bool
	cluster.ControlKey(produceKey, func(kmsg.Request) (kmsg.Response, error, bool) {
		if once.CompareAndSwap(false, true) {
			close(arrived)
			cluster.SleepControl(func() { <-proceed })
		}
		return nil, nil, false
	})
	return arrived, proceed
}

// I1: with the broker away an answer comes in bounded time, it is 503, and the
// edge takes deliveries again as soon as the broker is back.
// A broker that comes back within the time of a request costs no delivery.
func ids(all []logged) string {
	var texts []string
	for _, r := range all {
		texts = append(texts, string(r.record.ID))
	}
	return strings.Join(texts, " ")
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("not %s in 15 s", what)
}

// failProduce fails the next produce request before it is in the log.
// I2: the partition is that of the Java client, and one key keeps its order.
func TestI2_OneKeyOnePartitionOneOrder(t *testing.T) {
	t.Parallel()
	for _, inFlight := range []int{0, 1} {
		t.Run(fmt.Sprintf("at most %d in flight", inFlight), func(t *testing.T) {
			t.Parallel()
			broker := kafkatest.Start(t)
			appender := newAppender(t, broker, ingest.AppenderConfig{MaxInFlight: inFlight})
			const keys, each = 10, 100
			var group sync.WaitGroup
			for key := range keys {
				group.Go(func() {
					for i := range each {
						if _, err := appender.Append(t.Context(), recordOf(int64(key+1), fmt.Sprintf("%d", i), "{}")); err != nil {
							t.Error(err)
						}
					}
				})
			}
			group.Wait()
			checkOrder(t, readLog(t, broker), keys*each)
		})
	}
}

func checkOrder(t *testing.T, all []logged, want int) {
	t.Helper()
	if len(all) != want {
		t.Errorf("%d records in the log, want %d", len(all), want)
	}
	java := kafka.Murmur2Balancer{Consistent: true}
	next := make(map[schemas.EntityKey]int)
	for _, r := range all {
		if partition := java.Balance(kafka.Message{Key: []byte(r.record.Key)}, 0, 1, 2, 3); partition != r.place.Partition {
			t.Errorf("%s is in partition %d, want %d", r.record.Key, r.place.Partition, partition)
		}
		if got, want := string(r.record.ID), fmt.Sprint(next[r.record.Key]); got != want {
			t.Fatalf("%s: record %s comes where %s should", r.record.Key, got, want)
		}
		next[r.record.Key]++
	}
}

// 1000 deliveries at once over real HTTP: each is in the log exactly once, at
// the place that its answer said.
func TestEdge_AThousandAtOnce(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	edge, _ := newEdge(t, newAppender(t, broker, ingest.AppenderConfig{}), func(cfg *ingest.Config) { cfg.Timeout = time.Minute })
	server := httptest.NewServer(edge)
	t.Cleanup(server.Close)
	var mu sync.Mutex
	places := make(map[schemas.DeliveryID]ingest.Place)
	var group sync.WaitGroup
	for i := range 1000 {
		group.Go(func() {
			id, place := postOverHTTP(t, server, i)
			mu.Lock()
			defer mu.Unlock()
			places[id] = place
		})
	}
	group.Wait()
	all := readLog(t, broker)
	if len(all) != 1000 || len(places) != 1000 {
		t.Errorf("%d records in the log and %d answers, want 1000", len(all), len(places))
	}
	for _, r := range all {
		if places[r.record.ID] != r.place {
			t.Errorf("%s is at %v, its answer said %v", r.record.ID, r.place, places[r.record.ID])
		}
		if !bytes.Contains(r.record.Body, []byte(`"id":"`+string(r.record.ID)+`"`)) {
			t.Errorf("%s has the body of another: %s", r.record.ID, r.record.Body)
		}
	}
}

func postOverHTTP(t *testing.T, server *httptest.Server, i int) (schemas.DeliveryID, ingest.Place) {
	t.Helper()
	id := fmt.Sprintf("d-%d", i)
	body := fmt.Sprintf(`{"id":%q,"number":%d,"repository":{"id":101},"pad":%q}`, id, i%50+1, strings.Repeat("x", rand.IntN(3000)))
	r := post(t, body)
	out, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/webhooks/github", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return "", ingest.Place{}
	}
	out.Header = r.Header
	out.Header.Set("X-GitHub-Delivery", id)
	response, err := server.Client().Do(out)
	if err != nil {
		t.Error(err)
		return "", ingest.Place{}
	}
	defer func() { _ = response.Body.Close() }()
	fields := answerOf(t, response.Header, response.Body)
	if response.StatusCode != http.StatusAccepted {
		t.Errorf("status %d: %v", response.StatusCode, fields)
		return "", ingest.Place{}
	}
	return schemas.DeliveryID(id), ingest.Place{Partition: int(fields["partition"].(float64)), Offset: int64(fields["offset"].(float64))}
}

// What arrives while a request is in flight is the next batch.
func TestAppend_ABatchFormsWhileOneIsInFlight(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	appender := newAppender(t, broker, ingest.AppenderConfig{})
	requests := countProduce(broker)
	held, release := holdProduce(broker)
	var group sync.WaitGroup
	appendOne := func(id string) {
		group.Go(func() {
			if _, err := appender.Append(t.Context(), recordOf(7, id, "{}")); err != nil {
				t.Error(err)
			}
		})
	}
	appendOne("first")
	<-held
	before := appender.QueuedBytes()
	for i := range 50 {
		appendOne(fmt.Sprint(i))
	}
	until(t, "all queued", func() bool { return appender.QueuedRecords() == 50 })
	if appender.QueuedBytes() <= before {
		t.Error("the bytes that wait are not counted")
	}
	close(release)
	group.Wait()
	if got := requests.Load(); got != 2 {
		t.Errorf("one record and the 50 that waited for it went in %d requests, want 2", got)
	}
	if got := appender.QueuedBytes(); got != 0 {
		t.Errorf("%d bytes are counted as waiting after all were answered", got)
	}
}

func countProduce(broker *kafkatest.Broker) *atomic.Int64 {
	var count atomic.Int64
	cluster := broker.Cluster()
	cluster.ControlKey(produceKey, func(kmsg.Request) (kmsg.Response, error, bool) {
		count.Add(1)
		return nil, nil, false
	})
	return &count
}

// GitHub's largest body passes from HTTP to the log.
func TestEdge_TwentyFiveMegabytes(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	for _, compression := range []kafka.Compression{0, kafka.Zstd} {
		appender := newAppender(t, broker, ingest.AppenderConfig{Compression: compression, NoCompression: compression == 0})
		edge, _ := newEdge(t, appender, func(cfg *ingest.Config) { cfg.Timeout = time.Minute })
		frame := `{"number":7,"repository":{"id":101},"pad":""}`
		body := strings.Replace(frame, `"pad":""`, `"pad":"`+strings.Repeat("x", schemas.MaxBody-len(frame))+`"`, 1)
		response := serve(edge, post(t, body))
		if response.Code != http.StatusAccepted {
			t.Fatalf("%d bytes, %s: status %d: %v", len(body), compression, response.Code, answerOf(t, response.Header(), response.Body))
		}
		all := deliveries(readLog(t, broker))
		if got := len(all[len(all)-1].record.Body); got != schemas.MaxBody {
			t.Errorf("the body in the log has %d bytes, want %d", got, schemas.MaxBody)
		}
		if got := serve(edge, post(t, body+" ")).Code; got != http.StatusRequestEntityTooLarge {
			t.Errorf("one byte more: status %d, want 413", got)
		}
	}
}

// A caller that gave up is told so, and its record is not sent any more.
