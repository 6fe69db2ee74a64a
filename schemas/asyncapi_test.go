package schemas_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"pawl/schemas"
)

func asyncAPI(t *testing.T) map[string]any {
	t.Helper()
	text, err := fs.ReadFile(schemas.Files(), schemas.FileAsyncAPI)
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// at returns the node under a path of names.
func at(t *testing.T, node any, path ...string) any {
	t.Helper()
	for _, name := range path {
		object, ok := node.(map[string]any)
		if !ok || object[name] == nil {
			t.Fatalf("no %s in %s", name, strings.Join(path, "/"))
		}
		node = object[name]
	}
	return node
}

func objectAt(t *testing.T, node any, path ...string) map[string]any {
	t.Helper()
	object, ok := at(t, node, path...).(map[string]any)
	if !ok {
		t.Fatalf("%s is no object", strings.Join(path, "/"))
	}
	return object
}

func TestAsyncAPI_HasEachTopicWithItsSettings(t *testing.T) {
	t.Parallel()
	document := asyncAPI(t)
	if got, want := at(t, document, "asyncapi"), "3.0.0"; got != want {
		t.Errorf("asyncapi %v, want %s", got, want)
	}
	topics := schemas.TopicsWithPrefix(schemas.DefaultTopicPrefix)
	channels := objectAt(t, document, "channels")
	for name, want := range map[string]string{
		"deliveries": topics.Deliveries, "transitions": topics.Transitions, "deadLetters": topics.DeadLetters,
	} {
		if got := at(t, channels, name, "address"); got != want {
			t.Errorf("channel %s has address %v, want %s", name, got, want)
		}
		if got := at(t, channels, name, "bindings", "kafka", "topic"); got != want {
			t.Errorf("channel %s is bound to topic %v, want %s", name, got, want)
		}
		size := at(t, channels, name, "bindings", "kafka", "topicConfiguration", "max.message.bytes")
		if size != uint64(schemas.MaxRecord) {
			t.Errorf("channel %s has max.message.bytes %v, want %d", name, size, schemas.MaxRecord)
		}
	}
	if got, want := len(channels), len(topics.All()); got != want {
		t.Errorf("%d channels, want %d", got, want)
	}
}

func TestAsyncAPI_EveryMessageHasKeyHeadersAndPayload(t *testing.T) {
	t.Parallel()
	document := asyncAPI(t)
	for name := range objectAt(t, document, "components", "messages") {
		message := objectAt(t, document, "components", "messages", name)
		at(t, message, "bindings", "kafka", "key", "$ref")
		for _, part := range []string{"headers", "payload"} {
			at(t, message, part, "schema")
			if got, want := at(t, message, part, "schemaFormat"), "application/schema+json;version=draft-2020-12"; got != want {
				t.Errorf("%s: %s has schemaFormat %v, want %s", name, part, got, want)
			}
		}
	}
}

func TestAsyncAPI_EveryOperationActsOnAChannel(t *testing.T) {
	t.Parallel()
	document := asyncAPI(t)
	acts := make(map[string][]string)
	for name := range objectAt(t, document, "operations") {
		operation := objectAt(t, document, "operations", name)
		channel := at(t, operation, "channel", "$ref").(string)
		acts[channel] = append(acts[channel], at(t, operation, "action").(string))
	}
	for _, actions := range acts {
		slices.Sort(actions)
	}
	want := map[string][]string{
		"#/channels/deliveries":  {"receive", "send"},
		"#/channels/transitions": {"receive", "send"},
		"#/channels/deadLetters": {"send"},
	}
	if diff := cmp.Diff(acts, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestAsyncAPI_EveryReferenceLeadsSomewhere(t *testing.T) {
	t.Parallel()
	document := asyncAPI(t)
	found := references(document)
	if len(found) < 10 {
		t.Fatalf("only %d references found", len(found))
	}
	for _, ref := range found {
		if pointer, ok := strings.CutPrefix(ref, "#/"); ok {
			at(t, document, strings.Split(pointer, "/")...)
			continue
		}
		compile(t, strings.TrimPrefix(ref, "./"), asIs)
	}
}

func references(node any) []string {
	var found []string
	switch node := node.(type) {
	case map[string]any:
		for name, child := range node {
			if text, ok := child.(string); ok && name == "$ref" {
				found = append(found, text)
				continue
			}
			found = append(found, references(child)...)
		}
	case []any:
		for _, child := range node {
			found = append(found, references(child)...)
		}
	}
	return found
}

// TestHeaders_SchemasNameTheHeaderConstants: each list of headers in a schema is
// that of the constants that Go writes.
func TestHeaders_SchemasNameTheHeaderConstants(t *testing.T) {
	t.Parallel()
	cloudEvents := []string{
		schemas.HeaderSpecVersion, schemas.HeaderID, schemas.HeaderSource, schemas.HeaderType, schemas.HeaderSubject,
		schemas.HeaderTime, schemas.HeaderPartitionKey, schemas.HeaderContentType, schemas.HeaderTraceParent,
	}
	for _, test := range []struct {
		name, file, definition string
		want                   []string
	}{
		{"deliveries", schemas.FileRecord, "headers", cloudEvents},
		{"transitions", schemas.FileTransition, "headers", cloudEvents},
		{"dead letters", schemas.FileRecord, "dead_letter_headers", []string{
			schemas.HeaderReason, schemas.HeaderStage, schemas.HeaderTopic, schemas.HeaderPartition, schemas.HeaderOffset,
			"pawl_value_omitted",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text, err := fs.ReadFile(schemas.Files(), test.file)
			if err != nil {
				t.Fatal(err)
			}
			var document map[string]any
			if err := yaml.Unmarshal(text, &document); err != nil {
				t.Fatal(err)
			}
			var got []string
			for name := range objectAt(t, document, "$defs", test.definition, "properties") {
				got = append(got, name)
			}
			slices.Sort(got)
			slices.Sort(test.want)
			if diff := cmp.Diff(got, test.want); diff != "" {
				t.Errorf("-schema +code:\n%s", diff)
			}
		})
	}
}
