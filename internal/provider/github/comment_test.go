package github_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/github"
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

func TestDecode_Comment(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile(filepath.Join("testdata", "issue_comment.json"))
	if err != nil {
		t.Fatal(err)
	}
	record, err := github.Provider{}.Seal(delivery("issue_comment", string(body)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := github.Provider{}.Decode(record)
	if err != nil {
		t.Fatal(err)
	}
	want := schemas.Event{
		Entity: "github.com:101#7", Source: "github", DeliveryID: "d-1", Provider: "github", Name: "issue_comment",
		Action: "created", Sender: schemas.Actor{Login: "ann"},
		Comment: &schemas.CommentSnapshot{
			Key: "github.com:comment/14030131450", Kind: schemas.CommentConversation, Change: schemas.CommentCreated, Parent: "github.com:101#7",
			Author: schemas.Actor{Login: "ann"}, Body: schemas.Say("Why not?"),
			URL:       "https://github.com/acme/api/pull/7#issuecomment-14030131450",
			CreatedAt: schemas.Say(at("2026-01-01T10:30:00Z")), UpdatedAt: schemas.Say(at("2026-01-01T10:30:00Z")),
		},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

func TestDecode_CommentErrors(t *testing.T) {
	t.Parallel()
	const comment = `"action":"created","comment":{"id":1}`
	tests := []struct{ name, body, says string }{
		{"no repository", `{` + comment + `,"issue":{"number":7,"pull_request":{}}}`, "repository.id is missing"},
		{"no number", `{` + comment + `,"issue":{"pull_request":{}},"repository":{"id":101}}`, "issue.number is missing"},
		{"no id", `{"action":"created","issue":{"number":7,"pull_request":{}},"repository":{"id":101}}`, "comment.id is missing"},
		{"id is a string", `{"comment":{"id":"1"},"issue":{"number":7,"pull_request":{}},"repository":{"id":101}}`, "comment.id is a string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := github.Provider{}.Decode(schemas.Record{Key: "github.com:101#7", Event: "issue_comment", Body: []byte(test.body)})
			if !errors.Is(err, payload.ErrPayload) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("Decode() = %v, want an error that says %q", err, test.says)
			}
		})
	}
}

func TestDecode_GhostWroteTheComment(t *testing.T) {
	t.Parallel()
	event, err := github.Provider{}.Decode(schemas.Record{
		Key: "github.com:101#7", Event: "issue_comment",
		Body: []byte(`{"action":"deleted","comment":{"id":1,"user":null,"body":null},"issue":{"number":7,"pull_request":{}},"repository":{"id":101},"sender":null}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &schemas.CommentSnapshot{Key: "github.com:comment/1", Kind: schemas.CommentConversation, Change: schemas.CommentDeleted, Parent: "github.com:101#7"}
	if diff := cmp.Diff(event.Comment, want); diff != "" {
		t.Errorf("comment (-got +want):\n%s", diff)
	}
}

func TestDecode_CommentRemoved(t *testing.T) {
	t.Parallel()
	const comment = `"comment":{"id":1,"updated_at":"2026-01-01T10:00:00Z"},"repository":{"id":101}}`
	tests := []struct {
		name, event, body string
		want              schemas.CommentSnapshot
	}{
		{
			"of the conversation", "issue_comment",
			`{"action":"deleted","issue":{"number":7,"pull_request":{},"updated_at":"2026-01-01T11:00:00Z"},` + comment,
			schemas.CommentSnapshot{
				Key: "github.com:comment/1", Kind: schemas.CommentConversation, Change: schemas.CommentDeleted,
				RemovedAt: schemas.Say(at("2026-01-01T11:00:00Z")),
			},
		},
		{
			"edited says nothing of a removal", "issue_comment",
			`{"action":"edited","issue":{"number":7,"pull_request":{},"updated_at":"2026-01-01T11:00:00Z"},` + comment,
			schemas.CommentSnapshot{Key: "github.com:comment/1", Kind: schemas.CommentConversation, Change: schemas.CommentEdited},
		},
		{
			"when is not told", "issue_comment",
			`{"action":"deleted","issue":{"number":7,"pull_request":{}},` + comment,
			schemas.CommentSnapshot{Key: "github.com:comment/1", Kind: schemas.CommentConversation, Change: schemas.CommentDeleted},
		},
		{
			"of a review", "pull_request_review_comment",
			`{"action":"deleted","pull_request":{"number":7,"updated_at":"2026-01-01T11:00:00Z"},` + comment,
			schemas.CommentSnapshot{
				Key: "github.com:comment/review-1", Kind: schemas.CommentReview, Thread: "1", Change: schemas.CommentDeleted,
				RemovedAt: schemas.Say(at("2026-01-01T11:00:00Z")),
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.want.Parent = "github.com:101#7"
			test.want.UpdatedAt = schemas.Say(at("2026-01-01T10:00:00Z"))
			if diff := cmp.Diff(decodeEvent(t, test.event, test.body).Comment, &test.want); diff != "" {
				t.Errorf("comment (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecode_ReviewComment(t *testing.T) {
	t.Parallel()
	got := decodeEvent(t, "pull_request_review_comment", `{"action":"created","comment":{"id":22,"in_reply_to_id":21,
		"user":{"login":"ann"},"body":"Why not?","html_url":"https://github.com/acme/api/pull/7#discussion_r22",
		"created_at":"2026-01-01T10:30:00Z","updated_at":"2026-01-01T10:31:00Z"},
		"pull_request":{"number":7,"state":"open","updated_at":"2026-01-01T10:31:00Z"},
		"repository":{"id":101,"full_name":"acme/api"},"sender":{"login":"ann"}}`)
	want := schemas.Event{
		Entity: "github.com:101#7", Source: "github", DeliveryID: "d-1", Provider: "github", Name: "pull_request_review_comment",
		Action: "created", Sender: schemas.Actor{Login: "ann"},
		Comment: &schemas.CommentSnapshot{
			Key: "github.com:comment/review-22", Kind: schemas.CommentReview, Change: schemas.CommentCreated,
			Parent: "github.com:101#7", Thread: "21", Author: schemas.Actor{Login: "ann"}, Body: schemas.Say("Why not?"),
			URL:       "https://github.com/acme/api/pull/7#discussion_r22",
			CreatedAt: schemas.Say(at("2026-01-01T10:30:00Z")), UpdatedAt: schemas.Say(at("2026-01-01T10:31:00Z")),
		},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}
