package github_test

import (
	"errors"
	"strings"
	"testing"

	"pawl/internal/provider/github"
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// TestDecode_ErrorOfEachEvent has what makes a dead letter of the events other
// than pull_request.
func TestDecode_ErrorOfEachEvent(t *testing.T) {
	t.Parallel()
	const (
		repo        = `,"repository":{"id":101}}`
		pullRequest = `,"pull_request":{"number":7}`
		review      = `"review":{"id":1,"state":"approved"}`
		thread      = `"thread":{"comments":[{"id":1}]}`
	)
	tests := []struct{ name, event, body, says string }{
		{"review without an id", "pull_request_review", `{"action":"submitted","review":{"state":"approved"}` + pullRequest + repo, "review.id is missing"},
		{"review with an id below zero", "pull_request_review", `{"action":"submitted","review":{"id":-1,"state":"approved"}` + pullRequest + repo, "review.id is -1, want a positive number"},
		{"review without a state", "pull_request_review", `{"action":"edited","review":{"id":1}` + pullRequest + repo, "review.state is missing"},
		{"review in a state that is none", "pull_request_review", `{"action":"edited","review":{"id":1,"state":"liked"}` + pullRequest + repo, `review.state is "liked"`},
		{"review whose text is a number", "pull_request_review", `{"action":"edited","review":{"id":1,"state":"approved","body":1}` + pullRequest + repo, "review.body is not a string"},
		{"review whose id is a string", "pull_request_review", `{"action":"edited","review":{"id":"1"}` + pullRequest + repo, "review.id is a string, want a whole number"},
		{"review of no pull request", "pull_request_review", `{"action":"submitted",` + review + repo, "pull_request.number is missing"},
		{"review of no repository", "pull_request_review", `{"action":"submitted",` + review + pullRequest + `}`, "repository.id is missing"},
		{"review comment without an id", "pull_request_review_comment", `{"action":"created"` + pullRequest + repo, "comment.id is missing"},
		{"review comment of no pull request", "pull_request_review_comment", `{"action":"created","comment":{"id":1}` + repo, "pull_request.number is missing"},
		{"answer to a string", "pull_request_review_comment", `{"action":"created","comment":{"id":1,"in_reply_to_id":"2"}` + pullRequest + repo, "comment.in_reply_to_id is a string"},
		{"thread without an id", "pull_request_review_thread", `{"action":"resolved","thread":{}` + pullRequest + repo, "thread.comments and thread.node_id are missing"},
		{"thread of no pull request", "pull_request_review_thread", `{"action":"resolved",` + thread + repo, "pull_request.number is missing"},
		{"comments that are no list", "pull_request_review_thread", `{"action":"resolved","thread":{"comments":{}}` + pullRequest + repo, "thread.comments"},
		{"check run without a commit", "check_run", `{"check_run":{"name":"ci"}` + repo, "check_run.head_sha is missing"},
		{"check run of what is no commit", "check_run", `{"check_run":{"name":"ci","head_sha":"a b"}` + repo, `check_run.head_sha is "a b"`},
		{"check run without a name", "check_run", `{"check_run":{"head_sha":"aaaa"}` + repo, "check_run.name is missing"},
		{"check run named by a NUL", "check_run", `{"check_run":{"head_sha":"aaaa","name":"\u0000"}` + repo, "check_run.name is missing"},
		{"check run of no repository", "check_run", `{"check_run":{"head_sha":"aaaa","name":"ci"}}`, "repository.id is missing"},
		{"check run whose id is a string", "check_run", `{"check_run":{"id":"1"}` + repo, "check_run.id is a string"},
		{"check suite without a commit", "check_suite", `{"check_suite":{}` + repo, "check_suite.head_sha is missing"},
		{"workflow run without a commit", "workflow_run", `{"workflow_run":{"name":"ci"}` + repo, "workflow_run.head_sha is missing"},
		{"workflow run without a name", "workflow_run", `{"workflow_run":{"head_sha":"aaaa"}` + repo, "workflow_run.name is missing"},
		{"status without a commit", "status", `{"context":"ci","state":"success"` + repo, "sha is missing"},
		{"status without a context", "status", `{"sha":"aaaa","state":"success"` + repo, "context is missing"},
		{"status without a state", "status", `{"sha":"aaaa","context":"ci"` + repo, "state is missing"},
		{"merge group without a commit", "merge_group", `{"action":"destroyed","merge_group":{}` + repo, "merge_group.head_sha is missing"},
		{"repository without an id", "repository", `{"action":"renamed","repository":{"full_name":"acme/api"}}`, "repository.id is missing"},
		{"repository without a name", "repository", `{"action":"renamed"` + repo, "repository.full_name is missing"},
		{"repository private by a string", "repository", `{"action":"renamed","repository":{"id":101,"private":"yes"}}`, "repository.private is a string"},
		{"reason that is an object", "pull_request", `{"action":"dequeued","number":7,"reason":{}` + repo, "reason is a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := github.Provider{}.Decode(schemas.Record{Key: "github.com:101", Event: test.event, Body: []byte(test.body)})
			if !errors.Is(err, payload.ErrPayload) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("Decode() = %v, want an error that says %q", err, test.says)
			}
			if _, err := (github.Provider{}).Seal(delivery(test.event, test.body)); err != nil {
				t.Errorf("Seal() = %v, want a record: GitHub does not send it again", err)
			}
		})
	}
}
