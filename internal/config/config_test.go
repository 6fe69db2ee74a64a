package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"pawl/internal/config"
)

func nothing(string) (string, bool) { return "", false }

const whole = `
version: 1
sources:
  - {name: github, provider: github, instance: ghe.example.com, secrets: ["env:PAWL_TEST_SECRET", "file:/run/secrets/old"]}
providers:
  github.com: {token: "env:PAWL_TEST_TOKEN", base_url: "http://127.0.0.1:1/", login: pawl-bot}
kafka:
  brokers: ["a:9092", "b:9092"]
  topic_prefix: "x."
  partitions: 12
  replication_factor: 3
  retention: 720h
  tls: true
  sasl: {mechanism: scram-sha-512, user: pawl, password: "env:PAWL_TEST_PASSWORD"}
database: {url: "env:PAWL_TEST_URL"}
listen: {webhooks: ":8080", operations: ":9600"}
data_dir: elsewhere
log: {level: debug, format: json}
mode: plan
rules:
  - {name: greet, on: [opened], mutate: {comment: {body: hi}}}
`

const app = `
providers:
  github.com: {app_id: 12345, private_key: "file:/run/secrets/app.pem"}
  git.acme.com: {provider: gitlab, token: "env:T"}
notify: {allow: [hooks.internal, "10.0.0.0/8"]}
`

func TestParse_ReadsTheWholeFile(t *testing.T) {
	t.Parallel()
	got, err := config.Parse("pawl.yaml", []byte(whole), nothing)
	if err != nil {
		t.Fatal(err)
	}
	if got.Kafka.Partitions != 12 || got.Kafka.Retention.Hours() != 720 || got.Sources[0].Instance != "ghe.example.com" || got.Mode != "plan" {
		t.Errorf("got %+v", got)
	}
	if len(got.RuleSet().Rules()) != 1 || got.RuleSet().Mode != "plan" {
		t.Errorf("rules %v, mode %s", got.RuleSet().Rules(), got.RuleSet().Mode)
	}
}

func TestParse_EnvironmentOverridesTheFile(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"PAWL_KAFKA_BROKERS": "c:1,d:2", "PAWL_TOPIC_PREFIX": "y.", "PAWL_KAFKA_PARTITIONS": "3",
		"PAWL_DATABASE_URL": "postgres://u:p@h/d", "PAWL_LISTEN_WEBHOOKS": ":1", "PAWL_LISTEN_OPERATIONS": ":2",
		"PAWL_DATA_DIR": "there", "PAWL_MODE": "act", "PAWL_LOG_LEVEL": "warn", "PAWL_LOG_FORMAT": "text",
	}
	got, err := config.Parse("pawl.yaml", []byte(whole), func(name string) (string, bool) { value, ok := env[name]; return value, ok })
	if err != nil {
		t.Fatal(err)
	}
	want := []any{[]string{"c:1", "d:2"}, "y.", 3, config.Secret("postgres://u:p@h/d"), ":1", ":2", "there", "act", "warn", "text"}
	have := []any{
		got.Kafka.Brokers, got.Kafka.TopicPrefix, got.Kafka.Partitions, got.Database.URL, got.Listen.Webhooks,
		got.Listen.Operations, got.DataDir, string(got.RuleSet().Mode), got.Log.Level, got.Log.Format,
	}
	if diff := cmp.Diff(have, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	if len(env) != len(config.Variables()) {
		t.Errorf("%d variables, tested %d", len(config.Variables()), len(env))
	}
}

func TestParse_WhatIsNotSaidKeepsItsDefault(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "# nothing\n", "kafka: {brokers: [a]}", "log: {level: debug}", "listen: {webhooks: \":1\"}"} {
		got, err := config.Parse("p.yaml", []byte(text), nothing)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got.Kafka.Partitions != 4 || got.Kafka.TopicPrefix != "pawl." || got.Log.Format != "auto" ||
			got.Listen.Operations != "127.0.0.1:9600" || got.Mode != "act" || got.DataDir != "data" {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}

func TestParse_PagesOfAStatusPage(t *testing.T) {
	t.Parallel()
	const text = `sources: [{name: a, provider: statuspage, secrets: ["env:X"], pages: [pg1, pg2]}]`
	got, err := config.Parse("p.yaml", []byte(text), nothing)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got.Sources[0].Pages, []string{"pg1", "pg2"}); diff != "" {
		t.Errorf("pages (-got +want):\n%s", diff)
	}
}

func TestParse_TellsAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	const bad = `sources:
  - {name: a, provider: github, secrets: [hunter2]}
  - {name: b, provder: github}
kafka: {partitions: many, brokers: a}
listen: 8080
colour: red
rules:
  - {name: x, on: [opned], mutate: {close: {}}}
`
	_, err := config.Parse("p.yaml", []byte(bad), nothing)
	if err == nil {
		t.Fatal("taken")
	}
	for _, want := range []string{
		"p.yaml:2:", "env:NAME or file:PATH", `p.yaml:3:15: unknown key "sources[1].provder"`, "p.yaml:4:", "kafka.partitions is many",
		"kafka.brokers is a, want a list", "p.yaml:5:", `unknown key "colour"`, `did you mean "opened"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a secret is in:\n%v", err)
	}
}

func TestParse_ValidatesWhatTheShapeCannotTell(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"sources: [{name: a, provider: github}]":                                                                          "no secrets",
		"sources: [{name: a, provider: svn, secrets: [\"env:X\"]}]":                                                       `unknown provider "svn"`,
		"sources: [{name: a, provider: github, secrets: [\"env:X\"]}, {name: a, provider: github, secrets: [\"env:X\"]}]": "there twice",
		"sources: [{name: a, provider: github, secrets: [\"env:X\"], pages: [pg1]}]":                                      "which only providers of status pages have: statuspage, instatus, betterstack, monitor",
		"sources: [{name: a, provider: statuspage, secrets: [\"env:X\"], pages: [\"a/b\"]}]":                              "not the id of a status page",
		"kafka: {partitions: 0}": "want 1 or more",
		"log: {level: loud}":     "want debug, info",
		"log: {format: xml}":     "want auto, text",
	}
	for text, want := range tests {
		if _, err := config.Parse("p.yaml", []byte(text), nothing); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestPrint_ShowsNoSecret(t *testing.T) {
	t.Parallel()
	lookup := func(name string) (string, bool) {
		return "postgres://u:hunter2@h/d", name == "PAWL_DATABASE_URL"
	}
	got, err := config.Parse("p.yaml", []byte(whole), lookup)
	if err != nil {
		t.Fatal(err)
	}
	printed, err := got.Print()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(printed), "hunter2") || !strings.Contains(string(printed), "env:PAWL_TEST_SECRET") {
		t.Errorf("printed:\n%s", printed)
	}
}

func TestSecret_Resolve(t *testing.T) {
	t.Setenv("PAWL_TEST_SET", "value")
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for secret, want := range map[config.Secret]string{"env:PAWL_TEST_SET": "value", config.Secret("file:" + file): "from a file"} {
		if got, err := secret.Resolve(); err != nil || got != want {
			t.Errorf("%s: got %q, %v", secret, got, err)
		}
	}
	for _, secret := range []config.Secret{"env:PAWL_TEST_UNSET", "file:/nowhere"} {
		if _, err := secret.Resolve(); err == nil || !strings.Contains(err.Error(), string(secret)) {
			t.Errorf("%s: got %v, want the reference named", secret, err)
		}
	}
}

// TestSchema_IsThatOfTheDecoder: what the editors' schema knows, the program
// knows, and the other way round.
func TestSchema_IsThatOfTheDecoder(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../schemas/pawl.v1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(schemaKeys(schema, ""), config.Keys()); diff != "" {
		t.Errorf("keys (-schema +program):\n%s", diff)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("pawl", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("pawl")
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]string{"whole": whole, "deploy": readFile(t, "../../deploy/pawl.yaml"), "app": app}
	for name, text := range taken {
		if err := compiled.Validate(config.Generic([]byte(text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{
		"colour: red", "providers: {a.b: {login: x}}", `providers: {a.b: {token: "env:T", app_id: 1, private_key: "env:K"}}`,
		`providers: {a.b: {app_id: 1}}`, `providers: {a.b: {token: "env:T", provider: bitbucket}}`, "notify: {deny: []}",
	} {
		if compiled.Validate(config.Generic([]byte(text))) == nil {
			t.Errorf("the schema takes %s", text)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
