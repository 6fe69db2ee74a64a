package watermillkafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"

	"pawl/internal/topics"
)

// SubscriberConfig holds what may be left to its default, beside the group.
type SubscriberConfig struct {
	// Group is the consumer group. A new one starts from the earliest message.
	Group string
	// Topic is how SubscribeInitialize makes a topic.
	Topic topics.Config

	// CommitEvery is the least time between two commits of offsets. Default
	// 100 ms: that much may be delivered again after a crash.
	CommitEvery time.Duration
	// NackPause is the pause after a first Nack; it doubles with each further
	// one up to MaxNackPause. Defaults 100 ms and 10 s.
	NackPause    time.Duration
	MaxNackPause time.Duration
	// DrainTimeout is how long Close waits for the messages that are out.
	// Default 5 s.
	DrainTimeout time.Duration

	// HeartbeatInterval is how soon a rebalance is noticed. Default 500 ms.
	HeartbeatInterval time.Duration
	// SessionTimeout is how soon a dead member is. Default 10 s.
	SessionTimeout time.Duration
	// RebalanceTimeout is how long a rebalance waits for a member that does not
	// come back. Default 6 s.
	RebalanceTimeout time.Duration
	Log              *slog.Logger
}

func (c SubscriberConfig) withDefaults() SubscriberConfig {
	c.CommitEvery = cmp.Or(c.CommitEvery, 100*time.Millisecond)
	c.NackPause = cmp.Or(c.NackPause, 100*time.Millisecond)
	c.MaxNackPause = cmp.Or(c.MaxNackPause, 10*time.Second)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 5*time.Second)
	c.HeartbeatInterval = cmp.Or(c.HeartbeatInterval, 500*time.Millisecond)
	c.SessionTimeout = cmp.Or(c.SessionTimeout, 10*time.Second)
	c.RebalanceTimeout = cmp.Or(c.RebalanceTimeout, 6*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// joinBackoff is the pause before a member that could not join tries again.
const joinBackoff = 500 * time.Millisecond

// Subscriber hands out the messages of Kafka topics to one consumer group. It
// is a message.Subscriber and a message.SubscribeInitializer, and safe for
// concurrent use.
type Subscriber struct {
	cluster *topics.Cluster
	cfg     SubscriberConfig

	mu      sync.Mutex // mu guards closed, and running against Close
	closed  bool
	closing chan struct{} // closed by Close
	running sync.WaitGroup
}

var (
	_ message.Subscriber           = (*Subscriber)(nil)
	_ message.SubscribeInitializer = (*Subscriber)(nil)
)

// NewSubscriber returns a subscriber. It calls nobody.
func NewSubscriber(cluster *topics.Cluster, cfg SubscriberConfig) (*Subscriber, error) {
	s := &Subscriber{cluster: cluster, cfg: cfg.withDefaults(), closing: make(chan struct{})}
	config := s.groupConfig("any")
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("subscriber of group %q: %w", cfg.Group, err)
	}
	return s, nil
}

func (s *Subscriber) groupConfig(topic string) kafka.ConsumerGroupConfig {
	return kafka.ConsumerGroupConfig{
		ID:                s.cfg.Group,
		Brokers:           s.cluster.Brokers,
		Dialer:            s.cluster.Dialer,
		Topics:            []string{topic},
		HeartbeatInterval: s.cfg.HeartbeatInterval,
		SessionTimeout:    s.cfg.SessionTimeout,
		RebalanceTimeout:  s.cfg.RebalanceTimeout,
		JoinGroupBackoff:  joinBackoff,
		StartOffset:       kafka.FirstOffset,
		// a topic may be given more partitions
		WatchPartitionChanges: true,
	}
}

// SubscribeInitialize makes the topic, unless it is there.
func (s *Subscriber) SubscribeInitialize(topic string) error {
	// watermill gives no context; the Client bounds the request
	if err := topics.Create(context.Background(), s.cluster.Client, topic, s.cfg.Topic); err != nil {
		return fmt.Errorf("initialize subscription: %w", err)
	}
	return nil
}

// Subscribe joins the group for one topic, and returns the channel of its
// messages: one a partition at a time, the next one after its Ack. The channel
// is closed when ctx ends, or after Close, once nothing is handed out any more.
// A topic that is not there is waited for.
func (s *Subscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("subscribe to %s: %w", topic, ErrClosed)
	}
	sub := newSubscription(s, topic)
	s.running.Go(func() { sub.run(ctx) })
	return sub.out, nil
}

// Close ends all subscriptions: nothing more is handed out, the messages that
// are out have DrainTimeout to be answered, their offsets are committed, the
// group is left, and the channels are closed. A Close while the group forms
// waits for it, at most about RebalanceTimeout.
func (s *Subscriber) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
	s.mu.Unlock()
	s.running.Wait()
	return nil
}

// subscription is one membership in the group, for one topic.
type subscription struct {
	*Subscriber
	topic    string
	out      chan *message.Message
	inFlight *inFlight
	lanes    sync.WaitGroup // those of all generations
}

func newSubscription(s *Subscriber, topic string) *subscription {
	return &subscription{Subscriber: s, topic: topic, out: make(chan *message.Message), inFlight: newInFlight()}
}

// run serves one generation after the other until ctx ends or Close is called.
func (s *subscription) run(ctx context.Context) {
	defer close(s.out) // last: every lane has ended
	if !s.awaitTopic(ctx) {
		return
	}
	group, err := kafka.NewConsumerGroup(s.groupConfig(s.topic))
	if err != nil {
		// unreachable: NewSubscriber has validated the settings
		s.cfg.Log.ErrorContext(ctx, "subscription ended", "topic", s.topic, "err", err)
		return
	}
	var stopping sync.WaitGroup
	stopping.Go(func() {
		s.awaitEnd(ctx)
		_ = group.Close() // never an error; the generation commits, and ends
	})
	for {
		generation, err := group.Next(ctx)
		if errors.Is(err, kafka.ErrGroupClosed) || ctx.Err() != nil {
			break
		}
		if err != nil {
			// Whatever it is, io.EOF too, the group joins again by itself.
			s.cfg.Log.WarnContext(ctx, "joining the group failed, trying again", "topic", s.topic, "err", err)
			continue
		}
		s.serve(ctx, generation)
	}
	stopping.Wait()
	s.lanes.Wait()
}

// awaitTopic waits until the topic is there: kafka-go would join again and
// again without a pause.
func (s *subscription) awaitTopic(ctx context.Context) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	for pause := firstPause; ; pause = longer(pause) {
		_, err := countPartitions(ctx, s.cluster.Client, s.topic)
		if err == nil {
			return true
		}
		if !sleep(ctx, pause) {
			return false
		}
		s.cfg.Log.DebugContext(ctx, "topic is not there yet", "topic", s.topic, "err", err)
	}
}

// awaitEnd returns when ctx ends, or on Close when all messages that are out
// were answered or had their time.
func (s *subscription) awaitEnd(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-s.closing:
	}
	timer := time.NewTimer(s.cfg.DrainTimeout)
	defer timer.Stop()
	select {
	case <-s.inFlight.drain():
	case <-timer.C:
		s.cfg.Log.WarnContext(ctx, "messages were not answered in time and will be delivered again", "topic", s.topic)
	case <-ctx.Done():
	}
}
