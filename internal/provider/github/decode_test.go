package github_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/github"
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

func TestDecode_PullRequest(t *testing.T) {
	t.Parallel()
	got, _ := decodeSnapshot(t, string(fullBody(t)))
	want := schemas.Event{
		Entity: "github.com:101#7", Source: "github", DeliveryID: "d-1", Provider: "github", Name: "pull_request",
		Action: "labeled", Sender: schemas.Actor{Login: "renovate[bot]", IsBot: true},
		PullRequest: &schemas.PullRequestSnapshot{
			Instance: "github.com", RepositoryID: "101", Repository: "acme/api", Number: 7,
			UpdatedAt:          schemas.Say(at("2026-01-01T10:20:33Z")),
			Title:              schemas.Say("Keep the watermark"),
			Body:               schemas.Say("It must not go back.\n\nCloses #3."),
			Author:             schemas.Say(schemas.Actor{Login: "bea"}),
			State:              schemas.Say("open"),
			Merged:             schemas.Say(false),
			Draft:              schemas.Say(false),
			Locked:             schemas.Say(false),
			HeadSHA:            schemas.Say(strings.Repeat("a", 40)),
			HeadRef:            schemas.Say("watermark"),
			HeadRepositoryID:   schemas.Say("202"),
			HeadCommit:         schemas.Say(schemas.EntityKey("github.com:101@" + strings.Repeat("a", 40))),
			BaseRef:            schemas.Say("main"),
			BaseSHA:            schemas.Say(strings.Repeat("b", 40)),
			Labels:             schemas.Say([]string{"automerge", "fix"}),
			Milestone:          schemas.Say("1.0"),
			RequestedReviewers: schemas.Say([]string{"ann", "dee"}),
			Assignees:          schemas.Say([]string{"cy"}),
			AutoMerge:          schemas.Say(false),
			MergeCommitSHA:     schemas.Say(strings.Repeat("c", 40)),
			Comments:           schemas.Say[int64](1),
			ReviewComments:     schemas.Say[int64](2),
			Commits:            schemas.Say[int64](3),
			Additions:          schemas.Say[int64](40),
			Deletions:          schemas.Say[int64](5),
			ChangedFiles:       schemas.Say[int64](6),
			CreatedAt:          schemas.Say(at("2026-01-01T10:00:00Z")),
			ClosedAt:           schemas.Say(time.Time{}),
			MergedAt:           schemas.Say(time.Time{}),
			Change:             "labeled",
			Touched:            "automerge",
		},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

// Absent is not zero: a payload that says nothing states nothing.
func TestDecode_AbsentIsNotStated(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		minimal(``),
		minimal(`,"user":{},"milestone":{},"head":{"repo":{}},"base":{}`),
		minimal(`,"title":"","head":{"sha":"","ref":""},"base":{"sha":"","ref":""}`),
		minimal(`,"title":null,"state":null,"merged":null,"draft":null,"updated_at":null,"labels":null,"head":null,"comments":null`),
		`{"number":7,"repository":{"id":101,"full_name":"acme/api"}}`,
	} {
		event, got := decodeSnapshot(t, body)
		want := &schemas.PullRequestSnapshot{Instance: "github.com", RepositoryID: "101", Repository: "acme/api", Number: 7}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("Decode(%s) (-got +want):\n%s", body, diff)
		}
		if event.Action != "" || event.Sender != (schemas.Actor{}) {
			t.Errorf("action %q and sender %v, want none", event.Action, event.Sender)
		}
	}
}

// field is one field of a snapshot, for a table.
func field[T any](stated schemas.Stated[T]) string {
	if !stated.Known {
		return "unknown"
	}
	return fmt.Sprintf("%v", stated.Value)
}

func TestDecode_Fields(t *testing.T) {
	t.Parallel()
	const zero = "0001-01-01 00:00:00 +0000 UTC"
	type snapshot = *schemas.PullRequestSnapshot
	tests := []struct {
		name   string
		fields string
		get    func(s snapshot) string
		want   string
	}{
		{"body null is empty", `"body":null`, func(s snapshot) string { return field(s.Body) }, ""},
		{"body empty", `"body":""`, func(s snapshot) string { return field(s.Body) }, ""},
		{"body absent", `"title":"t"`, func(s snapshot) string { return field(s.Body) }, "unknown"},
		{"body with escapes", `"body":"a\n\u00e9\ud83d\ude00"`, func(s snapshot) string { return field(s.Body) }, "a\né😀"},
		{"NUL is dropped", `"title":"a\u0000b"`, func(s snapshot) string { return field(s.Title) }, "ab"},
		{"NUL in body is dropped", `"body":"\u0000"`, func(s snapshot) string { return field(s.Body) }, ""},
		{"half a surrogate", `"title":"a\ud800b"`, func(s snapshot) string { return field(s.Title) }, "a\ufffdb"},
		{"bytes that are not UTF-8", "\"title\":\"a\xff\xfeb\"", func(s snapshot) string { return field(s.Title) }, "a\ufffd\ufffdb"},
		{"ghost", `"user":null`, func(s snapshot) string { return field(s.Author) }, "{ false}"},
		{"person", `"user":{"login":"ann","type":"User"}`, func(s snapshot) string { return field(s.Author) }, "{ann false}"},
		{"bot by type", `"user":{"login":"ci","type":"Bot"}`, func(s snapshot) string { return field(s.Author) }, "{ci true}"},
		{"bot by name", `"user":{"login":"dependabot[bot]"}`, func(s snapshot) string { return field(s.Author) }, "{dependabot[bot] true}"},
		{"fork deleted", `"head":{"repo":null,"sha":"aaaa"}`, func(s snapshot) string { return field(s.HeadRepositoryID) + "|" + field(s.HeadSHA) }, "|aaaa"},
		{"fork", `"head":{"repo":{"id":202}}`, func(s snapshot) string { return field(s.HeadRepositoryID) }, "202"},
		{"merged true", `"merged":true`, func(s snapshot) string { return field(s.Merged) }, "true"},
		{"merged false", `"merged":false`, func(s snapshot) string { return field(s.Merged) }, "false"},
		{"merged absent, merged_at null", `"merged_at":null`, func(s snapshot) string { return field(s.Merged) + field(s.MergedAt) }, "false" + zero},
		{"merged absent, merged_at set", `"merged_at":"2026-01-01T00:00:00Z"`, func(s snapshot) string { return field(s.Merged) }, "true"},
		{"merged false, merged_at set", `"merged":false,"merged_at":"2026-01-01T00:00:00Z"`, func(s snapshot) string { return field(s.Merged) }, "true"},
		{"merged true, merged_at null", `"merged":true,"merged_at":null`, func(s snapshot) string { return field(s.Merged) }, "true"},
		{"merged null, merged_at absent", `"merged":null`, func(s snapshot) string { return field(s.Merged) }, "unknown"},
		{"merged_at unreadable", `"merged_at":"lately"`, func(s snapshot) string { return field(s.Merged) + field(s.MergedAt) }, "trueunknown"},
		{"labels sorted, once", `"labels":[{"name":"b"},{"name":"a"},{"name":"b"}]`, func(s snapshot) string { return field(s.Labels) }, "[a b]"},
		{"labels empty", `"labels":[]`, func(s snapshot) string { return field(s.Labels) }, "[]"},
		{"labels null", `"labels":null`, func(s snapshot) string { return field(s.Labels) }, "unknown"},
		{"label null or nameless", `"labels":[null,{},{"name":"a"}]`, func(s snapshot) string { return field(s.Labels) }, "[a]"},
		{"labels equal without NUL", `"labels":[{"name":"a\u0000"},{"name":"a"}]`, func(s snapshot) string { return field(s.Labels) }, "[a]"},
		{"reviewers sorted", `"requested_reviewers":[{"login":"b"},{"login":"a"}]`, func(s snapshot) string { return field(s.RequestedReviewers) }, "[a b]"},
		{"assignees", `"assignees":[{"login":"a"}]`, func(s snapshot) string { return field(s.Assignees) }, "[a]"},
		{"milestone", `"milestone":{"title":"1.0"}`, func(s snapshot) string { return field(s.Milestone) }, "1.0"},
		{"no milestone", `"milestone":null`, func(s snapshot) string { return field(s.Milestone) }, ""},
		{"auto-merge", `"auto_merge":{}`, func(s snapshot) string { return field(s.AutoMerge) }, "true"},
		{"no auto-merge", `"auto_merge":null`, func(s snapshot) string { return field(s.AutoMerge) }, "false"},
		{"auto-merge absent", `"title":"t"`, func(s snapshot) string { return field(s.AutoMerge) }, "unknown"},
		{"merge commit null", `"merge_commit_sha":null`, func(s snapshot) string { return field(s.MergeCommitSHA) }, ""},
		{"zero is stated", `"comments":0`, func(s snapshot) string { return field(s.Comments) }, "0"},
		{"RFC 3339", `"updated_at":"2019-05-15T15:20:33Z"`, func(s snapshot) string { return field(s.UpdatedAt) }, "2019-05-15 15:20:33 +0000 UTC"},
		{"offset", `"updated_at":"2019-05-15T15:20:55+02:00"`, func(s snapshot) string { return field(s.UpdatedAt) }, "2019-05-15 13:20:55 +0000 UTC"},
		{"fraction and offset", `"updated_at":"2021-04-28T22:32:21.000-04:00"`, func(s snapshot) string { return field(s.UpdatedAt) }, "2021-04-29 02:32:21 +0000 UTC"},
		{"seconds since 1970", `"updated_at":1557933565`, func(s snapshot) string { return field(s.UpdatedAt) }, "2019-05-15 15:19:25 +0000 UTC"},
		{"no zone", `"updated_at":"2018-04-25 20:42:10"`, func(s snapshot) string { return field(s.UpdatedAt) }, "2018-04-25 20:42:10 +0000 UTC"},
		{"escaped time", `"updated_at":"2019\u002d05-15T15:20:33Z"`, func(s snapshot) string { return field(s.UpdatedAt) }, "2019-05-15 15:20:33 +0000 UTC"},
		{"time with a space in it", `"updated_at":"2015-04-08T21: 00:25-07:00"`, func(s snapshot) string { return field(s.UpdatedAt) }, "unknown"},
		{"time that is an object", `"updated_at":{}`, func(s snapshot) string { return field(s.UpdatedAt) }, "unknown"},
		{"time zero", `"updated_at":"0001-01-01T00:00:00Z"`, func(s snapshot) string { return field(s.UpdatedAt) }, "unknown"},
		{"time negative", `"updated_at":-1`, func(s snapshot) string { return field(s.UpdatedAt) }, "unknown"},
		{"closed_at null", `"closed_at":null`, func(s snapshot) string { return field(s.ClosedAt) }, zero},
		{"closed_at absent", `"state":"closed"`, func(s snapshot) string { return field(s.ClosedAt) }, "unknown"},
		{"what nobody reads may be of any type", `"id":"x","mergeable":[],"requested_teams":3,"title":"t"`, func(s snapshot) string { return field(s.Title) }, "t"},
		{"the last of two", `"title":"a","title":"b"`, func(s snapshot) string { return field(s.Title) }, "b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, snapshot := decodeSnapshot(t, minimal(","+test.fields))
			if got := test.get(snapshot); got != test.want {
				t.Errorf("Decode(%s) = %q, want %q", test.fields, got, test.want)
			}
		})
	}
}

func TestDecode_WhatTheActionNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		fields  string
		touched string
		edited  []string
	}{
		{"assigned", `"action":"assigned","assignee":{"login":"ann"}`, "ann", nil},
		{"unassigned", `"action":"unassigned","assignee":{"login":"ann"}`, "ann", nil},
		{"a ghost unassigned", `"action":"unassigned","assignee":null`, "", nil},
		{"milestoned", `"action":"milestoned","milestone":{"title":"1.0"}`, "1.0", nil},
		{"demilestoned", `"action":"demilestoned","milestone":{"title":"1.0"}`, "1.0", nil},
		{"milestone missing", `"action":"milestoned"`, "", nil},
		{"assignee of another action", `"action":"labeled","assignee":{"login":"ann"}`, "", nil},
		{"labeled", `"action":"labeled","label":{"name":"automerge"}`, "automerge", nil},
		{"unlabeled", `"action":"unlabeled","label":{"name":"automerge"}`, "automerge", nil},
		{"label of another action", `"action":"opened","label":{"name":"automerge"}`, "", nil},
		{"label missing", `"action":"labeled"`, "", nil},
		{"review requested", `"action":"review_requested","requested_reviewer":{"login":"ann"}`, "ann", nil},
		{"review of a team requested", `"action":"review_requested","requested_team":{"slug":"core"}`, "", nil},
		{"review request removed", `"action":"review_request_removed","requested_reviewer":{"login":"ann"}`, "ann", nil},
		{"title edited", `"action":"edited","changes":{"title":{"from":"x"}}`, "", []string{"title"}},
		{"all edited", `"action":"edited","changes":{"base":{"ref":{"from":"x"}},"body":{"from":""},"title":{"from":"x"}}`, "", []string{"title", "body", "base"}},
		{"nothing edited", `"action":"edited","changes":{}`, "", nil},
		{"changes of another action", `"action":"synchronize","changes":{"title":{"from":"x"}}`, "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, got := decodeSnapshot(t, `{`+test.fields+`,"number":7,"repository":{"id":101}}`)
			if got.Touched != test.touched {
				t.Errorf("touched = %q, want %q", got.Touched, test.touched)
			}
			if diff := cmp.Diff(got.Edited, test.edited); diff != "" {
				t.Errorf("edited (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecode_ErrorNamesTheField(t *testing.T) {
	t.Parallel()
	const repo = `"repository":{"id":101}`
	tests := []struct {
		name string
		body string
		says string
	}{
		{"number is a string", `{"pull_request":{"number":"7"},` + repo + `}`, "pull_request.number is a string"},
		{"number at the top is a string", `{"number":"7",` + repo + `}`, "number is a string"},
		{"number is a fraction", `{"number":7.5,` + repo + `}`, "number is a number 7.5"},
		{"number is missing", `{"pull_request":{},` + repo + `}`, "pull_request.number is missing"},
		{"number is negative", `{"number":-7,` + repo + `}`, "pull_request.number is -7"},
		{"numbers differ", `{"number":7,"pull_request":{"number":8},` + repo + `}`, "number is 7 and pull_request.number is 8"},
		{"repository is missing", `{"number":7}`, "repository.id is missing"},
		{"repository id is a string", `{"number":7,"repository":{"id":"101"}}`, "repository.id is a string"},
		{"state of another provider", minimal(`,"state":"merged"`), `pull_request.state is "merged"`},
		{"state is a number", minimal(`,"state":1`), "pull_request.state is a number"},
		{"title is a number", minimal(`,"title":1`), "pull_request.title is a number"},
		{"body is a number", minimal(`,"body":1`), "pull_request.body"},
		{"draft is a string", minimal(`,"draft":"false"`), "pull_request.draft is a string, want true or false"},
		{"head is a string", minimal(`,"head":"aaaa"`), "pull_request.head is a string"},
		{"head.sha is a number", minimal(`,"head":{"sha":1}`), "pull_request.head.sha is a number"},
		{"head.repo.id is a string", minimal(`,"head":{"repo":{"id":"202"}}`), "pull_request.head.repo.id is a string"},
		{"user is a string", minimal(`,"user":"ann"`), "pull_request.user is a string"},
		{"user.login is a number", minimal(`,"user":{"login":1}`), "pull_request.user.login is a number"},
		{"milestone is a string", minimal(`,"milestone":"1.0"`), "pull_request.milestone is a string"},
		{"merge commit is a number", minimal(`,"merge_commit_sha":1`), "pull_request.merge_commit_sha"},
		{"labels are strings", minimal(`,"labels":["a"]`), "pull_request.labels"},
		{"comments is a string", minimal(`,"comments":"1"`), "pull_request.comments is a string, want a whole number"},
		{"action is a number", `{"action":1,"number":7,` + repo + `}`, "action is a number"},
		{"an array", `[]`, "array"},
		{"null", `null`, "repository.id is missing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := github.Provider{}.Decode(pullRequestRecord(t, test.body))
			if !errors.Is(err, payload.ErrPayload) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("Decode() = %v, want an error that says %q", err, test.says)
			}
		})
	}
}

// Records of outside producers have not been through Seal.
func TestDecode_TextThatIsNotJSON(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "hello", "{", `{"number":7}}`, "\x00", "payload=%7B%7D"} {
		_, err := github.Provider{}.Decode(schemas.Record{Key: "github.com:101#7", Event: "pull_request", Body: []byte(body)})
		if !errors.Is(err, payload.ErrPayload) {
			t.Errorf("Decode(%q) = %v, want %v", body, err, payload.ErrPayload)
		}
	}
}

// The entity comes from the body, and the instance from the key: the fold side
// compares it with the key the record came under.
func TestDecode_EntityOfTheBody(t *testing.T) {
	t.Parallel()
	tests := []struct{ key, want schemas.EntityKey }{
		{"github.com:101#7", "github.com:101#7"},
		{"github.com:101#8", "github.com:101#7"},
		{"github.com:999", "github.com:101#7"},
		{"ghe.acme.com:8443:101#7", "ghe.acme.com:8443:101#7"},
		{"ghe.acme.com", "ghe.acme.com:101#7"},
	}
	for _, test := range tests {
		event, err := github.Provider{}.Decode(schemas.Record{Key: test.key, Event: "pull_request", Body: []byte(minimal(``))})
		if err != nil {
			t.Fatal(err)
		}
		if event.Entity != test.want {
			t.Errorf("entity of a record under %q = %q, want %q", test.key, event.Entity, test.want)
		}
	}
}

// A producer may state the action in ce_type alone; the payload's own wins.
func TestDecode_Action(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ record, payload, want string }{
		{"opened", ``, "opened"},
		{"opened", `"action":"closed",`, "closed"},
		{"", `"action":"closed",`, "closed"},
		{"", ``, ""},
	} {
		event, err := github.Provider{}.Decode(schemas.Record{
			Key: "github.com:101#7", Event: "pull_request", Action: test.record,
			Body: []byte(`{` + test.payload + `"number":7,"repository":{"id":101}}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		if event.Action != test.want {
			t.Errorf("action of %+v = %q", test, event.Action)
		}
	}
}

func TestDecode_Ignored(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, event, body, says string }{
		{"ping", "ping", `{"zen":"Keep it."}`, "ping"},
		{"push", "push", `{"ref":"refs/heads/main","after":"aaaa","repository":{"id":101,"pushed_at":1557933565}}`, "event push is not folded"},
		{"installation", "installation", `{"action":"created","installation":{"id":1}}`, "event installation is not folded"},
		{"repositories of an installation", "installation_repositories", `{"action":"added","installation":{"id":1}}`, "not about a pull request"},
		{"other action of a review", "pull_request_review", `{"action":"liked","review":{"id":1},"pull_request":{"number":7},"repository":{"id":101}}`, "action liked of a review"},
		{"pending review", "pull_request_review", `{"action":"edited","review":{"id":1,"state":"PENDING"},"pull_request":{"number":7},"repository":{"id":101}}`, "pending"},
		{"review without an action", "pull_request_review", `{"review":{"id":1},"pull_request":{"number":7},"repository":{"id":101}}`, "has no action"},
		{"other action of a review comment", "pull_request_review_comment", `{"action":"pinned","comment":{"id":1},"pull_request":{"number":7},"repository":{"id":101}}`, "action pinned of a review comment"},
		{"other action of a thread", "pull_request_review_thread", `{"action":"moved","pull_request":{"number":7},"repository":{"id":101}}`, "action moved of a review thread"},
		{"other action of a merge group", "merge_group", `{"action":"grown","merge_group":{"head_sha":"aaaa"},"repository":{"id":101}}`, "action grown of a merge group"},
		{"other action of a repository", "repository", `{"action":"starred","repository":{"id":101}}`, "action starred of a repository"},
		{"job of a workflow", "workflow_job", `{"action":"queued","workflow_job":{"head_sha":"aaaa"},"repository":{"id":101}}`, "event workflow_job is not folded"},
		{"from the future", "from_the_future", `{}`, "event from_the_future is not folded"},
		{"comment on an issue", "issue_comment", `{"action":"created","issue":{"number":7},"comment":{"id":1}}`, "comment on an issue, not a pull request"},
		{"other action of a comment", "issue_comment", `{"action":"pinned","issue":{"number":7,"pull_request":{}},"comment":{"id":1},"repository":{"id":101}}`, "action pinned"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			record, err := github.Provider{}.Seal(delivery(test.event, test.body))
			if err != nil {
				t.Fatal(err)
			}
			event, err := github.Provider{}.Decode(record)
			if err != nil {
				t.Fatal(err)
			}
			if parts(event) != 0 || !strings.Contains(event.Ignored, test.says) {
				t.Errorf("Decode() = %+v, want ignored that says %q", event, test.says)
			}
			if event.Entity != record.Key {
				t.Errorf("entity = %q, want the record's key %q", event.Entity, record.Key)
			}
		})
	}
}

// The payload must not stay in memory because a row holds a title.
func TestDecode_ChangingTheBodyChangesNothing(t *testing.T) {
	t.Parallel()
	record := pullRequestRecord(t, string(fullBody(t)))
	event, err := github.Provider{}.Decode(record)
	if err != nil {
		t.Fatal(err)
	}
	before := event.PullRequest.Title.Value + event.PullRequest.HeadSHA.Value
	clear(record.Body)
	if after := event.PullRequest.Title.Value + event.PullRequest.HeadSHA.Value; after != before {
		t.Errorf("title and head changed with the body: %q", after)
	}
}
