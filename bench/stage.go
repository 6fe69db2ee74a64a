package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/actuator/rules"
	"pawl/ingest"
	"pawl/internal/fakegithub"
	"pawl/internal/provider"
	"pawl/internal/topics"
	"pawl/internal/watermillkafka"
	"pawl/projector"
	"pawl/relay"
	"pawl/schemas"
)

// benchRules act on the pull requests that carry the label "act", once each.
const benchRules = `
version: 1
rules:
  - name: greet
    on: [opened]
    when: '"act" in pr.labels'
    mutate: {add_labels: ["seen"]}
`

const benchToken = "a token for the benchmark only"

// stages are all of Pawl in this process, in front of a fake GitHub, on topics
// and a database of their own.
type stages struct {
	parts  *parts
	addr   string // of the edge
	topics schemas.Topics
	pool   *pgxpool.Pool // for the measurement
	github *provided

	stop    context.CancelFunc
	running sync.WaitGroup
	closers []func()
	failed  chan error
}

// startStages starts them. Their names are made from the given one.
func startStages(ctx context.Context, p *parts, name string) (*stages, error) {
	running, stop := context.WithCancel(ctx)
	s := &stages{
		parts: p, topics: schemas.TopicsWithPrefix("bench." + name + "."), stop: stop, failed: make(chan error, 8),
		github: newProvided(),
	}
	if err := s.start(running, name); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *stages) start(ctx context.Context, name string) error {
	pool, _, err := s.parts.database(ctx, name)
	if err != nil {
		return err
	}
	s.pool = pool
	s.closers = append(s.closers, pool.Close)
	cluster, err := topics.Connect(topics.Connection{Brokers: s.parts.kafka.Addrs()})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, cluster.Close)
	if _, err := topics.Ensure(ctx, cluster.Client, s.topics, topics.Config{Partitions: partitions, ReplicationFactor: 1}); err != nil {
		return err
	}
	if err := s.startIntake(ctx, cluster); err != nil {
		return err
	}
	if err := s.startProjector(ctx, cluster); err != nil {
		return err
	}
	return s.startActuator(ctx, cluster)
}

func (s *stages) run(ctx context.Context, name string, run func(context.Context) error) {
	s.running.Go(func() {
		if err := run(ctx); err != nil && ctx.Err() == nil {
			s.failed <- fmt.Errorf("%s: %w", name, err)
		}
	})
}

func (s *stages) startIntake(ctx context.Context, cluster *topics.Cluster) error {
	appender := ingest.NewKafkaAppender(cluster.Client, s.topics.Deliveries, ingest.AppenderConfig{MaxInFlight: 1}) //nolint:contextcheck // it ends by Close
	s.closers = append(s.closers, func() { _ = appender.Close(context.Background()) })                              //nolint:contextcheck // ctx has ended by then
	addr, stop, err := serveEdge(ctx, appender)
	if err != nil {
		return err
	}
	s.addr = addr
	s.closers = append(s.closers, stop)
	return nil
}

// connections returns a pool of its own for a role, as each role has in life.
func (s *stages) connections(ctx context.Context, most int32, configure func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	config := s.pool.Config().Copy()
	config.MaxConns = most
	config.ConnConfig.RuntimeParams = map[string]string{}
	if configure != nil {
		configure(config)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	s.closers = append(s.closers, pool.Close)
	return pool, nil
}

func (s *stages) startProjector(ctx context.Context, cluster *topics.Cluster) error {
	pool, err := s.connections(ctx, 2*partitions+4, projector.Configure)
	if err != nil {
		return err
	}
	relayPool, err := s.connections(ctx, partitions+4, nil)
	if err != nil {
		return err
	}
	log := slog.New(slog.DiscardHandler)
	folds := projector.New(projector.Config{
		Brokers: cluster.Brokers, Dialer: cluster.Dialer, Topic: s.topics.Deliveries, Group: s.topics.Deliveries, Owner: "bench",
	}, pool, cluster.Client, provider.Decode, log, prometheus.NewRegistry())
	publisher := watermillkafka.NewPublisher(cluster.Client, watermillkafka.PublisherConfig{})
	s.closers = append(s.closers, func() { _ = publisher.Close() })
	s.run(ctx, "projector", folds.Run)
	s.run(ctx, "relay", relay.New(relayPool, publisher, s.topics, relay.Config{}).Run)
	return nil
}

func (s *stages) startActuator(ctx context.Context, cluster *topics.Cluster) error {
	pool, err := s.connections(ctx, 14, nil)
	if err != nil {
		return err
	}
	set, err := rules.Parse("bench.yaml", []byte(benchRules))
	if err != nil {
		return err
	}
	base, stop, err := s.github.serve(ctx)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, stop)
	registry := prometheus.NewRegistry()
	client, err := actuator.NewGitHub(actuator.GitHubConfig{BaseURL: base, Token: benchToken}, registry)
	if err != nil {
		return err
	}
	acts, err := actuator.New(actuator.Config{Owner: "bench"}, pool, map[string]actuator.Provider{"github.com": client},
		func() *rules.Set { return set }, noLog{}, slog.New(slog.DiscardHandler), registry)
	if err != nil {
		return err
	}
	subscriber, err := watermillkafka.NewSubscriber(cluster, watermillkafka.SubscriberConfig{Group: s.topics.Transitions})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { _ = subscriber.Close() })
	router, err := acts.Router(actuator.RouterConfig{Topic: s.topics.Transitions, Subscriber: subscriber, Registerer: registry})
	if err != nil {
		return err
	}
	s.run(ctx, "actuator", acts.Run)
	s.run(ctx, "router", router.Run)
	return nil
}

// close stops all of it, last started first.
func (s *stages) close() {
	s.stop()
	s.running.Wait()
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
}

// noLog takes the records of what the actuator read live: the benchmark's
// provider is told of nothing that the log would have to hear.
type noLog struct{}

// Append does nothing.
func (noLog) Append(context.Context, schemas.Record) error { return nil }

// provided is the fake GitHub, which notes when the mutation of each pull
// request reached it.
type provided struct {
	*fakegithub.Server
	mu   sync.Mutex // mu guards sent
	sent map[string]time.Time
}

func newProvided() *provided {
	return &provided{
		Server: fakegithub.New(fakegithub.Config{Token: benchToken}),
		sent:   make(map[string]time.Time),
	}
}

// ServeHTTP notes the time before it serves: that is when the mutation is sent.
func (p *provided) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		p.mu.Lock()
		p.sent[pullRequestOf(r.URL)] = time.Now()
		p.mu.Unlock()
	}
	p.Server.ServeHTTP(w, r)
}

// pullRequestOf returns acme/service-1#7 from the path of a mutation.
func pullRequestOf(u *url.URL) string {
	fields := strings.Split(u.Path, "/")
	if len(fields) < 6 {
		return ""
	}
	return fields[2] + "/" + fields[3] + "#" + fields[5]
}

// sentAt returns when the mutation of each pull request was sent.
func (p *provided) sentAt(name string) (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.sent[name]
	return at, ok
}

func (p *provided) serve(ctx context.Context) (base string, stop func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("serve the fake: %w", err)
	}
	server := &http.Server{Handler: p, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String() + "/", func() { _ = server.Close() }, nil
}

// open makes a pull request exist at the fake.
func (p *provided) open(repository, number int) {
	name := "acme/service-" + strconv.Itoa(repository)
	if number == 1 {
		p.AddRepository(int64(repository), name)
	}
	p.Open(name, fakegithub.PullRequest{Number: number, HeadSHA: fmt.Sprintf("%040x", number*8)})
}

// placeOf reads where the edge says a delivery stands in the log.
func placeOf(answer []byte) (partition int, offset int64, err error) {
	var place struct {
		Partition *int
		Offset    *int64
	}
	if err := json.Unmarshal(answer, &place); err != nil {
		return 0, 0, fmt.Errorf("read the edge's answer: %w", err)
	}
	if place.Partition == nil || place.Offset == nil {
		return 0, 0, errors.New("the edge's answer names no place")
	}
	return *place.Partition, *place.Offset, nil
}
