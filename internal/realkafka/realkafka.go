// Package realkafka starts Apache Kafka for tests, from its published jars, as
// one KRaft node on loopback.
//
// kfake serves the quick tests and the embedded mode; what only a real broker
// does (cut off the last batch of a fetch, delay a join, throttle, lose a
// leader) is tested here. The jars are copied by Maven (make kafka-jars) and
// named by PAWL_KAFKA_JARS; Java 17 runs them. docs/real-kafka.md has the recipe.
package realkafka

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"pawl/schemas"
)

// Broker is a running broker. Its address outlives Kill and Restart.
type Broker struct {
	t       testing.TB
	jars    string
	dir     string
	port    int
	control int
	command *exec.Cmd
	output  *bytes.Buffer
	exited  chan struct{}
}

const startWithin = 90 * time.Second

// Start starts a broker that stops when the test ends. The test skips where
// PAWL_KAFKA_JARS is unset, and fails there if PAWL_REQUIRE_KAFKA is set.
func Start(t testing.TB) *Broker {
	t.Helper()
	jars := os.Getenv("PAWL_KAFKA_JARS")
	if jars == "" {
		if os.Getenv("PAWL_REQUIRE_KAFKA") != "" {
			t.Fatal("PAWL_KAFKA_JARS is unset and PAWL_REQUIRE_KAFKA is set")
		}
		t.Skip("needs Apache Kafka: make test-kafka")
	}
	b := &Broker{t: t, jars: jars, dir: t.TempDir(), port: freePort(t), control: freePort(t)}
	b.format()
	b.start()
	t.Cleanup(b.Stop)
	return b
}

// settings is the node's configuration: broker and controller in one, small.
func (b *Broker) settings() string {
	return strings.Join([]string{
		"process.roles=broker,controller",
		"node.id=1",
		fmt.Sprintf("controller.quorum.voters=1@127.0.0.1:%d", b.control),
		fmt.Sprintf("listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d", b.port, b.control),
		fmt.Sprintf("advertised.listeners=PLAINTEXT://127.0.0.1:%d", b.port),
		"controller.listener.names=CONTROLLER",
		"inter.broker.listener.name=PLAINTEXT",
		"listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
		"log.dirs=" + filepath.Join(b.dir, "log"),
		"auto.create.topics.enable=false",
		"default.replication.factor=1",
		"offsets.topic.replication.factor=1",
		"offsets.topic.num.partitions=1",
		"transaction.state.log.replication.factor=1",
		"transaction.state.log.min.isr=1",
		"share.coordinator.state.topic.replication.factor=1",
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

func (b *Broker) settingsFile() string { return filepath.Join(b.dir, "server.properties") }

func (b *Broker) java(arguments ...string) *exec.Cmd {
	all := append([]string{
		"-Xms256m", "-Xmx512m", "-XX:+UseG1GC", "-Djava.awt.headless=true",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", filepath.Join(b.jars, "*"),
	}, arguments...)
	command := exec.Command("java", all...) //nolint:noctx // ends by Stop or Kill
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return command
}

// format writes the node's metadata directory; the cluster id is 16 bytes in
// base64url.
func (b *Broker) format() {
	b.t.Helper()
	if err := os.WriteFile(b.settingsFile(), []byte(b.settings()), 0o600); err != nil {
		b.t.Fatal(err)
	}
	output, err := b.java("kafka.tools.StorageTool", "format", "-t", "cGF3bC10ZXN0cy1vbmx5IQ", "-c", b.settingsFile()).CombinedOutput()
	if err != nil {
		b.t.Fatalf("format kafka: %v\n%s", err, output)
	}
}

func (b *Broker) start() {
	b.t.Helper()
	b.command, b.output, b.exited = b.java("kafka.Kafka", b.settingsFile()), new(bytes.Buffer), make(chan struct{})
	b.command.Stdout, b.command.Stderr = b.output, b.output
	if err := b.command.Start(); err != nil {
		b.t.Fatalf("start kafka: %v", err)
	}
	command, exited := b.command, b.exited
	go func() {
		_ = command.Wait()
		close(exited)
	}()
	b.waitReady()
}

// waitReady asks for the metadata until a broker and a controller are in it.
func (b *Broker) waitReady() {
	b.t.Helper()
	deadline := time.Now().Add(startWithin)
	for time.Now().Before(deadline) {
		select {
		case <-b.exited:
			b.t.Fatalf("kafka ended as it started:\n%s", b.output)
		case <-time.After(200 * time.Millisecond):
		}
		if b.answers() {
			return
		}
	}
	b.t.Fatalf("kafka did not answer within %s", startWithin)
}

func (b *Broker) answers() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	transport := &kafka.Transport{DialTimeout: time.Second}
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(b.Addrs()...), Transport: transport}
	response, err := client.Metadata(ctx, &kafka.MetadataRequest{})
	return err == nil && len(response.Brokers) > 0
}

// Addrs returns the broker's address, host:port.
func (b *Broker) Addrs() []string { return []string{"127.0.0.1:" + strconv.Itoa(b.port)} }

// Kill ends the broker as a crash does.
func (b *Broker) Kill() { b.end(syscall.SIGKILL) }

// Stop ends the broker in order.
func (b *Broker) Stop() { b.end(syscall.SIGTERM) }

// Restart starts an ended broker on its log.
func (b *Broker) Restart() {
	b.t.Helper()
	b.Stop()
	b.start()
}

func (b *Broker) end(signal syscall.Signal) {
	if b.command == nil {
		return
	}
	_ = b.command.Process.Signal(signal)
	select {
	case <-b.exited:
	case <-time.After(30 * time.Second):
		_ = b.command.Process.Kill()
		<-b.exited
	}
	b.command = nil
}

func freePort(t testing.TB) int {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
