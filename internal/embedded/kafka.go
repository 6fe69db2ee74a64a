package embedded

import (
	"fmt"
	"os"
	"strconv"

	"github.com/twmb/franz-go/pkg/kfake"

	"pawl/schemas"
)

// Kafka is a broker in this process.
type Kafka struct{ cluster *kfake.Cluster }

// KafkaConfig says where the broker lives.
type KafkaConfig struct {
	Dir string
	// Port on 127.0.0.1; 0 takes a free one.
	Port int
}

// StartKafka starts the broker on its directory. It creates no topic.
func StartKafka(config KafkaConfig) (*Kafka, error) {
	if err := os.MkdirAll(config.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("start kafka: %w", err)
	}
	cluster, err := kfake.NewCluster(
		kfake.NumBrokers(1),
		kfake.Ports(config.Port),
		kfake.ClusterID("pawl-embedded"),
		kfake.DataDir(config.Dir),
		kfake.SyncWrites(),
		kfake.BrokerConfigs(map[string]string{"message.max.bytes": strconv.Itoa(schemas.MaxRecord)}),
	)
	if err != nil {
		return nil, fmt.Errorf("start kafka in %s on port %d: %w", config.Dir, config.Port, err)
	}
	return &Kafka{cluster: cluster}, nil
}

// Addrs returns the broker's addresses, host:port.
func (k *Kafka) Addrs() []string { return k.cluster.ListenAddrs() }

// Cluster returns the broker itself, for tests that hold or fail requests.
func (k *Kafka) Cluster() *kfake.Cluster { return k.cluster }

// Close stops the broker. Close the consumers first.
func (k *Kafka) Close() { k.cluster.Close() }
