// Package topics dials the brokers, and makes the topics with the settings that
// the promises rest on, or checks those that are there.
//
//	deliveries    the log, the only source of truth: kept for ever unless told,
//	              never compacted, wide enough for a body of 25 MB (I1, I12)
//	transitions   what the relay publishes: kept for a while
//	dead letters  copies for whoever listens; the table keeps them too
//
// A topic that is there is never altered: it may be another team's, and a
// changed partition count moves keys to other partitions (I2). What breaks a
// promise is an error, what only weakens one is a warning, and each names the
// setting, its value and the wanted one.
package topics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"

	"pawl/schemas"
)

// Config holds the settings of topics that are made. The zero value is right
// for most.
type Config struct {
	// Partitions of each topic. Default 4. More let more projectors work at
	// once; each also costs a request.
	Partitions int
	// ReplicationFactor of each topic. Default: the brokers' own.
	ReplicationFactor int
	// MinInSyncReplicas of each topic. Default: the brokers' own.
	MinInSyncReplicas int

	// How long each topic keeps its records; negative is for ever. The log is
	// kept for ever by default, the other two for 30 days.
	DeliveriesRetention  time.Duration
	TransitionsRetention time.Duration
	DeadLettersRetention time.Duration
}

// forever is a retention without end.
const forever time.Duration = -1

const defaultRetention = 30 * 24 * time.Hour

func (c Config) withDefaults() Config {
	c.Partitions = cmp.Or(c.Partitions, 4)
	c.ReplicationFactor = cmp.Or(c.ReplicationFactor, -1)
	c.DeliveriesRetention = cmp.Or(c.DeliveriesRetention, forever)
	c.TransitionsRetention = cmp.Or(c.TransitionsRetention, defaultRetention)
	c.DeadLettersRetention = cmp.Or(c.DeadLettersRetention, defaultRetention)
	return c
}

// Ensure makes the topics that are missing and checks those that are there.
// Several processes may call it at once. The error joins a SettingError for
// each setting that breaks a promise; the warnings are for a person to read. An
// error that is none of these means that the brokers could not be asked, and
// the caller may try again.
func Ensure(ctx context.Context, client *kafka.Client, names schemas.Topics, cfg Config) ([]SettingError, error) {
	cfg = cfg.withDefaults()
	existing, err := lookUp(ctx, client, names)
	if err != nil {
		return nil, err
	}
	missing := cfg.missing(names, existing)
	if err := create(ctx, client, missing); err != nil {
		return nil, err
	}
	if len(missing) == len(names.All()) {
		return nil, nil
	}
	return check(ctx, client, names, existing, cfg)
}

// Create makes one topic with the settings of a topic of transitions. A topic
// that is there is left as it is.
func Create(ctx context.Context, client *kafka.Client, topic string, cfg Config) error {
	cfg = cfg.withDefaults()
	return create(ctx, client, []kafka.TopicConfig{cfg.topic(topic, cfg.TransitionsRetention)})
}

// missing returns the topics to make.
func (c Config) missing(names schemas.Topics, existing map[string]int) []kafka.TopicConfig {
	var missing []kafka.TopicConfig
	for _, wanted := range []kafka.TopicConfig{
		c.topic(names.Deliveries, c.DeliveriesRetention),
		c.topic(names.Transitions, c.TransitionsRetention),
		c.topic(names.DeadLetters, c.DeadLettersRetention),
	} {
		if _, ok := existing[wanted.Topic]; !ok {
			missing = append(missing, wanted)
		}
	}
	return missing
}

// The settings' names in Kafka.
const (
	maxMessageBytes   = "max.message.bytes"
	cleanupPolicy     = "cleanup.policy"
	retentionMS       = "retention.ms"
	retentionBytes    = "retention.bytes"
	compressionType   = "compression.type"
	minInSyncReplicas = "min.insync.replicas"
)

func (c Config) topic(name string, retention time.Duration) kafka.TopicConfig {
	keep := int64(-1)
	if retention > 0 {
		keep = retention.Milliseconds()
	}
	config := kafka.TopicConfig{
		Topic: name, NumPartitions: c.Partitions, ReplicationFactor: c.ReplicationFactor,
		ConfigEntries: []kafka.ConfigEntry{
			{ConfigName: maxMessageBytes, ConfigValue: strconv.Itoa(schemas.MaxRecord)},
			{ConfigName: cleanupPolicy, ConfigValue: "delete"},
			{ConfigName: retentionMS, ConfigValue: strconv.FormatInt(keep, 10)},
			{ConfigName: retentionBytes, ConfigValue: "-1"},
			{ConfigName: compressionType, ConfigValue: "producer"},
		},
	}
	if c.MinInSyncReplicas > 0 {
		config.ConfigEntries = append(config.ConfigEntries,
			kafka.ConfigEntry{ConfigName: minInSyncReplicas, ConfigValue: strconv.Itoa(c.MinInSyncReplicas)})
	}
	return config
}

// lookUp returns the partition count of each topic that is there.
func lookUp(ctx context.Context, client *kafka.Client, names schemas.Topics) (map[string]int, error) {
	metadata, err := client.Metadata(ctx, &kafka.MetadataRequest{Topics: names.All()})
	if err != nil {
		return nil, fmt.Errorf("look up topics: %w", err)
	}
	counts := make(map[string]int)
	for _, topic := range metadata.Topics {
		if errors.Is(topic.Error, kafka.UnknownTopicOrPartition) {
			continue
		}
		if topic.Error != nil {
			return nil, fmt.Errorf("look up topic %s: %w", topic.Name, topic.Error)
		}
		counts[topic.Name] = len(topic.Partitions)
	}
	return counts, nil
}

func create(ctx context.Context, client *kafka.Client, missing []kafka.TopicConfig) error {
	if len(missing) == 0 {
		return nil
	}
	response, err := client.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: missing})
	if err != nil {
		return fmt.Errorf("create topics: %w", err)
	}
	var faults []error
	for topic, err := range response.Errors {
		if err != nil && !errors.Is(err, kafka.TopicAlreadyExists) {
			faults = append(faults, fmt.Errorf("create topic %s: %w", topic, err))
		}
	}
	return errors.Join(faults...)
}
