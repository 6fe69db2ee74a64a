// Package config reads pawl.yaml and the environment, and checks them whole.
//
// One file holds everything, and one environment variable overrides each setting
// that differs between machines. A file is read once, all its faults are told
// together, each at its line and column, and the program starts with none.
// Rules are the business of package rules; their faults are told with the others.
//
// A secret is never in the file: it is a reference, env:NAME or file:PATH, and is
// resolved by the part that needs it, so that a projector needs no webhook secret.
// What is printed shows references, never values.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"pawl/actuator/rules"
	"pawl/internal/notify"
	"pawl/internal/provider"
	"pawl/internal/topics"
	"pawl/schemas"
)

// Config is everything that pawl.yaml says.
type Config struct {
	Version   int                 `yaml:"version,omitempty"`
	Sources   []Source            `yaml:"sources,omitempty"`
	Providers map[string]Provider `yaml:"providers,omitempty"`
	Notify    Notify              `yaml:"notify,omitempty"`
	Kafka     Kafka               `yaml:"kafka"`
	Database  Database            `yaml:"database"`
	Listen    Listen              `yaml:"listen"`
	// DataDir holds the embedded Kafka and PostgreSQL.
	DataDir string `yaml:"data_dir"`
	Log     Log    `yaml:"log"`
	// Mode, Conditions, Limits and Rules are read by package rules; see RuleSet.
	Mode       rules.Mode `yaml:"mode"`
	Conditions any        `yaml:"conditions,omitempty"`
	Limits     any        `yaml:"limits,omitempty"`
	Rules      []any      `yaml:"rules,omitempty"`

	ruleSet *rules.Set
	// file is what it was loaded from, and mark how that looked right before.
	file string
	mark mark
	// pristine is what was read, before a command or an embedded part set
	// anything.
	pristine *Config
}

// Source is one configured webhook.
type Source struct {
	Name     string   `yaml:"name"`
	Provider string   `yaml:"provider"`
	Instance string   `yaml:"instance,omitempty"`
	Secrets  []Secret `yaml:"secrets"`
	// TrackerKeys finds the keys of an issue tracker in what pull requests say.
	// Empty finds none; nil is the default of package links.
	TrackerKeys *Pattern `yaml:"tracker_keys,omitempty"`
	// Pages are the ids of the status pages that are taken. Empty takes every page.
	Pages []string `yaml:"pages,omitempty"`
}

// Pattern is an RE2 expression for the keys of an issue tracker.
type Pattern string

// Notify is what messages may reach. See package notify.
type Notify struct {
	// Allow names hosts and ranges beside public addresses.
	Allow []string `yaml:"allow,omitempty"`
}

// Kafka is the log. Without brokers pawl up embeds one.
type Kafka struct {
	Brokers           []string      `yaml:"brokers,omitempty"`
	TopicPrefix       string        `yaml:"topic_prefix"`
	Partitions        int           `yaml:"partitions"`
	ReplicationFactor int           `yaml:"replication_factor,omitempty"`
	Retention         time.Duration `yaml:"retention,omitempty"`
	TLS               bool          `yaml:"tls,omitempty"`
	SASL              SASL          `yaml:"sasl,omitempty"`
}

// SASL authenticates with the brokers.
type SASL struct {
	Mechanism string `yaml:"mechanism,omitempty"`
	User      string `yaml:"user,omitempty"`
	Password  Secret `yaml:"password,omitempty"`
}

// Database is the state. Without a URL pawl up embeds one.
type Database struct {
	URL Secret `yaml:"url,omitempty"`
}

// Listen is where the program listens.
type Listen struct {
	Webhooks   string `yaml:"webhooks"`
	Operations string `yaml:"operations"`
}

// Log is how the program logs: level debug, info, warn or error; format text,
// json, or auto (text on a terminal).
type Log struct {
	Level  string `yaml:"level"`
	Format string `yaml:"format"`
}

// Default returns what holds where neither the file nor the environment says
// otherwise.
func Default() Config {
	return Config{
		Kafka:   Kafka{TopicPrefix: schemas.DefaultTopicPrefix, Partitions: 4},
		Listen:  Listen{Webhooks: "127.0.0.1:8080", Operations: "127.0.0.1:9600"},
		DataDir: "data",
		Log:     Log{Level: "info", Format: "auto"},
		Mode:    rules.ModeAct,
	}
}

// Load reads a file and the environment. A file that is not named may be
// missing; a named one may not. lookup is os.LookupEnv.
func Load(file string, lookup func(string) (string, bool)) (*Config, error) {
	named := file != ""
	if !named {
		file = "pawl.yaml"
	}
	before := markOf(file)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		data, err = nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	made, err := Parse(file, data, lookup)
	if err != nil {
		return nil, err
	}
	made.file, made.mark = file, before
	return made, nil
}

// Parse reads a configuration. The error tells every fault of the file, of the
// rules and of the environment.
func Parse(file string, data []byte, lookup func(string) (string, bool)) (*Config, error) {
	made := Default()
	at, err := checkShape(file, data)
	if err != nil {
		_, rulesErr := rules.Parse(file, data)
		return nil, errors.Join(err, rulesErr)
	}
	var said any
	if err := yaml.Unmarshal(data, &said); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if said != nil { // nothing said would set everything to zero
		if err := yaml.Unmarshal(data, &made); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	set, rulesErr := rules.Parse(file, data)
	envErr := made.override(lookup)
	if err := errors.Join(rulesErr, envErr, made.validate(at)); err != nil {
		return nil, err
	}
	if err := made.supported(set); err != nil {
		return nil, err
	}
	set.Mode = made.Mode
	made.ruleSet = set
	pristine := made
	made.pristine = &pristine
	return &made, nil
}

// RuleSet returns the compiled rules.
func (c *Config) RuleSet() *rules.Set { return c.ruleSet }

// TrackerKeys returns the patterns of tracker keys by source, for
// links.NewFinder. A source that says nothing is not in it.
func (c *Config) TrackerKeys() map[string]string {
	patterns := make(map[string]string)
	for _, source := range c.Sources {
		if source.TrackerKeys != nil {
			patterns[source.Name] = string(*source.TrackerKeys)
		}
	}
	return patterns
}

// Topics returns the topics' names.
func (c *Config) Topics() schemas.Topics { return schemas.TopicsWithPrefix(c.Kafka.TopicPrefix) }

// Connection returns how to reach the brokers.
func (c *Config) Connection() (topics.Connection, error) {
	password, err := c.Kafka.SASL.Password.Resolve()
	if err != nil {
		return topics.Connection{}, fmt.Errorf("kafka.sasl.password: %w", err)
	}
	return topics.Connection{
		Brokers: c.Kafka.Brokers, ClientID: "pawl", TLS: c.Kafka.TLS,
		SASL: topics.SASL{Mechanism: topics.Mechanism(c.Kafka.SASL.Mechanism), User: c.Kafka.SASL.User, Password: password},
	}, nil
}

// validate tells what is wrong beyond the shape.
func (c *Config) validate(at places) error {
	var faults []error
	fault := func(path, format string, args ...any) {
		faults = append(faults, at.fault(path, format, args...))
	}
	c.validateSources(fault)
	c.validateProviders(fault)
	c.validateNotify(fault)
	if c.Kafka.Partitions < 1 {
		fault("kafka.partitions", "kafka.partitions is %d, want 1 or more", c.Kafka.Partitions)
	}
	if !c.Mode.Valid() {
		fault("mode", "mode is %q, want act or plan", c.Mode)
	}
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, c.Log.Level) {
		fault("log.level", "log.level is %q, want debug, info, warn or error", c.Log.Level)
	}
	if !slices.Contains([]string{"auto", "text", "json"}, c.Log.Format) {
		fault("log.format", "log.format is %q, want auto, text or json", c.Log.Format)
	}
	return errors.Join(faults...)
}

func (c *Config) validateSources(fault func(path, format string, args ...any)) {
	seen := make(map[string]bool)
	for i, source := range c.Sources {
		path := fmt.Sprintf("sources[%d]", i)
		switch _, known := provider.ByName(source.Provider); {
		case source.Name == "":
			fault(path, "a source has no name")
		case seen[source.Name]:
			fault(path, "source %s is there twice", source.Name)
		case !known:
			fault(path, "source %s: unknown provider %q, known: %v", source.Name, source.Provider, provider.Names())
		case len(source.Secrets) == 0:
			fault(path, "source %s has no secrets: an unsigned webhook can be sent by anyone", source.Name)
		case len(source.Pages) > 0 && !ofStatusPages(source.Provider):
			fault(path+".pages", "source %s has pages, which only providers of status pages have: %s", source.Name, strings.Join(statusPages(), ", "))
		case slices.ContainsFunc(source.Pages, isNoPage):
			fault(path+".pages", "source %s: a page is not the id of a status page", source.Name)
		}
		seen[source.Name] = true
	}
}

// statusPages returns the providers of status pages.
func statusPages() []string {
	return slices.DeleteFunc(provider.Names(), func(name string) bool { return !ofStatusPages(name) })
}

func ofStatusPages(name string) bool {
	of, known := provider.ByName(name)
	return known && provider.TakesToken(of)
}

func isNoPage(id string) bool { return !schemas.IsPageID(id) }

// validateNotify tells each entry that is neither a host nor a range.
func (c *Config) validateNotify(fault func(path, format string, args ...any)) {
	for i, entry := range c.Notify.Allow {
		_, err := notify.New(notify.Config{Allow: []string{entry}})
		if err == nil {
			continue
		}
		path := fmt.Sprintf("notify.allow[%d]", i)
		_, what, _ := strings.Cut(err.Error(), ": ") // it says that it is the first, of one
		fault(path, "%s: %s", path, what)
	}
}

// Print returns the effective configuration as YAML. Secrets are references, and
// a database URL that came from the environment is masked.
func (c *Config) Print() ([]byte, error) {
	data, err := yaml.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("print configuration: %w", err)
	}
	return data, nil
}
