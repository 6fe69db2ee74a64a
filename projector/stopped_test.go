package projector_test

import (
	"context"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/fetch"
	"github.com/twmb/franz-go/pkg/kgo"

	"pawl/internal/kafkatest"
	"pawl/internal/provider"
	"pawl/projector"
)

// runMeasured is run with the metrics at hand.
func runMeasured(t *testing.T, broker *kafkatest.Broker, client *kafka.Client) *prometheus.Registry {
	t.Helper()
	registry := prometheus.NewRegistry()
	p := projector.New(projector.Config{Brokers: broker.Addrs(), Topic: topic, Group: "pawl.projector", Owner: "one"},
		newPool(t), client, provider.Decode, slog.New(slog.DiscardHandler), registry)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("projector: %v", err)
		}
	})
	return registry
}

// sum adds up a gauge over its labels.
func sum(t *testing.T, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetName() == name {
				total += metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
			}
		}
	}
	return total
}

// TestProjector_NotReadyWithoutItsGroup: a projector that lost its group folds
// nothing.
func TestProjector_NotReadyWithoutItsGroup(t *testing.T) {
	t.Parallel()
	broker, pool := kafkatest.Start(t), newPool(t)
	p, _ := run(t, broker, pool, "one")
	eventually(t, "ready after joining", func() bool { return p.Ready() == nil })
	broker.Stop()
	eventually(t, "not ready with the broker gone", func() bool { return p.Ready() != nil })
}

// TestProjector_StoppedPartitionResumesWithoutARecord: a person sets the
// checkpoint to the end of a quiet partition.
func TestProjector_StoppedPartitionResumesWithoutARecord(t *testing.T) {
	t.Parallel()
	broker, pool := kafkatest.Start(t), newPool(t)
	if _, err := pool.Exec(t.Context(), `
		insert into pawl.checkpoint (topic, log_partition, next_offset, epoch, owner, updated_at)
		values ($1, 0, 1000, 1, 'before', now())`, topic); err != nil {
		t.Fatal(err)
	}
	p, _ := run(t, broker, pool, "one")
	const stopped = `select count(*)::int from pawl.checkpoint where stopped_reason is not null`
	waitFor(t, pool, 1, stopped)
	if _, err := pool.Exec(t.Context(), `update pawl.checkpoint set next_offset = 0 where log_partition = 0`); err != nil {
		t.Fatal(err)
	}
	eventually(t, "ready again", func() bool { return p.Ready() == nil })
	waitFor(t, pool, 0, stopped)
}

// TestProjector_StopsWhatCanBeNeitherFoldedNorSetAside and goes on once a
// person removed the cause.
func TestProjector_StopsWhatCanBeNeitherFoldedNorSetAside(t *testing.T) {
	t.Parallel()
	broker, pool := kafkatest.Start(t), newPool(t)
	produce(t, broker.Client(), openAndClose("a", 20)...)
	_, stop := run(t, broker, pool, "one")
	waitFor(t, pool, 40, countDeliveries)
	stop()
	if _, err := pool.Exec(t.Context(), `update pawl.checkpoint set next_offset = 0 where log_partition = 0`); err != nil {
		t.Fatal(err)
	}
	p, _ := run(t, broker, pool, "two")
	waitFor(t, pool, 1, `select count(*)::int from pawl.checkpoint where stopped_reason like '%neither folded nor set aside%'`)
	if p.Ready() == nil {
		t.Error("ready, with a stopped partition")
	}
	waitFor(t, pool, 0, `select count(*)::int from pawl.dead_letter`)
	if _, err := pool.Exec(t.Context(), `delete from pawl.delivery where log_partition = 0`); err != nil {
		t.Fatal(err)
	}
	waitFor(t, pool, 40, countDeliveries)
	eventually(t, "ready again", func() bool { return p.Ready() == nil })
}

// TestProjector_ShowsLagWhileNothingCanBeFolded: that is what the alarm on lag
// is for.
func TestProjector_ShowsLagWhileNothingCanBeFolded(t *testing.T) {
	t.Parallel()
	broker, pool := kafkatest.Start(t), newPool(t)
	registry := prometheus.NewRegistry()
	p := projector.New(projector.Config{Brokers: broker.Addrs(), Topic: topic, Group: "pawl.projector", Owner: "one"},
		pool, broker.Client(), provider.Decode, slog.New(slog.DiscardHandler), registry)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("projector: %v", err)
		}
	})
	produce(t, broker.Client(), openAndClose("a", 20)...)
	waitFor(t, pool, 40, countDeliveries)
	eventually(t, "no lag", func() bool { return sum(t, registry, "pawl_projector_lag_records") == 0 })
	if got := sum(t, registry, "pawl_projector_lag_seconds"); got != 0 {
		t.Errorf("lag of %v s with nothing waiting", got)
	}
	if _, err := pool.Exec(t.Context(), `alter table pawl.delivery rename to delivery_away`); err != nil {
		t.Fatal(err)
	}
	produce(t, broker.Client(), openAndClose("b", 20)...)
	eventually(t, "lag of 40 records", func() bool { return sum(t, registry, "pawl_projector_lag_records") == 40 })
	before := sum(t, registry, "pawl_projector_lag_seconds")
	eventually(t, "lag grows with time", func() bool { return sum(t, registry, "pawl_projector_lag_seconds") > before })
}

// countingTransport counts the fetches.
type countingTransport struct {
	kafka.RoundTripper
	fetches atomic.Int64
}

func (c *countingTransport) RoundTrip(ctx context.Context, addr net.Addr, request kafka.Request) (kafka.Response, error) {
	if _, ok := request.(*fetch.Request); ok {
		c.fetches.Add(1)
	}
	return c.RoundTripper.RoundTrip(ctx, addr, request)
}

// TestProjector_DoesNotSpinBehindATransactionsMarker: an outside producer with
// transactions leaves an offset without a record at the end of the log.
func TestProjector_DoesNotSpinBehindATransactionsMarker(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	producer, err := kgo.NewClient(kgo.SeedBrokers(broker.Addrs()...), kgo.TransactionalID("outside"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	transact := func(id string) {
		record := sealed(id, "opened", 7, body("opened", 7, 0, `,"state":"open"`))
		out := &kgo.Record{Topic: topic, Partition: 0, Key: []byte(record.Key), Value: record.Body}
		for _, header := range record.Headers() {
			out.Headers = append(out.Headers, kgo.RecordHeader{Key: header.Name, Value: []byte(header.Value)})
		}
		if err := producer.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := producer.ProduceSync(t.Context(), out).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := producer.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
	}
	client := broker.Client()
	counting := &countingTransport{RoundTripper: client.Transport}
	client.Transport = counting
	registry := runMeasured(t, broker, client)
	transact("d-1")
	eventually(t, "the first record folded", func() bool { return sum(t, registry, "pawl_projector_records_total") == 1 })
	before := counting.fetches.Load()
	time.Sleep(2 * time.Second) // the span over which fetches are counted
	if got := counting.fetches.Load() - before; got > 60 {
		t.Errorf("%d fetches in 2 s of quiet", got)
	}
	transact("d-2")
	eventually(t, "the record behind the marker folded", func() bool { return sum(t, registry, "pawl_projector_records_total") == 2 })
}
