package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"pawl/ingest"
	"pawl/internal/kafkatest"
)

func TestI1_BrokerAwayIsA503AndHealsByItself(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	appender := newAppender(t, broker, ingest.AppenderConfig{})
	edge, _ := newEdge(t, appender, func(cfg *ingest.Config) { cfg.Timeout = 500 * time.Millisecond })
	if got := serve(edge, post(t, goodBody)).Code; got != http.StatusAccepted {
		t.Fatalf("status before = %d, want 202", got)
	}
	broker.Stop()
	start := time.Now()
	response := serve(edge, post(t, goodBody))
	if response.Code != http.StatusServiceUnavailable || response.Header().Get("Retry-After") == "" {
		t.Errorf("status with the broker away = %d, Retry-After %q, want 503 and a time", response.Code, response.Header().Get("Retry-After"))
	}
	if elapsed := time.Since(start); elapsed > 5*time.Second {
		t.Errorf("answered after %s", elapsed)
	}
	if edge.Ready(t.Context()) == nil {
		t.Error("ready with the broker away")
	}
	broker.Restart()
	until(t, "ready again", func() bool { return edge.Ready(t.Context()) == nil })
	if got := serve(edge, post(t, goodBody)).Code; got != http.StatusAccepted {
		t.Errorf("status after = %d, want 202", got)
	}
	// What was answered 503 was given up, and is not appended behind our back.
	for _, r := range readLog(t, broker) {
		if r.record.ID != "d-1" {
			t.Errorf("unknown record %s in the log", r.record.ID)
		}
	}
}

func TestAppend_ShortRestartIsWaitedOut(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	appender := newAppender(t, broker, ingest.AppenderConfig{})
	if _, err := appender.Append(t.Context(), recordOf(7, "d-1", "{}")); err != nil {
		t.Fatal(err)
	}
	broker.Stop()
	appended := make(chan error, 1)
	go func() {
		_, err := appender.Append(t.Context(), recordOf(7, "d-2", "{}"))
		appended <- err
	}()
	broker.Restart()
	if err := <-appended; err != nil {
		t.Fatal(err)
	}
	if got := ids(readLog(t, broker)); !strings.HasPrefix(got, "d-1 d-2") {
		t.Errorf("records in the log: %s, want d-1 and d-2", got)
	}
}

func TestAppend_TemporaryErrorOfTheBrokerIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, code := range []kafka.Error{kafka.NotLeaderForPartition, kafka.NotEnoughReplicas, kafka.RequestTimedOut, kafka.UnknownTopicOrPartition} {
		t.Run(code.Title(), func(t *testing.T) {
			t.Parallel()
			broker := kafkatest.Start(t)
			appender := newAppender(t, broker, ingest.AppenderConfig{})
			failProduce(broker, code)
			place, err := appender.Append(t.Context(), recordOf(7, "d-1", "{}"))
			if err != nil {
				t.Fatal(err)
			}
			if got := ids(readLog(t, broker)); got != "d-1" || place.Offset != 0 {
				t.Errorf("records in the log: %s, at %v, want d-1 at offset 0", got, place)
			}
		})
	}
}

func TestAppend_FinalErrorOfTheBrokerIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	appender := newAppender(t, broker, ingest.AppenderConfig{})
	failProduce(broker, kafka.TopicAuthorizationFailed)
	_, err := appender.Append(t.Context(), recordOf(7, "d-1", "{}"))
	if !errors.Is(err, ingest.ErrLog) || !errors.Is(err, kafka.TopicAuthorizationFailed) {
		t.Errorf("Append() = %v, want %v with %v", err, ingest.ErrLog, kafka.TopicAuthorizationFailed)
	}
}

func failProduce(broker *kafkatest.Broker, code kafka.Error) {
	broker.Cluster().ControlKey(produceKey, func(request kmsg.Request) (kmsg.Response, error, bool) {
		asked := request.(*kmsg.ProduceRequest)
		response := asked.ResponseKind().(*kmsg.ProduceResponse)
		for _, topic := range asked.Topics {
			answered := kmsg.NewProduceResponseTopic()
			answered.Topic = topic.Topic
			for _, partition := range topic.Partitions {
				p := kmsg.NewProduceResponseTopicPartition()
				p.Partition, p.ErrorCode = partition.Partition, int16(code)
				answered.Partitions = append(answered.Partitions, p)
			}
			response.Topics = append(response.Topics, answered)
		}
		return response, nil, true
	})
}

func TestAppend_FullQueueIsBusy(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	appender := newAppender(t, broker, ingest.AppenderConfig{MaxQueueBytes: 10_000})
	held, release := holdProduce(broker)
	first := make(chan error, 1)
	go func() {
		_, err := appender.Append(t.Context(), recordOf(7, "large", strings.Repeat("x", 50_000)))
		first <- err
	}()
	<-held
	if _, err := appender.Append(t.Context(), recordOf(7, "d-2", "{}")); !errors.Is(err, ingest.ErrBusy) {
		t.Errorf("Append() to a full queue = %v, want %v", err, ingest.ErrBusy)
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("a record larger than the queue, alone: %v", err)
	}
	if _, err := appender.Append(t.Context(), recordOf(7, "d-3", "{}")); err != nil {
		t.Errorf("Append() after the queue was emptied = %v", err)
	}
}

func TestAppend_AbandonedRecordIsDropped(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	appender := newAppender(t, broker, ingest.AppenderConfig{})
	held, release := holdProduce(broker)
	first := make(chan error, 1)
	go func() {
		_, err := appender.Append(t.Context(), recordOf(7, "first", "{}"))
		first <- err
	}()
	<-held
	gone, leave := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() {
		_, err := appender.Append(gone, recordOf(7, "second", "{}"))
		second <- err
	}()
	until(t, "queued", func() bool { return appender.QueuedRecords() == 1 })
	leave()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("Append() = %v, want %v", err, context.Canceled)
	}
	close(release)
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	if _, err := appender.Append(t.Context(), recordOf(7, "third", "{}")); err != nil {
		t.Fatal(err)
	}
	if got := ids(readLog(t, broker)); got != "first third" {
		t.Errorf("records in the log: %s, want first third", got)
	}
}

func TestAppend_CloseAnswersWhatItHas(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	appender := newAppender(t, broker, ingest.AppenderConfig{MaxInFlight: 1})
	held, release := holdProduce(broker)
	results := make(chan error, 21)
	appendOne := func(i int) {
		go func() {
			_, err := appender.Append(t.Context(), recordOf(int64(i+1), fmt.Sprint(i), "{}"))
			results <- err
		}()
	}
	appendOne(0)
	<-held
	for i := range 20 {
		appendOne(i + 1)
	}
	until(t, "queued", func() bool { return appender.QueuedRecords() == 20 })
	closed := make(chan error, 1)
	go func() { closed <- appender.Close(t.Context()) }()
	until(t, "closed to new records", func() bool {
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return errors.Is(appender.Ready(short), ingest.ErrClosed)
	})
	if _, err := appender.Append(t.Context(), recordOf(1, "late", "{}")); !errors.Is(err, ingest.ErrClosed) {
		t.Errorf("Append() after Close = %v, want %v", err, ingest.ErrClosed)
	}
	close(release)
	if err := <-closed; err != nil {
		t.Errorf("Close() = %v", err)
	}
	for range 21 {
		if err := <-results; err != nil {
			t.Errorf("Append() before Close = %v", err)
		}
	}
	if got := len(readLog(t, broker)); got != 21 {
		t.Errorf("%d records in the log, want 21", got)
	}
}

func TestAppend_CloseGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	appender := newAppender(t, broker, ingest.AppenderConfig{AttemptTimeout: 200 * time.Millisecond})
	if _, err := appender.Append(t.Context(), recordOf(7, "d-1", "{}")); err != nil {
		t.Fatal(err)
	}
	broker.Stop()
	result := make(chan error, 1)
	go func() {
		_, err := appender.Append(t.Context(), recordOf(7, "d-2", "{}"))
		result <- err
	}()
	until(t, "queued", func() bool { return appender.QueuedBytes() > 0 })
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := appender.Close(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close() = %v, want the end of its context", err)
	}
	if err := <-result; !errors.Is(err, ingest.ErrClosed) {
		t.Errorf("Append() = %v, want %v", err, ingest.ErrClosed)
	}
}

func TestAppend_TopicThatIsNotThereSaysSo(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	appender := ingest.NewKafkaAppender(broker.Client(), "pawl.nothing", ingest.AppenderConfig{})
	t.Cleanup(func() { _ = appender.Close(context.Background()) })
	short, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := appender.Append(short, recordOf(7, "d-1", "{}"))
	if !errors.Is(err, ingest.ErrLog) || !strings.Contains(err.Error(), "pawl.nothing") {
		t.Errorf("Append() = %v, want %v that names the topic", err, ingest.ErrLog)
	}
	if err := appender.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "pawl.nothing") {
		t.Errorf("Ready() = %v, want an error that names the topic", err)
	}
}

func TestAppend_NewPartitionsAreUsed(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	appender := newAppender(t, broker, ingest.AppenderConfig{RefreshEvery: 20 * time.Millisecond})
	if _, err := appender.Append(t.Context(), recordOf(7, "d-1", "{}")); err != nil {
		t.Fatal(err)
	}
	_, err := broker.Client().CreatePartitions(t.Context(), &kafka.CreatePartitionsRequest{
		Topics: []kafka.TopicPartitionsConfig{{Name: broker.Topics().Deliveries, Count: 8}},
	})
	if err != nil {
		t.Fatal(err)
	}
	number := int64(0)
	until(t, "appended to a new partition", func() bool {
		number++
		place, err := appender.Append(t.Context(), recordOf(number, "d", "{}"))
		return err == nil && place.Partition >= 4
	})
}
