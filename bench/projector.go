package main

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go"

	"pawl/internal/provider"
	"pawl/projector"
	"pawl/schemas"
)

// load yields a number of deliveries: the lives of pull requests, a quarter of
// the pull requests at a time, so that the deliveries of one lie apart as they
// do in life. They are made as they are used, not held.
func load(deliveries, firstRepository int) iter.Seq[schemas.Record] {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	prs := deliveries / len(life)
	return func(yield func(schemas.Record) bool) {
		for group := range 4 {
			for at, s := range life {
				for n := group * prs / 4; n < (group+1)*prs/4; n++ {
					if !yield(loadRecord(firstRepository, n, at, s, start)) {
						return
					}
				}
			}
		}
	}
}

func loadRecord(firstRepository, n, at int, s step, start time.Time) schemas.Record {
	repository, number := firstRepository+n/100, n%100+1
	return schemas.Record{
		Key: schemas.PullRequestKey("github.com", fmt.Sprint(repository), int64(number)),
		ID:  schemas.DeliveryID(fmt.Sprintf("%08x-%04d-%d", n, firstRepository, at)), Source: "github",
		Provider: "github", Event: "pull_request", Action: s.action,
		Subject: fmt.Sprintf("acme/service-%d#%d", repository, number), ReceivedAt: start.Add(time.Hour),
		ContentType: "application/json", ProviderHeaders: []schemas.Header{{Name: "X-GitHub-Event", Value: "pull_request"}},
		Body: pullRequest(repository, number, s, start.Add(time.Duration(at)*time.Second), sizeOf(n)),
	}
}

// sizeOf makes every third pull request a small one.
func sizeOf(n int) int {
	if n%3 == 0 {
		return small
	}
	return large
}

// fill appends records to a topic, compressed as the edge compresses them.
func fill(ctx context.Context, client *kafka.Client, topic string, records iter.Seq[schemas.Record]) error {
	writer := &kafka.Writer{
		Addr: client.Addr, Transport: client.Transport, Topic: topic, RequiredAcks: kafka.RequireAll, BatchTimeout: 5 * time.Millisecond, BatchSize: 200,
		BatchBytes: 4 << 20, Balancer: kafka.Murmur2Balancer{Consistent: true}, Compression: kafka.Zstd,
	}
	defer writer.Close()
	messages := make([]kafka.Message, 0, 1000)
	flush := func() error {
		err := writer.WriteMessages(ctx, messages...)
		messages = messages[:0]
		return err
	}
	for record := range records {
		message := kafka.Message{Key: []byte(record.Key), Value: record.Body}
		for _, header := range record.Headers() {
			message.Headers = append(message.Headers, kafka.Header{Key: header.Name, Value: []byte(header.Value)})
		}
		messages = append(messages, message)
		if len(messages) < cap(messages) {
			continue
		}
		if err := flush(); err != nil {
			return fmt.Errorf("fill %s: %w", topic, err)
		}
	}
	if err := flush(); err != nil {
		return fmt.Errorf("fill %s: %w", topic, err)
	}
	return nil
}

// runProjector folds a whole topic and returns deliveries a second, from the
// first claim to the last commit.
func runProjector(ctx context.Context, p *parts, pool *pgxpool.Pool, topic string, deliveries int) (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	made := projector.New(projector.Config{Brokers: p.kafka.Addrs(), Topic: topic, Group: "bench." + topic, Owner: "bench"},
		pool, p.client(), provider.Decode, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	done := make(chan error, 1)
	go func() { done <- made.Run(ctx) }()
	var begun time.Time
	for {
		// Not count(*): the measurement must not weigh on what it measures.
		var folded, owned int64
		err := pool.QueryRow(ctx, `select coalesce(sum(next_offset), 0), count(*) from pawl.checkpoint where topic = $1`, topic).Scan(&folded, &owned)
		if err != nil {
			return 0, fmt.Errorf("watch the projector: %w", err)
		}
		if begun.IsZero() && owned > 0 {
			begun = time.Now()
		}
		if folded >= int64(deliveries) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	elapsed := time.Since(begun)
	cancel()
	return float64(deliveries) / elapsed.Seconds(), <-done
}

// runDecode decodes the records on all cores, and does nothing else.
func runDecode(records []schemas.Record) (float64, error) {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	begin := time.Now()
	var group sync.WaitGroup
	for range runtime.NumCPU() {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(records)); i = next.Add(1) - 1 {
				if _, err := provider.Decode(records[i]); err != nil {
					failed.Store(&err)
					return
				}
			}
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(len(records)) / time.Since(begin).Seconds(), nil
}

// benchProjector measures the projector against the naive way and the limits.
func benchProjector(ctx context.Context, r *report, p *parts, deliveries int) error {
	r.section("Projector: from the log to committed rows, verdicts, transitions, outbox")
	if err := p.makeTopic(ctx, topicNames.Deliveries); err != nil {
		return err
	}
	if err := fill(ctx, p.client(), topicNames.Deliveries, load(deliveries, 1000)); err != nil {
		return err
	}
	pool, url, err := p.database(ctx, "projector")
	if err != nil {
		return err
	}
	defer pool.Close()
	records := slices.Collect(load(deliveries/10, 5000))
	naive1, err := runNaive(ctx, url, naivePullRequests, records[:len(records)/2], 1)
	if err != nil {
		return err
	}
	folded, err := runProjector(ctx, p, pool, topicNames.Deliveries, deliveries)
	if err != nil {
		return err
	}
	naive8, err := runNaive(ctx, url, naivePullRequests, records, 8)
	if err != nil {
		return err
	}
	copied, err := runCopy(ctx, pool, deliveries)
	if err != nil {
		return err
	}
	decoded, err := runDecode(records)
	if err != nil {
		return err
	}
	r.add("projector_per_second", folded, "1/s", "", fmt.Sprintf("%d deliveries of %d pull requests, 12 and 19 KB", deliveries, deliveries/len(life)))
	r.add("naive_1_per_second", naive1, "1/s", "", "one transaction a delivery, one connection")
	r.add("naive_8_per_second", naive8, "1/s", "", "the same on eight connections")
	r.add("copy_per_second", copied, "1/s", "", "raw COPY of the same rows into bare tables")
	r.add("decode_per_second", decoded, "1/s", "", "decoding alone, on all cores")
	r.add("projector_vs_naive_1", folded/naive1, "x", ">= 20", "")
	r.add("projector_vs_naive_8", folded/naive8, "x", ">= 8", "")
	r.add("projector_vs_copy", folded/copied, "x", "", "share of raw COPY")
	r.add("projector_vs_decode", folded/decoded, "x", "", "share of decoding alone")
	return nil
}
