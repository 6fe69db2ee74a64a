package watermillkafka_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"pawl/internal/kafkatest"
	"pawl/internal/topics"
	"pawl/internal/watermillkafka"
)

// stored is a record as it stands in the log.
type stored struct {
	Key, Value string
	Headers    []string // name=value
}

// readPartition returns all records of a partition.
func readPartition(t *testing.T, client *kafka.Client, topic string, partition int) []stored {
	t.Helper()
	var all []stored
	for next := int64(0); ; {
		response, err := client.Fetch(t.Context(), &kafka.FetchRequest{
			Topic: topic, Partition: partition, Offset: next, MinBytes: 0, MaxBytes: 1 << 20, MaxWait: 10 * time.Millisecond,
		})
		if err = errors.Join(err, response.Error); err != nil {
			t.Fatal(err)
		}
		for {
			r, err := response.Records.ReadRecord()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Offset >= next {
				all = append(all, toStored(t, r))
				next = r.Offset + 1
			}
		}
		if next >= response.HighWatermark {
			return all
		}
	}
}

func toStored(t *testing.T, r *protocol.Record) stored {
	t.Helper()
	key, err := protocol.ReadAll(r.Key)
	if err != nil {
		t.Fatal(err)
	}
	value, err := protocol.ReadAll(r.Value)
	if err != nil {
		t.Fatal(err)
	}
	s := stored{Key: string(key), Value: string(value)}
	for _, header := range r.Headers {
		s.Headers = append(s.Headers, header.Key+"="+string(header.Value))
	}
	return s
}

func newMessage(uuid, key, payload string, metadata ...string) *message.Message {
	m := message.NewMessage(uuid, []byte(payload))
	if key != "" {
		m.Metadata.Set(watermillkafka.PartitionKey, key)
	}
	for _, pair := range metadata {
		name, value, _ := strings.Cut(pair, "=")
		m.Metadata.Set(name, value)
	}
	return m
}

// onTopic starts a broker with the topic t, and returns a publisher.
func onTopic(t *testing.T, partitions int) (*kafkatest.Broker, *topics.Cluster, *watermillkafka.Publisher) {
	t.Helper()
	broker := kafkatest.Start(t)
	cluster := connect(t, broker)
	if err := topics.Create(t.Context(), cluster.Client, "t", topics.Config{Partitions: partitions}); err != nil {
		t.Fatal(err)
	}
	return broker, cluster, watermillkafka.NewPublisher(cluster.Client, watermillkafka.PublisherConfig{})
}

func TestPublish_MetadataAndHeadersAreTheSame(t *testing.T) {
	t.Parallel()
	_, cluster, publisher := onTopic(t, 1)
	err := publisher.Publish("t",
		newMessage("id-1", "k", "one", "ce_id=id-1", "ce_type=pawl.transition.merged", "traceparent=00-1"),
		newMessage("uuid-2", "", "two", "ce_id=id-2"),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := []stored{
		{Key: "k", Value: "one", Headers: []string{"ce_id=id-1", "ce_type=pawl.transition.merged", "traceparent=00-1"}},
		{Value: "two", Headers: []string{"ce_id=id-2", "_watermill_message_uuid=uuid-2"}},
	}
	if diff := cmp.Diff(readPartition(t, cluster.Client, "t", 0), want); diff != "" {
		t.Errorf("records (-got +want):\n%s", diff)
	}

	messages := subscribe(t, cluster, "t")
	for i, want := range []*message.Message{
		newMessage("id-1", "k", "one", "ce_id=id-1", "ce_type=pawl.transition.merged", "traceparent=00-1"),
		newMessage("uuid-2", "", "two", "ce_id=id-2"),
	} {
		got := receive(t, messages)
		if !got.Equals(want) {
			t.Errorf("got %s %v %q, want %s %v %q", got.UUID, got.Metadata, got.Payload, want.UUID, want.Metadata, want.Payload)
		}
		place, ok := watermillkafka.PlaceOf(got.Context())
		if wanted := fmt.Sprintf("t/0/%d", i); !ok || place.String() != wanted || time.Since(place.AppendedAt) > time.Hour {
			t.Errorf("got place %v at %v, want %s now", place, place.AppendedAt, wanted)
		}
		got.Ack()
	}
}

// The hashes are those of the Java client's own test.
func TestI2_KeysGoWhereJavaPutsThem(t *testing.T) {
	t.Parallel()
	_, cluster, publisher := onTopic(t, 4)
	hashes := map[string]int32{
		"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536,
		"a-little-bit-longer-string": -1486304829, "abc": 479470107,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
	}
	for key := range hashes {
		if err := publisher.Publish("t", newMessage("", key, "")); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for partition := range 4 {
		for _, record := range readPartition(t, cluster.Client, "t", partition) {
			seen++
			if want := int(hashes[record.Key]&0x7fffffff) % 4; partition != want {
				t.Errorf("key %q: got partition %d, want %d", record.Key, partition, want)
			}
		}
	}
	if seen != len(hashes) {
		t.Errorf("got %d records, want %d", seen, len(hashes))
	}
}

func TestPublish_OneCallKeepsTheOrderOfAPartition(t *testing.T) {
	t.Parallel()
	_, cluster, _ := onTopic(t, 2)
	publisher := watermillkafka.NewPublisher(cluster.Client, watermillkafka.PublisherConfig{MaxBatchBytes: 2000})
	var messages []*message.Message
	want := make(map[string][]string)
	for i := range 500 {
		key, value := fmt.Sprint(i%5), fmt.Sprint(i)
		messages = append(messages, newMessage("", key, value))
		want[key] = append(want[key], value)
	}
	if err := publisher.Publish("t", messages...); err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]string)
	for partition := range 2 {
		for _, record := range readPartition(t, cluster.Client, "t", partition) {
			got[record.Key] = append(got[record.Key], record.Value)
		}
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("values of each key (-got +want):\n%s", diff)
	}
}

// kafka-go's Writer would take a second each.
func TestPublish_WaitsForNoTimer(t *testing.T) {
	t.Parallel()
	_, _, publisher := onTopic(t, 1)
	began := time.Now()
	const count = 20
	for range count {
		if err := publisher.Publish("t", newMessage("", "k", "v")); err != nil {
			t.Fatal(err)
		}
	}
	if elapsed := time.Since(began); elapsed > count*time.Second/4 {
		t.Errorf("%d publishes took %v", count, elapsed)
	}
}

func TestPublish_WhatTheTopicDoesNotTakeIsNamed(t *testing.T) {
	t.Parallel()
	_, cluster, publisher := onTopic(t, 1)
	response, err := cluster.Client.CreateTopics(t.Context(), &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{
		Topic: "narrow", NumPartitions: 1, ReplicationFactor: 1,
		ConfigEntries: []kafka.ConfigEntry{{ConfigName: "max.message.bytes", ConfigValue: "100000"}},
	}}})
	if err != nil || response.Errors["narrow"] != nil {
		t.Fatal(err, response)
	}
	var messages []*message.Message
	for range 10 {
		messages = append(messages, newMessage("", "k", noise(30_000)))
	}
	if err := publisher.Publish("narrow", messages...); err != nil {
		t.Errorf("ten that fit one by one: got %v, want nil", err)
	}
	if got := len(readPartition(t, cluster.Client, "narrow", 0)); got != 10 {
		t.Errorf("got %d records, want 10", got)
	}
	if err := publisher.Publish("narrow", newMessage("", "k", noise(200_000))); !errors.Is(err, watermillkafka.ErrTooLarge) {
		t.Errorf("one that does not fit: got %v, want ErrTooLarge", err)
	}
}

// noise returns bytes that no compression makes smaller.
func noise(n int) string {
	random := rand.NewChaCha8([32]byte{})
	var buffer bytes.Buffer
	_, _ = io.CopyN(&buffer, random, int64(n))
	return buffer.String()
}

func TestPublish_FailsInTimeWhileTheBrokerIsAwayAndRecovers(t *testing.T) {
	t.Parallel()
	broker, cluster, publisher := onTopic(t, 1)
	if err := publisher.Publish("t", newMessage("", "k", "before")); err != nil {
		t.Fatal(err)
	}
	broker.Stop()
	brief := watermillkafka.NewPublisher(cluster.Client, watermillkafka.PublisherConfig{Timeout: 300 * time.Millisecond})
	began := time.Now()
	if err := brief.Publish("t", newMessage("", "k", "lost")); err == nil {
		t.Error("a publish without a broker succeeded")
	}
	m := newMessage("", "k", "lost")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	m.SetContext(ctx)
	if err := publisher.Publish("t", m); err == nil {
		t.Error("a publish without a broker succeeded")
	}
	if elapsed := time.Since(began); elapsed > 5*time.Second {
		t.Errorf("two bounded publishes took %v", elapsed)
	}
	broker.Restart()
	if err := publisher.Publish("t", newMessage("", "k", "after")); err != nil {
		t.Fatal(err)
	}
	records := readPartition(t, cluster.Client, "t", 0)
	if got := records[len(records)-1].Value; records[0].Value != "before" || got != "after" {
		t.Errorf("got %v, want before first and after last", records)
	}
}

func TestPublish_NotAfterClose(t *testing.T) {
	t.Parallel()
	_, cluster, publisher := onTopic(t, 1)
	for range 2 {
		if err := publisher.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := publisher.Publish("t", newMessage("", "k", "v")); !errors.Is(err, watermillkafka.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if got := len(readPartition(t, cluster.Client, "t", 0)); got != 0 {
		t.Errorf("got %d records, want none", got)
	}
}
