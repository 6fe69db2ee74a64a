// Package realkafka starts Apache Kafka for tests, from its published jars, as
// KRaft nodes on loopback that are broker and controller in one.
//
// kfake serves the quick tests and the embedded mode; what only a real broker
// does (cut off the last batch of a fetch, delay a join, throttle, lose a
// leader) is tested here. The jars are copied by Maven (make kafka-jars) and
// named by PAWL_KAFKA_JARS; Java 17 runs them. docs/real-kafka.md has the recipe.
package realkafka

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"pawl/internal/embedded"
)

// Broker is one node. Its address outlives Kill and Restart.
type Broker struct {
	t       testing.TB
	jars    string
	dir     string
	id      int
	port    int
	control int
	// nodes are all of the cluster's, this one too.
	nodes   []*Broker
	command *exec.Cmd
	output  *lockedBuffer
	exited  chan struct{}
}

const (
	startWithin = 90 * time.Second
	stopWithin  = 30 * time.Second
)

// Start starts a cluster of one node that stops when the test ends. The test
// skips where PAWL_KAFKA_JARS is unset, and fails there if PAWL_REQUIRE_KAFKA is
// set.
func Start(t testing.TB) *Broker {
	t.Helper()
	return StartNodes(t, 1)[0]
}

// StartNodes is Start with several nodes: three replicate each record and take
// it while two are in sync.
func StartNodes(t testing.TB, count int) []*Broker {
	t.Helper()
	jars := os.Getenv("PAWL_KAFKA_JARS")
	if jars == "" {
		if os.Getenv("PAWL_REQUIRE_KAFKA") != "" {
			t.Fatal("PAWL_KAFKA_JARS is unset and PAWL_REQUIRE_KAFKA is set")
		}
		t.Skip("needs Apache Kafka: make test-kafka")
	}
	nodes := make([]*Broker, count)
	for i := range nodes {
		nodes[i] = &Broker{t: t, jars: jars, dir: t.TempDir(), id: i + 1, port: freePort(t), control: freePort(t), nodes: nodes}
	}
	for _, b := range nodes {
		b.format()
		b.launch()
		t.Cleanup(b.Kill) // in order, the last ones would wait for a quorum
	}
	for _, b := range nodes {
		b.waitReady(count)
	}
	return nodes
}

func (b *Broker) settingsFile() string { return filepath.Join(b.dir, "server.properties") }

func (b *Broker) java(arguments ...string) *exec.Cmd {
	all := append([]string{
		"-Xms256m", "-Xmx512m", "-XX:+UseG1GC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", filepath.Join(b.jars, "*"),
	}, arguments...)
	command := exec.Command("java", all...) //nolint:noctx // ends by Stop or Kill
	command.SysProcAttr = childAttributes()
	command.Dir = b.dir
	return command
}

// clusterID is 16 bytes in base64url.
const clusterID = "cGF3bC10ZXN0cy1vbmx5IQ"

// format writes the node's metadata directory.
func (b *Broker) format() {
	b.t.Helper()
	if err := os.WriteFile(b.settingsFile(), []byte(b.settings()), 0o600); err != nil {
		b.t.Fatal(err)
	}
	output, err := b.java("kafka.tools.StorageTool", "format", "-t", clusterID, "-c", b.settingsFile()).CombinedOutput()
	if err != nil {
		b.t.Fatalf("format kafka: %v\n%s", err, output)
	}
}

// launch starts the node and watches for its end. The thread that starts a child
// is kept until then: Linux ends the child with it, not with the process.
func (b *Broker) launch() {
	b.t.Helper()
	command, output, exited := b.java("kafka.Kafka", b.settingsFile()), &lockedBuffer{}, make(chan struct{})
	command.Stdout, command.Stderr = output, output
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait()
		}
		close(exited)
	}()
	if err := <-started; err != nil {
		b.t.Fatalf("start kafka: %v", err)
	}
	b.command, b.output, b.exited = command, output, exited
}

// Addrs returns the addresses of all nodes, host:port.
func (b *Broker) Addrs() []string {
	var addrs []string
	for _, node := range b.nodes {
		addrs = append(addrs, node.addr())
	}
	return addrs
}

func (b *Broker) addr() string { return "127.0.0.1:" + strconv.Itoa(b.port) }

// ID returns the node's id, as the metadata names it.
func (b *Broker) ID() int { return b.id }

// Kill ends the node as a crash does.
func (b *Broker) Kill() { b.end(syscall.SIGKILL) }

// Stop ends the node in order.
func (b *Broker) Stop() { b.end(syscall.SIGTERM) }

// Restart starts an ended node on its log, and waits until it serves.
func (b *Broker) Restart() {
	b.t.Helper()
	b.Stop()
	b.launch()
	b.waitReady(1)
}

func (b *Broker) end(signal syscall.Signal) {
	if b.command == nil {
		return
	}
	_ = b.command.Process.Signal(signal)
	select {
	case <-b.exited:
	case <-time.After(stopWithin):
		_ = b.command.Process.Kill()
		<-b.exited
	}
	b.command = nil
}

func freePort(t testing.TB) int {
	t.Helper()
	port, err := embedded.FreePort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// lockedBuffer holds what a node says, for the test that fails.
type lockedBuffer struct {
	mu   sync.Mutex
	text []byte
}

// Write adds to the buffer.
func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append(b.text, text...)
	return len(text), nil
}

// String returns the buffer's end.
func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.text[max(0, len(b.text)-8000):])
}
