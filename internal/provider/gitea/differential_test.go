package gitea

import (
	stdjson "encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// reading is one of the two readings that must agree: of the body of a record
// with goccy/go-json, and with encoding/json.
type reading struct {
	Routing     routing
	PullRequest pullRequestPayload
	Comment     commentPayload
	Status      statusPayload
	WorkflowRun workflowRunPayload
	Repository  repositoryPayload
	Class       [6]string
}

func readWith(body []byte, unmarshal func([]byte, any) error) reading {
	got := reading{PullRequest: blankPayload()}
	for i, into := range []any{&got.Routing, &got.PullRequest, &got.Comment, &got.Status, &got.WorkflowRun, &got.Repository} {
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
	sameError := cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) })
	if diff := cmp.Diff(got, want, cmp.AllowUnexported(payload.Nullable{}, payload.Moment{}), sameError); diff != "" {
		t.Errorf("goccy and encoding/json read %q differently (-goccy +standard):\n%s", body, diff)
	}
}

func seedBodies() []string {
	return []string{
		`{"action":"label_updated","number":7,"repository":{"id":101,"full_name":"acme/api"},"pull_request":{"number":7,"title":"t","body":null,"user":null,"head":{"repo":null,"repo_id":-1,"sha":"a","label":"l","ref":"refs/pull/7/head"},"labels":[{"name":"b"},null],"assignees":null,"requested_reviewers":[],"milestone":null,"updated_at":"2026-01-01T00:00:00+09:00","merged_at":null}}`,
		`{"action":"reviewed","pull_request":{"number":7,"state":"open","updated_at":"2026-01-01T00:00:00Z"},"review":{"type":"pull_request_review_approved","content":null},"sender":{"login":"a"},"repository":{"id":1}}`,
		`{"action":"deleted","issue":{"number":7,"pull_request":{},"updated_at":"2026-01-01T00:00:00Z"},"comment":{"id":1,"user":{"login":"a"},"body":"\u0000\ud800"},"is_pull":true,"repository":{"id":1}}`,
		`{"id":1,"sha":"6dcb09b","context":"C","state":"warning","created_at":1557933565,"repository":{"id":1}}`,
		`{"action":"completed","workflow":null,"workflow_run":{"id":1,"head_sha":"6dcb09b","path":"a.yml@r","run_attempt":-1,"started_at":"1970-01-01T00:00:00Z"},"repository":{"id":1}}`,
		`{"action":"renamed","repository":{"id":1,"full_name":"a/b","private":null,"updated_at":"x"}}`,
		`{"pull_request":{"number":"7","state":"merged"},"repository":{"id":1.5}}`,
		`{"PULL_REQUEST":{"Number":7},"repository":{"id":1},"repository":{"full_name":"x"}}`,
		`{"pull_request":{"head":{"repo":null,"repo":{"id":1}},"labels":null,"labels":[{"name":"a"}],"user":{"login":"a"},"user":null}}`,
		`{"pull_request":null,"pull_request":{"number":1},"number":1,"repository":{"id":1}}`,
		`{"a":"\x01"}`, `[]`, `null`, `1`, `"x"`, ``, `{"number":1e2}`, `{"number":99999999999999999999}`,
	}
}

func TestUnmarshal_AgreesWithTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, body := range seedBodies() {
		checkAgainstStandard(t, []byte(body))
	}
}

// FuzzDecode holds the reading against encoding/json, and what is decoded
// against what the fold takes.
func FuzzDecode(f *testing.F) {
	for _, body := range seedBodies() {
		for _, event := range []string{eventPullRequest, "pull_request_comment", eventIssueComment, eventStatus, eventWorkflowRun, eventRepository} {
			f.Add(event, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, event string, body []byte) {
		checkAgainstStandard(t, body)
		got, err := decode(schemas.Record{Key: "git.acme.com:101#7", Event: event, Body: body})
		if err != nil {
			return
		}
		checkDecoded(t, got)
	})
}

func checkDecoded(t *testing.T, got schemas.Event) {
	t.Helper()
	parsed, err := schemas.ParseKey(got.Entity)
	if err != nil {
		t.Fatal(err)
	}
	folds := got.PullRequest != nil || got.Comment != nil || got.Review != nil || got.Check != nil || got.Repository != nil
	if folds == (got.Ignored != "") {
		t.Errorf("%+v, want either something to fold or a reason", got)
	}
	if (got.PullRequest != nil || got.Comment != nil || got.Review != nil) && parsed.Kind != schemas.KeyPullRequest ||
		got.Check != nil && parsed.Kind != schemas.KeyCommit || got.Repository != nil && parsed.Kind != schemas.KeyRepository {
		t.Errorf("entity %s is not of what is folded: %+v", got.Entity, got)
	}
	if pr := got.PullRequest; pr != nil {
		checkSnapshot(t, pr)
	}
	if comment := got.Comment; comment != nil && comment.Parent != got.Entity {
		t.Errorf("comment on %s under %s", comment.Parent, got.Entity)
	}
}

func checkSnapshot(t *testing.T, s *schemas.PullRequestSnapshot) {
	t.Helper()
	texts := append([]string{
		s.Title.Value, s.Body.Value, s.Author.Value.Login, s.HeadSHA.Value, s.HeadRef.Value, s.BaseRef.Value,
		s.BaseSHA.Value, s.Milestone.Value, s.MergeCommitSHA.Value, s.Repository, s.Touched,
	}, s.Labels.Value...)
	for _, text := range texts {
		if payload.Clean(text) != text {
			t.Errorf("text %q is none that PostgreSQL takes", text)
		}
	}
	if s.HeadSHA.Known != s.HeadCommit.Known {
		t.Errorf("head %v has the commit %v", s.HeadSHA, s.HeadCommit)
	}
}

// What cannot be read to its end may hide a secret behind it.
func TestWithoutSecret_RefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"secret":"s`, `{"a":"\u0073",}`, `{"secret":1}}`, `{"a":"\u007"}`} {
		if got, err := withoutSecret([]byte(body)); !errors.Is(err, webhook.ErrBody) {
			t.Errorf("withoutSecret(%s) = %s, %v, want %v", body, got, err, webhook.ErrBody)
		}
	}
}
