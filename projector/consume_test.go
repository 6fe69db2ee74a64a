package projector_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go"

	"pawl/internal/kafkatest"
	"pawl/internal/provider"
	"pawl/projector"
	"pawl/schemas"
)

// patience is how long a test waits for what must come: joining a group behind
// dead members takes sessions to end, and the machine may be loaded.
const patience = 120 * time.Second

// produce appends records, each to the partition of its key, and returns when
// the broker has them.
func produce(t *testing.T, client *kafka.Client, records ...schemas.Record) {
	t.Helper()
	writer := &kafka.Writer{
		Addr: client.Addr, Topic: topic, RequiredAcks: kafka.RequireAll, BatchTimeout: time.Millisecond,
		Balancer: kafka.Murmur2Balancer{Consistent: true}, Transport: client.Transport, BatchBytes: schemas.MaxRecord,
	}
	defer writer.Close()
	var messages []kafka.Message
	for _, record := range records {
		message := kafka.Message{Key: []byte(record.Key), Value: record.Body}
		for _, header := range record.Headers() {
			message.Headers = append(message.Headers, kafka.Header{Key: header.Name, Value: []byte(header.Value)})
		}
		messages = append(messages, message)
	}
	if err := writer.WriteMessages(t.Context(), messages...); err != nil {
		t.Fatal(err)
	}
}

// run starts a projector and returns how to stop it.
func run(t *testing.T, broker *kafkatest.Broker, pool *pgxpool.Pool, owner string) (*projector.Projector, func()) {
	t.Helper()
	p := projector.New(projector.Config{Brokers: broker.Addrs(), Topic: topic, Group: "pawl.projector", Owner: owner},
		pool, broker.Client(), provider.Decode, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	stop := func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("projector %s: %v", owner, err)
			}
			done <- nil
		case <-time.After(30 * time.Second):
			t.Errorf("projector %s did not stop", owner)
		}
	}
	t.Cleanup(stop)
	return p, stop
}

// waitFor polls until a query returns the wanted number.
func waitFor(t *testing.T, pool *pgxpool.Pool, want int, sql string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	var got int
	for time.Now().Before(deadline) {
		if err := pool.QueryRow(t.Context(), sql).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got == want {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s: got %d, want %d", sql, got, want)
}

const countDeliveries = `select count(*)::int from pawl.delivery`

// openAndClose is the opened and the closed of a number of pull requests.
func openAndClose(prefix string, count int) []schemas.Record {
	var records []schemas.Record
	for n := 1; n <= count; n++ {
		records = append(records,
			sealed(fmt.Sprintf("%s-o-%d", prefix, n), "opened", n, body("opened", n, 0, `,"state":"open"`)),
			sealed(fmt.Sprintf("%s-c-%d", prefix, n), "closed", n, body("closed", n, 9, `,"state":"closed","merged":false`)))
	}
	return records
}

func TestProjector_FoldsTheLogAndGoesOnAfterABrokerRestart(t *testing.T) {
	t.Parallel()
	broker, pool := kafkatest.Start(t), newPool(t)
	produce(t, broker.Client(), openAndClose("a", 50)...)
	p, _ := run(t, broker, pool, "one")
	waitFor(t, pool, 100, countDeliveries)
	if err := p.Ready(); err != nil {
		t.Errorf("ready: %v", err)
	}
	broker.Restart()
	produce(t, broker.Client(), openAndClose("b", 50)...)
	waitFor(t, pool, 200, countDeliveries)
	waitFor(t, pool, 50, `select count(*)::int from pawl.pull_request where state = 'closed'`)
	waitFor(t, pool, 100, `select count(*)::int from pawl.transition`)
	checkVerdicts(t, pool)
}

// TestI4_RebalanceLosesAndDoublesNothing: two projectors share the partitions,
// one leaves in the middle, another comes.
func TestI4_RebalanceLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	broker, pool := kafkatest.Start(t), newPool(t)
	_, stopOne := run(t, broker, pool, "one")
	run(t, broker, pool, "two")
	client := broker.Client()
	for round := range 4 {
		produce(t, client, openAndClose(fmt.Sprint(round), 100)...)
		switch round {
		case 1:
			stopOne()
		case 2:
			run(t, broker, pool, "three")
		}
	}
	waitFor(t, pool, 800, countDeliveries)
	waitFor(t, pool, 100, `select count(*)::int from pawl.pull_request where state = 'closed' and version = 2`)
	waitFor(t, pool, 200, `select count(*)::int from pawl.transition`)
	waitFor(t, pool, 200, `select count(*)::int from pawl.outbox`)
	checkVerdicts(t, pool)
}

// TestProjector_CheckpointPastTheLogStopsThePartition: the topic was made anew.
// The other partitions go on.
func TestProjector_CheckpointPastTheLogStopsThePartition(t *testing.T) {
	t.Parallel()
	broker, pool := kafkatest.Start(t), newPool(t)
	if _, err := pool.Exec(t.Context(), `
		insert into pawl.checkpoint (topic, log_partition, next_offset, epoch, owner, updated_at)
		values ($1, 0, 1000, 1, 'before', now())`, topic); err != nil {
		t.Fatal(err)
	}
	produce(t, broker.Client(), openAndClose("a", 40)...)
	p, _ := run(t, broker, pool, "one")
	waitFor(t, pool, 1, `select count(*)::int from pawl.checkpoint where stopped_reason is not null`)
	waitFor(t, pool, 3, `select count(*)::int from pawl.checkpoint where stopped_reason is null and next_offset > 0`)
	waitFor(t, pool, 0, `select count(*)::int from pawl.delivery where log_partition = 0`)
	if p.Ready() == nil {
		t.Error("ready, with a stopped partition")
	}
}

// TestI3_LiveFoldingEqualsTheFold: what the projector wrote is what folding the
// same records in memory yields.
func TestI3_LiveFoldingEqualsTheFold(t *testing.T) {
	t.Parallel()
	broker, pool := kafkatest.Start(t), newPool(t)
	records := openAndClose("a", 20)
	produce(t, broker.Client(), records...)
	run(t, broker, pool, "one")
	waitFor(t, pool, len(records), countDeliveries)
	held := projector.NewHeld()
	var want []string
	for i, record := range records {
		for _, transition := range held.Fold(ready(int64(i), record).Decoded).Transitions {
			want = append(want, string(transition.ID))
		}
	}
	var got []string
	if err := pool.QueryRow(t.Context(), `select array_agg(id order by id collate "C") from pawl.transition`).Scan(&got); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("transitions (-got +want):\n%s", diff)
	}
}
