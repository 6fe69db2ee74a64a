package bitbucket

import (
	stdjson "encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// reading is one of the two readings that must agree: of one body into every
// struct, with goccy/go-json and with encoding/json.
type reading struct {
	CloudRouting    cloudRouting
	PullRequest     cloudPullRequestPayload
	Comment         cloudCommentPayload
	Status          statusPayload
	CloudRepository cloudRepositoryPayload
	DCRouting       dcRouting
	DCPullRequest   dcPullRequestPayload
	DCComment       dcCommentPayload
	DCRepository    dcRepositoryPayload
	Class           [9]string
}

func readWith(body []byte, unmarshal func([]byte, any) error) reading {
	var got reading
	got.PullRequest.PullRequest = blankCloudPullRequest()
	got.DCPullRequest.PullRequest = blankDCPullRequest()
	for i, into := range []any{
		&got.CloudRouting, &got.PullRequest, &got.Comment, &got.Status, &got.CloudRepository,
		&got.DCRouting, &got.DCPullRequest, &got.DCComment, &got.DCRepository,
	} {
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

func seedBodies() []string {
	return []string{
		`{"repository":{"uuid":"{1-a}","full_name":"acme/api"},"pullrequest":{"id":7,"title":"t","description":null,"state":"OPEN","author":null,"source":{"commit":{"hash":"aaaaaaaaaaaaaaaa"},"branch":{"name":"b"},"repository":null},"destination":{"commit":null},"merge_commit":null,"reviewers":[{"nickname":"a"},null],"participants":[{"user":{"uuid":"{b}"},"state":null}],"updated_on":"2015-04-06T15:23:38.205705+00:00"},"approval":{"date":"2015-04-06T16:34:59.195330+00:00","user":{"uuid":"{b}"}},"changes_request":{"user":{"uuid":"{b}"}}}`,
		`{"repository":{"uuid":"{1-a}"},"pullrequest":{"id":7},"comment":{"id":17,"parent":{"id":1},"inline":{"path":"x"},"content":{"raw":"\u0000\ud800"},"links":{"html":{"href":"u"}},"resolution":{"created_on":"2015-04-06T15:23:38.205705+00:00"}}}`,
		`{"repository":{"uuid":"{1-a}"},"commit_status":{"key":"K","state":"SUCCESSFUL","commit":{"hash":"bdf6fac0519ffd15"},"links":{"commit":{"href":"http://a/b"}}}}`,
		`{"repository":{"uuid":"{1-a}","full_name":"a/b","is_private":true},"changes":{"full_name":{"new":"a/c"}}}`,
		`{"eventKey":"pr:modified","date":"2019-03-01T10:08:35+0100","pullRequest":{"id":7,"version":2,"title":"t","state":"MERGED","updatedDate":1551366080055,"closedDate":null,"fromRef":{"latestCommit":"aa","repository":null},"toRef":{"id":"refs/heads/main","displayId":"main","repository":{"id":101,"slug":"api","project":{"key":"P"}}},"properties":{"mergeCommit":{"id":"cc"}}},"previousTitle":"x","previousTarget":{"id":"refs/heads/old"},"previousDraft":false,"participant":{"user":{"name":"dee"},"lastReviewedCommit":"aa"},"addedReviewers":[{"name":"dee"},null]}`,
		`{"pullRequest":{"id":7,"toRef":{"repository":{"id":101}}},"comment":{"id":1,"anchor":{},"text":"t","author":{"name":"a"}}}`,
		`{"new":{"id":101,"slug":"api","public":true,"project":{"key":"P"}}}`,
		`{"pullrequest":{"id":"7","state":7},"pullRequest":{"id":1.5},"repository":7}`,
		`{"repository":{"uuid":"{1}"},"repository":{"full_name":"x"}}`,
		`{"pullRequest":{"fromRef":{"repository":null,"repository":{"id":1}},"author":{"user":{"name":"a"}},"author":null}}`,
		`{"a":"\x01"}`, `[]`, `null`, `1`, `"x"`, ``, `{"test":true}`, `{"pullrequest":{"id":99999999999999999999}}`,
	}
}

func seedKeys() []string {
	return []string{
		"pullrequest:created", "pullrequest:approved", "pullrequest:changes_request_removed", "pullrequest:comment_created", "pullrequest:comment_resolved",
		"repo:commit_status_created", "repo:updated", "pr:modified", "pr:deleted", "pr:reviewer:approved", "pr:reviewer:updated", "pr:comment:deleted", "repo:modified",
	}
}

func checkAgainstStandard(t *testing.T, body []byte) {
	t.Helper()
	got, want := readWith(body, payload.Unmarshal), readWith(body, stdjson.Unmarshal)
	if diff := cmp.Diff(got, want, cmp.AllowUnexported(commitStatus{}), cmp.Comparer(sameError)); diff != "" {
		t.Errorf("goccy and encoding/json read %q differently (-goccy +standard):\n%s", body, diff)
	}
}

func sameError(a, b error) bool { return (a == nil) == (b == nil) }

func TestUnmarshal_AgreesWithTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, body := range seedBodies() {
		checkAgainstStandard(t, []byte(body))
	}
}

// FuzzDecode holds the reading against encoding/json, and the decoding against
// what the fold and the tables take.
func FuzzDecode(f *testing.F) {
	for _, key := range seedKeys() {
		for _, body := range seedBodies() {
			f.Add(key, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, key string, body []byte) {
		checkAgainstStandard(t, body)
		record := schemas.Record{Key: "bitbucket.org", Body: body}
		record.Event, record.Action, _ = strings.Cut(key, ":")
		got, err := decode(record)
		if err != nil {
			return
		}
		if _, err := schemas.ParseKey(got.Entity); err != nil {
			t.Error(err)
		}
		if (got.Ignored == "") == (parts(got) == 0) {
			t.Errorf("decode(%q) = %+v, want something that is folded or a reason why not", body, got)
		}
		if pr := got.PullRequest; pr != nil {
			checkSnapshot(t, got.Entity, pr)
		}
	})
}

func parts(event schemas.Event) int {
	count := 0
	for _, there := range []bool{
		event.PullRequest != nil, event.Comment != nil, event.Thread != nil, event.Review != nil, event.Check != nil, event.Repository != nil,
	} {
		if there {
			count++
		}
	}
	return count
}

// checkSnapshot checks that the keys of a snapshot agree, and that PostgreSQL
// takes its texts.
func checkSnapshot(t *testing.T, entity schemas.EntityKey, s *schemas.PullRequestSnapshot) {
	t.Helper()
	if want := schemas.PullRequestKey(s.Instance, s.RepositoryID, s.Number); entity != want {
		t.Errorf("entity %q, but the snapshot is of %q", entity, want)
	}
	if s.HeadCommit.Known != s.HeadSHA.Known {
		t.Errorf("head %v, head commit %v: want both or neither", s.HeadSHA, s.HeadCommit)
	}
	if s.HeadCommit.Known {
		parsed, err := schemas.ParseKey(s.HeadCommit.Value)
		if err != nil || parsed.Kind != schemas.KeyCommit || parsed.SHA != s.HeadSHA.Value {
			t.Errorf("head commit %q of head %q: %+v, %v", s.HeadCommit.Value, s.HeadSHA.Value, parsed, err)
		}
	}
	texts := append([]string{
		s.Title.Value, s.Body.Value, s.Author.Value.Login, s.HeadRef.Value, s.BaseRef.Value, s.BaseSHA.Value,
		s.MergeCommitSHA.Value, s.Repository, s.Touched,
	}, s.RequestedReviewers.Value...)
	for _, text := range texts {
		if payload.Clean(text) != text {
			t.Errorf("text %q is none that PostgreSQL takes", text)
		}
	}
}
