package github

import (
	stdjson "encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// reading is one of the two readings that must agree: of the body of a record with
// goccy/go-json, and with encoding/json.
type reading struct {
	Routing       routing
	PullRequest   pullRequestPayload
	Comment       issueCommentPayload
	ReviewComment reviewCommentPayload
	Review        reviewPayload
	Thread        reviewThreadPayload
	CheckRun      checkRunPayload
	CheckSuite    checkSuitePayload
	Status        statusPayload
	WorkflowRun   workflowRunPayload
	MergeGroup    mergeGroupPayload
	Repository    repositoryPayload
	Class         []string
}

func (r *reading) parts() []any {
	return []any{
		&r.Routing, &r.PullRequest, &r.Comment, &r.ReviewComment, &r.Review, &r.Thread, &r.CheckRun, &r.CheckSuite,
		&r.Status, &r.WorkflowRun, &r.MergeGroup, &r.Repository,
	}
}

func readWith(body []byte, unmarshal func([]byte, any) error) reading {
	var got reading
	got.PullRequest.PullRequest = blankPullRequest()
	for _, into := range got.parts() {
		got.Class = append(got.Class, classOf(unmarshal(body, into)))
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
	if diff := cmp.Diff(got, want, cmp.AllowUnexported(payload.Nullable{}, payload.Moment{}), cmp.Comparer(sameError)); diff != "" {
		t.Errorf("goccy and encoding/json read %q differently (-goccy +standard):\n%s", body, diff)
	}
}

func sameError(a, b error) bool { return (a == nil) == (b == nil) }

func seedBodies() []string {
	return []string{
		`{"action":"labeled","number":7,"label":{"name":"a"},"repository":{"id":101,"full_name":"acme/api"},"pull_request":{"number":7,"title":"t","body":null,"user":null,"head":{"repo":null,"sha":"a"},"labels":[{"name":"b"},null],"milestone":null,"auto_merge":{},"updated_at":"2026-01-01T00:00:00Z","merged_at":null}}`,
		`{"review":{"id":"1","body":1},"thread":{"comments":{}},"check_run":[],"check_suite":"x","workflow_run":{"run_attempt":"2"},"merge_group":null,"sha":1,"reason":{}}`,
		`{"check_run":{"app":{"id":1},"app":null},"merge_group":{"head_sha":"a"},"merge_group":null,"thread":{"comments":[{"id":1}],"comments":[{}]}}`,
		`{"action":"created","issue":{"number":7,"pull_request":{}},"comment":{"id":1,"user":{"login":"a[bot]"},"body":"\u0000\ud800"},"repository":{"id":1}}`,
		`{"pull_request":{"number":"7","state":"merged"},"repository":{"id":1.5}}`,
		`{"PULL_REQUEST":{"Number":7},"repository":{"id":1},"repository":{"full_name":"x"}}`,
		`{"pull_request":{"head":{"repo":null,"repo":{"id":1}},"user":{"login":"a"},"user":null}}`,
		`{"a":"\x01"}`, `[]`, `null`, `1`, `"x"`, ``, `{"number":1e2}`, `{"number":99999999999999999999}`,
		`{"pull_request":{"updated_at":1557933565,"created_at":"2018-04-25 20:42:10","closed_at":{},"merged_at":false}}`,
	}
}

func TestUnmarshal_AgreesWithTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, body := range seedBodies() {
		checkAgainstStandard(t, []byte(body))
	}
	for _, body := range SeedBodies() {
		checkAgainstStandard(t, []byte(body))
	}
}

// FuzzDecode holds the reading against encoding/json, and the decoding against
// what the fold and the tables take.
func FuzzDecode(f *testing.F) {
	for _, body := range seedBodies() {
		f.Add("pull_request", []byte(body))
		f.Add("issue_comment", []byte(body))
	}
	for event, body := range SeedBodies() {
		f.Add(event, []byte(body))
	}
	f.Fuzz(func(t *testing.T, event string, body []byte) {
		checkAgainstStandard(t, body)
		record := schemas.Record{Key: "github.com:101#7", Event: event, Body: body}
		got, err := decode(record)
		if err != nil {
			return
		}
		checkEvent(t, record, got)
	})
}

// checkEvent checks that an event says one thing or why it says none, under the
// key of that thing, in texts that PostgreSQL takes.
func checkEvent(t *testing.T, record schemas.Record, got schemas.Event) {
	t.Helper()
	var keys []schemas.EntityKey // what the parts say the entity is
	if got.Ignored != "" {
		keys = append(keys, record.Key)
	}
	if s := got.PullRequest; s != nil {
		keys = append(keys, schemas.PullRequestKey(s.Instance, s.RepositoryID, s.Number))
		checkHead(t, s)
	}
	if got.Comment != nil {
		keys = append(keys, got.Comment.Parent)
		checkKey(t, got.Comment.Key)
	}
	if got.Review != nil || got.Thread != nil {
		keys = append(keys, got.Entity)
	}
	if s := got.Check; s != nil {
		keys = append(keys, schemas.CommitKey(s.Instance, s.RepositoryID, s.SHA))
	}
	if s := got.MergeGroup; s != nil {
		keys = append(keys, schemas.CommitKey(s.Instance, s.RepositoryID, s.SHA))
	}
	if s := got.Repository; s != nil {
		keys = append(keys, schemas.RepositoryKey(s.Instance, s.RepositoryID))
	}
	if len(keys) != 1 || keys[0] != got.Entity {
		t.Errorf("decode(%q) is of %q, and its parts of %q, want one part of that entity", record.Body, got.Entity, keys)
	}
	checkKey(t, got.Entity)
	got.Name = "" // the record's own
	checkTexts(t, reflect.ValueOf(got))
}

// checkHead checks that the head's commit is told where the head is.
func checkHead(t *testing.T, s *schemas.PullRequestSnapshot) {
	t.Helper()
	if s.HeadCommit.Known != s.HeadSHA.Known {
		t.Errorf("head %+v is of commit %+v", s.HeadSHA, s.HeadCommit)
	}
	if s.HeadCommit.Value != "" {
		checkKey(t, s.HeadCommit.Value)
	}
}

func checkKey(t *testing.T, key schemas.EntityKey) {
	t.Helper()
	if _, err := schemas.ParseKey(key); err != nil {
		t.Error(err)
	}
}

// checkTexts checks that PostgreSQL takes all texts of a value.
func checkTexts(t *testing.T, value reflect.Value) {
	t.Helper()
	switch value.Kind() {
	case reflect.String:
		if text := value.String(); payload.Clean(text) != text {
			t.Errorf("text %q is none that PostgreSQL takes", text)
		}
	case reflect.Pointer:
		if !value.IsNil() {
			checkTexts(t, value.Elem())
		}
	case reflect.Slice:
		for _, element := range value.Seq2() {
			checkTexts(t, element)
		}
	case reflect.Struct:
		if value.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for _, field := range value.Fields() {
			checkTexts(t, field)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"", ""}, {"plain é", "plain é"}, {"a\x00b\x00", "ab"}, {"a\xffb", "a\ufffdb"}, {"\xff\x00\xfe", "\ufffd\ufffd"}, {"\ufffd", "\ufffd"},
	} {
		if got := payload.Clean(test.text); got != test.want {
			t.Errorf("payload.Clean(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}
