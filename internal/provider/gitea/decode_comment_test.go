package gitea_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/gitea"
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// commentBody returns the payload of a comment on a pull request.
func commentBody(action, issue string) string {
	return `{"action":"` + action + `","issue":{"number":7` + issue + `},"comment":{"id":14030131450,` +
		`"html_url":"https://git.acme.com/acme/api/pulls/7#issuecomment-14030131450","user":{"login":"bob"},"body":"Why not?",` +
		`"created_at":"2026-01-01T19:20:00+09:00","updated_at":"2026-01-01T19:25:00+09:00"},` + repo + `,"sender":{"login":"ann"},"is_pull":true}`
}

func TestDecode_Comment(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"pull_request_comment", "issue_comment"} {
		for _, change := range []schemas.CommentChange{schemas.CommentCreated, schemas.CommentEdited, schemas.CommentDeleted} {
			want := schemas.Event{
				Entity: "git.acme.com:101#7", Source: "gitea", DeliveryID: "d-1", Provider: "gitea", Name: event,
				Action: string(change), Sender: schemas.Actor{Login: "ann"},
				Comment: &schemas.CommentSnapshot{
					Key: "git.acme.com:comment/14030131450", Kind: schemas.CommentConversation, Change: change,
					Parent: "git.acme.com:101#7", Author: schemas.Actor{Login: "bob"}, Body: schemas.Say("Why not?"),
					URL:       "https://git.acme.com/acme/api/pulls/7#issuecomment-14030131450",
					CreatedAt: schemas.Say(at("2026-01-01T10:20:00Z")), UpdatedAt: schemas.Say(at("2026-01-01T10:25:00Z")),
				},
			}
			if change == schemas.CommentDeleted {
				want.Comment.RemovedAt = schemas.Say(at("2026-01-01T10:30:00Z"))
			}
			got := decoded(t, event, commentBody(string(change), `,"updated_at":"2026-01-01T10:30:00Z"`))
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("Decode() of %s, %s (-got +want):\n%s", event, change, diff)
			}
		}
	}
}

func TestDecode_CommentRemovedAt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, issue, want string }{
		{"the issue's time", `,"updated_at":"2026-01-01T10:30:00Z"`, "2026-01-01 10:30:00 +0000 UTC"},
		{"the issue was read before", `,"updated_at":"2026-01-01T10:00:00Z"`, "2026-01-01 10:25:00 +0000 UTC"},
		{"not stated", ``, "unknown"},
	} {
		if got := field(decoded(t, "issue_comment", commentBody("deleted", test.issue)).Comment.RemovedAt); got != test.want {
			t.Errorf("%s: removed at %s, want %s", test.name, got, test.want)
		}
	}
}

// Old versions write the year 1 where a time is missing.
func TestDecode_CommentWithoutAClock(t *testing.T) {
	t.Parallel()
	body := `{"action":"created","issue":{"number":7,"pull_request":{}},"comment":{"id":1,"updated_at":"0001-01-01T00:00:00Z"},` + repo + `}`
	if got := field(decoded(t, "issue_comment", body).Comment.UpdatedAt); got != "unknown" {
		t.Errorf("updated at = %s, want unknown", got)
	}
}

func TestDecode_CommentErrors(t *testing.T) {
	t.Parallel()
	const comment = `{"action":"created","comment":{"id":1},"is_pull":true,`
	tests := []struct{ name, body, says string }{
		{"no repository", comment + `"issue":{"number":7}}`, "repository.id is missing"},
		{"no number", comment + `"issue":{},` + repo + `}`, "issue.number is missing"},
		{"number is negative", comment + `"issue":{"number":-7},` + repo + `}`, "issue.number is -7"},
		{"no id", `{"action":"created","is_pull":true,"comment":{},"issue":{"number":7},` + repo + `}`, "comment.id is missing"},
		{"id is a string", `{"comment":{"id":"1"},"issue":{"number":7},` + repo + `}`, "comment.id is a string"},
		{"comment is a string", `{"comment":"x","issue":{"number":7},` + repo + `}`, "comment is a string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, event := range []string{"issue_comment", "pull_request_comment"} {
				_, err := gitea.Provider{}.Decode(schemas.Record{Key: "git.acme.com:101#7", Event: event, Body: []byte(test.body)})
				if !errors.Is(err, payload.ErrPayload) || !strings.Contains(fmt.Sprint(err), test.says) {
					t.Errorf("Decode() of %s = %v, want an error that says %q", event, err, test.says)
				}
			}
		})
	}
}

func TestDecode_Ignored(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, event, body, says string }{
		{"push, which is the test delivery too", "push", `{"ref":"refs/heads/main",` + repo + `}`, "event push is not folded"},
		{"job of a workflow", "workflow_job", `{"action":"queued","workflow_job":{"head_sha":"` + sha + `"},` + repo + `}`, "event workflow_job is not folded"},
		{"Forgejo's actions", "action_run_success", `{"action":"success","run":{}}`, "event action_run_success is not folded"},
		{"from the future", "from_the_future", `{}`, "event from_the_future is not folded"},
		{"comment on an issue", "issue_comment", `{"action":"created","issue":{"number":7},"comment":{"id":1}}`, "comment on an issue, not a pull request"},
		{"other action of a comment", "issue_comment", `{"action":"pinned","issue":{"number":7},"is_pull":true,"comment":{"id":1},` + repo + `}`, "action pinned"},
		{"other action of a repository", "repository", `{"action":"starred",` + repo + `}`, "action starred"},
		{"repository without a name", "repository", `{"action":"created","repository":{"id":101}}`, "name of the repository"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := decoded(t, test.event, test.body)
			if !strings.Contains(got.Ignored, test.says) {
				t.Errorf("Decode() = %+v, want ignored that says %q", got, test.says)
			}
			if got.PullRequest != nil || got.Comment != nil || got.Review != nil || got.Check != nil || got.Repository != nil {
				t.Errorf("Decode() = %+v, want nothing to fold", got)
			}
		})
	}
}
