package watermillkafka_test

import (
	"os"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/tests"

	"pawl/internal/kafkatest"
	"pawl/internal/topics"
	"pawl/internal/watermillkafka"
)

// fullSuite makes the suite run with its real counts: minutes instead of
// seconds.
const fullSuite = "PAWL_TEST_FULL"

// features says what the suite may ask of this adapter.
//
//	ConsumerGroups: each group sees every message.
//	GuaranteedOrder: within a partition, for any number of subscribers. The
//	    suite orders by payload, so the payload is the partition key here.
//	Persistent: messages and offsets outlive publisher and subscriber.
//	NewSubscriberReceivesOldMessages: a new group starts from the earliest; true
//	    where the constructor gives each subscriber a group of its own.
//	ExactlyOnceDelivery: false. Commits trail the acks, and a publish that timed
//	    out is sent again: at least once, in order of first sight.
//	RequireSingleInstance: false, any number of members.
//	ContextPreserved: false, a context cannot travel through Kafka.
//	RestartServiceCommand: none. The suite's TestReconnect compares with a list
//	    that it appends to after each publish, and fails when a message arrives
//	    sooner; TestSubscriber_GoesOnAfterTheBrokerRestarted is ours.
func features(groups bool) tests.Features {
	return tests.Features{
		ConsumerGroups:                   true,
		ExactlyOnceDelivery:              false,
		GuaranteedOrder:                  true,
		Persistent:                       true,
		NewSubscriberReceivesOldMessages: !groups,
		ForceShort:                       os.Getenv(fullSuite) == "",
	}
}

// byPayload gives each message its payload as the partition key.
type byPayload struct{ message.Publisher }

func (p byPayload) Publish(topic string, messages ...*message.Message) error {
	for _, m := range messages {
		m.Metadata.Set(watermillkafka.PartitionKey, string(m.Payload))
	}
	return p.Publisher.Publish(topic, messages...)
}

// bench makes publishers and subscribers on one broker.
type bench struct {
	cluster    *topics.Cluster
	partitions int
}

func newBench(t *testing.T, broker *kafkatest.Broker, partitions int) bench {
	t.Helper()
	return bench{connect(t, broker), partitions}
}

func connect(t *testing.T, broker *kafkatest.Broker) *topics.Cluster {
	t.Helper()
	cluster, err := topics.Connect(topics.Connection{Brokers: broker.Addrs()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

func (b bench) inGroup(t *testing.T, group string) (message.Publisher, message.Subscriber) {
	t.Helper()
	subscriber, err := watermillkafka.NewSubscriber(b.cluster, watermillkafka.SubscriberConfig{
		Group:     group,
		Topic:     topics.Config{Partitions: b.partitions, ReplicationFactor: 1},
		NackPause: 5 * time.Millisecond, MaxNackPause: 50 * time.Millisecond,
		// the suite leaves messages unanswered when it closes
		DrainTimeout: 500 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return byPayload{watermillkafka.NewPublisher(b.cluster.Client, watermillkafka.PublisherConfig{})}, subscriber
}

// perTest gives each test of the suite a group of its own, which all
// subscribers of the test share: a group for all would rebalance for each.
func (b bench) perTest(t *testing.T) (message.Publisher, message.Subscriber) {
	t.Helper()
	return b.inGroup(t, "group-"+t.Name())
}

func (b bench) inOwnGroup(t *testing.T) (message.Publisher, message.Subscriber) {
	t.Helper()
	return b.inGroup(t, "own-"+watermill.NewUUID())
}

func TestPubSub_OneGroup(t *testing.T) {
	t.Parallel()
	b := newBench(t, kafkatest.Start(t), 8)
	tests.TestPubSub(t, features(true), b.perTest, b.inGroup)
}

func TestPubSub_AGroupForEachSubscriber(t *testing.T) {
	t.Parallel()
	b := newBench(t, kafkatest.Start(t), 4)
	tests.TestPubSub(t, features(false), b.inOwnGroup, b.inGroup)
}

func TestPubSub_OnePartition(t *testing.T) {
	t.Parallel()
	b := newBench(t, kafkatest.Start(t), 1)
	tests.TestPubSub(t, features(true), b.perTest, b.inGroup)
}

// The suite ten times at once, with its short counts.
func TestPubSub_Stress(t *testing.T) {
	t.Parallel()
	if os.Getenv(fullSuite) == "" {
		t.Skip("takes minutes: set " + fullSuite)
	}
	with := features(true)
	with.ForceShort = true
	b := newBench(t, kafkatest.Start(t), 4)
	tests.TestPubSubStressTest(t, with, b.perTest, b.inGroup)
}
