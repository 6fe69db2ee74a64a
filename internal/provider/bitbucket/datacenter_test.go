package bitbucket_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/schemas"
)

const (
	dcKey  = "bitbucket.org:101#7"
	dcDate = "2026-01-01T11:35:38+0100"
	// wholeDC is a pull request as Data Center sends it, less what nobody reads.
	wholeDC = `,"version":4,"title":"Keep the watermark","description":"It must not go back.","state":"OPEN","open":true,"draft":false,"locked":false,
		"createdDate":1767261600100,"updatedDate":1767262833205,
		"fromRef":{"id":"refs/heads/watermark","displayId":"watermark","latestCommit":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","repository":{"id":202,"slug":"api","project":{"key":"~bea"}}},
		"author":{"user":{"name":"bea","type":"NORMAL"},"role":"AUTHOR"},
		"reviewers":[{"user":{"name":"dee"},"status":"UNAPPROVED"},{"user":{"name":"ann"}},null]`
)

func wantDC() *schemas.PullRequestSnapshot {
	const head = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	return &schemas.PullRequestSnapshot{
		Instance: "bitbucket.org", RepositoryID: "101", Repository: "ACME/api", Number: 7,
		UpdatedAt:          schemas.Say(at("2026-01-01T10:20:33.205Z")),
		Revision:           schemas.Say[int64](4),
		Title:              schemas.Say("Keep the watermark"),
		Body:               schemas.Say("It must not go back."),
		Author:             schemas.Say(schemas.Actor{Login: "bea"}),
		State:              schemas.Say("open"),
		Merged:             schemas.Say(false),
		Draft:              schemas.Say(false),
		Locked:             schemas.Say(false),
		HeadSHA:            schemas.Say(head),
		HeadRef:            schemas.Say("watermark"),
		HeadRepositoryID:   schemas.Say("202"),
		HeadCommit:         schemas.Say(schemas.CommitKey("bitbucket.org", "202", head)),
		BaseRef:            schemas.Say("main"),
		RequestedReviewers: schemas.Say([]string{"ann", "dee"}),
		CreatedAt:          schemas.Say(at("2026-01-01T10:00:00.1Z")),
		Change:             schemas.ChangeUnknown,
	}
}

func TestDecode_DataCenterPullRequest(t *testing.T) {
	t.Parallel()
	got := decoded(t, "pr:opened", dataCenterWith(wholeDC, `,"eventKey":"pr:opened","date":"`+dcDate+`","actor":{"name":"ci","type":"SERVICE"}`))
	want := event(dcKey, "pr", "opened")
	want.Sender = schemas.Actor{Login: "ci", IsBot: true}
	want.PullRequest = wantDC()
	want.PullRequest.Change = "opened"
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

func TestDecode_DataCenterAbsentIsNotStated(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{
		``,
		`,"author":{},"fromRef":{"repository":{}},"properties":{}`,
		`,"title":null,"state":null,"draft":null,"locked":null,"version":null,"updatedDate":null,"reviewers":null,"fromRef":null,"author":null,"properties":null`,
		`,"title":"","fromRef":{"displayId":"","latestCommit":""}`,
	} {
		got := pullRequest(t, "pr:from_ref_updated", dataCenter(fields))
		want := &schemas.PullRequestSnapshot{
			Instance: "bitbucket.org", RepositoryID: "101", Repository: "ACME/api", Number: 7,
			BaseRef: schemas.Say("main"), Change: "synchronize",
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("Decode(%s) (-got +want):\n%s", fields, diff)
		}
	}
}

func TestDecode_DataCenterFields(t *testing.T) {
	t.Parallel()
	type snapshot = *schemas.PullRequestSnapshot
	state := func(s snapshot) string { return field(s.State) + " " + field(s.Merged) }
	closed := func(s snapshot) string { return field(s.ClosedAt) + " " + field(s.MergedAt) }
	updated := func(s snapshot) string { return field(s.UpdatedAt) }
	head := func(s snapshot) string { return field(s.HeadRepositoryID) + " " + field(s.HeadCommit) }
	const at = "2019-03-01 09:12:35 +0000 UTC"
	tests := []struct {
		name, event, fields string
		get                 func(s snapshot) string
		want                string
	}{
		{"open", "opened", `"state":"OPEN"`, state, "open false"},
		{"merged", "merged", `"state":"MERGED"`, state, "closed true"},
		{"declined", "declined", `"state":"DECLINED"`, state, "closed false"},
		{"merged, by the event alone", "merged", `"version":1`, state, "closed true"},
		{"closed, as milliseconds", "declined", `"state":"DECLINED","closedDate":1551431555000`, closed, at + " unknown"},
		{"merged, as ISO 8601", "merged", `"state":"MERGED","closedDate":"2019-03-01T10:12:35+0100"`, closed, at + " " + at},
		{"closed null", "opened", `"closedDate":null`, closed, "0001-01-01 00:00:00 +0000 UTC unknown"},
		{"merge commit", "merged", `"properties":{"mergeCommit":{"id":"cbf26be7bfc8394906abbd571498fb8d28888b58","displayId":"cbf26be7bfc"}}`, func(s snapshot) string { return field(s.MergeCommitSHA) }, "cbf26be7bfc8394906abbd571498fb8d28888b58"},
		{"updated, as milliseconds", "opened", `"updatedDate":1551431555000`, updated, at},
		{"updated, as ISO 8601", "opened", `"updatedDate":"2019-03-01T10:12:35+0100"`, updated, at},
		{"not updated: the event's time", "opened", `"version":1`, updated, "2026-01-01 10:35:38 +0000 UTC"},
		{"locked", "opened", `"locked":true`, func(s snapshot) string { return field(s.Locked) }, "true"},
		{"description null is empty", "opened", `"description":null`, func(s snapshot) string { return field(s.Body) }, ""},
		{"version zero", "opened", `"version":0`, func(s snapshot) string { return field(s.Revision) }, "0"},
		{"fork gone", "declined", `"fromRef":{"latestCommit":"aa","repository":null}`, head, " bitbucket.org:101@aa"},
		{"head of a fork", "opened", `"fromRef":{"latestCommit":"aa","repository":{"id":202}}`, head, "202 bitbucket.org:202@aa"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := test.get(pullRequest(t, "pr:"+test.event, dataCenterWith(","+test.fields, `,"date":"`+dcDate+`"`)))
			if got != test.want {
				t.Errorf("%s = %q, want %q", test.fields, got, test.want)
			}
		})
	}
}

func TestDecode_DataCenterChange(t *testing.T) {
	t.Parallel()
	const now = `,"title":"t","description":"d","draft":true`
	const before = `,"previousTitle":"t","previousDescription":"d","previousTarget":{"id":"refs/heads/main"}`
	dee, ann := `{"name":"dee"}`, `{"name":"ann"}`
	tests := []struct {
		name, event, fields, beside string
		change, touched             string
		edited                      []string
	}{
		{"opened", "opened", ``, ``, "opened", "", nil},
		{"pushed", "from_ref_updated", ``, ``, "synchronize", "", nil},
		{"target moved", "to_ref_updated", ``, ``, "unknown", "", nil},
		{"merged", "merged", ``, ``, "closed", "", nil},
		{"declined", "declined", ``, ``, "closed", "", nil},
		{"reopened", "reopened", ``, ``, "reopened", "", nil},
		{"modified, nothing said", "modified", now, ``, "unknown", "", nil},
		{"modified, all as before", "modified", now, before, "unknown", "", nil},
		{"title", "modified", now, `,"previousTitle":"x","previousDescription":"d"`, "edited", "", []string{"title"}},
		{"description", "modified", now, `,"previousTitle":"t","previousDescription":"x"`, "edited", "", []string{"body"}},
		{"description added", "modified", now, `,"previousTitle":"t"`, "edited", "", []string{"body"}},
		{"description removed", "modified", `,"title":"t"`, `,"previousTitle":"t","previousDescription":"x"`, "edited", "", []string{"body"}},
		{"target", "modified", now, `,"previousTarget":{"id":"refs/heads/old"},"previousDescription":"d"`, "edited", "", []string{"base"}},
		{"all three", "modified", now, `,"previousTitle":"x","previousDescription":"x","previousTarget":{"id":"refs/heads/old"}`, "edited", "", []string{"title", "body", "base"}},
		{"became a draft", "modified", now, before + `,"previousDraft":false`, "converted_to_draft", "", nil},
		{"ready", "modified", `,"title":"t","description":"d","draft":false`, before + `,"previousDraft":true`, "ready_for_review", "", nil},
		{"ready and another title", "modified", `,"title":"x","description":"d","draft":false`, before + `,"previousDraft":true`, "unknown", "", nil},
		{"reviewer added", "reviewer:updated", ``, `,"addedReviewers":[` + dee + `],"removedReviewers":[]`, "review_requested", "dee", nil},
		{"reviewers added", "reviewer:updated", ``, `,"addedReviewers":[` + dee + `,` + ann + `]`, "review_requested", "", nil},
		{"reviewer removed", "reviewer:updated", ``, `,"removedReviewers":[` + dee + `]`, "review_request_removed", "dee", nil},
		{"reviewer replaced", "reviewer:updated", ``, `,"addedReviewers":[` + dee + `],"removedReviewers":[` + ann + `]`, "unknown", "", nil},
		{"reviewer null", "reviewer:updated", ``, `,"addedReviewers":[null]`, "review_requested", "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := pullRequest(t, "pr:"+test.event, dataCenterWith(test.fields, test.beside))
			want := &schemas.PullRequestSnapshot{Change: test.change, Touched: test.touched, Edited: test.edited}
			if diff := cmp.Diff(&schemas.PullRequestSnapshot{Change: got.Change, Touched: got.Touched, Edited: got.Edited}, want); diff != "" {
				t.Errorf("change (-got +want):\n%s", diff)
			}
		})
	}
}

// Data Center leaves an empty description out. Where the payload says that the
// description changed, it is empty and not unknown.
func TestDecode_DataCenterRemovedDescriptionIsEmpty(t *testing.T) {
	t.Parallel()
	got := pullRequest(t, "pr:modified", dataCenterWith(`,"title":"t"`, `,"previousTitle":"t","previousDescription":"x"`))
	if want := schemas.Say(""); got.Body != want {
		t.Errorf("body = %v, want it stated and empty", got.Body)
	}
	kept := pullRequest(t, "pr:modified", dataCenterWith(`,"title":"t"`, `,"previousTitle":"x"`))
	if kept.Body.Known {
		t.Errorf("body = %v, want it not stated", kept.Body)
	}
}

// A deleted pull request is closed, whatever its last state was.
func TestDecode_DataCenterDeletedIsClosed(t *testing.T) {
	t.Parallel()
	got := pullRequest(t, "pr:deleted", dataCenterWith(wholeDC, `,"date":"`+dcDate+`"`))
	want := wantDC()
	want.State, want.Change = schemas.Say("closed"), "closed"
	want.ClosedAt = schemas.Say(at("2026-01-01T10:35:38Z"))
	want.UpdatedAt = want.ClosedAt
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
	declined := pullRequest(t, "pr:deleted", dataCenterWith(`,"state":"DECLINED","closedDate":1551431555000,"updatedDate":1767262833205`, `,"date":"2019-03-01T10:12:35+0100"`))
	if got, want := field(declined.ClosedAt)+" "+field(declined.UpdatedAt), "2019-03-01 09:12:35 +0000 UTC 2026-01-01 10:20:33.205 +0000 UTC"; got != want {
		t.Errorf("closed and updated = %s, want %s", got, want)
	}
	undated := pullRequest(t, "pr:deleted", dataCenter(``))
	if undated.State != schemas.Say("closed") || undated.ClosedAt.Known || undated.Merged.Known {
		t.Errorf("without a date: %+v, want it closed at a time unknown", undated)
	}
}

func TestDecode_DataCenterReview(t *testing.T) {
	t.Parallel()
	for action, state := range map[string]schemas.ReviewState{
		"reviewer:approved": schemas.ReviewApproved, "reviewer:unapproved": schemas.ReviewWithdrawn,
		"reviewer:needs_work": schemas.ReviewChangesRequested, "reviewer:changes_requested": schemas.ReviewChangesRequested,
	} {
		got := decoded(t, "pr:"+action, dataCenterWith(wholeDC, `,"date":"`+dcDate+`","actor":{"name":"dee"},
			"participant":{"user":{"name":"dee"},"lastReviewedCommit":"aaaa","status":"APPROVED"},"previousStatus":"UNAPPROVED"`))
		want := event(dcKey, "pr", action)
		want.Sender = schemas.Actor{Login: "dee"}
		want.PullRequest = wantDC()
		want.Review = &schemas.ReviewSnapshot{
			ID: "user/dee", Author: schemas.Actor{Login: "dee"}, State: state, HeadSHA: "aaaa",
			SubmittedAt: schemas.Say(at("2026-01-01T10:35:38Z")), UpdatedAt: schemas.Say(at("2026-01-01T10:35:38Z")),
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("Decode(%s) (-got +want):\n%s", action, diff)
		}
	}
}

func TestDecode_DataCenterComment(t *testing.T) {
	t.Parallel()
	want := schemas.CommentSnapshot{
		Key: "bitbucket.org:comment/62", Kind: schemas.CommentConversation, Change: schemas.CommentCreated, Parent: dcKey,
		Author: schemas.Actor{Login: "dee"}, Body: schemas.Say("Why?"),
		CreatedAt: schemas.Say(at("2026-01-01T10:00:00.1Z")), UpdatedAt: schemas.Say(at("2026-01-01T10:20:33.205Z")),
	}
	line, edited, deleted := want, want, want
	line.Kind = schemas.CommentReview
	edited.Change = schemas.CommentEdited
	deleted.Change, deleted.RemovedAt = schemas.CommentDeleted, schemas.Say(at("2026-01-01T10:35:38Z"))
	const fields = `"id":62,"version":0,"text":"Why?","author":{"name":"dee"},"createdDate":1767261600100,"updatedDate":1767262833205`
	for _, test := range []struct {
		name, action, fields string
		want                 schemas.CommentSnapshot
	}{
		{"added", "comment:added", fields, want},
		{"on a line", "comment:added", fields + `,"anchor":{"path":"a.go"}`, line},
		{"edited", "comment:edited", fields, edited},
		{"deleted", "comment:deleted", fields, deleted},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := decoded(t, "pr:"+test.action, dataCenterWith(wholeDC, `,"comment":{`+test.fields+`},"commentParentId":43,"date":"`+dcDate+`","actor":{"name":"bea"}`))
			whole := event(dcKey, "pr", test.action)
			whole.Sender, whole.Comment = schemas.Actor{Login: "bea"}, &test.want
			if diff := cmp.Diff(got, whole); diff != "" {
				t.Errorf("Decode() (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecode_DataCenterRepository(t *testing.T) {
	t.Parallel()
	got := decoded(t, "repo:modified", `{"date":"`+dcDate+`","actor":{"name":"bea"},
		"old":{"id":101,"slug":"api","project":{"key":"ACME"}},"new":{"id":101,"slug":"core","public":false,"project":{"key":"ACME"}}}`)
	want := event("bitbucket.org:101", "repo", "modified")
	want.Sender = schemas.Actor{Login: "bea"}
	want.Repository = &schemas.RepositorySnapshot{
		Instance: "bitbucket.org", RepositoryID: "101", Repository: "ACME/core", Change: schemas.RepositoryNamed,
		Private: schemas.Say(true), UpdatedAt: schemas.Say(at("2026-01-01T10:35:38Z")),
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
	if nameless := decoded(t, "repo:modified", `{"new":{"id":101}}`); nameless.Repository != nil || nameless.Ignored == "" {
		t.Errorf("without a name: %+v, want it ignored", nameless)
	}
}
