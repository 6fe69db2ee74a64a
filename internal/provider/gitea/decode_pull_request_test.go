package gitea_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/gitea"
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

func TestDecode_PullRequest(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile(filepath.Join("testdata", "pull_request.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := schemas.Event{
		Entity: "git.acme.com:101#7", Source: "gitea", DeliveryID: "d-1", Provider: "gitea", Name: "pull_request",
		Action: "opened", Sender: schemas.Actor{Login: "ann"},
		PullRequest: &schemas.PullRequestSnapshot{
			Instance: "git.acme.com", RepositoryID: "101", Repository: "acme/api", Number: 7,
			UpdatedAt: schemas.Say(at("2026-01-01T10:30:00Z")),
			Title:     schemas.Say("Add a pawl"), Body: schemas.Say("It stops the wheel."),
			Author: schemas.Say(schemas.Actor{Login: "ann"}), State: schemas.Say("open"), Merged: schemas.Say(false),
			Draft: schemas.Say(false), Locked: schemas.Say(true),
			HeadSHA: schemas.Say(sha), HeadRef: schemas.Say("pawl"), HeadRepositoryID: schemas.Say("202"),
			HeadCommit: schemas.Say(schemas.EntityKey("git.acme.com:101@" + sha)),
			BaseRef:    schemas.Say("main"), BaseSHA: schemas.Say(strings.Repeat("b", 40)),
			Labels: schemas.Say([]string{"automerge", "wheel"}), Milestone: schemas.Say("1.0"),
			RequestedReviewers: schemas.Say([]string{"bob", "cid"}), Assignees: schemas.Say([]string{"bob"}),
			MergeCommitSHA: schemas.Say(""),
			Comments:       schemas.Say(int64(2)), ReviewComments: schemas.Say(int64(1)),
			Additions: schemas.Say(int64(30)), Deletions: schemas.Say(int64(4)), ChangedFiles: schemas.Say(int64(3)),
			CreatedAt: schemas.Say(at("2026-01-01T10:00:00Z")), ClosedAt: schemas.Say(time.Time{}), MergedAt: schemas.Say(time.Time{}),
			Change: "opened",
		},
	}
	if diff := cmp.Diff(decoded(t, "pull_request", string(body)), want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

// What a payload does not say is not stated, and least of all zero.
func TestDecode_MinimalPullRequest(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"number":7,"repository":{"id":101}}`,
		`{"number":7,"pull_request":{},"repository":{"id":101}}`,
		`{"pull_request":{"number":7,"title":"","head":{"sha":"","ref":""},"base":{"sha":"a b"}},"repository":{"id":101}}`,
	} {
		want := &schemas.PullRequestSnapshot{Instance: "git.acme.com", RepositoryID: "101", Number: 7}
		if diff := cmp.Diff(decoded(t, "pull_request", body).PullRequest, want); diff != "" {
			t.Errorf("Decode(%s) (-got +want):\n%s", body, diff)
		}
	}
}

func TestDecode_AbsentIsToldFromEmpty(t *testing.T) {
	t.Parallel()
	type snapshot = *schemas.PullRequestSnapshot
	tests := []struct {
		name   string
		fields string
		get    func(snapshot) string
		want   string
	}{
		{"merged", `,"merged":true`, func(s snapshot) string { return field(s.Merged) }, "true"},
		{"merged_at alone", `,"merged_at":"2026-01-01T00:00:00Z"`, func(s snapshot) string { return field(s.Merged) }, "true"},
		{"merged_at null alone", `,"merged_at":null`, func(s snapshot) string { return field(s.Merged) }, "false"},
		{"neither", ``, func(s snapshot) string { return field(s.Merged) }, "unknown"},
		{"labels", `,"labels":[]`, func(s snapshot) string { return field(s.Labels) }, "[]"},
		{"no labels", ``, func(s snapshot) string { return field(s.Labels) }, "unknown"},
		{"assignees null", `,"assignees":null`, func(s snapshot) string { return field(s.Assignees) }, "[]"},
		{"no assignees", ``, func(s snapshot) string { return field(s.Assignees) }, "unknown"},
		{"requested reviewers null", `,"requested_reviewers":null`, func(s snapshot) string { return field(s.RequestedReviewers) }, "[]"},
		{"a null among reviewers", `,"requested_reviewers":[null,{"login":"bob"}]`, func(s snapshot) string { return field(s.RequestedReviewers) }, "[bob]"},
		{"milestone null", `,"milestone":null`, func(s snapshot) string { return field(s.Milestone) }, ""},
		{"milestone without a title", `,"milestone":{}`, func(s snapshot) string { return field(s.Milestone) }, "unknown"},
		{"body null", `,"body":null`, func(s snapshot) string { return field(s.Body) }, ""},
		{"no body", ``, func(s snapshot) string { return field(s.Body) }, "unknown"},
		{"user null", `,"user":null`, func(s snapshot) string { return field(s.Author) }, "{ false}"},
		{"ghost", `,"user":{"id":-1,"login":"Ghost"}`, func(s snapshot) string { return field(s.Author) }, "{ false}"},
		{"bot of the actions", `,"user":{"id":-2,"login":"gitea-actions"}`, func(s snapshot) string { return field(s.Author) }, "{gitea-actions true}"},
		{"username alone", `,"user":{"username":"ann"}`, func(s snapshot) string { return field(s.Author) }, "{ann false}"},
		{"user without a name", `,"user":{"id":3}`, func(s snapshot) string { return field(s.Author) }, "unknown"},
		{"merge commit", `,"merge_commit_sha":"cccc"`, func(s snapshot) string { return field(s.MergeCommitSHA) }, "cccc"},
		{"closed_at null", `,"state":"open","closed_at":null`, func(s snapshot) string { return field(s.ClosedAt) }, "0001-01-01 00:00:00 +0000 UTC"},
		{"closed_at null of one that is closed", `,"state":"closed","closed_at":null`, func(s snapshot) string { return field(s.ClosedAt) }, "unknown"},
		{"closed_at", `,"state":"closed","closed_at":"2026-01-01T09:00:00+09:00"`, func(s snapshot) string { return field(s.ClosedAt) }, "2026-01-01 00:00:00 +0000 UTC"},
		{"locked", `,"is_locked":true`, func(s snapshot) string { return field(s.Locked) }, "true"},
		{"additions null", `,"additions":null`, func(s snapshot) string { return field(s.Additions) }, "unknown"},
		{"updated_at that is no time", `,"updated_at":"yesterday"`, func(s snapshot) string { return field(s.UpdatedAt) }, "unknown"},
		{"branch that was deleted", `,"head":{"label":"pawl","ref":"refs/pull/7/head"}`, func(s snapshot) string { return field(s.HeadRef) }, "pawl"},
		{"push for review, without a branch", `,"head":{"label":"","ref":"refs/pull/7/head"}`, func(s snapshot) string { return field(s.HeadRef) }, "refs/pull/7/head"},
		{"label with the owner", `,"head":{"label":"ann:pawl","ref":"pawl"}`, func(s snapshot) string { return field(s.HeadRef) }, "pawl"},
		{"repo alone", `,"head":{"repo":{"id":202}}`, func(s snapshot) string { return field(s.HeadRepositoryID) }, "202"},
		{"repo absent", `,"head":{}`, func(s snapshot) string { return field(s.HeadRepositoryID) }, "unknown"},
		{"what nobody reads may be of any type", `,"id":"x","mergeable":[],"title":"t"`, func(s snapshot) string { return field(s.Title) }, "t"},
		{"text that PostgreSQL refuses", `,"title":"a\u0000b"`, func(s snapshot) string { return field(s.Title) }, "ab"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.get(snapshotOf(t, test.fields)); got != test.want {
				t.Errorf("Decode(%s) = %q, want %q", test.fields, got, test.want)
			}
		})
	}
}

func field[T any](stated schemas.Stated[T]) string {
	if !stated.Known {
		return "unknown"
	}
	return fmt.Sprint(stated.Value)
}

// The server knows the prefixes that are configured, the title only the default
// ones: so it counts where the server says nothing.
func TestDecode_Draft(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ fields, want string }{
		{`,"draft":true,"title":"Add a pawl"`, "true"},
		{`,"draft":false,"title":"WIP: Add a pawl"`, "false"},
		{`,"title":"WIP: Add a pawl"`, "true"},
		{`,"title":"wip:add"`, "true"},
		{`,"title":"[wip] Add"`, "true"},
		{`,"title":"Add WIP:"`, "false"},
		{`,"title":"WIP Add"`, "false"},
		{`,"title":""`, "unknown"},
		{``, "unknown"},
	} {
		if got := field(snapshotOf(t, test.fields).Draft); got != test.want {
			t.Errorf("draft of %s = %s, want %s", test.fields, got, test.want)
		}
	}
}

func TestDecode_Change(t *testing.T) {
	t.Parallel()
	tests := []struct {
		event, action, fields string
		want                  string
		touched               string
		edited                []string
	}{
		{"pull_request", "opened", ``, "opened", "", nil},
		{"pull_request", "closed", ``, "closed", "", nil},
		{"pull_request", "reopened", ``, "reopened", "", nil},
		{"pull_request", "edited", `"changes":{"title":{"from":"x"}},`, "edited", "", []string{"title"}},
		{"pull_request", "edited", `"changes":{"body":{"from":""}},`, "edited", "", []string{"body"}},
		{"pull_request", "edited", `"changes":{"ref":{"from":"main"},"title":null},`, "edited", "", []string{"base"}},
		{"pull_request", "edited", ``, "edited", "", nil},
		{"pull_request_sync", "synchronized", `"changes":{"title":{}},`, "synchronize", "", nil},
		{"pull_request_assign", "assigned", ``, "assigned", "", nil},
		{"pull_request_assign", "unassigned", ``, "unassigned", "", nil},
		{"pull_request_label", "label_updated", ``, "labeled", "", nil},
		{"pull_request_label", "label_cleared", ``, "unlabeled", "", nil},
		{"pull_request_milestone", "milestoned", ``, "milestoned", "", nil},
		{"pull_request_milestone", "demilestoned", ``, "demilestoned", "", nil},
		{"pull_request_review_request", "review_requested", `"requested_reviewer":{"login":"bob"},`, "review_requested", "bob", nil},
		{"pull_request_review_request", "review_request_removed", `"requested_reviewer":{"login":"bob"},`, "review_request_removed", "bob", nil},
		{"pull_request_review_request", "review_requested", `"requested_reviewer":null,`, "review_requested", "", nil},
		{"pull_request", "opened", `"requested_reviewer":{"login":"bob"},`, "opened", "", nil},
		{"pull_request_future", "rotated", ``, schemas.ChangeUnknown, "", nil},
	}
	for _, test := range tests {
		t.Run(test.action, func(t *testing.T) {
			t.Parallel()
			got := decoded(t, test.event, `{"action":"`+test.action+`",`+test.fields+`"number":7,`+repo+`}`)
			if got.Action != test.action {
				t.Errorf("action = %q, want the provider's own word %q", got.Action, test.action)
			}
			pr := got.PullRequest
			if pr.Change != test.want || pr.Touched != test.touched {
				t.Errorf("change and touched = %q, %q, want %q, %q", pr.Change, pr.Touched, test.want, test.touched)
			}
			if diff := cmp.Diff(pr.Edited, test.edited); diff != "" {
				t.Errorf("edited (-got +want):\n%s", diff)
			}
		})
	}
}

// A producer may state the action in ce_type alone; the payload's own wins. A
// read of the provider has none.
func TestDecode_Action(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ record, payload, action, change string }{
		{"synchronized", ``, "synchronized", "synchronize"},
		{"opened", `"action":"closed",`, "closed", "closed"},
		{"", `"action":"closed",`, "closed", "closed"},
		{"", ``, "", ""},
	} {
		got, err := gitea.Provider{}.Decode(schemas.Record{
			Key: "git.acme.com:101#7", Event: "pull_request", Action: test.record,
			Body: []byte(`{` + test.payload + `"number":7,"repository":{"id":101}}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.Action != test.action || got.PullRequest.Change != test.change {
			t.Errorf("action and change of %+v = %q, %q", test, got.Action, got.PullRequest.Change)
		}
	}
}

// Gitea sends null where it could not read a branch or a repository.
func TestDecode_PullRequestThatIsNull(t *testing.T) {
	t.Parallel()
	got := decoded(t, "pull_request", `{"action":"closed","number":7,"pull_request":null,`+repo+`}`)
	if got.PullRequest != nil || !strings.Contains(got.Ignored, "pull_request is null") {
		t.Errorf("Decode() = %+v, want ignored", got)
	}
}

func TestDecode_ErrorNamesTheField(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, says string }{
		{"number is a string", `{"pull_request":{"number":"7"},` + repo + `}`, "pull_request.number is a string"},
		{"number at the top is a string", `{"number":"7",` + repo + `}`, "number is a string"},
		{"number is missing", `{"pull_request":{},` + repo + `}`, "pull_request.number is missing"},
		{"number is negative", `{"number":-7,` + repo + `}`, "pull_request.number is -7"},
		{"numbers differ", `{"number":7,"pull_request":{"number":8},` + repo + `}`, "number is 7 and pull_request.number is 8"},
		{"repository is missing", `{"number":7}`, "repository.id is missing"},
		{"repository id is negative", `{"number":7,"repository":{"id":-1}}`, "repository.id is -1"},
		{"repository id is a string", `{"number":7,"repository":{"id":"101"}}`, "repository.id is a string"},
		{"state of another provider", minimal("", `,"state":"merged"`), `pull_request.state is "merged"`},
		{"title is a number", minimal("", `,"title":1`), "pull_request.title is a number"},
		{"body is a number", minimal("", `,"body":1`), "pull_request.body"},
		{"merge commit is a number", minimal("", `,"merge_commit_sha":1`), "pull_request.merge_commit_sha"},
		{"draft is a string", minimal("", `,"draft":"false"`), "pull_request.draft is a string, want true or false"},
		{"head.sha is a number", minimal("", `,"head":{"sha":1}`), "pull_request.head.sha is a number"},
		{"head.repo_id is a string", minimal("", `,"head":{"repo_id":"202"}`), "pull_request.head.repo_id is a string"},
		{"user is a string", minimal("", `,"user":"ann"`), "pull_request.user is a string"},
		{"labels are strings", minimal("", `,"labels":["a"]`), "pull_request.labels"},
		{"comments is a string", minimal("", `,"comments":"1"`), "pull_request.comments is a string, want a whole number"},
		{"action is a number", `{"action":1,"number":7,` + repo + `}`, "action is a number"},
		{"an array", `[]`, "array"},
		{"null", `null`, "repository.id is missing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := gitea.Provider{}.Decode(sealed(t, "pull_request", test.body))
			if !errors.Is(err, payload.ErrPayload) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("Decode() = %v, want an error that says %q", err, test.says)
			}
		})
	}
}

// Records of outside producers have not been through Seal.
func TestDecode_TextThatIsNotJSON(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"pull_request", "issue_comment", "status", "workflow_run", "repository"} {
		for _, body := range []string{"", "hello", "{", `{"number":7}}`, "payload=%7B%7D"} {
			_, err := gitea.Provider{}.Decode(schemas.Record{Key: "git.acme.com:101#7", Event: event, Body: []byte(body)})
			if !errors.Is(err, payload.ErrPayload) {
				t.Errorf("Decode(%s, %q) = %v, want %v", event, body, err, payload.ErrPayload)
			}
		}
	}
}

// The entity comes from the body, and the instance from the key: the fold side
// compares it with the key the record came under.
func TestDecode_EntityOfTheBody(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, want schemas.EntityKey }{
		{"git.acme.com:101#7", "git.acme.com:101#7"},
		{"git.acme.com:101#8", "git.acme.com:101#7"},
		{"git.acme.com:3000:101#7", "git.acme.com:3000:101#7"},
		{"git.acme.com", "git.acme.com:101#7"},
	} {
		got, err := gitea.Provider{}.Decode(schemas.Record{Key: test.key, Event: "pull_request", Body: []byte(minimal("opened", ``))})
		if err != nil {
			t.Fatal(err)
		}
		if got.Entity != test.want {
			t.Errorf("entity of a record under %q = %q, want %q", test.key, got.Entity, test.want)
		}
	}
}

// The payload must not stay in memory because a row holds a title.
func TestDecode_ChangingTheBodyChangesNothing(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile(filepath.Join("testdata", "pull_request.json"))
	if err != nil {
		t.Fatal(err)
	}
	record := sealed(t, "pull_request", string(body))
	got, err := gitea.Provider{}.Decode(record)
	if err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprintf("%+v", got.PullRequest)
	clear(record.Body)
	if after := fmt.Sprintf("%+v", got.PullRequest); after != before {
		t.Errorf("the snapshot changed with the body: %s", after)
	}
}
