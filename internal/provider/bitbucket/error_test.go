package bitbucket_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pawl/internal/provider/bitbucket"
	"pawl/internal/provider/payload"
)

func TestDecode_ErrorNamesTheField(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, key, body, says string }{
		{"not an object", "pullrequest:created", `[]`, "pullrequest:created: it is a array, want an object"},
		{"no repository", "pullrequest:created", `{"pullrequest":{"id":7}}`, "repository.uuid is missing"},
		{"uuid is none", "pullrequest:created", `{"pullrequest":{"id":7},"repository":{"uuid":"{a#1}"}}`, `repository.uuid is "{a#1}", want a UUID`},
		{"no number", "pullrequest:updated", `{` + repo + `}`, "pullrequest.id is missing"},
		{"negative number", "pullrequest:updated", `{"pullrequest":{"id":-7},` + repo + `}`, "pullrequest.id is -7, want a positive number"},
		{"number is a string", "pullrequest:updated", `{"pullrequest":{"id":"7"},` + repo + `}`, "id is a string, want a whole number"},
		{"unknown state", "pullrequest:updated", cloud(`,"state":"LIMBO"`), `pullrequest.state is "LIMBO", want OPEN, MERGED, DECLINED or SUPERSEDED`},
		{"description is a number", "pullrequest:updated", cloud(`,"description":7`), "pullrequest.description is not a string"},
		{"head is no commit", "pullrequest:updated", cloud(`,"source":{"commit":{"hash":"a b"}}`), `pullrequest.source.commit.hash is "a b", want a commit`},
		{"base is no commit", "pullrequest:updated", cloud(`,"destination":{"commit":{"hash":"a#b"}}`), `pullrequest.destination.commit.hash is "a#b"`},
		{"fork's uuid is none", "pullrequest:updated", cloud(`,"source":{"repository":{"uuid":"x y"}}`), `pullrequest.source.repository.uuid is "x y"`},
		{"approval of nobody", "pullrequest:approved", cloud(``), "approval.user is missing"},
		{"request of nobody", "pullrequest:changes_request_created", cloudWith(``, `,"changes_request":{"user":{}}`), "changes_request.user is missing"},
		{"comment without an id", "pullrequest:comment_created", cloudWith(``, `,"comment":{}`), "comment.id is missing"},
		{"comment on nothing", "pullrequest:comment_created", `{"comment":{"id":1},` + repo + `}`, "pullrequest.id is missing"},
		{"comment not readable", "pullrequest:comment_created", cloudWith(``, `,"comment":7`), "comment is a number"},
		{"status without a commit", "repo:commit_status_created", `{` + repo + `,"commit_status":{"key":"k"}}`, "commit_status.commit.hash is missing"},
		{"status whose commit is none", "repo:commit_status_created", `{` + repo + `,"commit_status":{"key":"k","commit":{"hash":"a b"}}}`, `commit_status.commit.hash is "a b"`},
		{"status without a key", "repo:commit_status_created", `{` + repo + `,"commit_status":{"commit":{"hash":"aa"}}}`, "commit_status.key is missing"},
		{"status of no repository", "repo:commit_status_created", `{"commit_status":{"key":"k","commit":{"hash":"aa"}}}`, "repository.uuid is missing"},
		{"status not readable", "repo:commit_status_created", `{` + repo + `,"commit_status":[]}`, "commit_status is a array"},
		{"no repository to rename", "repo:updated", `{}`, "repository.uuid is missing"},
		{"rename not readable", "repo:updated", `7`, "it is a number, want an object"},
		{"data center: no target", "pr:opened", `{"pullRequest":{"id":7}}`, "pullRequest.toRef.repository.id is missing"},
		{"data center: target null", "pr:opened", `{"pullRequest":{"id":7,"toRef":{"repository":null}}}`, "pullRequest.toRef.repository.id is missing"},
		{"data center: no number", "pr:opened", `{"pullRequest":{` + toRef + `}}`, "pullRequest.id is missing"},
		{"data center: negative repository", "pr:opened", `{"pullRequest":{"id":7,"toRef":{"repository":{"id":-1}}}}`, "pullRequest.toRef.repository.id is -1"},
		{"data center: unknown state", "pr:opened", dataCenter(`,"state":"LIMBO"`), `pullRequest.state is "LIMBO"`},
		{"data center: description is a number", "pr:opened", dataCenter(`,"description":7`), "pullRequest.description is not a string"},
		{"data center: previous description is a number", "pr:modified", dataCenterWith(``, `,"previousDescription":7`), "previousDescription is not a string"},
		{"data center: head is no commit", "pr:opened", dataCenter(`,"fromRef":{"latestCommit":"a b"}`), `pullRequest.fromRef.latestCommit is "a b"`},
		{"data center: negative fork", "pr:opened", dataCenter(`,"fromRef":{"repository":{"id":-2}}`), "pullRequest.fromRef.repository.id is -2"},
		{"data center: verdict of nobody", "pr:reviewer:approved", dataCenter(``), "participant.user.name is missing"},
		{"data center: comment without an id", "pr:comment:added", dataCenterWith(``, `,"comment":{}`), "comment.id is missing"},
		{"data center: comment on nothing", "pr:comment:added", `{"comment":{"id":1}}`, "pullRequest.toRef.repository.id is missing"},
		{"data center: comment not readable", "pr:comment:added", `7`, "pr:comment:added: it is a number"},
		{"data center: rename of nothing", "repo:modified", `{}`, "new.id is missing"},
		{"data center: rename not readable", "repo:modified", `{"new":7}`, "new is a number"},
		{"data center: not readable", "pr:opened", `{"pullRequest":7}`, "pullRequest is a number"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := bitbucket.Provider{}.Decode(sealed(t, test.key, test.body))
			if !errors.Is(err, payload.ErrPayload) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("Decode() = %v, want one that says %q", err, test.says)
			}
		})
	}
}

// A record of another producer may hold what Seal would have refused.
func TestDecode_NotJSON(t *testing.T) {
	t.Parallel()
	record := sealed(t, "pr:opened", dataCenter(``))
	record.Body = []byte(`{"pullRequest":`)
	_, err := bitbucket.Provider{}.Decode(record)
	if !errors.Is(err, payload.ErrPayload) || !strings.Contains(fmt.Sprint(err), "not JSON") {
		t.Errorf("Decode() = %v, want that it is not JSON", err)
	}
}
