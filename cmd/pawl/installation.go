package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"pawl/internal/config"
	"pawl/internal/topics"
)

// installation is what the roles of one process share: the configuration, the
// log's brokers, the database, and how all of it is watched.
type installation struct {
	config   *config.Config
	log      *slog.Logger
	registry *prometheus.Registry
	ready    *readiness
	cluster  *topics.Cluster
	// embedded: the brokers are this process's own.
	embedded bool
	closers  []func()
	// live is the rules of the moment, where there is an actuator.
	live *config.Live
	// clients are those of the instances that are acted at.
	clients *clients
	// unarmed says which secrets for acting were not there at the start.
	unarmed error
	// watched fail when an embedded part ends by itself.
	watched []part
}

func newInstallation(loaded *config.Config, log *slog.Logger) *installation {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return &installation{config: loaded, log: log, registry: registry, ready: new(readiness)}
}

// open loads the configuration for a role that runs against outside services.
func (f *flags) open() (*installation, error) {
	loaded, err := f.load()
	if err != nil {
		return nil, err
	}
	log, err := newLog(loaded.Log, os.Stderr)
	if err != nil {
		return nil, err
	}
	return newInstallation(loaded, log), nil
}

// close gives back what was opened, last first.
func (i *installation) close() {
	for n := len(i.closers) - 1; n >= 0; n-- {
		i.closers[n]()
	}
}

// connect reaches the brokers and makes or checks the topics.
func (i *installation) connect(ctx context.Context) error {
	if len(i.config.Kafka.Brokers) == 0 {
		return &usageError{errors.New("no brokers: set kafka.brokers or PAWL_KAFKA_BROKERS, or run pawl up, which embeds one")}
	}
	connection, err := i.config.Connection()
	if err != nil {
		return &usageError{err}
	}
	cluster, err := topics.Connect(connection)
	if err != nil {
		return &usageError{err}
	}
	i.cluster = cluster
	i.closers = append(i.closers, cluster.Close)
	return i.ensureTopics(ctx)
}

// ensureTopics makes or checks the topics. Roles start in any order: it waits for
// brokers that do not answer, and gives up only on settings that are wrong.
func (i *installation) ensureTopics(ctx context.Context) error {
	settings := topics.Config{
		Partitions: i.config.Kafka.Partitions, ReplicationFactor: i.config.Kafka.ReplicationFactor,
		TransitionsRetention: i.config.Kafka.Retention, DeadLettersRetention: i.config.Kafka.Retention,
	}
	for {
		warnings, err := topics.Ensure(ctx, i.cluster.Client, i.config.Topics(), settings)
		for _, warning := range warnings {
			i.log.WarnContext(ctx, "topic setting", "topic", warning.Topic, "err", warning)
		}
		var wrong topics.SettingError
		if err == nil || errors.As(err, &wrong) || ctx.Err() != nil {
			return err
		}
		i.log.WarnContext(ctx, "waiting for kafka", "err", err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(2 * time.Second):
		}
	}
}

// urlFile holds the address of the embedded database while it runs, for the
// commands that only read.
func (i *installation) urlFile() string { return filepath.Join(i.config.DataDir, "database.url") }

// databaseURL resolves where the database is: as configured, else the embedded
// one of the data directory.
func (i *installation) databaseURL() (string, error) {
	if i.config.Database.URL == "" {
		if text, err := os.ReadFile(i.urlFile()); err == nil {
			return strings.TrimSpace(string(text)), nil
		}
	}
	url, err := i.config.Database.URL.Resolve()
	if err != nil {
		return "", &usageError{fmt.Errorf("database.url: %w", err)}
	}
	if url == "" {
		return "", &usageError{errors.New("no database: set database.url or PAWL_DATABASE_URL, or name the --data-dir of a running pawl up")}
	}
	return url, nil
}

// pool opens a pool of connections. configure may change it first.
func (i *installation) pool(ctx context.Context, connections int32, configure func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	url, err := i.databaseURL()
	if err != nil {
		return nil, err
	}
	settings, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, &usageError{fmt.Errorf("database.url: %w", err)}
	}
	settings.MaxConns = connections
	settings.ConnConfig.RuntimeParams["application_name"] = "pawl"
	if configure != nil {
		configure(settings)
	}
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	i.closers = append(i.closers, pool.Close)
	return pool, nil
}
