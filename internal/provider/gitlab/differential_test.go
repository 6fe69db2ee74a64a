package gitlab

import (
	stdjson "encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// reading is one of the two readings that must agree: of the body of a record with
// goccy/go-json, and with encoding/json.
type reading struct {
	Routing      routing
	MergeRequest mergeRequestPayload
	Note         notePayload
	Pipeline     pipelinePayload
	Project      projectPayload
	Class        [5]string
}

func readWith(body []byte, unmarshal func([]byte, any) error) reading {
	var got reading
	for i, into := range []any{&got.Routing, &got.MergeRequest, &got.Note, &got.Pipeline, &got.Project} {
		got.Class[i] = classOf(unmarshal(body, into))
	}
	if got.Class[0] == "not JSON" {
		return reading{Class: got.Class} // how far each came does not matter
	}
	return got
}

// classOf tells the three ends apart that we act on. The texts may differ.
func classOf(err error) string {
	var ours *payload.TypeError
	var theirs *stdjson.UnmarshalTypeError
	switch {
	case err == nil:
		return "read"
	case errors.As(err, &ours), errors.As(err, &theirs):
		return "wrong type"
	}
	return "not JSON"
}

func checkAgainstStandard(t *testing.T, body []byte) {
	t.Helper()
	got, want := readWith(body, payload.Unmarshal), readWith(body, stdjson.Unmarshal)
	if diff := cmp.Diff(got, want, cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) })); diff != "" {
		t.Errorf("goccy and encoding/json read %q differently (-goccy +standard):\n%s", body, diff)
	}
}

func seedBodies() []string {
	return []string{
		`{"object_kind":"merge_request","user":{"id":51,"username":"bea"},"project":{"id":101,"path_with_namespace":"acme/api"},"labels":[{"title":"b"},null],"object_attributes":{"iid":7,"action":"update","oldrev":"a","source_project_id":null,"description":null,"last_commit":{"id":"aaaa"},"milestone_id":null,"discussion_locked":null,"assignee_ids":[],"updated_at":"2026-01-01 00:00:00 UTC"},"changes":{"labels":{"previous":[],"current":[{"title":"b"}]},"draft":{"previous":false,"current":true}}}`,
		`{"object_attributes":{"iid":7,"action":"approved"},"project":{"id":1},"user":{"username":"a\u0000"},"changes":{"reviewers":{"previous":null,"current":[null,{"username":"a","state":"requested_changes"}]}}}`,
		`{"object_attributes":{"iid":7,"discussion_locked":"x","source_project_id":[],"description":{},"merge_commit_sha":1},"project":{"id":1.5}}`,
		`{"object_kind":"note","merge_request":{"iid":7,"target_project_id":1},"object_attributes":{"id":1,"note":"\ud800","type":"DiffNote","discussion_id":"d","resolved_at":null,"position":{}}}`,
		`{"object_attributes":{"id":1,"sha":"aaaa","status":"running","finished_at":"2026-01-01 00:00:00 UTC"},"merge_request":{"source_project_id":2},"project":{"id":1}}`,
		`{"event_name":"project_rename","project_id":101,"path_with_namespace":"acme/api","project_visibility":"private"}`,
		`{"PROJECT":{"Id":1},"project":null,"project":{"path_with_namespace":"x"}}`,
		`{"changes":[]}`, `{"a":"\x01"}`, `[]`, `null`, `1`, `"x"`, ``, `{"project_id":1e2}`, `{"project_id":99999999999999999999}`,
	}
}

func TestUnmarshal_AgreesWithTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, body := range seedBodies() {
		checkAgainstStandard(t, []byte(body))
	}
}

// FuzzDecode holds the reading against encoding/json, and the decoding against
// what the fold and the tables take.
func FuzzDecode(f *testing.F) {
	for _, body := range seedBodies() {
		for _, event := range []string{eventMergeRequest, eventNote, eventPipeline, "project_rename"} {
			f.Add(event, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, event string, body []byte) {
		checkAgainstStandard(t, body)
		got, err := decode(schemas.Record{Key: "gitlab.com:101#7", Event: event, Body: body})
		if err != nil {
			return
		}
		checkKeys(t, got)
		checkTexts(t, got)
	})
}

// checkKeys checks that an event says something, and that its keys are keys and
// agree with one another.
func checkKeys(t *testing.T, event schemas.Event) {
	t.Helper()
	keys := []schemas.EntityKey{event.Entity}
	if pr := event.PullRequest; pr != nil {
		keys = append(keys, schemas.PullRequestKey(pr.Instance, pr.RepositoryID, pr.Number))
		if pr.HeadSHA.Known != pr.HeadCommit.Known {
			t.Errorf("the head is %v and its key %v", pr.HeadSHA, pr.HeadCommit)
		}
		if pr.HeadCommit.Known {
			checkKey(t, pr.HeadCommit.Value)
		}
	}
	if comment := event.Comment; comment != nil {
		keys = append(keys, comment.Parent)
		checkKey(t, comment.Key)
	}
	if check := event.Check; check != nil {
		keys = append(keys, schemas.CommitKey(check.Instance, check.RepositoryID, check.SHA))
	}
	if repository := event.Repository; repository != nil {
		keys = append(keys, schemas.RepositoryKey(repository.Instance, repository.RepositoryID))
	}
	for _, key := range keys {
		checkKey(t, key)
		if key != event.Entity {
			t.Errorf("a part of the event is about %s, and the event about %s", key, event.Entity)
		}
	}
	if (len(keys) == 1) != (event.Ignored != "") {
		t.Errorf("the event has %d parts and is ignored for %q", len(keys)-1, event.Ignored)
	}
}

func checkKey(t *testing.T, key schemas.EntityKey) {
	t.Helper()
	if _, err := schemas.ParseKey(key); err != nil {
		t.Error(err)
	}
}

// checkTexts checks that PostgreSQL takes the texts.
func checkTexts(t *testing.T, event schemas.Event) {
	t.Helper()
	texts := []string{event.Action, event.Ignored, event.Sender.Login}
	if s := event.PullRequest; s != nil {
		texts = append(texts, s.Title.Value, s.Body.Value, s.Author.Value.Login, s.HeadSHA.Value, s.HeadRef.Value, s.BaseRef.Value,
			s.Milestone.Value, s.MergeCommitSHA.Value, s.Repository, s.Touched)
		texts = append(append(append(texts, s.Labels.Value...), s.Assignees.Value...), s.RequestedReviewers.Value...)
	}
	if r := event.Review; r != nil {
		texts = append(texts, r.ID, r.Author.Login, r.HeadSHA)
	}
	if c := event.Comment; c != nil {
		texts = append(texts, c.Body.Value, c.URL, c.Thread, c.Author.Login)
	}
	if c := event.Check; c != nil {
		texts = append(texts, c.SHA, c.Repository, c.Conclusion, c.URL)
	}
	if r := event.Repository; r != nil {
		texts = append(texts, r.Repository)
	}
	for _, text := range texts {
		if payload.Clean(text) != text {
			t.Errorf("text %q is none that PostgreSQL takes", text)
		}
	}
}
