package topics_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"pawl/internal/topics"
	"pawl/schemas"
)

func connect(t *testing.T) *topics.Cluster {
	t.Helper()
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.DataDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := topics.Connect(topics.Connection{Brokers: broker.ListenAddrs()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cluster.Close()
		broker.Close()
	})
	return cluster
}

func names() schemas.Topics { return schemas.TopicsWithPrefix(schemas.DefaultTopicPrefix) }

func settingsOf(t *testing.T, client *kafka.Client, topic string) map[string]string {
	t.Helper()
	response, err := client.DescribeConfigs(t.Context(), &kafka.DescribeConfigsRequest{
		Resources: []kafka.DescribeConfigRequestResource{{ResourceType: kafka.ResourceTypeTopic, ResourceName: topic}},
	})
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]string)
	for _, entry := range response.Resources[0].ConfigEntries {
		values[entry.ConfigName] = entry.ConfigValue
	}
	return values
}

func pick(values map[string]string, keys ...string) map[string]string {
	picked := make(map[string]string)
	for _, key := range keys {
		picked[key] = values[key]
	}
	return picked
}

func TestEnsure_MakesTheTopics(t *testing.T) {
	t.Parallel()
	cluster := connect(t)
	warnings, err := topics.Ensure(t.Context(), cluster.Client, names(), topics.Config{
		ReplicationFactor: 1, TransitionsRetention: time.Hour, DeadLettersRetention: -1, MinInSyncReplicas: 1,
	})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("got warnings %v, error %v", warnings, err)
	}
	keys := []string{"max.message.bytes", "cleanup.policy", "retention.ms", "compression.type", "min.insync.replicas"}
	retention := map[string]string{"pawl.deliveries": "-1", "pawl.transitions": "3600000", "pawl.dead-letters": "-1"}
	for topic, keep := range retention {
		want := map[string]string{
			"max.message.bytes": "27262976", "cleanup.policy": "delete", "retention.ms": keep,
			"compression.type": "producer", "min.insync.replicas": "1",
		}
		if diff := cmp.Diff(pick(settingsOf(t, cluster.Client, topic), keys...), want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", topic, diff)
		}
	}
	metadata, err := cluster.Client.Metadata(t.Context(), &kafka.MetadataRequest{Topics: names().All()})
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range metadata.Topics {
		if len(topic.Partitions) != 4 {
			t.Errorf("%s: got %d partitions, want 4", topic.Name, len(topic.Partitions))
		}
	}
}

func TestEnsure_IsSilentAboutItsOwnTopics(t *testing.T) {
	t.Parallel()
	cluster := connect(t)
	for range 2 {
		warnings, err := topics.Ensure(t.Context(), cluster.Client, names(), topics.Config{})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("got warnings %v, error %v", warnings, err)
		}
	}
}

func TestEnsure_SaysWhatIsWrongWithATopicThatIsThere(t *testing.T) {
	t.Parallel()
	good := map[string]string{"max.message.bytes": "27262976", "retention.ms": "-1"}
	tests := []struct {
		name       string
		topic      string
		partitions int
		settings   map[string]string
		cfg        topics.Config
		warnings   []string
		fault      string
	}{
		{name: "as wanted", topic: "pawl.deliveries", settings: good},
		{
			name: "too narrow", topic: "pawl.transitions", settings: map[string]string{"max.message.bytes": "1048588"},
			fault: "topic pawl.transitions: max.message.bytes is 1048588, want at least 27262976",
		},
		{
			name: "compacted", topic: "pawl.deliveries",
			settings: map[string]string{"max.message.bytes": "27262976", "retention.ms": "-1", "cleanup.policy": "compact,delete"},
			fault:    "topic pawl.deliveries: cleanup.policy is compact,delete, want delete",
		},
		{
			name: "forgets", topic: "pawl.deliveries",
			settings: map[string]string{"max.message.bytes": "27262976", "retention.ms": "604800000", "retention.bytes": "1000000"},
			warnings: []string{
				"topic pawl.deliveries: retention.ms is 604800000, want -1: the log is the only source of truth",
				"topic pawl.deliveries: retention.bytes is 1000000, want -1: the log is the only source of truth",
			},
		},
		{
			name: "transitions may forget", topic: "pawl.transitions",
			settings: map[string]string{"max.message.bytes": "27262976", "retention.ms": "1000"},
		},
		{
			name: "another partition count", topic: "pawl.deliveries", partitions: 2, settings: good,
			warnings: []string{"topic pawl.deliveries: partitions is 2, want 4"},
		},
		{
			name: "recompressed, and another durability", topic: "pawl.transitions", cfg: topics.Config{MinInSyncReplicas: 2},
			settings: map[string]string{"max.message.bytes": "27262976", "compression.type": "gzip"},
			warnings: []string{
				"topic pawl.transitions: compression.type is gzip, want producer",
				"topic pawl.transitions: min.insync.replicas is 1, want 2",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cluster := connect(t)
			config := kafka.TopicConfig{Topic: tt.topic, NumPartitions: max(tt.partitions, 4), ReplicationFactor: 1}
			if tt.partitions > 0 {
				config.NumPartitions = tt.partitions
			}
			for name, value := range tt.settings {
				config.ConfigEntries = append(config.ConfigEntries, kafka.ConfigEntry{ConfigName: name, ConfigValue: value})
			}
			response, err := cluster.Client.CreateTopics(t.Context(), &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{config}})
			if err != nil || response.Errors[tt.topic] != nil {
				t.Fatal(err, response)
			}
			before := settingsOf(t, cluster.Client, tt.topic)

			warnings, err := topics.Ensure(t.Context(), cluster.Client, names(), tt.cfg)

			var got []string
			for _, warning := range warnings {
				got = append(got, warning.Error())
			}
			if diff := cmp.Diff(got, tt.warnings); diff != "" {
				t.Errorf("warnings (-got +want):\n%s", diff)
			}
			var setting topics.SettingError
			if tt.fault == "" && err != nil || tt.fault != "" && (!errors.As(err, &setting) || setting.Error() != tt.fault) {
				t.Errorf("got error %v, want %q", err, tt.fault)
			}
			if diff := cmp.Diff(settingsOf(t, cluster.Client, tt.topic), before); diff != "" {
				t.Errorf("a topic that is there was altered (-got +want):\n%s", diff)
			}
		})
	}
}

func TestCreate_TakesATopicThatIsThereAsItIs(t *testing.T) {
	t.Parallel()
	cluster := connect(t)
	for _, partitions := range []int{3, 5} {
		if err := topics.Create(t.Context(), cluster.Client, "else", topics.Config{Partitions: partitions}); err != nil {
			t.Fatal(err)
		}
	}
	metadata, err := cluster.Client.Metadata(t.Context(), &kafka.MetadataRequest{Topics: []string{"else"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(metadata.Topics[0].Partitions); got != 3 {
		t.Errorf("got %d partitions, want the 3 it was made with", got)
	}
}

func TestEnsure_FailsWhenNoBrokerAnswers(t *testing.T) {
	t.Parallel()
	cluster, err := topics.Connect(topics.Connection{Brokers: []string{"127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	var setting topics.SettingError
	if _, err := topics.Ensure(t.Context(), cluster.Client, names(), topics.Config{}); err == nil || errors.As(err, &setting) {
		t.Errorf("got %v, want an error of the connection", err)
	}
}

func TestConnection_ValidateNamesEveryFaultAndNoSecret(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		connection topics.Connection
		want       []string
	}{
		{name: "right", connection: topics.Connection{Brokers: []string{"kafka:9092"}}},
		{
			name: "right with scram", connection: topics.Connection{
				Brokers: []string{"kafka:9092"}, TLS: true,
				SASL: topics.SASL{Mechanism: topics.ScramSHA512, User: "pawl", Password: "hunter2"},
			},
		},
		{name: "no broker", want: []string{"no broker is given"}},
		{
			name: "no port, no user", connection: topics.Connection{
				Brokers: []string{"kafka"}, SASL: topics.SASL{Mechanism: topics.Plain, Password: "hunter2"},
			},
			want: []string{`broker "kafka", want host:port`, "sasl plain needs a user and a password"},
		},
		{
			name: "unknown mechanism", connection: topics.Connection{
				Brokers: []string{"kafka:9092"}, SASL: topics.SASL{Mechanism: "kerberos", User: "a", Password: "hunter2"},
			},
			want: []string{`sasl mechanism "kerberos"`},
		},
		{
			name: "a password that scram forbids", connection: topics.Connection{
				Brokers: []string{"kafka:9092"}, SASL: topics.SASL{Mechanism: topics.ScramSHA256, User: "a", Password: "hunter2\x00"},
			},
			want: []string{"characters that scram forbids"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.connection.Validate()
			if len(tt.want) == 0 && err != nil {
				t.Fatalf("got %v, want none", err)
			}
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error names the password: %v", err)
			}
		})
	}
}
