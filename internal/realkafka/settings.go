package realkafka

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"pawl/schemas"
)

// settings is the node's configuration, small. The quorum is static
// (controller.quorum.voters): for that, plain format is the right one.
func (b *Broker) settings() string {
	replicas, inSync := min(len(b.nodes), 3), max(1, min(len(b.nodes), 3)-1)
	return strings.Join([]string{
		"process.roles=broker,controller",
		"node.id=" + strconv.Itoa(b.id),
		"controller.quorum.voters=" + b.voters(),
		fmt.Sprintf("listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d", b.port, b.control),
		"advertised.listeners=PLAINTEXT://" + b.addr(),
		"controller.listener.names=CONTROLLER",
		"inter.broker.listener.name=PLAINTEXT",
		"listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
		"log.dirs=" + filepath.Join(b.dir, "log"),
		"auto.create.topics.enable=false",
		fmt.Sprintf("default.replication.factor=%d", replicas),
		fmt.Sprintf("min.insync.replicas=%d", inSync),
		fmt.Sprintf("offsets.topic.replication.factor=%d", replicas),
		"offsets.topic.num.partitions=1",
		fmt.Sprintf("transaction.state.log.replication.factor=%d", replicas),
		"transaction.state.log.min.isr=1",
		fmt.Sprintf("share.coordinator.state.topic.replication.factor=%d", replicas),
		"share.coordinator.state.topic.min.isr=1",
		"group.initial.rebalance.delay.ms=0",
		"group.min.session.timeout.ms=1000",
		"message.max.bytes=" + strconv.Itoa(schemas.MaxRecord),
		"replica.fetch.max.bytes=" + strconv.Itoa(schemas.MaxRecord),
		"num.network.threads=2",
		"num.io.threads=4",
		"log.cleaner.dedupe.buffer.size=16777216",
		"",
	}, "\n")
}

func (b *Broker) voters() string {
	var voters []string
	for _, node := range b.nodes {
		voters = append(voters, fmt.Sprintf("%d@127.0.0.1:%d", node.id, node.control))
	}
	return strings.Join(voters, ",")
}
