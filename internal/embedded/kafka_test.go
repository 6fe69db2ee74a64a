package embedded_test

import (
	"errors"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"pawl/internal/embedded"
)

func startKafka(t *testing.T, dir string) *embedded.Kafka {
	t.Helper()
	broker, err := embedded.StartKafka(embedded.KafkaConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return broker
}

func TestKafka_RecordsOutliveARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broker := startKafka(t, dir)
	client := &kafka.Client{Addr: kafka.TCP(broker.Addrs()...), Timeout: 10 * time.Second}
	if _, err := client.CreateTopics(t.Context(), &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: "kept", NumPartitions: 1, ReplicationFactor: 1}},
	}); err != nil {
		t.Fatal(err)
	}
	writer := &kafka.Writer{Addr: client.Addr, Topic: "kept", RequiredAcks: kafka.RequireAll, BatchSize: 1}
	if err := writer.WriteMessages(t.Context(), kafka.Message{Value: []byte("one")}); err != nil {
		t.Fatal(err)
	}
	_ = writer.Close()
	broker.Close()

	broker = startKafka(t, dir)
	t.Cleanup(broker.Close)
	reader := kafka.NewReader(kafka.ReaderConfig{Brokers: broker.Addrs(), Topic: "kept", MaxWait: 100 * time.Millisecond})
	defer reader.Close()
	message, err := reader.ReadMessage(t.Context())
	if err != nil || string(message.Value) != "one" {
		t.Errorf("got %q, %v", message.Value, err)
	}
}

func TestKafka_SecondBrokerOnALogIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broker := startKafka(t, dir)
	second, err := embedded.StartKafka(embedded.KafkaConfig{Dir: dir})
	if !errors.Is(err, embedded.ErrInUse) {
		t.Errorf("got %v, want ErrInUse", err)
	}
	if err == nil {
		second.Close()
	}
	broker.Close()
	startKafka(t, dir).Close()
}
