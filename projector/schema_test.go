package projector_test

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pawl/schemas"
)

// TestContract_TransitionsInTheTableAreValid: what the projector really writes
// is what the published schema says.
func TestContract_TransitionsInTheTableAreValid(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(schemas.Files(), schemas.FileTransition)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(schemas.FileTransition, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(schemas.FileTransition)
	if err != nil {
		t.Fatal(err)
	}
	pool := newPool(t)
	applier, _ := claim(t, pool, "one")
	if _, err := applier.Apply(t.Context(), batchOf(story(), 0, 7)); err != nil {
		t.Fatal(err)
	}
	rows, err := pool.Query(t.Context(), `select value from pawl.transition`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var value []byte
		if err := rows.Scan(&value); err != nil {
			t.Fatal(err)
		}
		transition, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(transition); err != nil {
			t.Errorf("%s: %v", value, err)
		}
	}
}
