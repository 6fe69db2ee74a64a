package schemas_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pawl/schemas"
)

// update writes the golden files anew. A golden file of a released version is
// never edited: if this flag changes one, the contract is broken.
var update = flag.Bool("update", false, "write the golden files in testdata")

// golden returns the golden file of that name, written from value first where
// -update asks for it.
func golden(t *testing.T, name string, value any) []byte {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		text, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// asIs leaves a schema as it is published.
func asIs(any) {}

// closed forbids, in every object of a schema, properties that it does not
// describe; a test then sees a field that is written and not documented. The
// published schemas stay open, because fields may be added.
func closed(node any) {
	switch node := node.(type) {
	case map[string]any:
		if node["properties"] != nil && node["type"] == "object" && node["additionalProperties"] == nil {
			node["additionalProperties"] = false
		}
		for _, child := range node {
			closed(child)
		}
	case []any:
		for _, child := range node {
			closed(child)
		}
	}
}

// compile returns a published schema after change has been made to its text.
func compile(t *testing.T, file string, change func(any)) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for _, name := range []string{schemas.FileTransition, schemas.FileMutation, schemas.FileRecord} {
		text, err := fs.ReadFile(schemas.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		change(document)
		if err := compiler.AddResource(name, document); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	schema, err := compiler.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// fataler is the part of testing.TB and rapid.T that validate needs.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// validate holds a value, as it is written in JSON, against a schema.
func validate(t fataler, schema *jsonschema.Schema, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("marshal: %v", err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("unmarshal: %v", err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Fatalf("%v\nin %s", err, text)
	}
}

// enum returns the values of the property's enum in a published schema.
func enum(t *testing.T, file string, path ...string) []string {
	t.Helper()
	text, err := fs.ReadFile(schemas.Files(), file)
	if err != nil {
		t.Fatal(err)
	}
	var node any
	if err := json.Unmarshal(text, &node); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(slices.Clone(path), "enum") {
		object, ok := node.(map[string]any)
		if !ok {
			t.Fatalf("%s has no %v", file, path)
		}
		node = object[name]
	}
	values, ok := node.([]any)
	if !ok {
		t.Fatalf("%s: %v has no enum", file, path)
	}
	var texts []string
	for _, value := range values {
		texts = append(texts, value.(string))
	}
	return texts
}

func marshal(t fataler, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("marshal: %v", err)
	}
	return text
}
