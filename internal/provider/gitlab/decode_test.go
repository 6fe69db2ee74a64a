//nolint:misspell // noteable is GitLab's word
package gitlab_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/gitlab"
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// noteOn returns the payload of a note with more fields in object_attributes, and
// more beside it.
func noteOn(fields, beside string) string {
	return `{"object_kind":"note","event_type":"note","user":{"id":51,"username":"bea"},"project_id":101,` +
		`"project":{"id":101,"path_with_namespace":"acme/api"},` + beside + `,"object_attributes":{"id":1244,"note":"Why?",` + fields + `}}`
}

const onMergeRequest = `"merge_request":{"id":99,"iid":7,"target_project_id":101,"source_project_id":202,"state":"opened"}`

func TestDecode_Note(t *testing.T) {
	t.Parallel()
	got := decoded(t, "Note Hook", noteOn(`"noteable_type":"MergeRequest","author_id":51,"action":"update","system":false,
		"type":"DiffNote","position":{"new_line":3},"discussion_id":"d1","resolved_at":"2026-01-01 10:30:00 UTC",
		"created_at":"2026-01-01 10:00:00 UTC","updated_at":"2026-01-01 10:30:00 UTC","url":"https://gitlab.com/u"`, onMergeRequest))
	want := schemas.Event{
		Entity: "gitlab.com:101#7", Source: "gitlab", DeliveryID: "d-1", Provider: "gitlab", Name: "note",
		Action: "update", Sender: schemas.Actor{Login: "bea"},
		Comment: &schemas.CommentSnapshot{
			Key: "gitlab.com:comment/1244", Kind: schemas.CommentReview, Change: schemas.CommentEdited, Parent: "gitlab.com:101#7",
			Thread: "d1", Author: schemas.Actor{Login: "bea"}, Body: schemas.Say("Why?"), URL: "https://gitlab.com/u",
			CreatedAt: schemas.Say(at("2026-01-01T10:00:00Z")), UpdatedAt: schemas.Say(at("2026-01-01T10:30:00Z")),
		},
		Thread: &schemas.ThreadSnapshot{ID: "d1", Resolved: true, UpdatedAt: schemas.Say(at("2026-01-01T10:30:00Z"))},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

func TestDecode_NoteFields(t *testing.T) {
	t.Parallel()
	comment := func(change func(c *schemas.CommentSnapshot)) *schemas.CommentSnapshot {
		c := &schemas.CommentSnapshot{
			Key: "gitlab.com:comment/1244", Kind: schemas.CommentConversation, Change: schemas.CommentCreated,
			Parent: "gitlab.com:101#7", Author: schemas.Actor{Login: "bea"}, Body: schemas.Say("Why?"),
		}
		change(c)
		return c
	}
	open := &schemas.ThreadSnapshot{ID: "d1"}
	tests := []struct {
		name   string
		fields string
		want   *schemas.CommentSnapshot
		thread *schemas.ThreadSnapshot
	}{
		{"create", `"action":"create"`, comment(func(*schemas.CommentSnapshot) {}), nil},
		{"no action, before 16.11", `"type":null`, comment(func(*schemas.CommentSnapshot) {}), nil},
		{"a comment of its own has a discussion, but no thread", `"type":null,"discussion_id":"d1","resolved_at":null`, comment(func(*schemas.CommentSnapshot) {}), nil},
		{"in a thread", `"type":"DiscussionNote","discussion_id":"d1","resolved_at":null`, comment(func(c *schemas.CommentSnapshot) { c.Thread = "d1" }), open},
		{"on a line", `"type":"DiffNote","discussion_id":"d1","resolved_at":null`, comment(func(c *schemas.CommentSnapshot) { c.Thread, c.Kind = "d1", schemas.CommentReview }), open},
		{"on a line, by its position", `"position":{"new_line":3}`, comment(func(c *schemas.CommentSnapshot) { c.Kind = schemas.CommentReview }), nil},
		{"position null", `"position":null`, comment(func(*schemas.CommentSnapshot) {}), nil},
		{"whether it is resolved is not stated", `"type":"DiffNote","discussion_id":"d1"`, comment(func(c *schemas.CommentSnapshot) { c.Thread, c.Kind = "d1", schemas.CommentReview }), nil},
		{"internal", `"internal":true`, comment(func(c *schemas.CommentSnapshot) { c.Body = schemas.Stated[string]{} }), nil},
		{"edited by another", `"action":"update","author_id":52`, comment(func(c *schemas.CommentSnapshot) { c.Change, c.Author = schemas.CommentEdited, schemas.Actor{} }), nil},
		{"text null", `"note":null`, comment(func(c *schemas.CommentSnapshot) { c.Body = schemas.Stated[string]{} }), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := decoded(t, "Note Hook", noteOn(test.fields, onMergeRequest))
			if diff := cmp.Diff(got.Comment, test.want); diff != "" {
				t.Errorf("comment (-got +want):\n%s", diff)
			}
			if diff := cmp.Diff(got.Thread, test.thread); diff != "" {
				t.Errorf("thread (-got +want):\n%s", diff)
			}
			if got.PullRequest != nil {
				t.Error("the partial merge request of a note became a snapshot")
			}
		})
	}
}

// A confidential note counts, and its text stays out of the tables.
func TestDecode_ConfidentialNoteHasNoText(t *testing.T) {
	t.Parallel()
	body := strings.Replace(noteOn(`"action":"create"`, onMergeRequest), `"event_type":"note"`, `"event_type":"confidential_note"`, 1)
	got := decoded(t, "Confidential Note Hook", body)
	if got.Comment == nil || got.Comment.Body.Known || got.Comment.Author.Login != "bea" {
		t.Errorf("comment = %+v, want one of bea without a text", got.Comment)
	}
}

// pipelineOf returns the payload of a pipeline with more fields in
// object_attributes, and more beside it.
func pipelineOf(fields, beside string) string {
	return `{"object_kind":"pipeline","user":{"username":"bea"},"project":{"id":101,"path_with_namespace":"acme/api"},` + beside +
		`,"object_attributes":{"id":31,"sha":"` + shaA + `",` + fields + `}}`
}

const noMergeRequest = `"merge_request":null`

func TestDecode_Pipeline(t *testing.T) {
	t.Parallel()
	got := decoded(t, "Pipeline Hook", pipelineOf(`"status":"failed","source":"push","tag":false,"created_at":"2026-01-01 10:00:00 UTC",
		"finished_at":"2026-01-01 10:01:00 UTC","url":"https://gitlab.com/p"`, noMergeRequest))
	want := schemas.Event{
		Entity: schemas.EntityKey("gitlab.com:101@" + shaA), Source: "gitlab", DeliveryID: "d-1", Provider: "gitlab", Name: "pipeline",
		Sender: schemas.Actor{Login: "bea"},
		Check: &schemas.CheckSnapshot{
			Instance: "gitlab.com", RepositoryID: "101", Repository: "acme/api", SHA: shaA,
			Kind: schemas.PipelineCheck, App: "gitlab-ci", Name: "pipeline", Attempt: 31, Retry: at("2026-01-01T10:01:00Z").Unix(),
			Status: schemas.CheckCompleted, Conclusion: "failed", State: schemas.ChecksFailure, URL: "https://gitlab.com/p",
			StartedAt: schemas.Say(at("2026-01-01T10:00:00Z")), CompletedAt: schemas.Say(at("2026-01-01T10:01:00Z")),
		},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

func TestDecode_PipelineStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status string
		want   schemas.CheckStatus
		state  schemas.ChecksState
	}{
		{"created", schemas.CheckQueued, schemas.ChecksPending},
		{"waiting_for_resource", schemas.CheckQueued, schemas.ChecksPending},
		{"preparing", schemas.CheckQueued, schemas.ChecksPending},
		{"pending", schemas.CheckQueued, schemas.ChecksPending},
		{"scheduled", schemas.CheckQueued, schemas.ChecksPending},
		{"running", schemas.CheckInProgress, schemas.ChecksPending},
		{"manual", schemas.CheckInProgress, schemas.ChecksPending},
		{"canceling", schemas.CheckInProgress, schemas.ChecksPending},
		{"success", schemas.CheckCompleted, schemas.ChecksSuccess},
		{"skipped", schemas.CheckCompleted, schemas.ChecksSuccess},
		{"failed", schemas.CheckCompleted, schemas.ChecksFailure},
		{"canceled", schemas.CheckCompleted, schemas.ChecksFailure},
		{"from_the_future", schemas.CheckQueued, schemas.ChecksPending},
	}
	for _, test := range tests {
		got := decoded(t, "Pipeline Hook", pipelineOf(`"status":"`+test.status+`"`, noMergeRequest)).Check
		if got.Status != test.want || got.State != test.state {
			t.Errorf("%s is %s and counts as %s, want %s and %s", test.status, got.Status, got.State, test.want, test.state)
		}
		if done := test.want == schemas.CheckCompleted; (got.Conclusion == test.status) != done {
			t.Errorf("%s has the conclusion %q", test.status, got.Conclusion)
		}
	}
}

// A pipeline that is retried keeps its id and its finished_at while it runs
// again. Each step of the two runs is newer than the one before.
func TestDecode_RunsOfOnePipelineAreInOrder(t *testing.T) {
	t.Parallel()
	var last int64 = -1
	for _, step := range []struct{ fields, name string }{
		{`"status":"running","finished_at":null`, "running"},
		{`"status":"failed","finished_at":"2026-01-01 10:01:00 UTC"`, "failed"},
		{`"status":"running","finished_at":"2026-01-01 10:01:00 UTC"`, "running again"},
		{`"status":"success","finished_at":"2026-01-01 10:05:00 UTC"`, "success"},
	} {
		got := decoded(t, "Pipeline Hook", pipelineOf(step.fields, noMergeRequest)).Check
		if got.Attempt != 31 || got.Retry <= last {
			t.Errorf("%s is run %d of attempt %d, want one after %d of 31", step.name, got.Retry, got.Attempt, last)
		}
		last = got.Retry
	}
}

func TestDecode_PipelineName(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		`"source":"push"`:                "pipeline",
		`"source":"merge_request_event"`: "pipeline",
		`"source":"external"`:            "pipeline/external",
		`"source":"push","tag":true`:     "pipeline/tag",
	} {
		if got := decoded(t, "Pipeline Hook", pipelineOf(fields, noMergeRequest)).Check.Name; got != want {
			t.Errorf("name for %s = %q, want %q", fields, got, want)
		}
	}
}

// The head of a fork's merge request and its pipeline, which runs in the target
// project, meet on one commit.
func TestDecode_PipelineMeetsTheHeadOfAFork(t *testing.T) {
	t.Parallel()
	head := snapshotOf(t, mergeRequest(`,"source_project_id":202,"target_project_id":101,"last_commit":{"id":"`+shaA+`"}`, "")).HeadCommit
	check := decoded(t, "Pipeline Hook", pipelineOf(`"status":"success"`, onMergeRequest))
	if check.Entity != head.Value {
		t.Errorf("the pipeline is of %s and the head is %s", check.Entity, head.Value)
	}
	if check.Check.RepositoryID != "202" || check.Check.Repository != "" {
		t.Errorf("the pipeline is of repository %s %q, want 202, whose name is not stated", check.Check.RepositoryID, check.Check.Repository)
	}
}

func TestDecode_Project(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		body   string
		change schemas.RepositoryChange
		secret schemas.Stated[bool]
	}{
		{"renamed", `{"event_name":"project_rename","old_path_with_namespace":"acme/old","project_visibility":"internal",`, schemas.RepositoryNamed, schemas.Say(true)},
		{"transferred", `{"event_name":"project_transfer","project_visibility":"private",`, schemas.RepositoryNamed, schemas.Say(true)},
		{"updated", `{"event_name":"project_update","project_visibility":"public",`, schemas.RepositoryNamed, schemas.Say(false)},
		{"created", `{"event_name":"project_create","project_visibility":"visibilitylevel|private",`, schemas.RepositoryNamed, schemas.Say(true)},
		{"destroyed", `{"event_name":"project_destroy",`, schemas.RepositoryDeleted, schemas.Stated[bool]{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := decoded(t, "System Hook", test.body+`"project_id":101,"path_with_namespace":"acme/api","updated_at":"2026-01-01T10:00:00Z"}`)
			want := &schemas.RepositorySnapshot{
				Instance: "gitlab.com", RepositoryID: "101", Repository: "acme/api", Change: test.change, Private: test.secret,
				UpdatedAt: schemas.Say(at("2026-01-01T10:00:00Z")),
			}
			if diff := cmp.Diff(got.Repository, want); diff != "" {
				t.Errorf("repository (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecode_Ignored(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, event, body, says string }{
		{"push", "Push Hook", `{"object_kind":"push","project":{"id":101}}`, "push"},
		{"job", "Job Hook", `{"object_kind":"build","project_id":101,"sha":"` + shaA + `"}`, "pipeline"},
		{"user created", "System Hook", `{"event_name":"user_create"}`, "user_create"},
		{"emoji on a note", "Emoji Hook", `{"object_kind":"emoji","merge_request":{"iid":7},"project":{"id":101}}`, "emoji"},
		{"system note", "Note Hook", noteOn(`"noteable_type":"MergeRequest","system":true`, onMergeRequest), "GitLab wrote"},
		{"note on an issue", "Note Hook", noteOn(`"noteable_type":"Issue"`, `"issue":{"iid":7}`), "Issue"},
		{"note on a commit", "Note Hook", noteOn(`"noteable_type":"Commit"`, `"commit":{"id":"`+shaA+`"}`), "Commit"},
		{"note on nothing", "Note Hook", `{"object_kind":"note"}`, "not named"},
		{"deleted note, should it ever come", "Note Hook", noteOn(`"action":"delete"`, onMergeRequest), "delete"},
		{"child pipeline", "Pipeline Hook", pipelineOf(`"source":"parent_pipeline","status":"success"`, noMergeRequest), "parent_pipeline"},
		{"project without a name", "System Hook", `{"event_name":"project_update","project_id":101}`, "name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := decoded(t, test.event, test.body)
			if !strings.Contains(got.Ignored, test.says) {
				t.Errorf("ignored = %q, want it to say %q", got.Ignored, test.says)
			}
			if parts := partsOf(got); parts != 1 {
				t.Errorf("%d parts beside the reason: %+v", parts-1, got)
			}
		})
	}
}

// partsOf counts what an event says.
func partsOf(event schemas.Event) int {
	parts := 0
	for _, there := range []bool{
		event.PullRequest != nil, event.Comment != nil, event.Thread != nil, event.Review != nil, event.Check != nil,
		event.MergeGroup != nil, event.Repository != nil, event.Ignored != "",
	} {
		if there {
			parts++
		}
	}
	return parts
}

func TestDecode_ErrorNamesTheField(t *testing.T) {
	t.Parallel()
	const project = `"project":{"id":101}`
	tests := []struct{ name, event, body, says string }{
		{"no iid", "merge_request", `{` + project + `}`, "object_attributes.iid is missing"},
		{"iid negative", "merge_request", `{` + project + `,"object_attributes":{"iid":-7}}`, "object_attributes.iid is -7"},
		{"iid a string", "merge_request", `{` + project + `,"object_attributes":{"iid":"7"}}`, "iid is a string"},
		{"no project", "merge_request", `{"object_attributes":{"iid":7}}`, "project.id and project_id are missing"},
		{"project negative", "merge_request", `{"project":{"id":-1},"object_attributes":{"iid":7}}`, "project.id is -1"},
		{"target negative", "merge_request", `{` + project + `,"object_attributes":{"iid":7,"target_project_id":-1}}`, "target_project_id is -1"},
		{"source a string", "merge_request", mergeRequest(`,"source_project_id":"x"`, ""), "source_project_id"},
		{"description a number", "merge_request", mergeRequest(`,"description":1`, ""), "description"},
		{"merge commit a number", "merge_request", mergeRequest(`,"merge_commit_sha":1`, ""), "merge_commit_sha"},
		{"lock a string", "merge_request", mergeRequest(`,"discussion_locked":"yes"`, ""), "discussion_locked"},
		{"head no sha", "merge_request", mergeRequest(`,"last_commit":{"id":"a b"}`, ""), "last_commit.id"},
		{"labels an object", "merge_request", mergeRequest(``, `,"labels":{}`), "labels"},
		{"an array", "merge_request", `[]`, "want an object"},
		{"not JSON", "merge_request", `{`, "not JSON"},
		{"note without an id", "note", `{` + project + `,"merge_request":{"iid":7}}`, "object_attributes.id is missing"},
		{"note without an iid", "note", `{` + project + `,"object_attributes":{"id":1,"noteable_type":"MergeRequest"}}`, "merge_request.iid is missing"},
		{"note without a project", "note", `{"merge_request":{"iid":7},"object_attributes":{"id":1}}`, "project.id and project_id are missing"},
		{"note with a wrong text", "note", `{` + project + `,"merge_request":{"iid":7},"object_attributes":{"id":1,"note":5}}`, "note is a number"},
		{"pipeline without an id", "pipeline", `{` + project + `,"object_attributes":{"sha":"aaaa"}}`, "object_attributes.id is missing"},
		{"pipeline without a sha", "pipeline", `{` + project + `,"object_attributes":{"id":1}}`, "object_attributes.sha is missing"},
		{"pipeline without a project", "pipeline", `{"object_attributes":{"id":1,"sha":"aaaa"}}`, "project.id and project_id are missing"},
		{"pipeline that is no object", "pipeline", `{"object_attributes":[]}`, "object_attributes"},
		{"project without an id", "project_rename", `{"path_with_namespace":"acme/api"}`, "project_id are missing"},
		{"project with a wrong id", "project_rename", `{"project_id":"x"}`, "project_id is a string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := gitlab.Provider{}.Decode(schemas.Record{Key: "gitlab.com:101#7", Event: test.event, Body: []byte(test.body)})
			if !errors.Is(err, payload.ErrPayload) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("Decode() = %v, want an error that says %q", err, test.says)
			}
		})
	}
}

// An outside producer may state the action in ce_type alone.
func TestDecode_ActionOfTheRecord(t *testing.T) {
	t.Parallel()
	record := schemas.Record{Key: "gitlab.com:101#7", Event: "merge_request", Action: "reopen", Body: []byte(mergeRequest("", ""))}
	got, err := gitlab.Provider{}.Decode(record)
	if err != nil || got.Action != "reopen" || got.PullRequest.Change != "reopened" {
		t.Errorf("Decode() = %+v, %v, want a reopened merge request", got, err)
	}
}
