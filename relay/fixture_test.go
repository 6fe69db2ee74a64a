package relay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"pawl/internal/kafkatest"
	"pawl/internal/pgtest"
	"pawl/internal/topics"
	"pawl/internal/watermillkafka"
	"pawl/relay"
	"pawl/schemas"
)

const patience = 60 * time.Second

// bench is a database and a broker, and what a test does with them.
type bench struct {
	t         *testing.T
	pool      *pgxpool.Pool
	broker    *kafkatest.Broker
	client    *kafka.Client
	publisher message.Publisher
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, pool: pgtest.NewPool(t), broker: kafkatest.Start(t)}
	cluster, err := topics.Connect(topics.Connection{Brokers: b.broker.Addrs()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	b.client = cluster.Client
	b.publisher = watermillkafka.NewPublisher(cluster.Client, watermillkafka.PublisherConfig{})
	return b
}

// run starts a relay that stops when the test ends, or when stop is called.
func (b *bench) run(publisher message.Publisher, cfg relay.Config) (stop func()) {
	b.t.Helper()
	r := relay.New(b.relayPool(), publisher, b.broker.Topics(), cfg)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				b.t.Errorf("Run: %v", err)
			}
		case <-time.After(patience):
			b.t.Error("Run did not end")
		}
	})
	b.t.Cleanup(stop)
	return stop
}

// relayPool returns a pool of the relay's own, so that a test can end the relay's
// sessions and no other.
func (b *bench) relayPool() *pgxpool.Pool {
	b.t.Helper()
	cfg := b.pool.Config()
	cfg.ConnConfig.RuntimeParams["application_name"] = "relay"
	pool, err := pgxpool.NewWithConfig(b.t.Context(), cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(pool.Close)
	return pool
}

// transition returns the nth transition of a pull request.
func transition(number, n int) schemas.Transition {
	key := schemas.PullRequestKey("github.com", "101", int64(number))
	t := schemas.NewTransition(key, schemas.KindTitleChanged,
		schemas.Value{Text: fmt.Sprint(n)}, schemas.Value{Text: fmt.Sprint(n + 1)},
		schemas.Cause{
			Source: "github", DeliveryID: schemas.DeliveryID(fmt.Sprintf("d-%d-%d", number, n)), Provider: "github",
			ReceivedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), TraceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		})
	t.PullRequest = &schemas.PullRequest{EntityKey: key, Repository: "acme/api", Number: int64(number)}
	return t
}

// commit writes transitions and their outbox rows as the projector does: in one
// transaction.
func (b *bench) commit(shard int, transitions ...schemas.Transition) {
	b.t.Helper()
	err := pgx.BeginFunc(b.t.Context(), b.pool, func(tx pgx.Tx) error {
		var batch pgx.Batch
		for _, t := range transitions {
			value, err := json.Marshal(t)
			if err != nil {
				return err
			}
			batch.Queue(`insert into pawl.transition (id, entity_key, kind, from_value, to_value, source, delivery_id,
				topic, log_partition, log_offset, value, folded_at)
				values ($1, $2, $3, null, null, $4, $5, 'pawl.deliveries', $6, 0, $7, now())`,
				t.ID, t.Entity, t.Kind, t.Cause.Source, t.Cause.DeliveryID, shard, value)
			batch.Queue(`insert into pawl.outbox (shard, transition_id, partition_key, created_at) values ($1, $2, $3, now())`,
				shard, t.ID, t.PartitionKey())
		}
		return tx.SendBatch(b.t.Context(), &batch).Close()
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) count(query string) int {
	b.t.Helper()
	var count int
	if err := b.pool.QueryRow(b.t.Context(), query).Scan(&count); err != nil {
		b.t.Fatal(err)
	}
	return count
}

func (b *bench) pending() int {
	b.t.Helper()
	return b.count("select count(*) from pawl.outbox")
}

// await waits until a condition holds.
func (b *bench) await(what string, holds func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); {
		if time.Now().After(deadline) {
			b.t.Fatalf("waited in vain: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (b *bench) awaitEmpty() {
	b.t.Helper()
	b.await("the outbox is empty", func() bool { return b.pending() == 0 })
}

// record is what stands in a topic.
type record struct {
	Key     string
	Value   string
	Headers map[string]string
}

// read returns all records of a topic, partition after partition.
func (b *bench) read(topic string) []record {
	b.t.Helper()
	var all []record
	for partition := range kafkatest.Partitions {
		for next, end := int64(0), int64(-1); next != end; {
			response, err := b.client.Fetch(b.t.Context(), &kafka.FetchRequest{
				Topic: topic, Partition: partition, Offset: next, MaxBytes: 4 << 20, MaxWait: 10 * time.Millisecond,
			})
			if err = errors.Join(err, response.Error); err != nil {
				b.t.Fatal(err)
			}
			end = response.HighWatermark
			for {
				r, err := response.Records.ReadRecord()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					b.t.Fatal(err)
				}
				if r.Offset >= next {
					all = append(all, b.toRecord(r))
					next = r.Offset + 1
				}
			}
		}
	}
	return all
}

func (b *bench) toRecord(r *protocol.Record) record {
	b.t.Helper()
	key, err := protocol.ReadAll(r.Key)
	if err != nil {
		b.t.Fatal(err)
	}
	value, err := protocol.ReadAll(r.Value)
	if err != nil {
		b.t.Fatal(err)
	}
	out := record{Key: string(key), Value: string(value), Headers: make(map[string]string)}
	for _, header := range r.Headers {
		out.Headers[header.Key] = string(header.Value)
	}
	return out
}

// checkOrder reads pawl.transitions alone: of each pull request every transition
// is there, and the first sight of each in order. It returns how many records
// are repeats.
func (b *bench) checkOrder(numbers, each int) (repeats int) {
	b.t.Helper()
	seen := make(map[string]bool)
	next := make(map[string]int)
	for _, r := range b.read(b.broker.Topics().Transitions) {
		if seen[r.Headers[schemas.HeaderID]] {
			repeats++
			continue
		}
		seen[r.Headers[schemas.HeaderID]] = true
		var t schemas.Transition
		if err := json.Unmarshal([]byte(r.Value), &t); err != nil {
			b.t.Fatal(err)
		}
		if want := fmt.Sprint(next[r.Key]); t.From.Text != want {
			b.t.Fatalf("%s: got transition %s first, want %s", r.Key, t.From.Text, want)
		}
		next[r.Key]++
	}
	for number := range numbers {
		key := string(transition(number, 0).Entity)
		if next[key] != each {
			b.t.Errorf("%s: got %d transitions, want %d", key, next[key], each)
		}
	}
	return repeats
}

// commitAll commits each transitions of numbers pull requests, some at a time,
// on four shards at once.
func (b *bench) commitAll(numbers, each int) {
	b.t.Helper()
	var projectors sync.WaitGroup
	for shard := range 4 {
		projectors.Go(func() {
			for first := 0; first < each; first += 20 {
				var batch []schemas.Transition
				for n := first; n < min(first+20, each); n++ {
					for number := shard; number < numbers; number += 4 {
						batch = append(batch, transition(number, n))
					}
				}
				b.commit(shard, batch...)
			}
		})
	}
	projectors.Wait()
}

var errInjected = errors.New("injected")

// faulty is a publisher that fails: before it persisted, after a part, after all.
type faulty struct {
	message.Publisher
	mu     sync.Mutex // mu guards what follows
	random *rand.Rand
	count  map[string]int
}

func newFaulty(inner message.Publisher, seed uint64) *faulty {
	return &faulty{Publisher: inner, random: rand.New(rand.NewPCG(seed, 0)), count: make(map[string]int)}
}

func (f *faulty) draw(n int) (fault string, part int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fault = []string{"none", "before", "part", "after"}[f.random.IntN(4)]
	f.count[fault]++
	return fault, f.random.IntN(n)
}

func (f *faulty) Publish(topic string, messages ...*message.Message) error {
	fault, part := f.draw(len(messages))
	switch fault {
	case "before":
		return errInjected
	case "part":
		messages = messages[:part]
	}
	if err := f.Publisher.Publish(topic, messages...); err != nil {
		return err
	}
	if fault != "none" {
		return errInjected
	}
	return nil
}

// publishFunc is a publisher that is one function.
type publishFunc func(topic string, messages ...*message.Message) error

func (f publishFunc) Publish(topic string, messages ...*message.Message) error {
	return f(topic, messages...)
}

func (publishFunc) Close() error { return nil }
