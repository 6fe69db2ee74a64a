package embedded

import (
	"fmt"
	"os"
	"strconv"

	"github.com/twmb/franz-go/pkg/kfake"

	"pawl/schemas"
)

// Kafka is a broker in this process.
type Kafka struct {
	cluster *kfake.Cluster
	held    *os.File
}

// KafkaConfig says where the broker lives.
type KafkaConfig struct {
	Dir string
	// Port on 127.0.0.1; 0 takes a free one.
	Port int
}

// StartKafka starts the broker on its directory. It creates no topic. The error
// wraps ErrInUse while another broker has the directory: kfake itself would let
// two processes write one log.
func StartKafka(config KafkaConfig) (*Kafka, error) {
	held, err := hold(config.Dir)
	if err != nil {
		return nil, fmt.Errorf("start kafka in %s: %w", config.Dir, err)
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
		_ = unflock(held)
		return nil, fmt.Errorf("start kafka in %s on port %d: %w", config.Dir, config.Port, err)
	}
	return &Kafka{cluster: cluster, held: held}, nil
}

// hold makes the directory and takes it.
func hold(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := flock(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Addrs returns the broker's addresses, host:port.
func (k *Kafka) Addrs() []string { return k.cluster.ListenAddrs() }

// Cluster returns the broker itself, for tests that hold or fail requests.
func (k *Kafka) Cluster() *kfake.Cluster { return k.cluster }

// Close stops the broker. Close the consumers first: a group session that is
// alive now is kept, and its next generation would wait for the ghost.
func (k *Kafka) Close() {
	k.cluster.Close()
	_ = unflock(k.held)
}
