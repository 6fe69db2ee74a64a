package realkafka

import (
	"context"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"
)

// waitReady asks the node until it names itself, so many nodes, and a group
// coordinator: the coordinator's topic is made on first use, which would
// otherwise fall into the test's first join.
func (b *Broker) waitReady(count int) {
	b.t.Helper()
	deadline := time.Now().Add(startWithin)
	for time.Now().Before(deadline) {
		select {
		case <-b.exited:
			b.t.Fatalf("kafka ended as it started:\n%s", b.output)
		case <-time.After(200 * time.Millisecond):
		}
		if b.serves(count) {
			return
		}
	}
	b.t.Fatalf("kafka did not serve within %s:\n%s", startWithin, b.output)
}

func (b *Broker) serves(count int) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	transport := &kafka.Transport{DialTimeout: time.Second}
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(b.addr()), Transport: transport}
	metadata, err := client.Metadata(ctx, &kafka.MetadataRequest{})
	if err != nil || len(metadata.Brokers) < count {
		return false
	}
	if !slices.ContainsFunc(metadata.Brokers, func(broker kafka.Broker) bool { return broker.ID == b.id }) {
		return false
	}
	coordinator, err := client.FindCoordinator(ctx, &kafka.FindCoordinatorRequest{
		Key: "probe", KeyType: kafka.CoordinatorKeyTypeConsumer,
	})
	return err == nil && coordinator.Error == nil
}
