package github

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
	Routing     routing
	PullRequest pullRequestPayload
	Comment     issueCommentPayload
	Class       [3]string
}

func readWith(body []byte, unmarshal func([]byte, any) error) reading {
	var got reading
	got.PullRequest.PullRequest = blankPullRequest()
	for i, into := range []any{&got.Routing, &got.PullRequest, &got.Comment} {
		got.Class[i] = classOf(payload.Unmarshal(body, into))
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
}

// FuzzDecode holds the reading against encoding/json, and the decoding against
// what the tables take.
func FuzzDecode(f *testing.F) {
	for _, body := range seedBodies() {
		f.Add("pull_request", []byte(body))
		f.Add("issue_comment", []byte(body))
	}
	f.Fuzz(func(t *testing.T, event string, body []byte) {
		checkAgainstStandard(t, body)
		got, err := decode(schemas.Record{Key: "github.com:101#7", Event: event, Body: body})
		if err != nil {
			return
		}
		set := 0
		if got.PullRequest != nil {
			set++
			checkTexts(t, got.PullRequest)
		}
		if got.Comment != nil {
			set++
		}
		if got.Ignored != "" {
			set++
		}
		if set != 1 {
			t.Errorf("decode(%q) = %+v, want exactly one of pull request, comment and ignored", body, got)
		}
		if _, err := schemas.ParseKey(got.Entity); err != nil {
			t.Error(err)
		}
	})
}

// checkTexts checks that PostgreSQL takes the texts.
func checkTexts(t *testing.T, s *schemas.PullRequestSnapshot) {
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
