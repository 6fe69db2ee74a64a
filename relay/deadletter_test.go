package relay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/internal/watermillkafka"
	"pawl/relay"
)

// park writes a dead letter as the projector does.
func (b *bench) park(offset int, headers any, value []byte) {
	b.t.Helper()
	_, err := b.pool.Exec(b.t.Context(), `insert into pawl.dead_letter
		(stage, topic, log_partition, log_offset, entity_key, reason, headers, value, created_at)
		values ('projector', 'pawl.deliveries', 2, $1, 'github.com:101#7', 'body is no JSON', $2, $3, now())`,
		offset, headers, value)
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) awaitLetters() {
	b.t.Helper()
	b.await("the dead letters are published", func() bool {
		return b.count("select count(*) from pawl.dead_letter where published_at is null and stage = 'projector'") == 0
	})
}

func letterHeaders(offset string, more map[string]string) map[string]string {
	headers := map[string]string{
		"pawl_reason": "body is no JSON", "pawl_stage": "projector",
		"pawl_topic": "pawl.deliveries", "pawl_partition": "2", "pawl_offset": offset,
	}
	for name, value := range more {
		headers[name] = value
	}
	return headers
}

func TestRelay_DeadLettersCarryTheRecordAndWhyAndWhere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.park(41, `[["ce_id", "d-1"], ["ce_source", "/sources/github"], ["X-GitHub-Event", "pull_request"]]`, []byte("{\x00\xff"))
	b.park(42, nil, nil)
	_, err := b.pool.Exec(t.Context(), `insert into pawl.dead_letter (stage, mutation_id, entity_key, reason, created_at)
		values ('actuator', 9, 'github.com:101#7', 'forbidden', now())`)
	if err != nil {
		t.Fatal(err)
	}
	b.run(b.publisher, relay.Config{PollInterval: 20 * time.Millisecond})
	b.awaitLetters()
	want := []record{
		{Key: "github.com:101#7", Value: "{\x00\xff", Headers: letterHeaders("41", map[string]string{
			"ce_id": "d-1", "ce_source": "/sources/github", "X-GitHub-Event": "pull_request",
		})},
		{Key: "github.com:101#7", Headers: letterHeaders("42", nil)},
	}
	if diff := cmp.Diff(b.read("pawl.dead-letters"), want); diff != "" {
		t.Errorf("pawl.dead-letters (-got +want):\n%s", diff)
	}
	if got := b.count("select count(*) from pawl.dead_letter where published_at is null"); got != 1 {
		t.Errorf("got %d unpublished, want the actuator's 1", got)
	}
}

func TestRelay_DeadLettersAreNotLostWhenPublishingFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const count = 120 // three batches
	big := []byte(strings.Repeat("x", 100<<10))
	for offset := range count {
		b.park(offset, nil, big)
	}
	b.run(newFaulty(b.publisher, 2), relay.Config{PollInterval: 20 * time.Millisecond, MaxBackoff: 20 * time.Millisecond})
	b.awaitLetters()
	seen := make(map[string]bool)
	for _, r := range b.read("pawl.dead-letters") {
		seen[r.Headers["pawl_offset"]] = true
	}
	if len(seen) != count {
		t.Errorf("got %d dead letters in the topic, want %d", len(seen), count)
	}
}

func TestRelay_ADeadLetterTooLargeForItsTopicHoldsBackNoOther(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	publisher := publishFunc(func(topic string, messages ...*message.Message) error {
		for _, m := range messages {
			if len(m.Payload) > 100 {
				return watermillkafka.ErrTooLarge
			}
		}
		return b.publisher.Publish(topic, messages...)
	})
	b.park(1, nil, []byte("small"))
	b.park(2, nil, []byte(strings.Repeat("x", 101)))
	b.park(3, nil, []byte("small too"))
	b.run(publisher, relay.Config{PollInterval: 20 * time.Millisecond})
	b.awaitLetters()
	want := []record{
		{Key: "github.com:101#7", Value: "small", Headers: letterHeaders("1", nil)},
		{Key: "github.com:101#7", Headers: letterHeaders("2", map[string]string{"pawl_value_omitted": "true"})},
		{Key: "github.com:101#7", Value: "small too", Headers: letterHeaders("3", nil)},
	}
	if diff := cmp.Diff(b.read("pawl.dead-letters"), want); diff != "" {
		t.Errorf("pawl.dead-letters (-got +want):\n%s", diff)
	}
}

// gauges returns the value of each gauge and counter.
func gauges(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]float64)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			name := family.GetName()
			for _, label := range metric.GetLabel() {
				name += "/" + label.GetValue()
			}
			values[name] = metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
		}
	}
	return values
}

func TestRelay_MetricsSayWhatWaits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.commit(0, transition(0, 0), transition(0, 1))
	if _, err := b.pool.Exec(t.Context(), "update pawl.outbox set created_at = now() - interval '1 minute'"); err != nil {
		t.Fatal(err)
	}
	b.park(1, nil, nil)
	registry := prometheus.NewRegistry()
	away := publishFunc(func(string, ...*message.Message) error { return errInjected })
	stop := b.run(away, relay.Config{Registerer: registry, MeasureInterval: 10 * time.Millisecond})
	b.await("the metrics show it", func() bool {
		got := gauges(t, registry)
		return got["pawl_outbox_pending"] == 2 && got["pawl_outbox_oldest_seconds"] >= 60 &&
			got["pawl_dead_letters"] == 1 && got["pawl_relay_failures_total"] > 0
	})
	stop()

	registry = prometheus.NewRegistry()
	b.run(b.publisher, relay.Config{Registerer: registry, MeasureInterval: 10 * time.Millisecond})
	b.await("the metrics show that it went out", func() bool {
		got := gauges(t, registry)
		return got["pawl_outbox_pending"] == 0 && got["pawl_outbox_oldest_seconds"] == 0 &&
			got["pawl_relay_records_total/pawl.transitions"] == 2 && got["pawl_relay_records_total/pawl.dead-letters"] == 1
	})
}
