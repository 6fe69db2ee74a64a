package watermillkafka_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"

	"pawl/internal/topics"
	"pawl/internal/watermillkafka"
)

// patience bounds every wait of a test; a rebalance takes the most.
const patience = 40 * time.Second

func newSubscriber(t *testing.T, cluster *topics.Cluster) *watermillkafka.Subscriber {
	t.Helper()
	subscriber, err := watermillkafka.NewSubscriber(cluster, watermillkafka.SubscriberConfig{
		Group: "g", NackPause: 5 * time.Millisecond, HeartbeatInterval: 100 * time.Millisecond,
		DrainTimeout: patience,
	})
	if err != nil {
		t.Fatal(err)
	}
	return subscriber
}

// subscribe returns the messages of a subscription of group g that ends with the
// test.
func subscribe(t *testing.T, cluster *topics.Cluster, topic string) <-chan *message.Message {
	t.Helper()
	subscriber := newSubscriber(t, cluster)
	ctx, cancel := context.WithCancel(t.Context())
	messages, err := subscriber.Subscribe(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = subscriber.Close()
	})
	return messages
}

func receive(t *testing.T, messages <-chan *message.Message) *message.Message {
	t.Helper()
	select {
	case m, open := <-messages:
		if !open {
			t.Fatal("the channel is closed")
		}
		return m
	case <-time.After(patience):
		t.Fatal("no message came")
	}
	return nil
}

func publish(t *testing.T, publisher message.Publisher, topic string, payloads ...string) {
	t.Helper()
	for _, payload := range payloads {
		if err := publisher.Publish(topic, newMessage("", "k", payload)); err != nil {
			t.Fatal(err)
		}
	}
}

// committed returns the group's offset of partition 0, or -1.
func committed(t *testing.T, cluster *topics.Cluster, group, topic string) int64 {
	t.Helper()
	response, err := cluster.Client.OffsetFetch(t.Context(), &kafka.OffsetFetchRequest{
		GroupID: group, Topics: map[string][]int{topic: {0}},
	})
	if err != nil || response.Error != nil {
		t.Fatal(err, response)
	}
	return response.Topics[topic][0].CommittedOffset
}

func TestSubscriber_NackHandsTheSameMessageOutAgain(t *testing.T) {
	t.Parallel()
	_, cluster, publisher := onTopic(t, 1)
	publish(t, publisher, "t", "1", "2")
	messages := subscribe(t, cluster, "t")
	var got []string
	for range 3 {
		m := receive(t, messages)
		got = append(got, string(m.Payload))
		m.Nack()
		if m.Context().Err() == nil {
			<-m.Context().Done()
		}
	}
	for range 2 {
		m := receive(t, messages)
		got = append(got, string(m.Payload))
		m.Ack()
	}
	if diff := cmp.Diff(got, []string{"1", "1", "1", "1", "2"}); diff != "" {
		t.Errorf("messages (-got +want):\n%s", diff)
	}
}

func TestSubscriber_CloseWaitsForTheAnswerAndCommitsIt(t *testing.T) {
	t.Parallel()
	_, cluster, publisher := onTopic(t, 1)
	publish(t, publisher, "t", "1", "2", "3")
	subscriber := newSubscriber(t, cluster)
	messages, err := subscriber.Subscribe(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	receive(t, messages).Ack()
	second := receive(t, messages)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = subscriber.Close()
	}()
	select {
	case <-closed:
		t.Error("Close did not wait for a message that is out")
	case <-second.Context().Done():
		t.Error("Close cut off a message that is out")
	case <-time.After(200 * time.Millisecond): // nothing happens, as it should
	}
	second.Ack()
	<-closed
	if m, open := <-messages; open {
		t.Errorf("got %q after Close, want a closed channel", m.Payload)
	}
	if got := committed(t, cluster, "g", "t"); got != 2 {
		t.Errorf("got offset %d committed, want 2", got)
	}
	if _, err := subscriber.Subscribe(t.Context(), "t"); !errors.Is(err, watermillkafka.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

func TestSubscriber_AnAckAfterThePartitionWasLostChangesNothing(t *testing.T) {
	t.Parallel()
	_, cluster, publisher := onTopic(t, 1)
	publish(t, publisher, "t", "1")
	first := subscribe(t, cluster, "t")
	held := receive(t, first)

	second := subscribe(t, cluster, "t") // a rebalance
	select {
	case <-held.Context().Done():
	case <-time.After(patience):
		t.Fatal("the message's context outlived its generation")
	}
	if err := context.Cause(held.Context()); !errors.Is(err, kafka.ErrGenerationEnded) {
		t.Errorf("got cause %v, want ErrGenerationEnded", err)
	}
	held.Ack()

	var again *message.Message
	select {
	case again = <-first:
	case again = <-second:
	case <-time.After(patience):
		t.Fatal("the message was not delivered again")
	}
	if string(again.Payload) != "1" {
		t.Errorf("got %q, want the message again", again.Payload)
	}
	if got := committed(t, cluster, "g", "t"); got != -1 {
		t.Errorf("got offset %d committed, want none", got)
	}
}

func TestSubscriber_OffsetsThatTheLogDoesNotHaveArePassedOver(t *testing.T) {
	t.Parallel()
	_, cluster, publisher := onTopic(t, 1)
	publish(t, publisher, "t", "1")
	response, err := cluster.Client.OffsetCommit(t.Context(), &kafka.OffsetCommitRequest{
		GroupID: "g", GenerationID: -1, Topics: map[string][]kafka.OffsetCommit{"t": {{Partition: 0, Offset: 100}}},
	})
	if err != nil || response.Topics["t"][0].Error != nil {
		t.Fatal(err, response)
	}
	if m := receive(t, subscribe(t, cluster, "t")); string(m.Payload) != "1" {
		t.Errorf("got %q, want the first message", m.Payload)
	}
}

func TestSubscriber_WaitsForATopicThatIsNotThere(t *testing.T) {
	t.Parallel()
	_, cluster, publisher := onTopic(t, 1)
	messages := subscribe(t, cluster, "later")
	initializer := newSubscriber(t, cluster)
	if err := initializer.SubscribeInitialize("later"); err != nil {
		t.Fatal(err)
	}
	publish(t, publisher, "later", "1")
	receive(t, messages).Ack()

	never := newSubscriber(t, cluster)
	if _, err := never.Subscribe(t.Context(), "never"); err != nil {
		t.Fatal(err)
	}
	if err := never.Close(); err != nil { // it does not wait for the topic
		t.Fatal(err)
	}
}

func TestNewSubscriber_NeedsAGroup(t *testing.T) {
	t.Parallel()
	cluster, err := topics.Connect(topics.Connection{Brokers: []string{"127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := watermillkafka.NewSubscriber(cluster, watermillkafka.SubscriberConfig{}); err == nil {
		t.Error("a subscriber without a group was made")
	}
}

// Two members of a group read while the broker restarts twice under publishers
// that try until they succeed: nothing is missing, and the first sight of each
// key's messages is in order.
func TestSubscriber_GoesOnAfterTheBrokerRestarted(t *testing.T) {
	t.Parallel()
	broker, cluster, publisher := onTopic(t, 4)
	const keys, each = 6, 60
	var seen sightings
	for range 2 {
		messages := subscribe(t, cluster, "t")
		go func() {
			for m := range messages {
				seen.add(m)
				m.Ack()
			}
		}()
	}
	var publishing sync.WaitGroup
	for key := range keys {
		publishing.Go(func() {
			for i := range each {
				m := newMessage("", fmt.Sprint(key), fmt.Sprint(i))
				for publisher.Publish("t", m) != nil {
					if t.Context().Err() != nil {
						return
					}
				}
			}
		})
	}
	for _, count := range []int{keys * each / 4, keys * each / 2} {
		seen.await(t, count)
		broker.Restart()
	}
	publishing.Wait()
	seen.await(t, keys*each)
	want := make(map[string][]string)
	for key := range keys {
		for i := range each {
			want[fmt.Sprint(key)] = append(want[fmt.Sprint(key)], fmt.Sprint(i))
		}
	}
	if diff := cmp.Diff(seen.firsts(), want); diff != "" {
		t.Errorf("first sight of each message (-got +want):\n%s", diff)
	}
}

// sightings keeps the first sight of each message, by key.
type sightings struct {
	mu    sync.Mutex // mu guards what follows
	known map[string]bool
	byKey map[string][]string
}

func (s *sightings) add(m *message.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known, s.byKey = make(map[string]bool), make(map[string][]string)
	}
	key, value := m.Metadata.Get(watermillkafka.PartitionKey), string(m.Payload)
	if !s.known[key+"/"+value] {
		s.known[key+"/"+value] = true
		s.byKey[key] = append(s.byKey[key], value)
	}
}

func (s *sightings) firsts() map[string][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byKey
}

func (s *sightings) await(t *testing.T, count int) {
	t.Helper()
	deadline := time.Now().Add(2 * patience)
	for {
		s.mu.Lock()
		got := len(s.known)
		s.mu.Unlock()
		if got >= count {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %d messages, want %d", got, count)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
