package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/segmentio/kafka-go"

	"pawl/internal/embedded"
	"pawl/migrations"
	"pawl/projector"
	"pawl/schemas"
)

// partitions of the log in the benchmark: what pawl up makes.
const partitions = 4

var topicNames = schemas.TopicsWithPrefix(schemas.DefaultTopicPrefix)

// parts are the broker and the database of a run: embedded, on disk, fsync on.
type parts struct {
	dir      string
	kafka    *embedded.Kafka
	postgres *embedded.Postgres
}

func startParts(ctx context.Context) (*parts, error) {
	dir, err := os.MkdirTemp("", "pawl-bench")
	if err != nil {
		return nil, fmt.Errorf("start parts: %w", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the database's user must enter it
		return nil, fmt.Errorf("start parts: %w", err)
	}
	p := &parts{dir: dir}
	if p.kafka, err = embedded.StartKafka(embedded.KafkaConfig{Dir: filepath.Join(dir, "kafka")}); err != nil {
		return nil, err
	}
	p.postgres, err = embedded.StartPostgres(ctx, embedded.PostgresConfig{Dir: filepath.Join(dir, "postgres")})
	if err != nil {
		p.kafka.Close()
		return nil, err
	}
	return p, nil
}

func (p *parts) stop() {
	p.kafka.Close()
	p.postgres.Stop()
	_ = os.RemoveAll(p.dir)
}

func (p *parts) client() *kafka.Client {
	return &kafka.Client{
		Addr: kafka.TCP(p.kafka.Addrs()...), Timeout: 30 * time.Second,
		Transport: &kafka.Transport{MetadataTTL: time.Second},
	}
}

// makeTopic makes a topic of its own for one measurement.
func (p *parts) makeTopic(ctx context.Context, topic string) error {
	response, err := p.client().CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{
		Topic: topic, NumPartitions: partitions, ReplicationFactor: 1,
		ConfigEntries: []kafka.ConfigEntry{{ConfigName: "max.message.bytes", ConfigValue: strconv.Itoa(schemas.MaxRecord)}},
	}}})
	if err != nil {
		return fmt.Errorf("make topic %s: %w", topic, err)
	}
	if err := response.Errors[topic]; err != nil {
		return fmt.Errorf("make topic %s: %w", topic, err)
	}
	return nil
}

// database makes a migrated database and returns a pool on it.
func (p *parts) database(ctx context.Context, name string) (*pgxpool.Pool, string, error) {
	conn, err := pgx.Connect(ctx, p.postgres.URL())
	if err != nil {
		return nil, "", fmt.Errorf("make database: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "create database "+name); err != nil {
		return nil, "", fmt.Errorf("make database %s: %w", name, err)
	}
	config, err := pgxpool.ParseConfig(p.postgres.URL())
	if err != nil {
		return nil, "", fmt.Errorf("make database %s: %w", name, err)
	}
	url := "postgres://pawl:" + config.ConnConfig.Password + "@" + config.ConnConfig.Host + ":" +
		strconv.Itoa(int(config.ConnConfig.Port)) + "/" + name + "?sslmode=disable"
	if _, err := migrations.Up(ctx, url); err != nil {
		return nil, "", err
	}
	if config, err = pgxpool.ParseConfig(url); err != nil {
		return nil, "", fmt.Errorf("open database %s: %w", name, err)
	}
	projector.Configure(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, "", fmt.Errorf("open database %s: %w", name, err)
	}
	return pool, url, nil
}
