package kafkatest_test

import (
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"

	"pawl/internal/kafkatest"
	"pawl/schemas"
)

func TestBroker_KeepsAddressTopicsAndRecordsOverARestart(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	addr, topic := broker.Addrs()[0], broker.Topics().All()[0]
	value := strings.Repeat("x", schemas.MaxRecord-10_000)
	_, err := broker.Client().Produce(t.Context(), &kafka.ProduceRequest{
		Topic: topic, RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes([]byte(value))}),
	})
	if err != nil {
		t.Fatalf("a record of the largest size: %v", err)
	}
	broker.Restart()
	if got := broker.Addrs()[0]; got != addr {
		t.Errorf("address %s, want %s", got, addr)
	}
	response, err := broker.Client().Metadata(t.Context(), &kafka.MetadataRequest{Topics: []string{topic}})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(response.Topics[0].Partitions); got != kafkatest.Partitions {
		t.Errorf("%d partitions, want %d", got, kafkatest.Partitions)
	}
	offsets, err := broker.Client().ListOffsets(t.Context(), &kafka.ListOffsetsRequest{
		Topics: map[string][]kafka.OffsetRequest{topic: {kafka.LastOffsetOf(0)}},
	})
	if err != nil || offsets.Topics[topic][0].Error != nil || offsets.Topics[topic][0].LastOffset != 1 {
		t.Errorf("offsets %+v, %v, want one record", offsets.Topics[topic], err)
	}
}
