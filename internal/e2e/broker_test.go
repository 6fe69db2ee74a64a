package e2e_test

import (
	"testing"

	"github.com/segmentio/kafka-go"

	"pawl/internal/kafkatest"
	"pawl/internal/realkafka"
)

// broker is a Kafka broker that can go away and come back with its log.
type broker interface {
	Addrs() []string
	Stop()
	Restart()
}

// onEachBroker runs a test on kfake and on Apache Kafka.
func onEachBroker(t *testing.T, test func(t *testing.T, b broker)) {
	t.Helper()
	t.Run("kfake", func(t *testing.T) { test(t, kafkatest.Start(t)) })
	t.Run("apache", func(t *testing.T) { test(t, realkafka.Start(t)) })
}

// crash ends a broker without grace where it can be.
func crash(b broker) {
	if killable, ok := b.(interface{ Kill() }); ok {
		killable.Kill()
		return
	}
	b.Stop()
}

// logEnds returns the end of every partition of a topic that has records.
func logEnds(t *testing.T, b broker, topic string) map[int]int64 {
	t.Helper()
	transport := new(kafka.Transport)
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(b.Addrs()...), Transport: transport}
	asked := make([]kafka.OffsetRequest, kafkatest.Partitions)
	for n := range asked {
		asked[n] = kafka.LastOffsetOf(n)
	}
	response, err := client.ListOffsets(t.Context(), &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{topic: asked}})
	if err != nil {
		t.Fatal(err)
	}
	ends := make(map[int]int64)
	for _, partition := range response.Topics[topic] {
		if partition.Error != nil {
			t.Fatalf("offsets of %s/%d: %v", topic, partition.Partition, partition.Error)
		}
		if partition.LastOffset > 0 {
			ends[partition.Partition] = partition.LastOffset
		}
	}
	return ends
}
