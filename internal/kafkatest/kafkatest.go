// Package kafkatest gives each test a broker of its own: kfake with its log in
// the test's directory and every write synced, as pawl up runs it.
package kafkatest

import (
	"errors"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"pawl/internal/embedded"
	"pawl/schemas"
)

// Partitions is the partition count of the topics.
const Partitions = 4

// Broker is a broker with Pawl's topics.
type Broker struct {
	t      testing.TB
	dir    string
	port   int
	kafka  *embedded.Kafka
	topics schemas.Topics
}

// Start starts a broker and creates the topics. It stops when the test ends.
func Start(t testing.TB) *Broker {
	t.Helper()
	b := &Broker{t: t, dir: t.TempDir(), topics: schemas.TopicsWithPrefix(schemas.DefaultTopicPrefix)}
	b.startSomewhere()
	t.Cleanup(b.Stop)
	b.createTopics()
	return b
}

// startSomewhere starts it on a free port, and on another one where somebody took
// that between the two.
func (b *Broker) startSomewhere() {
	b.t.Helper()
	for attempt := range 10 {
		port, err := embedded.FreePort(b.t.Context())
		if err != nil {
			b.t.Fatal(err)
		}
		b.port = port
		b.kafka, err = embedded.StartKafka(embedded.KafkaConfig{Dir: b.dir, Port: port})
		if err == nil {
			return
		}
		if !errors.Is(err, syscall.EADDRINUSE) || attempt == 9 {
			b.t.Fatal(err)
		}
	}
}

func (b *Broker) start() {
	b.t.Helper()
	broker, err := embedded.StartKafka(embedded.KafkaConfig{Dir: b.dir, Port: b.port})
	if err != nil {
		b.t.Fatal(err)
	}
	b.kafka = broker
}

func (b *Broker) createTopics() {
	b.t.Helper()
	var configs []kafka.TopicConfig
	for _, topic := range b.topics.All() {
		configs = append(configs, kafka.TopicConfig{
			Topic: topic, NumPartitions: Partitions, ReplicationFactor: 1,
			ConfigEntries: []kafka.ConfigEntry{{ConfigName: "max.message.bytes", ConfigValue: strconv.Itoa(schemas.MaxRecord)}},
		})
	}
	response, err := b.Client().CreateTopics(b.t.Context(), &kafka.CreateTopicsRequest{Topics: configs})
	if err != nil {
		b.t.Fatal(err)
	}
	for topic, err := range response.Errors {
		if err != nil {
			b.t.Fatalf("create topic %s: %v", topic, err)
		}
	}
}

// Addrs returns the broker's addresses, host:port. They outlive a restart.
func (b *Broker) Addrs() []string { return []string{"127.0.0.1:" + strconv.Itoa(b.port)} }

// Topics returns the topics' names.
func (b *Broker) Topics() schemas.Topics { return b.topics }

// Client returns a client of the broker with a transport of its own.
func (b *Broker) Client() *kafka.Client {
	transport := &kafka.Transport{MetadataTTL: time.Second, DialTimeout: 2 * time.Second}
	b.t.Cleanup(transport.CloseIdleConnections)
	return &kafka.Client{Addr: kafka.TCP(b.Addrs()...), Timeout: 10 * time.Second, Transport: transport}
}

// Cluster returns the broker itself: its Control functions hold and fail
// requests.
func (b *Broker) Cluster() *kfake.Cluster { return b.kafka.Cluster() }

// Stop stops the broker; it may be started again.
func (b *Broker) Stop() {
	if b.kafka != nil {
		b.kafka.Close()
		b.kafka = nil
	}
}

// Restart starts a stopped broker on the same log and port.
func (b *Broker) Restart() {
	b.t.Helper()
	b.Stop()
	b.start()
}
