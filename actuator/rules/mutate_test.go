package rules_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// wants returns the decision of a rule without a condition.
func wants(t *testing.T, mutate string, on schemas.Transition) rules.Decision {
	t.Helper()
	return parse(t, "rules:\n  - {name: x, on: ["+string(on.Kind)+"], mutate: "+mutate+"}\n").Decide(on)[0]
}

// TestMutations_RenderAsTheSchemaSays: for each kind what is rendered, which is
// also held against mutation.v1.schema.json.
func TestMutations_RenderAsTheSchemaSays(t *testing.T) {
	t.Parallel()
	schema := mutationSchema(t)
	label, comment := transition(nil), commentTransition(nil)
	long := transition(func(t *schemas.Transition) { t.PullRequest.Title = strings.Repeat("é", 70_000) })
	for _, test := range []struct {
		mutate string
		on     schemas.Transition
		want   string
	}{
		{`{comment: {body: " {{pr.title}}\n"}}`, label, `{"body":" Add a pawl\n"}`},
		{`{comment: {body: x, sticky: size-1}}`, label, `{"body":"x","sticky":"size-1"}`},
		{`{comment: {body: "{{pr.title}}"}}`, long, `{"body":"` + strings.Repeat("é", 64_999) + `…"}`},
		{`{delete_comment: {sticky: size}}`, label, `{"sticky":"size"}`},
		{`{delete_comment: }`, comment, `{"comment":"12"}`},
		{`{delete_comment: true}`, comment, `{"comment":"12"}`},
		{`{delete_comment: {}}`, comment, `{"comment":"12"}`},
		{`{close: }`, label, `{}`},
		{`{reopen: true}`, label, `{}`},
		{`{merge: }`, label, `{"method":"merge","sha":"6dcb09b5","queue":true,"auto_merge":false}`},
		{`{merge: true}`, label, `{"method":"merge","sha":"6dcb09b5","queue":true,"auto_merge":false}`},
		{`{merge: {method: rebase, queue: false, auto_merge: true}}`, label, `{"method":"rebase","sha":"6dcb09b5","queue":false,"auto_merge":true}`},
		{`{update_branch: }`, label, `{"sha":"6dcb09b5"}`},
		{`{add_labels: [a, "{{pr.state}}", a]}`, label, `{"labels":["a","open"]}`},
		{`{remove_labels: {labels: [a]}}`, label, `{"labels":["a"]}`},
		{`{request_review: {reviewers: [bob, "{{pr.author}}"]}}`, label, `{"reviewers":["bob","alice"],"teams":[]}`},
		{`{request_review: {teams: [core, core]}}`, label, `{"reviewers":[],"teams":["core"]}`},
		{`{approve: }`, label, `{"sha":"6dcb09b5"}`},
		{`{approve: {body: "Fine, {{pr.author}}. "}}`, label, `{"sha":"6dcb09b5","body":"Fine, alice."}`},
		{`{dismiss_review: {message: "A new head."}}`, label, `{"message":"A new head."}`},
		{`{dismiss_review: {author: " {{actor.login}}", message: x}}`, label, `{"author":"alice","message":"x"}`},
		{`{check_run: {name: gate, status: queued}}`, label, `{"name":"gate","sha":"6dcb09b5","status":"queued"}`},
		{
			`{check_run: {name: " gate", conclusion: '{{pr.draft ? "failure" : "success"}}', title: Gate, summary: "{{pr.title}}", details_url: "https://example.com/{{pr.number}}"}}`,
			label, `{"name":"gate","sha":"6dcb09b5","status":"completed","conclusion":"success","title":"Gate","summary":"Add a pawl","details_url":"https://example.com/7"}`,
		},
		{
			`{check_run: {name: gate, status: '{{pr.draft ? "completed" : "in_progress"}}', conclusion: '{{pr.draft ? "failure" : ""}}'}}`,
			label, `{"name":"gate","sha":"6dcb09b5","status":"in_progress"}`,
		},
		{
			`{commit_status: {context: pawl/gate, state: pending, description: "{{pr.title}}", target_url: "http://example.com"}}`, label,
			`{"context":"pawl/gate","sha":"6dcb09b5","state":"pending","description":"Add a pawl","target_url":"http://example.com"}`,
		},
		{
			`{commit_status: {context: gate, state: '{{checks["build"]}}', description: "{{pr.title}}"}}`, long,
			`{"context":"gate","sha":"6dcb09b5","state":"success","description":"` + strings.Repeat("é", 139) + `…"}`,
		},
		{
			`{notify: {url: "env:SLACK_URL", title: "{{pr.repository}}", text: "{{pr.title}} <b>"}}`, label,
			`{"url":"env:SLACK_URL","text":"Add a pawl <b>","title":"acme/api"}`,
		},
	} {
		t.Run(test.mutate, func(t *testing.T) {
			t.Parallel()
			got := wants(t, test.mutate, test.on)
			if got.Outcome != rules.OutcomeMutate {
				t.Fatalf("%s: %s", got.Outcome, got.Reason)
			}
			if diff := cmp.Diff(string(got.Mutations[0].Params), test.want); diff != "" {
				t.Errorf("-got +want:\n%s", diff)
			}
			conform(t, schema, got)
		})
	}
}

func mutationSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile("../../schemas/" + schemas.FileMutation)
	if err != nil {
		t.Fatal(err)
	}
	var parsed any
	if err := json.Unmarshal(data, &parsed); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mutation", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("mutation")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func conform(t *testing.T, schema *jsonschema.Schema, d rules.Decision) {
	t.Helper()
	for _, m := range d.Mutations {
		text, err := json.Marshal(schemas.Mutation{
			Entity: d.Entity, Rule: d.Rule, Kind: m.Kind, Params: m.Params, IdempotencyKey: m.Key,
			State: schemas.MutationPending, TransitionID: schemas.TransitionID(strings.Repeat("0", 32)),
		})
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", m.Params, err)
		}
	}
}

// TestMutations_WhatCannotBeRenderedIsAnError: nothing is left of a text, or it
// became something else than the provider takes.
func TestMutations_WhatCannotBeRenderedIsAnError(t *testing.T) {
	t.Parallel()
	on := transition(func(t *schemas.Transition) { t.PullRequest.Milestone = "a b" })
	noHead := transition(func(t *schemas.Transition) { t.PullRequest.HeadSHA = "" })
	odd := commentTransition(func(t *schemas.Transition) { t.Comment.EntityKey = "github.com:101#7" })
	const broken, nothing, unknownHead = `"{{pr.labels[7]}}"`, `"{{pr.body}}"`, ": the head sha is unknown, so it cannot be said what to act on"
	index := " {{pr.labels[7]}} cannot be evaluated: index out of bounds: 7"
	for _, test := range []struct {
		mutate string
		on     schemas.Transition
		want   string
	}{
		{`{delete_comment: }`, odd, "delete_comment: the comment's id is unknown"},
		{`{merge: }`, noHead, "merge" + unknownHead},
		{`{update_branch: }`, noHead, "update_branch" + unknownHead},
		{`{approve: }`, noHead, "approve" + unknownHead},
		{`{check_run: {name: a, status: queued}}`, noHead, "check_run" + unknownHead},
		{`{commit_status: {context: a, state: error}}`, noHead, "commit_status" + unknownHead},
		{`{approve: {body: ` + broken + `}}`, on, "approve.body:" + index},
		{`{request_review: {reviewers: [` + nothing + `]}}`, on, "request_review.reviewers: nothing is left of the login {{pr.body}}"},
		{`{request_review: {teams: ["{{pr.milestone}}"]}}`, on, `request_review.teams: "a b" is no slug`},
		{`{request_review: {teams: [` + broken + `]}}`, on, `request_review.teams:` + index},
		{`{dismiss_review: {author: ` + nothing + `, message: x}}`, on, "dismiss_review.author: nothing is left of the text"},
		{`{dismiss_review: {message: ` + nothing + `}}`, on, "dismiss_review.message: nothing is left of the text"},
		{`{check_run: {name: ` + nothing + `, status: queued}}`, on, "check_run.name: nothing is left of the text"},
		{`{check_run: {name: a, status: "{{pr.state}}"}}`, on, `check_run.status: "open" is none of queued, in_progress, completed`},
		{
			`{check_run: {name: a, conclusion: ` + nothing + `}}`, on,
			`check_run.conclusion: "" is none of action_required, cancelled, failure, neutral, skipped, success, timed_out`,
		},
		{`{check_run: {name: a, conclusion: ` + broken + `}}`, on, "check_run.conclusion:" + index},
		{
			`{check_run: {name: a, status: '{{"queued"}}', conclusion: "{{pr.state}}"}}`, on,
			`check_run.conclusion: "open" needs status completed, and it is queued`,
		},
		{`{check_run: {name: a, status: queued, title: ` + broken + `}}`, on, "check_run.title:" + index},
		{`{check_run: {name: a, status: queued, title: a, summary: ` + broken + `}}`, on, "check_run.summary:" + index},
		{
			`{check_run: {name: a, status: queued, details_url: "{{pr.title}}"}}`, on,
			`check_run.details_url: "Add a pawl" is no address that begins with https:// or http://`,
		},
		{`{commit_status: {context: ` + nothing + `, state: error}}`, on, "commit_status.context: nothing is left of the text"},
		{`{commit_status: {context: a, state: "{{pr.state}}"}}`, on, `commit_status.state: "open" is none of error, failure, pending, success`},
		{`{commit_status: {context: a, state: error, description: ` + broken + `}}`, on, "commit_status.description:" + index},
		{
			`{commit_status: {context: a, state: error, target_url: "{{pr.head_sha}}"}}`, on,
			`commit_status.target_url: "6dcb09b5" is no address that begins with https:// or http://`,
		},
		{`{notify: {url: "env:A", text: ` + nothing + `}}`, on, "notify.text: nothing is left of the text"},
		{`{notify: {url: "env:A", text: a, title: ` + broken + `}}`, on, "notify.title:" + index},
	} {
		t.Run(test.mutate, func(t *testing.T) {
			t.Parallel()
			got := wants(t, test.mutate, test.on)
			if got.Outcome != rules.OutcomeError || got.Reason != test.want || got.Mutations != nil {
				t.Errorf("%s: %s, want %s", got.Outcome, got.Reason, test.want)
			}
		})
	}
}

// TestNotify_ASecretIsNotRepeated: whoever writes the address itself into the
// file does not find it in a log as well.
func TestNotify_ASecretIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"https://hooks.example.com/verysecret", "slack://token-a:verysecret@channel", "env:very secret", "verysecret"} {
		_, err := rules.Parse("pawl.yaml", fmt.Appendf(nil, "rules: [{name: x, on: [opened], mutate: {notify: {url: %q, text: x}}}]", url))
		if err == nil || strings.Contains(err.Error(), "secret@") || strings.Contains(err.Error(), "verysecret") || strings.Contains(err.Error(), "very secret") {
			t.Errorf("%s: %v, want a fault that does not quote it", url, err)
		}
	}
}
