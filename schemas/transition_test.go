package schemas_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"pawl/schemas"
)

func causeV1() schemas.Cause {
	return schemas.Cause{
		Source:      "github",
		DeliveryID:  "72d3162e-cc78-11e3-81ab-4c9367dc0958",
		Provider:    "github",
		Event:       "pull_request",
		Action:      "labeled",
		Sender:      schemas.Actor{Login: "octocat"},
		ReceivedAt:  time.Date(2026, 1, 2, 3, 4, 5, 678900000, time.UTC),
		TraceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	}
}

// transitionV1 is the transition in testdata/transition.v1.json.
func transitionV1() schemas.Transition {
	at := time.Date(2026, 1, 2, 3, 4, 4, 0, time.UTC)
	transition := schemas.NewTransition("github.com:101#7", schemas.KindLabelsChanged,
		schemas.Value{List: []string{}}, schemas.Value{List: []string{"automerge", "bug"}}, causeV1())
	transition.PullRequest = &schemas.PullRequest{
		EntityKey: "github.com:101#7", Instance: "github.com", RepositoryID: "101", Repository: "acme/api", Number: 7,
		Title: "Add a pawl", Body: "It only turns one way.", Author: "octocat",
		State: schemas.Open, HeadSHA: "6dcb09b5b57875f334f61aebed695e2e4193db5e", HeadRef: "pawl", HeadRepositoryID: "101",
		BaseRef: "main", BaseSHA: "c3d0be41ecbe669545ee3e94d31ed9a4bc91ee3c",
		Labels: []string{"automerge", "bug"}, RequestedReviewers: []string{"hubot"}, Assignees: []string{},
		HeadCommit:  "github.com:101@6dcb09b5b57875f334f61aebed695e2e4193db5e",
		Checks:      []schemas.PullRequestCheck{{App: "ci", Name: "build", State: schemas.ChecksSuccess, Status: schemas.CheckCompleted, Conclusion: "success"}},
		Reviews:     []schemas.PullRequestReview{{Author: "hubot", AuthorIsBot: true, State: schemas.ReviewCommented, SubmittedAt: at}},
		Links:       []string{"acme/api#12"},
		ChecksState: schemas.ChecksSuccess, Commits: 1, Additions: 104, Deletions: 4, ChangedFiles: 7,
		CreatedAt: at.Add(-time.Hour), ProviderUpdatedAt: at, Version: 2,
	}
	return transition
}

func commentTransitionV1() schemas.Transition {
	cause := causeV1()
	cause.Event, cause.Action = "issue_comment", "created"
	transition := schemas.NewTransition("github.com:comment/17", schemas.KindCommentCreated,
		schemas.Value{}, schemas.Value{Text: "live"}, cause)
	transition.PullRequest = transitionV1().PullRequest
	transition.Comment = &schemas.Comment{
		EntityKey: "github.com:comment/17", Parent: "github.com:101#7", Kind: schemas.CommentConversation, State: schemas.CommentLive,
		Author: "hubot", AuthorIsBot: true, Body: "/merge", URL: "https://github.com/acme/api/pull/7#issuecomment-17",
		CreatedAt: cause.ReceivedAt.Truncate(time.Second), Version: 1,
	}
	return transition
}

func TestTransition_VersionOneIsWrittenAndReadAsEver(t *testing.T) {
	t.Parallel()
	schema := compile(t, schemas.FileTransition, closed)
	for _, test := range []struct {
		file string
		want schemas.Transition
	}{
		{"transition.v1.json", transitionV1()},
		{"transition_comment.v1.json", commentTransitionV1()},
	} {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			text := golden(t, test.file, test.want)
			var stored, written any
			if err := json.Unmarshal(text, &stored); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(marshal(t, test.want), &written); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(written, stored); diff != "" {
				t.Errorf("what Pawl writes, -got +want:\n%s", diff)
			}
			var got schemas.Transition
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, test.want); diff != "" {
				t.Errorf("read from version 1, -got +want:\n%s", diff)
			}
			validate(t, schema, stored)
		})
	}
}

func TestTransition_ConformsToTheSchemaAndRoundTrips(t *testing.T) {
	t.Parallel()
	schema := compile(t, schemas.FileTransition, closed)
	rapid.Check(t, func(rt *rapid.T) {
		want := drawTransition(rt)
		validate(rt, schema, want)
		var got schemas.Transition
		if err := json.Unmarshal(marshal(rt, want), &got); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(got, want, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("-got +want:\n%s", diff)
		}
	})
}

func TestTransition_HeadersConformToTheSchema(t *testing.T) {
	t.Parallel()
	schema := compile(t, schemas.FileTransition+"#/$defs/headers", undescribed)
	rapid.Check(t, func(rt *rapid.T) {
		headers := make(map[string]string)
		for _, header := range drawTransition(rt).Headers() {
			headers[header.Name] = header.Value
		}
		validate(rt, schema, headers)
	})
}

// undescribed forbids headers that the schema does not describe.
func undescribed(document any) {
	if defs, ok := document.(map[string]any)["$defs"].(map[string]any); ok {
		if headers, ok := defs["headers"].(map[string]any); ok {
			headers["additionalProperties"] = false
		}
	}
}

func TestTransition_SchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := compile(t, schemas.FileTransition, asIs)
	for _, test := range []struct {
		name   string
		change func(map[string]any)
	}{
		{"no id", func(m map[string]any) { delete(m, "id") }},
		{"no cause", func(m map[string]any) { delete(m, "cause") }},
		{"no pull request", func(m map[string]any) { delete(m, "pull_request") }},
		{"an unknown kind", func(m map[string]any) { m["kind"] = "synchronize" }},
		{"a comment's kind without the comment", func(m map[string]any) { m["kind"] = "comment_created" }},
		{"a number as a value", func(m map[string]any) { m["to"] = 7 }},
		{"labels that are no list", func(m map[string]any) { m["to"] = "automerge" }},
		{"a state that is none", func(m map[string]any) { pullRequest(m)["state"] = "draft" }},
		{"labels that are null", func(m map[string]any) { pullRequest(m)["labels"] = nil }},
		{"a time that is none", func(m map[string]any) { pullRequest(m)["merged_at"] = "" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var object map[string]any
			if err := json.Unmarshal(marshal(t, transitionV1()), &object); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(object); err != nil {
				t.Fatalf("the transition before the change: %v", err)
			}
			test.change(object)
			if err := schema.Validate(object); err == nil {
				t.Error("the schema takes it")
			}
		})
	}
}

func TestTransition_SchemaTakesAddedFields(t *testing.T) {
	t.Parallel()
	var object map[string]any
	if err := json.Unmarshal(marshal(t, transitionV1()), &object); err != nil {
		t.Fatal(err)
	}
	object["added"] = true
	pullRequest(object)["added"] = "later"
	if err := compile(t, schemas.FileTransition, asIs).Validate(object); err != nil {
		t.Error(err)
	}
}

func pullRequest(object map[string]any) map[string]any {
	return object["pull_request"].(map[string]any)
}

func TestTransition_SchemaNamesEveryKindAndState(t *testing.T) {
	t.Parallel()
	var kinds []string
	for _, kind := range schemas.Kinds() {
		kinds = append(kinds, string(kind))
	}
	for _, test := range []struct {
		name string
		got  []string
		want []string
	}{
		{"kinds", enum(t, schemas.FileTransition, "properties", "kind"), kinds},
		{
			"states", enum(t, schemas.FileTransition, "$defs", "pull_request", "properties", "state"),
			[]string{string(schemas.Open), string(schemas.Closed), string(schemas.Merged)},
		},
		{
			"checks", enum(t, schemas.FileTransition, "$defs", "pull_request", "properties", "checks_state"),
			[]string{string(schemas.ChecksNone), string(schemas.ChecksPending), string(schemas.ChecksSuccess), string(schemas.ChecksFailure)},
		},
		{
			"comment states", enum(t, schemas.FileTransition, "$defs", "comment", "properties", "state"),
			[]string{string(schemas.CommentLive), string(schemas.CommentRemoved)},
		},
		{"statuses of components", enum(t, schemas.FileTransition, "$defs", "component", "properties", "status"), texts(schemas.ComponentStatuses())},
		{"statuses of incidents", enum(t, schemas.FileTransition, "$defs", "incident", "properties", "status"), texts(schemas.IncidentStatuses())},
	} {
		if diff := cmp.Diff(test.got, test.want); diff != "" {
			t.Errorf("%s, -schema +code:\n%s", test.name, diff)
		}
	}
}

func texts[S ~string](list []S) []string {
	made := make([]string, len(list))
	for i, s := range list {
		made[i] = string(s)
	}
	return made
}

// TestI8_SameMeaningSameID: the id is that of version 1, and the state that
// travels along, the sender and the times are no part of it.
func TestI8_SameMeaningSameID(t *testing.T) {
	t.Parallel()
	transition := transitionV1()
	if got, want := transition.ID, schemas.TransitionID("86fa3e09c881019c8380863bcdcfa3fb"); got != want {
		t.Errorf("id %s, want %s: ids that were published would change", got, want)
	}
	later := causeV1()
	later.Sender, later.ReceivedAt, later.TraceParent = schemas.Actor{}, time.Time{}, ""
	again := schemas.NewTransition(transition.Entity, transition.Kind, transition.From, transition.To, later)
	if again.ID != transition.ID {
		t.Errorf("id %s for the same meaning, want %s", again.ID, transition.ID)
	}
}

// TestI8_EachPartOfTheMeaningChangesTheID: entity, kind, from, to, source and
// delivery id, and nothing moves from one part into the next unseen.
func TestI8_EachPartOfTheMeaningChangesTheID(t *testing.T) {
	t.Parallel()
	list := func(names ...string) schemas.Value { return schemas.Value{List: names} }
	text := func(value string) schemas.Value { return schemas.Value{Text: value} }
	cause := schemas.Cause{Source: "github", DeliveryID: "d-1"}
	seen := make(map[schemas.TransitionID]string)
	for _, test := range []struct {
		name string
		got  schemas.Transition
	}{
		{"the first", schemas.NewTransition("github.com:1#1", schemas.KindLabelsChanged, list("a"), list("a", "b"), cause)},
		{"another entity", schemas.NewTransition("github.com:1#2", schemas.KindLabelsChanged, list("a"), list("a", "b"), cause)},
		{"another kind", schemas.NewTransition("github.com:1#1", schemas.KindLinksChanged, list("a"), list("a", "b"), cause)},
		{"another from", schemas.NewTransition("github.com:1#1", schemas.KindLabelsChanged, list("c"), list("a", "b"), cause)},
		{"another to", schemas.NewTransition("github.com:1#1", schemas.KindLabelsChanged, list("a"), list("a", "c"), cause)},
		{"from and to exchanged", schemas.NewTransition("github.com:1#1", schemas.KindLabelsChanged, list("a", "b"), list("a"), cause)},
		{"a name moved from to to from", schemas.NewTransition("github.com:1#1", schemas.KindLabelsChanged, list("a", "a"), list("b"), cause)},
		{"two names in one", schemas.NewTransition("github.com:1#1", schemas.KindLabelsChanged, list("a"), list("ab"), cause)},
		{"a text for a list", schemas.NewTransition("github.com:1#1", schemas.KindLabelsChanged, text("a"), list("a", "b"), cause)},
		{"unknown before", schemas.NewTransition("github.com:1#1", schemas.KindLabelsChanged, text(""), list("a", "b"), cause)},
		{"another source", schemas.NewTransition("github.com:1#1", schemas.KindLabelsChanged, list("a"), list("a", "b"), schemas.Cause{Source: "app", DeliveryID: "d-1"})},
		{"another delivery", schemas.NewTransition("github.com:1#1", schemas.KindLabelsChanged, list("a"), list("a", "b"), schemas.Cause{Source: "github", DeliveryID: "d-2"})},
		{"source and delivery cut elsewhere", schemas.NewTransition("github.com:1#1", schemas.KindLabelsChanged, list("a"), list("a", "b"), schemas.Cause{Source: "githubd", DeliveryID: "-1"})},
	} {
		if other, ok := seen[test.got.ID]; ok {
			t.Errorf("%s has the id of %s", test.name, other)
		}
		seen[test.got.ID] = test.name
	}
}

func TestTransition_CommentTravelsUnderItsPullRequest(t *testing.T) {
	t.Parallel()
	if got, want := commentTransitionV1().PartitionKey(), schemas.EntityKey("github.com:101#7"); got != want {
		t.Errorf("partition key %s, want %s", got, want)
	}
	if got, want := transitionV1().PartitionKey(), schemas.EntityKey("github.com:101#7"); got != want {
		t.Errorf("partition key %s, want %s", got, want)
	}
}
