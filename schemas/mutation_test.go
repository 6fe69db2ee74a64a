package schemas_test

import (
	"encoding/json"
	"strings"
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
		{"comment", `{"body":"Hello","sticky":"size-label"}`, true},
		{"comment", `{}`, false},
		{"comment", `{"body":""}`, false},
		{"comment", `{"body":"Hello","sticky":"Size"}`, false},
		{"delete_comment", `{"sticky":"size"}`, true},
		{"delete_comment", `{"comment":"17"}`, true},
		{"delete_comment", `{"sticky":"size","comment":"17"}`, false},
		{"delete_comment", `{}`, false},
		{"merge", `{"method":"squash","sha":"6dcb09b","queue":true,"auto_merge":false}`, true},
		{"merge", `{"method":"squash","queue":true,"auto_merge":false}`, false},
		{"merge", `{"method":"squash","sha":"","queue":true,"auto_merge":false}`, false},
		{"merge", `{"method":"squash","sha":"6dcb09b"}`, false},
		{"merge", `{"method":"force","sha":"6dcb09b","queue":true,"auto_merge":false}`, false},
		{"update_branch", `{"sha":"6dcb09b"}`, true},
		{"update_branch", `{}`, false},
		{"add_labels", `{"labels":["bug"]}`, true},
		{"add_labels", `{"labels":[]}`, false},
		{"remove_labels", `{"labels":"bug"}`, false},
		{"request_review", `{"reviewers":["alice"],"teams":[]}`, true},
		{"request_review", `{"reviewers":[],"teams":["core"]}`, true},
		{"request_review", `{"reviewers":[],"teams":[]}`, false},
		{"request_review", `{"reviewers":["alice"]}`, false},
		{"approve", `{"sha":"6dcb09b"}`, true},
		{"approve", `{"body":"Fine."}`, false},
		{"dismiss_review", `{"message":"A new head."}`, true},
		{"dismiss_review", `{"author":"","message":"A new head."}`, false},
		{"dismiss_review", `{"author":"bob"}`, false},
		{"check_run", `{"name":"gate","sha":"6dcb09b","status":"in_progress"}`, true},
		{"check_run", `{"name":"gate","sha":"6dcb09b","status":"completed","conclusion":"success"}`, true},
		{"check_run", `{"name":"gate","sha":"6dcb09b","status":"completed"}`, false},
		{"check_run", `{"name":"gate","sha":"6dcb09b","status":"queued","conclusion":"success"}`, false},
		{"check_run", `{"name":"gate","sha":"6dcb09b","status":"completed","conclusion":"stale"}`, false},
		{"check_run", `{"name":"gate","sha":"6dcb09b","status":"queued","details_url":"ftp://x"}`, false},
		{"commit_status", `{"context":"gate","sha":"6dcb09b","state":"success"}`, true},
		{"commit_status", `{"context":"gate","sha":"6dcb09b","state":"passed"}`, false},
		{"commit_status", `{"context":"gate","sha":"6dcb09b","state":"success","description":"` + strings.Repeat("é", 140) + `"}`, true},
		{"commit_status", `{"context":"gate","sha":"6dcb09b","state":"success","description":"` + strings.Repeat("é", 141) + `"}`, false},
		{"notify", `{"url":"env:SLACK_URL","text":"Merged."}`, true},
		{"notify", `{"url":"https://hooks.example.com/T0/secret","text":"Merged."}`, false},
		{"notify", `{"url":"env:SLACK_URL"}`, false},
		{"close", `{}`, true},
		{"close", `null`, false},
		{"close", `{"now":true}`, false},
		{"reopen", `{}`, true},
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
