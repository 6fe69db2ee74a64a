package projector_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go"

	"pawl/internal/kafkatest"
	"pawl/internal/pgtest"
	"pawl/internal/provider"
	"pawl/projector"
)

// cutter loses one connection in so many around a commit: by turns after the
// server did it, with the answer lost, and before the server has it.
type cutter struct {
	every         int64
	commits, cuts atomic.Int64
}

func (c *cutter) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &cutConn{Conn: conn, cutter: c}, nil
}

type cutConn struct {
	net.Conn
	*cutter
}

// Write passes on what is no commit.
func (c *cutConn) Write(p []byte) (int, error) {
	if !bytes.Contains(p, []byte("commit\x00")) || c.commits.Add(1)%c.every != 0 {
		return c.Conn.Write(p)
	}
	defer c.Close()
	if c.cuts.Add(1)%2 == 0 {
		return 0, errors.New("cut before the commit")
	}
	n, err := c.Conn.Write(p)
	_, _ = c.Read(make([]byte, 1)) // the answer is there: the server did it
	return n, err
}

// TestI4_UnknownOutcomeOfACommit: the stored checkpoint says which it was.
func TestI4_UnknownOutcomeOfACommit(t *testing.T) {
	t.Parallel()
	broker, url, cuts := kafkatest.Start(t), pgtest.New(t), &cutter{every: 3}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	projector.Configure(config)
	config.ConnConfig.DialFunc = cuts.dial
	cutPool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cutPool.Close)
	p := projector.New(projector.Config{Brokers: broker.Addrs(), Topic: topic, Group: "pawl.projector", Owner: "one", MaxRecords: 20},
		cutPool, broker.Client(), provider.Decode, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("projector: %v", err)
		}
	})
	produce(t, broker.Client(), openAndClose("a", 200)...)
	holdsOnce(t, pgtest.Pool(t, url), 200)
	if cuts.cuts.Load() < 4 {
		t.Errorf("%d cuts in %d commits: the test tested nothing", cuts.cuts.Load(), cuts.commits.Load())
	}
}

// holdsOnce waits until the opened and the closed of a number of pull requests
// are folded, and holds the tables to each effect once.
func holdsOnce(t *testing.T, pool *pgxpool.Pool, prs int) {
	t.Helper()
	waitFor(t, pool, 2*prs, countDeliveries)
	waitFor(t, pool, 2*prs, `select count(*)::int from pawl.transition`)
	waitFor(t, pool, 2*prs, `select count(*)::int from pawl.outbox`)
	waitFor(t, pool, prs, `select count(*)::int from pawl.pull_request where state = 'closed' and version = 2`)
	checkVerdicts(t, pool)
}

// childVariable makes a process of this test binary a projector, which can be
// stopped and killed as no goroutine can.
const childVariable = "PAWL_TEST_PROJECTOR"

func TestMain(m *testing.M) {
	spec := os.Getenv(childVariable)
	if spec == "" {
		os.Exit(m.Run())
	}
	if err := runChild(strings.Split(spec, "|")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runChild(spec []string) error {
	url, broker, owner, idle := spec[0], spec[1], spec[2], spec[3]
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("child: %w", err)
	}
	projector.Configure(config)
	config.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = idle
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return fmt.Errorf("child: %w", err)
	}
	client := &kafka.Client{Addr: kafka.TCP(broker), Timeout: 10 * time.Second, Transport: &kafka.Transport{MetadataTTL: time.Second}}
	return projector.New(projector.Config{Brokers: []string{broker}, Topic: topic, Group: "pawl.projector", Owner: owner, MaxRecords: 50},
		pool, client, provider.Decode, slog.New(slog.NewTextHandler(os.Stderr, nil)), prometheus.NewRegistry()).Run(context.Background())
}

// child is a projector in a process of its own.
type child struct {
	*os.Process
	log *lockedBuffer
}

func startChild(t *testing.T, url string, broker *kafkatest.Broker, owner string) child {
	t.Helper()
	made := exec.Command(os.Args[0]) //nolint:gosec,noctx // this test binary, ended by the cleanup
	made.Env = append(os.Environ(), childVariable+"="+strings.Join([]string{url, broker.Addrs()[0], owner, "3s"}, "|"))
	log := new(lockedBuffer)
	made.Stderr = log
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of %s:\n%s", owner, log)
		}
	})
	if err := made.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = made.Process.Kill()
		_ = made.Wait()
	})
	return child{made.Process, log}
}

type lockedBuffer struct {
	mu   sync.Mutex // mu guards text
	text bytes.Buffer
}

// Write appends.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns what was written.
func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// slowDown makes each batch take a tenth of a second, so that a test on a loaded
// machine still finds one to kill.
func slowDown(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	execSQL(t, pool, `create function pawl.slow() returns trigger language plpgsql as
		'begin perform pg_sleep(0.1); return null; end'`)
	execSQL(t, pool, `create trigger slow after insert on pawl.delivery for each statement execute function pawl.slow()`)
}

func execSQL(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// TestI4_KilledProjectorsLoseAndDoubleNothing kills -9 as soon as a batch is
// committed, while others are open.
func TestI4_KilledProjectorsLoseAndDoubleNothing(t *testing.T) {
	t.Parallel()
	const prs = 1000
	broker, url := kafkatest.Start(t), pgtest.New(t)
	pool := pgtest.Pool(t, url)
	slowDown(t, pool)
	produce(t, broker.Client(), openAndClose("a", prs)...)
	folded := 0
	for kill := range 5 {
		killed := startChild(t, url, broker, fmt.Sprint("child ", kill))
		eventually(t, "another batch committed", func() bool {
			before := folded
			return pool.QueryRow(t.Context(), countDeliveries).Scan(&folded) == nil && folded > before
		})
		if err := killed.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	if folded == 2*prs {
		t.Error("all was folded before the last kill: the test tested nothing")
	}
	execSQL(t, pool, `drop trigger slow on pawl.delivery`)
	startChild(t, url, broker, "last")
	holdsOnce(t, pool, prs)
}

// TestI4_PausedPastItsSessionCannotCommit is the zombie as a process: stopped
// with an open batch, the group rebalances, another one folds, and it wakes.
func TestI4_PausedPastItsSessionCannotCommit(t *testing.T) {
	t.Parallel()
	broker, url := kafkatest.Start(t), pgtest.New(t)
	pool := pgtest.Pool(t, url)
	produce(t, broker.Client(), openAndClose("a", 20)...)
	zombie := startChild(t, url, broker, "zombie")
	waitFor(t, pool, 40, countDeliveries)
	held, err := pool.Begin(t.Context()) // holds the zombie's batches open at their writes
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(t.Context(), `lock table pawl.delivery in share mode`); err != nil {
		t.Fatal(err)
	}
	produce(t, broker.Client(), openAndClose("b", 20)...)
	waitFor(t, pool, kafkatest.Partitions,
		`select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
	if err := zombie.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	startChild(t, url, broker, "owner")
	waitFor(t, pool, 80, countDeliveries)
	before := tables(t, pool)
	if err := zombie.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the zombie's commit failed", func() bool {
		return strings.Contains(zombie.log.String(), "read again from its checkpoint") || strings.Contains(zombie.log.String(), "has another owner")
	})
	if diff := cmp.Diff(tables(t, pool), before); diff != "" {
		t.Errorf("the zombie changed tables (-got +want):\n%s", diff)
	}
	checkVerdicts(t, pool)
}
