package realkafka_test

import (
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"pawl/internal/realkafka"
)

func TestBroker_KeepsWhatItAcknowledgedOverAKill(t *testing.T) {
	broker := realkafka.Start(t)
	client := &kafka.Client{Addr: kafka.TCP(broker.Addrs()...), Timeout: 20 * time.Second}
	if _, err := client.CreateTopics(t.Context(), &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: "kept", NumPartitions: 1, ReplicationFactor: 1}},
	}); err != nil {
		t.Fatal(err)
	}
	writer := &kafka.Writer{Addr: client.Addr, Topic: "kept", RequiredAcks: kafka.RequireAll, BatchSize: 1}
	defer writer.Close()
	if err := writer.WriteMessages(t.Context(), kafka.Message{Value: []byte("one")}); err != nil {
		t.Fatal(err)
	}
	broker.Kill()
	broker.Restart()
	reader := kafka.NewReader(kafka.ReaderConfig{Brokers: broker.Addrs(), Topic: "kept", MaxWait: 200 * time.Millisecond})
	defer reader.Close()
	message, err := reader.ReadMessage(t.Context())
	if err != nil || string(message.Value) != "one" {
		t.Errorf("got %q, %v", message.Value, err)
	}
}
