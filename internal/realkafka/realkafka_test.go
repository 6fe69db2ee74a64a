package realkafka_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"pawl/internal/realkafka"
)

const topic = "kept"

func newClient(t *testing.T, broker *realkafka.Broker) *kafka.Client {
	t.Helper()
	transport := &kafka.Transport{MetadataTTL: time.Second, DialTimeout: 2 * time.Second}
	t.Cleanup(transport.CloseIdleConnections)
	return &kafka.Client{Addr: kafka.TCP(broker.Addrs()...), Timeout: 20 * time.Second, Transport: transport}
}

// createTopic creates the topic with one partition and returns its leader's id.
func createTopic(t *testing.T, client *kafka.Client, replicas int) (leader int) {
	t.Helper()
	response, err := client.CreateTopics(t.Context(), &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: topic, NumPartitions: 1, ReplicationFactor: replicas}},
	})
	if err != nil || response.Errors[topic] != nil {
		t.Fatalf("create topic: %v, %v", err, response)
	}
	for t.Context().Err() == nil {
		metadata, err := client.Metadata(t.Context(), &kafka.MetadataRequest{Topics: []string{topic}})
		if err == nil && metadata.Topics[0].Error == nil && len(metadata.Topics[0].Partitions) == 1 {
			return metadata.Topics[0].Partitions[0].Leader.ID
		}
		time.Sleep(50 * time.Millisecond) // between two polls
	}
	return 0
}

// appended is false for an outcome that is unknown or a refusal.
func appended(t *testing.T, client *kafka.Client, value string, within time.Duration) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	response, err := client.Produce(ctx, &kafka.ProduceRequest{
		Topic: topic, RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes([]byte(value))}),
	})
	return err == nil && response.Error == nil
}

// appendUntil appends until it is acknowledged.
func appendUntil(t *testing.T, client *kafka.Client, value string) {
	t.Helper()
	deadline := time.Now().Add(90 * time.Second)
	for !appended(t, client, value, 5*time.Second) {
		if time.Now().After(deadline) {
			t.Fatalf("%s was never acknowledged", value)
		}
		time.Sleep(100 * time.Millisecond) // between two attempts
	}
}

// readUntil reads from the start until it meets the value.
func readUntil(t *testing.T, broker *realkafka.Broker, last string) []string {
	t.Helper()
	reader := kafka.NewReader(kafka.ReaderConfig{Brokers: broker.Addrs(), Topic: topic, MaxWait: 200 * time.Millisecond})
	defer reader.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	var values []string
	for !slices.Contains(values, last) {
		message, err := reader.ReadMessage(ctx)
		if err != nil {
			t.Fatalf("after %v: %v", values, err)
		}
		values = append(values, string(message.Value))
	}
	return values
}

func TestBroker_KeepsWhatItAcknowledgedOverAKill(t *testing.T) {
	broker := realkafka.Start(t)
	client := newClient(t, broker)
	createTopic(t, client, 1)
	appendUntil(t, client, "before")
	broker.Kill()
	if appended(t, client, "to nobody", time.Second) {
		t.Error("a dead broker acknowledged")
	}
	broker.Restart()
	appendUntil(t, client, "after")
	if got := readUntil(t, broker, "after"); got[0] != "before" {
		t.Errorf("got %q, want before first", got)
	}
}

// TestI1_AcknowledgedOutlivesItsLeader loses the leader of three replicas, then
// a second one: with one left nothing may be acknowledged.
func TestI1_AcknowledgedOutlivesItsLeader(t *testing.T) {
	if testing.Short() {
		t.Skip("three JVMs")
	}
	nodes := realkafka.StartNodes(t, 3)
	client := newClient(t, nodes[0])
	leader := createTopic(t, client, 3)
	var acknowledged []string
	put := func() {
		value := strconv.Itoa(len(acknowledged))
		appendUntil(t, client, value)
		acknowledged = append(acknowledged, value)
	}
	put()
	dead := nodes[leader-1]
	dead.Kill()
	put()

	alive := slices.DeleteFunc(slices.Clone(nodes), func(b *realkafka.Broker) bool { return b == dead })
	alive[0].Kill()
	if appended(t, client, "to one of three", 3*time.Second) {
		t.Error("one replica of three acknowledged, and two must be in sync")
	}
	alive[0].Restart()
	put()
	got := readUntil(t, nodes[0], acknowledged[2])
	for _, want := range acknowledged {
		if !slices.Contains(got, want) {
			t.Errorf("%s was acknowledged and is not in the log: %v", want, got)
		}
	}
}
