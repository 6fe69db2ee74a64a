package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/actuator"
	"pawl/ingest"
	"pawl/internal/config"
	"pawl/internal/links"
	"pawl/internal/notify"
	"pawl/internal/provider"
	"pawl/internal/watermillkafka"
	"pawl/projector"
	"pawl/relay"
	"pawl/schemas"
)

// ownerName names this process in checkpoints and leases.
func ownerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "pawl"
	}
	return host + "/" + strconv.Itoa(os.Getpid())
}

// appender returns the appender to pawl.deliveries, closed with the
// installation.
func (i *installation) appender() *ingest.KafkaAppender {
	settings := ingest.AppenderConfig{Log: i.log}
	if i.embedded {
		settings.MaxInFlight = 1 // the embedded broker does one thing at a time
	}
	made := ingest.NewKafkaAppender(i.cluster.Client, i.config.Topics().Deliveries, settings)
	i.closers = append(i.closers, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := made.Close(ctx); err != nil {
			i.log.WarnContext(ctx, "appender closed with records waiting", "err", err)
		}
	})
	return made
}

// ingest returns the intake: the webhooks' server.
func (i *installation) ingest(ctx context.Context) (*server, part, error) {
	sources, err := i.sources()
	if err != nil {
		return nil, part{}, err
	}
	edge, err := ingest.New(ingest.Config{Sources: sources}, i.appender(), ingest.NewMetrics(i.registry), i.log) //nolint:contextcheck // the appender ends by Close
	if err != nil {
		return nil, part{}, &usageError{err}
	}
	web, err := listen(ctx, i.config.Listen.Webhooks, edge, i.log)
	if err != nil {
		return nil, part{}, err
	}
	i.ready.add("ingest", edge.Ready)
	return web, part{"ingest", func(ctx context.Context) error {
		serving, stop := context.WithCancel(context.WithoutCancel(ctx))
		defer stop()
		served := make(chan error, 1)
		go func() { served <- web.run(serving) }()
		select {
		case err := <-served:
			return err
		case <-ctx.Done():
		}
		draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err := edge.Drain(draining)
		stop()
		return errors.Join(err, <-served)
	}}, nil
}

// sources resolves the secrets of the webhooks.
func (i *installation) sources() ([]ingest.Source, error) {
	var made []ingest.Source
	var faults []error
	for _, source := range i.config.Sources {
		resolved := ingest.Source{Name: source.Name, Provider: source.Provider, Instance: source.Instance, Pages: source.Pages}
		for n, secret := range source.Secrets {
			value, err := secret.Resolve()
			if err != nil {
				faults = append(faults, fmt.Errorf("source %s, secrets[%d]: %w", source.Name, n, err))
				continue
			}
			resolved.Secrets = append(resolved.Secrets, ingest.Secret{Name: strconv.Itoa(n), Value: []byte(value)})
		}
		made = append(made, resolved)
	}
	if len(i.config.Sources) == 0 {
		faults = append(faults, errors.New("there are no sources: add one, {name: github, provider: github, secrets: [\"env:PAWL_GITHUB_SECRET\"]}"))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, &usageError{err}
	}
	return made, nil
}

// projector returns the projector and the relay, which empties its outbox.
func (i *installation) projector(ctx context.Context) ([]part, error) {
	pool, err := i.pool(ctx, int32(2*i.config.Kafka.Partitions+4), projector.Configure)
	if err != nil {
		return nil, err
	}
	relayPool, err := i.pool(ctx, int32(i.config.Kafka.Partitions+4), nil)
	if err != nil {
		return nil, err
	}
	finder, err := links.NewFinder(i.config.TrackerKeys())
	if err != nil {
		return nil, &usageError{err}
	}
	names := i.config.Topics()
	folds := projector.New(projector.Config{
		Brokers: i.cluster.Brokers, Dialer: i.cluster.Dialer, Topic: names.Deliveries,
		Group: i.config.Kafka.TopicPrefix + "projector", Owner: ownerName(), Links: finder.Of,
	}, pool, i.cluster.Client, provider.Decode, i.log, i.registry)
	publisher := watermillkafka.NewPublisher(i.cluster.Client, watermillkafka.PublisherConfig{Log: i.log})
	i.closers = append(i.closers, func() { _ = publisher.Close() })
	relays := relay.New(relayPool, publisher, names, relay.Config{Registerer: i.registry, Log: i.log})
	i.ready.add("projector", func(context.Context) error { return folds.Ready() })
	i.ready.add("database", pool.Ping)
	return []part{{"projector", folds.Run}, {"relay", relays.Run}}, nil
}

// recordAppender gives the actuator the appender without its places.
type recordAppender struct{ *ingest.KafkaAppender }

// Append makes a record durable.
func (a recordAppender) Append(ctx context.Context, record schemas.Record) error {
	_, err := a.KafkaAppender.Append(ctx, record)
	return err
}

// actuatorWorkers is how many entities are acted on at a time.
const actuatorWorkers = 8

// actuator returns the actuator, the router that feeds it, and what follows the
// rules' file.
func (i *installation) actuator(ctx context.Context) ([]part, error) {
	pool, err := i.pool(ctx, actuatorWorkers+6, nil)
	if err != nil {
		return nil, err
	}
	acts, err := i.newActuator(pool) //nolint:contextcheck // the appender ends by Close
	if err != nil {
		return nil, err
	}
	subscriber, err := watermillkafka.NewSubscriber(i.cluster, watermillkafka.SubscriberConfig{
		Group: i.config.Kafka.TopicPrefix + "actuator", Log: i.log,
	})
	if err != nil {
		return nil, err
	}
	router, err := acts.Router(actuator.RouterConfig{Topic: i.config.Topics().Transitions, Subscriber: subscriber, Registerer: i.registry})
	if err != nil {
		return nil, err
	}
	i.ready.add("actuator", func(ctx context.Context) error {
		if !router.IsRunning() {
			return errors.New("the router has not started")
		}
		return pool.Ping(ctx)
	})
	return []part{
		i.reload(),
		{"actuator", acts.Run},
		{"decide", func(ctx context.Context) error {
			defer subscriber.Close()
			return router.Run(ctx)
		}},
	}, nil
}

func (i *installation) newActuator(pool *pgxpool.Pool) (*actuator.Actuator, error) {
	acting, err := i.acting()
	if err != nil {
		return nil, err
	}
	sender, err := notify.New(notify.Config{Allow: i.config.Notify.Allow})
	if err != nil {
		return nil, &usageError{err}
	}
	i.live = config.NewLive(i.config, config.LiveConfig{Accept: i.accept}, i.log, i.registry)
	return actuator.New(actuator.Config{
		Owner: ownerName(), Workers: actuatorWorkers, Notifier: sender, Resolve: resolve, Trackers: acting.trackers,
	}, pool, acting.providers, i.live.RuleSet, recordAppender{i.appender()}, i.log, i.registry)
}

// resolve turns the reference of an address into the address.
func resolve(reference string) (string, error) { return config.Secret(reference).Resolve() }

// reload reads the rules again when their file changes, and on SIGHUP from here
// on.
func (i *installation) reload() part {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	i.closers = append(i.closers, func() { signal.Stop(asked) })
	return part{"rules", func(ctx context.Context) error { return i.live.Run(ctx, asked) }}
}
