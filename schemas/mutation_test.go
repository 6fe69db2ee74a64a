package schemas_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pawl/schemas"
)

func TestMutation_ConformsToTheSchemaAndRoundTrips(t *testing.T) {
	t.Parallel()
	schema := compile(t, schemas.FileMutation, closed)
	rapid.Check(t, func(rt *rapid.T) {
		want := drawMutation(rt)
		validate(rt, schema, want)
		var got schemas.Mutation
		if err := json.Unmarshal(marshal(rt, want), &got); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(got, want); diff != "" {
			rt.Fatalf("-got +want:\n%s", diff)
		}
	})
}

func TestMutation_SchemaNamesEveryKindAndState(t *testing.T) {
	t.Parallel()
	var kinds []string
	for _, kind := range schemas.MutationKinds() {
		kinds = append(kinds, string(kind))
	}
	if diff := cmp.Diff(enum(t, schemas.FileMutation, "properties", "kind"), kinds); diff != "" {
		t.Errorf("kinds, -schema +code:\n%s", diff)
	}
	states := []string{
		string(schemas.MutationPlanned), string(schemas.MutationWaiting), string(schemas.MutationPending), string(schemas.MutationClaimed),
		string(schemas.MutationDone), string(schemas.MutationSkipped), string(schemas.MutationCancelled), string(schemas.MutationDead),
	}
	if diff := cmp.Diff(enum(t, schemas.FileMutation, "properties", "state"), states); diff != "" {
		t.Errorf("states, -schema +code:\n%s", diff)
	}
}

func TestMutation_SchemaHoldsParamsAgainstTheKind(t *testing.T) {
	t.Parallel()
	schema := compile(t, schemas.FileMutation, asIs)
	for _, test := range []struct {
		kind, params string
		want         bool
	}{
		{"comment", `{"body":"Hello"}`, true},
		{"comment", `{}`, false},
		{"comment", `{"body":""}`, false},
		{"merge", `{"method":"squash","sha":"6dcb09b"}`, true},
		{"merge", `{"method":"squash"}`, false},
		{"merge", `{"method":"force","sha":"6dcb09b"}`, false},
		{"add_labels", `{"labels":["bug"]}`, true},
		{"add_labels", `{"labels":[]}`, false},
		{"remove_labels", `{"labels":"bug"}`, false},
		{"close", `{}`, true},
		{"close", `null`, false},
	} {
		t.Run(test.kind+" "+test.params, func(t *testing.T) {
			t.Parallel()
			mutation := map[string]any{
				"id": 1, "entity": "github.com:101#7", "rule": "r", "kind": test.kind, "state": "pending", "attempt": 0,
				"idempotency_key": "00000000000000000000000000000000", "transition_id": "00000000000000000000000000000000",
			}
			var params any
			if err := json.Unmarshal([]byte(test.params), &params); err != nil {
				t.Fatal(err)
			}
			mutation["params"] = params
			err := schema.Validate(mutation)
			if got := err == nil; got != test.want {
				t.Errorf("the schema takes it: %t, want %t: %v", got, test.want, err)
			}
		})
	}
}
