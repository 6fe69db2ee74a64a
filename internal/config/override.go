package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pawl/actuator/rules"
)

// Variable is an environment variable that overrides a setting.
type Variable struct {
	Name    string
	Setting string
	set     func(*Config, string) error
}

func text(target func(*Config) *string) func(*Config, string) error {
	return func(c *Config, value string) error {
		*target(c) = value
		return nil
	}
}

// Variables returns the variables, in the order of the file's settings. They are
// for what differs between machines; PAWL_CONFIG names the file itself.
func Variables() []Variable {
	return []Variable{
		{"PAWL_KAFKA_BROKERS", "kafka.brokers, comma separated", func(c *Config, value string) error {
			c.Kafka.Brokers = strings.Split(value, ",")
			return nil
		}},
		{"PAWL_TOPIC_PREFIX", "kafka.topic_prefix", text(func(c *Config) *string { return &c.Kafka.TopicPrefix })},
		{"PAWL_KAFKA_PARTITIONS", "kafka.partitions", func(c *Config, value string) (err error) {
			c.Kafka.Partitions, err = strconv.Atoi(value)
			return err
		}},
		{"PAWL_DATABASE_URL", "database.url", func(c *Config, value string) error {
			c.Database.URL = Secret(value)
			return nil
		}},
		{"PAWL_LISTEN_WEBHOOKS", "listen.webhooks", text(func(c *Config) *string { return &c.Listen.Webhooks })},
		{"PAWL_LISTEN_OPERATIONS", "listen.operations", text(func(c *Config) *string { return &c.Listen.Operations })},
		{"PAWL_DATA_DIR", "data_dir", text(func(c *Config) *string { return &c.DataDir })},
		{"PAWL_MODE", "mode", func(c *Config, value string) error {
			c.Mode = rules.Mode(value)
			return nil
		}},
		{"PAWL_LOG_LEVEL", "log.level", text(func(c *Config) *string { return &c.Log.Level })},
		{"PAWL_LOG_FORMAT", "log.format", text(func(c *Config) *string { return &c.Log.Format })},
	}
}

// override applies the environment.
func (c *Config) override(lookup func(string) (string, bool)) error {
	var faults []error
	for _, variable := range Variables() {
		value, ok := lookup(variable.Name)
		if !ok || value == "" {
			continue
		}
		if err := variable.set(c, value); err != nil {
			faults = append(faults, fmt.Errorf("%s (%s): %w", variable.Name, variable.Setting, err))
		}
	}
	return errors.Join(faults...)
}
