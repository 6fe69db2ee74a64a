package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pawl/internal/config"
	"pawl/internal/embedded"
	"pawl/migrations"
)

func newUp(f *flags) *cobra.Command {
	command := &cobra.Command{
		Use:   "up",
		Short: "Run everything in one process, Kafka and PostgreSQL embedded unless configured",
		Example: "  PAWL_GITHUB_SECRET=… pawl up --config pawl.yaml --data-dir data\n" +
			"  PAWL_DATABASE_URL=postgres://… PAWL_KAFKA_BROKERS=kafka:9092 pawl up",
		RunE: func(c *cobra.Command, _ []string) error { return f.runUp(c) },
	}
	addPrintConfig(command, f)
	return command
}

func (f *flags) runUp(command *cobra.Command) error {
	ctx := command.Context()
	i, err := f.open()
	if err != nil {
		return err
	}
	if done, err := f.printed(command, i); done {
		return err
	}
	_, sourceErr := i.sources() // before anything is started
	_, providerErr := i.acting()
	if err := errors.Join(sourceErr, providerErr); err != nil {
		return &usageError{err}
	}
	defer i.close()
	if err := i.embed(ctx); err != nil {
		return err
	}
	running, err := i.everything(ctx)
	if err != nil {
		return err
	}
	running.announce(command, i)
	return runStages(ctx, running.stages...)
}

// embed starts the parts that the configuration does not name: the lock first,
// then the database and the broker. They stop in the reverse order, after
// everything that uses them.
func (i *installation) embed(ctx context.Context) error {
	needsKafka, needsPostgres := len(i.config.Kafka.Brokers) == 0, i.config.Database.URL == ""
	if needsKafka || needsPostgres {
		lock, err := embedded.Lock(i.config.DataDir)
		if err != nil {
			return err
		}
		i.closers = append(i.closers, func() { _ = lock.Unlock() })
	}
	dir, err := filepath.Abs(i.config.DataDir)
	if err != nil {
		return err
	}
	if needsPostgres {
		server, err := embedded.StartPostgres(ctx, embedded.PostgresConfig{Dir: filepath.Join(dir, "postgres"), Log: i.log})
		if err != nil {
			return err
		}
		i.closers = append(i.closers, server.Stop)
		i.watched = append(i.watched, part{"postgres", func(ctx context.Context) error { return untilExited(ctx, server) }})
		i.config.Database.URL = config.Secret(server.URL())
		if err := os.WriteFile(i.urlFile(), []byte(server.URL()+"\n"), 0o600); err != nil {
			return fmt.Errorf("note the database's address: %w", err)
		}
		i.closers = append(i.closers, func() { _ = os.Remove(i.urlFile()) })
	}
	if needsKafka {
		broker, err := embedded.StartKafka(embedded.KafkaConfig{Dir: filepath.Join(dir, "kafka")})
		if err != nil {
			return err
		}
		i.closers = append(i.closers, broker.Close)
		i.config.Kafka.Brokers, i.embedded = broker.Addrs(), true
	}
	return nil
}

// untilExited fails when the embedded database ends by itself.
func untilExited(ctx context.Context, server *embedded.Postgres) error {
	select {
	case <-ctx.Done():
		return nil
	case <-server.Exited():
		return errors.New("the embedded database ended by itself; its log says why, and a restart recovers it")
	}
}

// all is everything in one process, ready to run.
type all struct {
	webhooks   *server
	operations *server
	stages     [][]part
}

// everything migrates, connects and builds all roles.
func (i *installation) everything(ctx context.Context) (*all, error) {
	url, err := i.databaseURL()
	if err != nil {
		return nil, err
	}
	if _, err := migrations.Up(ctx, url); err != nil {
		return nil, err
	}
	if err := i.connect(ctx); err != nil {
		return nil, err
	}
	webhooks, intake, err := i.ingest(ctx)
	if err != nil {
		return nil, err
	}
	folding, foldErr := i.projector(ctx)
	acting, actErr := i.actuator(ctx)
	if err := errors.Join(foldErr, actErr); err != nil {
		return nil, err
	}
	watch, err := listen(ctx, i.config.Listen.Operations, operations(i.ready, i.registry), i.log)
	if err != nil {
		return nil, err
	}
	return &all{
		webhooks: webhooks, operations: watch,
		stages: [][]part{{intake}, folding, acting, append(i.watched, part{"operations", watch.run})},
	}, nil
}

// announce prints the addresses.
func (a *all) announce(command *cobra.Command, i *installation) {
	for _, source := range i.config.Sources {
		started(command, "webhooks    %s/webhooks/%s", a.webhooks.url(), source.Name)
	}
	started(command, "operations  %s/readyz  %s/metrics", a.operations.url(), a.operations.url())
	started(command, "kafka       %s", i.config.Kafka.Brokers[0])
	if i.embedded {
		started(command, "database    psql \"$(cat %s)\"", i.urlFile())
		started(command, "explain     pawl explain --data-dir %s acme/api#7", i.config.DataDir)
	}
	started(command, "mode        %s, %d rules", i.config.RuleSet().Mode, len(i.config.RuleSet().Rules()))
}
