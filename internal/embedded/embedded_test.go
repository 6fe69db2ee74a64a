package embedded_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/segmentio/kafka-go"

	"pawl/internal/embedded"
)

// dataDir returns a directory whose parents the server's user can enter.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "postgres")
}

func startPostgres(t *testing.T, dir string) *embedded.Postgres {
	t.Helper()
	server, err := embedded.StartPostgres(t.Context(), embedded.PostgresConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

func query(t *testing.T, url, sql string) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var n int
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPostgres_RowsOutliveStopAndKill(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := startPostgres(t, dir)
	query(t, server.URL(), `with made as (select 1) select 1 from made`)
	conn, err := pgx.Connect(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `create table kept as select generate_series(1, 10) as n`); err != nil {
		t.Fatal(err)
	}
	conn.Close(t.Context())
	server.Stop()

	server = startPostgres(t, dir)
	if got := query(t, server.URL(), `select count(*) from kept`); got != 10 {
		t.Errorf("after a stop: %d rows, want 10", got)
	}
	if err := syscall.Kill(server.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-server.Exited()

	server = startPostgres(t, dir)
	if got := query(t, server.URL(), `select count(*) from kept`); got != 10 {
		t.Errorf("after a kill: %d rows, want 10", got)
	}
}

func TestPostgres_NeverRunsAsRootNorWithoutPassword(t *testing.T) {
	t.Parallel()
	server := startPostgres(t, dataDir(t))
	uid, err := exec.CommandContext(t.Context(), "ps", "-o", "uid=", "-p", itoa(server.PID())).Output()
	if err != nil {
		t.Skipf("no ps on this machine: %v", err)
	}
	if strings.TrimSpace(string(uid)) == "0" {
		t.Error("the server runs as root")
	}
	config, err := pgx.ParseConfig(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	config.Password = "wrong"
	if conn, err := pgx.ConnectConfig(t.Context(), config); err == nil {
		conn.Close(t.Context())
		t.Error("a wrong password was let in")
	}
}

func TestLock_SecondHolderIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	held, err := embedded.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = embedded.Lock(dir)
	if !errors.Is(err, embedded.ErrInUse) || !strings.Contains(err.Error(), itoa(os.Getpid())) {
		t.Errorf("got %v, want ErrInUse naming process %d", err, os.Getpid())
	}
	if err := held.Unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := embedded.Lock(dir)
	if err != nil {
		t.Fatalf("after Unlock: %v", err)
	}
	_ = again.Unlock()
}

func TestKafka_RecordsOutliveARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broker, err := embedded.StartKafka(embedded.KafkaConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	client := &kafka.Client{Addr: kafka.TCP(broker.Addrs()...), Timeout: 10 * time.Second}
	if _, err := client.CreateTopics(t.Context(), &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: "kept", NumPartitions: 1, ReplicationFactor: 1}},
	}); err != nil {
		t.Fatal(err)
	}
	writer := &kafka.Writer{Addr: client.Addr, Topic: "kept", RequiredAcks: kafka.RequireAll, BatchSize: 1}
	if err := writer.WriteMessages(t.Context(), kafka.Message{Value: []byte("one")}); err != nil {
		t.Fatal(err)
	}
	_ = writer.Close()
	broker.Close()

	broker, err = embedded.StartKafka(embedded.KafkaConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	reader := kafka.NewReader(kafka.ReaderConfig{Brokers: broker.Addrs(), Topic: "kept", MaxWait: 100 * time.Millisecond})
	defer reader.Close()
	message, err := reader.ReadMessage(t.Context())
	if err != nil || string(message.Value) != "one" {
		t.Errorf("got %q, %v", message.Value, err)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
