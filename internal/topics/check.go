package topics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/segmentio/kafka-go"

	"pawl/schemas"
)

// SettingError says which setting of a topic is not as it should be.
type SettingError struct {
	Topic   string
	Setting string
	Value   string
	Want    string
}

// Error names the topic, the setting, its value and the wanted one.
func (e SettingError) Error() string {
	return fmt.Sprintf("topic %s: %s is %s, want %s", e.Topic, e.Setting, e.Value, e.Want)
}

// findings collects what is wrong with one topic after the other.
type findings struct {
	errors   []error
	warnings []SettingError
}

func (f *findings) fail(e SettingError) { f.errors = append(f.errors, e) }
func (f *findings) warn(e SettingError) { f.warnings = append(f.warnings, e) }

// check compares the topics that were there with what is wanted. A topic that
// another process has just made is as good as our own and not looked at.
func check(ctx context.Context, client *kafka.Client, names schemas.Topics, existing map[string]int, cfg Config) ([]SettingError, error) {
	var present []string
	for _, name := range names.All() {
		if _, ok := existing[name]; ok {
			present = append(present, name)
		}
	}
	settings, err := describe(ctx, client, present)
	if err != nil {
		return nil, err
	}
	var found findings
	for _, name := range present {
		found.checkCount(name, existing[name], cfg.Partitions)
		found.checkSettings(name, settings[name], cfg)
	}
	if values, ok := settings[names.Deliveries]; ok {
		found.checkRetention(names.Deliveries, values)
	}
	return found.warnings, errors.Join(found.errors...)
}

// describe returns the settings of each topic, by their names in Kafka.
func describe(ctx context.Context, client *kafka.Client, names []string) (map[string]map[string]string, error) {
	request := &kafka.DescribeConfigsRequest{}
	for _, name := range names {
		request.Resources = append(request.Resources, kafka.DescribeConfigRequestResource{
			ResourceType: kafka.ResourceTypeTopic, ResourceName: name,
		})
	}
	response, err := client.DescribeConfigs(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("describe topics: %w", err)
	}
	settings := make(map[string]map[string]string)
	for _, resource := range response.Resources {
		if resource.Error != nil {
			return nil, fmt.Errorf("describe topic %s: %w", resource.ResourceName, resource.Error)
		}
		values := make(map[string]string)
		for _, entry := range resource.ConfigEntries {
			values[entry.ConfigName] = entry.ConfigValue
		}
		settings[resource.ResourceName] = values
	}
	return settings, nil
}

// checkCount warns only: with another count the keys stand on other partitions,
// but all of one key still on one.
func (f *findings) checkCount(topic string, count, want int) {
	if count != want {
		f.warn(SettingError{topic, "partitions", strconv.Itoa(count), strconv.Itoa(want)})
	}
}

// checkSettings looks at what all topics have in common. A setting that the
// broker does not name is not judged.
func (f *findings) checkSettings(topic string, values map[string]string, cfg Config) {
	if value, ok := values[maxMessageBytes]; ok && !atLeast(value, schemas.MaxRecord) {
		// A body of 25 MB would be refused, and the edge would answer 503 for ever.
		f.fail(SettingError{topic, maxMessageBytes, value, "at least " + strconv.Itoa(schemas.MaxRecord)})
	}
	if value := values[cleanupPolicy]; slices.Contains(strings.Split(value, ","), "compact") {
		// All but the newest record of an entity would vanish.
		f.fail(SettingError{topic, cleanupPolicy, value, "delete"})
	}
	if value, ok := values[compressionType]; ok && value != "producer" {
		f.warn(SettingError{topic, compressionType, value, "producer"})
	}
	value, ok := values[minInSyncReplicas]
	if ok && cfg.MinInSyncReplicas > 0 && value != strconv.Itoa(cfg.MinInSyncReplicas) {
		f.warn(SettingError{topic, minInSyncReplicas, value, strconv.Itoa(cfg.MinInSyncReplicas)})
	}
}

// checkRetention warns of a log that forgets: tables cannot be folded again
// from its start.
func (f *findings) checkRetention(topic string, values map[string]string) {
	for _, setting := range []string{retentionMS, retentionBytes} {
		if value, ok := values[setting]; ok && atLeast(value, 0) {
			f.warn(SettingError{topic, setting, value, "-1: the log is the only source of truth"})
		}
	}
}

// atLeast reports whether a setting is a number of at least n.
func atLeast(value string, n int64) bool {
	number, err := strconv.ParseInt(value, 10, 64)
	return err == nil && number >= n
}
