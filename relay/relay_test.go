package relay_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/go-cmp/cmp"

	"pawl/internal/watermillkafka"
	"pawl/relay"
	"pawl/schemas"
)

func TestRelay_PublishesWhatTheProjectorWrote(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.commit(0, transition(7, 0))
	b.run(b.publisher, relay.Config{})
	b.awaitEmpty()
	var value string
	if err := b.pool.QueryRow(t.Context(), "select value from pawl.transition").Scan(&value); err != nil {
		t.Fatal(err)
	}
	want := []record{{Key: "github.com:101#7", Value: value, Headers: map[string]string{
		"ce_specversion": "1.0", "ce_id": string(transition(7, 0).ID), "ce_source": "/pawl/projector",
		"ce_type": "pawl.transition.title_changed", "ce_subject": "acme/api#7", "ce_time": "2026-01-02T03:04:05Z",
		"ce_partitionkey": "github.com:101#7", "content-type": "application/json",
		"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	}}}
	if diff := cmp.Diff(b.read("pawl.transitions"), want); diff != "" {
		t.Errorf("pawl.transitions (-got +want):\n%s", diff)
	}
}

func TestRelay_ThreeRelaysKeepTheOrderOfEachEntityAndRepeatNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const numbers, each = 40, 100
	b.commitAll(numbers/2, each) // a backlog
	for range 3 {
		b.run(b.publisher, relay.Config{BatchRows: 37})
	}
	for shard := range 4 { // and what comes meanwhile
		for n := range each {
			var batch []schemas.Transition
			for number := numbers/2 + shard; number < numbers; number += 4 {
				batch = append(batch, transition(number, n))
			}
			b.commit(shard, batch...)
		}
	}
	b.awaitEmpty()
	if repeats := b.checkOrder(numbers, each); repeats != 0 {
		t.Errorf("got %d repeats though nothing failed: two relays served one shard", repeats)
	}
}

func TestRelay_FailuresBeforeAndAfterPersistingLoseNothingAndKeepTheOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const numbers, each = 20, 60
	publisher := newFaulty(b.publisher, 1)
	for range 3 {
		b.run(publisher, relay.Config{BatchRows: 50, MaxBackoff: 50 * time.Millisecond})
	}
	b.commitAll(numbers, each)
	b.awaitEmpty()
	repeats := b.checkOrder(numbers, each)
	for _, fault := range []string{"before", "part", "after"} {
		if publisher.count[fault] == 0 {
			t.Errorf("no publish failed %s persisting: the test tests nothing", fault)
		}
	}
	if repeats == 0 {
		t.Error("got no repeats though publishes failed after persisting")
	}
}

// The session dies between publish and commit, as when the relay or the
// database is killed there.
func TestRelay_ACrashBetweenPublishAndCommitPublishesAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var crashes atomic.Int32
	publisher := publishFunc(func(topic string, messages ...*message.Message) error {
		err := b.publisher.Publish(topic, messages...)
		if crashes.Add(1) == 1 {
			_, killErr := b.pool.Exec(context.Background(), `select pg_terminate_backend(pid) from pg_stat_activity
				where datname = current_database() and application_name = 'relay' and state = 'idle in transaction'`)
			if killErr != nil {
				t.Error(killErr)
			}
		}
		return err
	})
	b.commit(0, transition(0, 0), transition(0, 1), transition(0, 2))
	b.run(publisher, relay.Config{})
	b.awaitEmpty()
	if repeats := b.checkOrder(1, 3); repeats != 3 {
		t.Errorf("got %d repeats, want the whole batch again: 3", repeats)
	}
}

func TestRelay_NotifyWakesIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run(b.publisher, relay.Config{PollInterval: time.Hour})
	for n := range 5 {
		b.commit(0, transition(0, n))
		b.awaitEmpty()
	}
	b.checkOrder(1, 5)
}

func TestRelay_ThePollIsTheNetUnderNotify(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if _, err := b.pool.Exec(t.Context(), "alter table pawl.outbox disable trigger outbox_wakes_relay"); err != nil {
		t.Fatal(err)
	}
	b.run(b.publisher, relay.Config{PollInterval: 20 * time.Millisecond})
	b.commit(0, transition(0, 0))
	b.awaitEmpty()
}

func TestRelay_AFailingShardHoldsBackNoOther(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	stuck := string(transition(0, 0).Entity)
	var healed atomic.Bool
	publisher := publishFunc(func(topic string, messages ...*message.Message) error {
		if messages[0].Metadata.Get(watermillkafka.PartitionKey) == stuck && !healed.Load() {
			<-messages[0].Context().Done() // as long as it may take
			return errInjected
		}
		return b.publisher.Publish(topic, messages...)
	})
	b.run(publisher, relay.Config{PublishTimeout: 200 * time.Millisecond, MaxBackoff: 50 * time.Millisecond})
	b.commit(0, transition(0, 0))
	for n := range 20 {
		b.commit(1, transition(1, n))
	}
	b.await("the other shard is empty", func() bool {
		return b.count("select count(*) from pawl.outbox where shard = 1") == 0
	})
	if got := b.pending(); got != 1 {
		t.Errorf("got %d rows pending, want the one of the failing shard", got)
	}
	healed.Store(true)
	b.awaitEmpty()
}

func TestRelay_KeepsTheRowsWhileKafkaIsAwayAndRecovers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run(b.publisher, relay.Config{PublishTimeout: 300 * time.Millisecond, MaxBackoff: 100 * time.Millisecond})
	b.commit(0, transition(0, 0))
	b.awaitEmpty()
	b.broker.Stop()
	b.commit(0, transition(0, 1))
	b.commit(1, transition(1, 0))
	if got := b.pending(); got != 2 {
		t.Errorf("got %d rows pending, want 2", got)
	}
	b.broker.Restart()
	b.awaitEmpty()
	b.checkOrder(1, 2)
}

func TestRelay_RecoversWhenTheDatabaseDropsEverySession(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run(b.publisher, relay.Config{PollInterval: time.Hour, MaxBackoff: 100 * time.Millisecond})
	for n := range 3 {
		b.commit(0, transition(0, n))
		b.awaitEmpty()
		_, err := b.pool.Exec(t.Context(), `select pg_terminate_backend(pid) from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid()`)
		if err != nil {
			t.Fatal(err)
		}
		b.pool.Reset()
	}
	b.commit(0, transition(0, 3))
	b.awaitEmpty()
	b.checkOrder(1, 4)
}

func TestRelay_AStopFinishesTheBatchUnderWay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	publishing, stopped := make(chan struct{}), make(chan struct{})
	publisher := publishFunc(func(topic string, messages ...*message.Message) error {
		close(publishing) // a second publish would panic
		select {
		case <-messages[0].Context().Done():
			return context.Cause(messages[0].Context())
		case <-stopped:
		}
		return b.publisher.Publish(topic, messages...)
	})
	stop := b.run(publisher, relay.Config{})
	b.commit(0, transition(0, 0), transition(0, 1))
	<-publishing
	go func() {
		time.Sleep(100 * time.Millisecond) // well inside the stop
		close(stopped)
	}()
	stop()
	if got := b.pending(); got != 0 {
		t.Errorf("got %d rows pending after the stop, want 0", got)
	}
	if repeats := b.checkOrder(1, 2); repeats != 0 {
		t.Errorf("got %d repeats, want 0", repeats)
	}
}

func TestRelay_AValueThatItCannotDecodeIsPublishedAsItIs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.commit(0, transition(7, 0))
	if _, err := b.pool.Exec(t.Context(), `update pawl.transition set value = '{"from": {"new": "form"}}'`); err != nil {
		t.Fatal(err)
	}
	b.run(b.publisher, relay.Config{})
	b.awaitEmpty()
	want := []record{{Key: "github.com:101#7", Value: `{"from": {"new": "form"}}`, Headers: map[string]string{
		"ce_specversion": "1.0", "ce_id": string(transition(7, 0).ID), "ce_source": "/pawl/projector",
		"ce_type": "pawl.transition.title_changed", "ce_subject": "github.com:101#7",
		"ce_partitionkey": "github.com:101#7", "content-type": "application/json",
	}}}
	if diff := cmp.Diff(b.read("pawl.transitions"), want); diff != "" {
		t.Errorf("pawl.transitions (-got +want):\n%s", diff)
	}
}
