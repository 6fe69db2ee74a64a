package bitbucket_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/schemas"
)

const (
	cloudKey = "bitbucket.org:" + uuid + "#7"
	// wholeCloud is a pull request as Cloud sends it, less what nobody reads.
	wholeCloud = `,"title":"Keep the watermark","description":"It must not go back.","state":"OPEN","draft":false,
		"author":{"nickname":"bea","display_name":"Bea B.","uuid":"{b}","type":"user"},
		"source":{"branch":{"name":"watermark"},"commit":{"hash":"aaaaaaaaaaaa"},"repository":{"uuid":"{` + forkUUID + `}","full_name":"bea/api"}},
		"destination":{"branch":{"name":"main"},"commit":{"hash":"bbbbbbbbbbbb"},"repository":{"uuid":"{` + uuid + `}"}},
		"merge_commit":null,"closed_by":null,"comment_count":3,
		"reviewers":[{"nickname":"dee"},{"nickname":"ann"},null,{"nickname":"dee"}],
		"participants":[{"user":{"uuid":"{d}","nickname":"dee"},"approved":false,"state":null}],
		"created_on":"2026-01-01T10:00:00.100000+00:00","updated_on":"2026-01-01T10:20:33.205705+00:00"`
)

func wantCloud() *schemas.PullRequestSnapshot {
	return &schemas.PullRequestSnapshot{
		Instance: "bitbucket.org", RepositoryID: uuid, Repository: "acme/api", Number: 7,
		UpdatedAt:          schemas.Say(at("2026-01-01T10:20:33.205705Z")),
		Title:              schemas.Say("Keep the watermark"),
		Body:               schemas.Say("It must not go back."),
		Author:             schemas.Say(schemas.Actor{Login: "bea"}),
		State:              schemas.Say("open"),
		Merged:             schemas.Say(false),
		Draft:              schemas.Say(false),
		HeadSHA:            schemas.Say("aaaaaaaaaaaa"),
		HeadRef:            schemas.Say("watermark"),
		HeadRepositoryID:   schemas.Say(forkUUID),
		HeadCommit:         schemas.Say(schemas.CommitKey("bitbucket.org", forkUUID, "aaaaaaaaaaaa")),
		BaseRef:            schemas.Say("main"),
		BaseSHA:            schemas.Say("bbbbbbbbbbbb"),
		RequestedReviewers: schemas.Say([]string{"ann", "dee"}),
		MergeCommitSHA:     schemas.Say(""),
		Comments:           schemas.Say[int64](3),
		CreatedAt:          schemas.Say(at("2026-01-01T10:00:00.1Z")),
		Change:             schemas.ChangeUnknown,
	}
}

func event(key schemas.EntityKey, name, action string) schemas.Event {
	return schemas.Event{Entity: key, Source: "bitbucket", DeliveryID: "d-1", Provider: "bitbucket", Name: name, Action: action}
}

func TestDecode_CloudPullRequest(t *testing.T) {
	t.Parallel()
	got := decoded(t, "pullrequest:updated", cloudWith(wholeCloud, `,"actor":{"nickname":"ci","type":"app_user"}`))
	want := event(cloudKey, "pullrequest", "updated")
	want.Sender = schemas.Actor{Login: "ci", IsBot: true}
	want.PullRequest = wantCloud()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

func TestDecode_CloudChange(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]string{
		"created": "opened", "push": "synchronize", "fulfilled": "closed", "rejected": "closed", "superseded": "closed", "updated": "unknown",
	} {
		if got := pullRequest(t, "pullrequest:"+action, cloud(``)); got.Change != want {
			t.Errorf("change of %s = %q, want %q", action, got.Change, want)
		}
	}
}

// Absent is not zero: a payload that says nothing states nothing.
func TestDecode_CloudAbsentIsNotStated(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{
		``,
		`,"author":{},"source":{"repository":{},"commit":{},"branch":{}},"destination":{},"merge_commit":{},"summary":{}`,
		`,"title":null,"state":null,"draft":null,"updated_on":null,"reviewers":null,"source":null,"comment_count":null,"participants":null`,
		`,"title":"","source":{"branch":{"name":""},"commit":{"hash":""}},"destination":{"branch":null,"commit":null,"repository":null}`,
	} {
		got := pullRequest(t, "pullrequest:updated", cloud(fields))
		want := &schemas.PullRequestSnapshot{
			Instance: "bitbucket.org", RepositoryID: uuid, Repository: "acme/api", Number: 7, Change: schemas.ChangeUnknown,
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("Decode(%s) (-got +want):\n%s", fields, diff)
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

func TestDecode_CloudFields(t *testing.T) {
	t.Parallel()
	type snapshot = *schemas.PullRequestSnapshot
	state := func(s snapshot) string { return field(s.State) + " " + field(s.Merged) }
	body := func(s snapshot) string { return field(s.Body) }
	author := func(s snapshot) string { return field(s.Author) }
	head := func(s snapshot) string { return field(s.HeadRepositoryID) + " " + field(s.HeadCommit) }
	const key = "bitbucket.org:" + uuid
	tests := []struct {
		name, event, fields string
		get                 func(s snapshot) string
		want                string
	}{
		{"open", "updated", `"state":"OPEN"`, state, "open false"},
		{"merged", "fulfilled", `"state":"MERGED"`, state, "closed true"},
		{"declined", "rejected", `"state":"DECLINED"`, state, "closed false"},
		{"superseded", "updated", `"state":"SUPERSEDED"`, state, "closed false"},
		{"merged, by the event alone", "fulfilled", `"title":"t"`, state, "closed true"},
		{"declined, by the event alone", "rejected", `"title":"t"`, state, "closed false"},
		{"the body counts where the event contradicts it", "fulfilled", `"state":"OPEN"`, state, "open false"},
		{"description null is empty", "updated", `"description":null`, body, ""},
		{"description empty", "updated", `"description":"","summary":{"raw":"x"}`, body, ""},
		{"summary alone", "updated", `"summary":{"raw":"x"}`, body, "x"},
		{"NUL is dropped", "updated", `"description":"a\u0000b"`, body, "ab"},
		{"bytes that are not UTF-8", "updated", "\"description\":\"a\xffb\"", body, "a\ufffdb"},
		{"ghost", "updated", `"author":null`, author, "{ false}"},
		{"author before 2019", "updated", `"author":{"username":"bea","display_name":"Bea"}`, author, "{bea false}"},
		{"author with a display name alone", "updated", `"author":{"display_name":"Bea"}`, author, "{Bea false}"},
		{"author with an account id alone", "updated", `"author":{"account_id":"557058:1","uuid":"{b}"}`, author, "{557058:1 false}"},
		{"author with a uuid alone", "updated", `"author":{"uuid":"{b}"}`, author, "{b false}"},
		{"app", "updated", `"author":{"nickname":"ci","type":"app_user"}`, author, "{ci true}"},
		{"draft", "updated", `"draft":true`, func(s snapshot) string { return field(s.Draft) }, "true"},
		{"no reviewers", "updated", `"reviewers":[]`, func(s snapshot) string { return field(s.RequestedReviewers) }, "[]"},
		{"merge commit", "fulfilled", `"merge_commit":{"hash":"4f8f6de9d0ff"}`, func(s snapshot) string { return field(s.MergeCommitSHA) }, "4f8f6de9d0ff"},
		{"head of the fork", "updated", `"source":{"commit":{"hash":"aa"},"repository":{"uuid":"{` + forkUUID + `}"}}`, head, forkUUID + " bitbucket.org:" + forkUUID + "@aa"},
		{"head, repository not stated", "updated", `"source":{"commit":{"hash":"aa"}}`, head, "unknown " + key + "@aa"},
		{"time that is none", "updated", `"updated_on":"yesterday"`, func(s snapshot) string { return field(s.UpdatedAt) }, "unknown"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := test.get(pullRequest(t, "pullrequest:"+test.event, cloud(","+test.fields)))
			if got != test.want {
				t.Errorf("%s = %q, want %q", test.fields, got, test.want)
			}
		})
	}
}

const (
	given   = "2026-01-01T10:10:00.000001+00:00"
	updated = "2026-01-01T10:20:33.205705+00:00"
	verdict = `{"date":"` + given + `","user":{"nickname":"dee","account_id":"557058:d","uuid":"{d}"}}`
)

func TestDecode_CloudReview(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		action, beside string
		state          schemas.ReviewState
		at             string
	}{
		{"approved", `,"approval":` + verdict, schemas.ReviewApproved, given},
		{"unapproved", `,"approval":` + verdict, schemas.ReviewWithdrawn, updated},
		{"changes_request_created", `,"changes_request":` + verdict, schemas.ReviewChangesRequested, given},
		{"changes_request_removed", `,"changes_request":` + verdict, schemas.ReviewWithdrawn, updated},
	} {
		t.Run(test.action, func(t *testing.T) {
			t.Parallel()
			got := decoded(t, "pullrequest:"+test.action, cloudWith(wholeCloud, test.beside))
			want := event(cloudKey, "pullrequest", test.action)
			want.PullRequest = wantCloud()
			want.Review = &schemas.ReviewSnapshot{
				ID: "user/d", Author: schemas.Actor{Login: "dee"}, State: test.state, HeadSHA: "aaaaaaaaaaaa",
				SubmittedAt: schemas.Say(at(test.at)), UpdatedAt: schemas.Say(at(test.at)),
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("Decode() (-got +want):\n%s", diff)
			}
		})
	}
}

// Taking back is later than giving, though its payload has the date of giving.
func TestDecode_CloudWithdrawalIsLaterThanTheApproval(t *testing.T) {
	t.Parallel()
	gave := decoded(t, "pullrequest:approved", cloudWith(`,"updated_on":"`+given+`"`, `,"approval":`+verdict)).Review
	took := decoded(t, "pullrequest:unapproved", cloudWith(`,"updated_on":"`+updated+`"`, `,"approval":`+verdict)).Review
	if !took.UpdatedAt.Value.After(gave.UpdatedAt.Value) {
		t.Errorf("withdrawn at %v, approved at %v", took.UpdatedAt, gave.UpdatedAt)
	}
}

// Approving takes a request for changes back. The two events have one time, so
// the second must not undo the first.
func TestDecode_CloudWithdrawalInFavourOfAnotherVerdict(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]schemas.ReviewState{
		`"approved"`: schemas.ReviewApproved, `"changes_requested"`: schemas.ReviewChangesRequested,
		`null`: schemas.ReviewWithdrawn, `"odd"`: schemas.ReviewWithdrawn,
	} {
		participants := `,"participants":[null,{"user":null,"state":"approved"},{"user":{"uuid":"{e}"},"state":"approved"},{"user":{"uuid":"{d}"},"state":` + state + `}]`
		got := decoded(t, "pullrequest:changes_request_removed", cloudWith(participants, `,"changes_request":`+verdict))
		if got.Review.State != want {
			t.Errorf("state with participant %s = %s, want %s", state, got.Review.State, want)
		}
	}
}

func TestDecode_CloudVerdictWithoutADate(t *testing.T) {
	t.Parallel()
	got := decoded(t, "pullrequest:approved", cloudWith(`,"updated_on":"`+updated+`"`, `,"approval":{"user":{"uuid":"{d}"}}`))
	if want := schemas.Say(at(updated)); got.Review.UpdatedAt != want {
		t.Errorf("time = %v, want that of the pull request", got.Review.UpdatedAt)
	}
}

const comment = `"id":17,"content":{"raw":"Why?"},"user":{"nickname":"dee"},"links":{"html":{"href":"https://bitbucket.org/c/17"}},
	"created_on":"2026-01-01T10:00:00.939925+00:00","updated_on":"2026-01-01T10:05:00.831843+00:00"`

func TestDecode_CloudComment(t *testing.T) {
	t.Parallel()
	want := schemas.CommentSnapshot{
		Key: "bitbucket.org:comment/17", Kind: schemas.CommentConversation, Change: schemas.CommentCreated, Parent: cloudKey,
		Author: schemas.Actor{Login: "dee"}, Body: schemas.Say("Why?"), URL: "https://bitbucket.org/c/17",
		CreatedAt: schemas.Say(at("2026-01-01T10:00:00.939925Z")), UpdatedAt: schemas.Say(at("2026-01-01T10:05:00.831843Z")),
	}
	line, reply, edited, deleted := want, want, want, want
	line.Kind, line.Thread = schemas.CommentReview, "17"
	reply.Kind = schemas.CommentReview
	edited.Change = schemas.CommentEdited
	deleted.Change, deleted.Body, deleted.RemovedAt = schemas.CommentDeleted, schemas.Stated[string]{}, want.UpdatedAt
	for _, test := range []struct {
		name, action, fields string
		want                 schemas.CommentSnapshot
	}{
		{"on the pull request", "comment_created", comment, want},
		{"on a line", "comment_created", comment + `,"inline":{"path":"a.go","to":10}`, line},
		{"reply on a line", "comment_created", comment + `,"inline":{"path":"a.go"},"parent":{"id":16}`, reply},
		{"reply on the pull request", "comment_created", comment + `,"inline":null,"parent":{"id":16}`, want},
		{"updated", "comment_updated", comment, edited},
		{"deleted", "comment_deleted", comment + `,"deleted":true`, deleted},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := decoded(t, "pullrequest:"+test.action, cloudWith(wholeCloud, `,"comment":{`+test.fields+`},"actor":{"nickname":"bea"}`))
			whole := event(cloudKey, "pullrequest", test.action)
			whole.Sender, whole.Comment = schemas.Actor{Login: "bea"}, &test.want
			if diff := cmp.Diff(got, whole); diff != "" {
				t.Errorf("Decode() (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecode_CloudThread(t *testing.T) {
	t.Parallel()
	resolved := decoded(t, "pullrequest:comment_resolved", cloudWith(``, `,"comment":{`+comment+`,"inline":{},"resolution":{"created_on":"`+updated+`"}}`))
	want := event(cloudKey, "pullrequest", "comment_resolved")
	want.Thread = &schemas.ThreadSnapshot{ID: "17", Resolved: true, UpdatedAt: schemas.Say(at(updated))}
	if diff := cmp.Diff(resolved, want); diff != "" {
		t.Errorf("resolved (-got +want):\n%s", diff)
	}
	reopened := decoded(t, "pullrequest:comment_reopened", cloudWith(``, `,"comment":{`+comment+`,"inline":{},"resolution":null}`))
	want = event(cloudKey, "pullrequest", "comment_reopened")
	want.Thread = &schemas.ThreadSnapshot{ID: "17"}
	if diff := cmp.Diff(reopened, want); diff != "" {
		t.Errorf("reopened (-got +want):\n%s", diff)
	}
	reply := decoded(t, "pullrequest:comment_resolved", cloudWith(``, `,"comment":{"id":17,"parent":{"id":16}}`))
	if reply.Thread != nil || reply.Ignored == "" {
		t.Errorf("resolved by a reply: %+v, want it ignored", reply)
	}
}

func TestDecode_CloudStatus(t *testing.T) {
	t.Parallel()
	const sha = "bdf6fac0519ffd1562461eb82e018ff62efffbc9"
	for _, test := range []struct {
		state, conclusion string
		status            schemas.CheckStatus
		counts            schemas.ChecksState
	}{
		{"INPROGRESS", "", schemas.CheckInProgress, schemas.ChecksPending},
		{"SUCCESSFUL", "SUCCESSFUL", schemas.CheckCompleted, schemas.ChecksSuccess},
		{"FAILED", "FAILED", schemas.CheckCompleted, schemas.ChecksFailure},
		{"STOPPED", "STOPPED", schemas.CheckCompleted, schemas.ChecksFailure},
		{"FROM_THE_FUTURE", "", schemas.CheckInProgress, schemas.ChecksPending},
		{"", "", schemas.CheckInProgress, schemas.ChecksPending},
	} {
		t.Run(test.state, func(t *testing.T) {
			t.Parallel()
			got := decoded(t, "repo:commit_status_updated", `{`+repo+`,"actor":{"nickname":"ci"},"commit_status":{"key":"Build-1","name":"Unit tests",
				"state":"`+test.state+`","url":"https://ci/1","commit":{"hash":"`+sha+`"},"updated_on":"`+updated+`"}}`)
			want := event("bitbucket.org:"+uuid+"@bdf6fac0519f", "repo", "commit_status_updated")
			want.Sender = schemas.Actor{Login: "ci"}
			want.Check = &schemas.CheckSnapshot{
				Instance: "bitbucket.org", RepositoryID: uuid, Repository: "acme/api", SHA: "bdf6fac0519f",
				Kind: schemas.CommitStatus, Name: "build-1", Status: test.status, Conclusion: test.conclusion, State: test.counts,
				URL: "https://ci/1", UpdatedAt: schemas.Say(at(updated)),
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("Decode() (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecode_CloudRepository(t *testing.T) {
	t.Parallel()
	named := schemas.RepositorySnapshot{Instance: "bitbucket.org", RepositoryID: uuid, Repository: "acme/api", Change: schemas.RepositoryNamed}
	renamed, deleted := named, named
	renamed.Repository, renamed.Private = "acme/core", schemas.Say(true)
	deleted.Change = schemas.RepositoryDeleted
	for _, test := range []struct {
		action, body string
		want         schemas.RepositorySnapshot
	}{
		{"updated", `{` + repo + `}`, named},
		{"updated", `{"repository":{"uuid":"{` + uuid + `}","full_name":"acme/api","is_private":true},"changes":{"full_name":{"old":"acme/api","new":"acme/core"}}}`, renamed},
		{"transfer", `{` + repo + `}`, named},
		{"deleted", `{` + repo + `}`, deleted},
	} {
		got := decoded(t, "repo:"+test.action, test.body)
		want := event("bitbucket.org:"+uuid, "repo", test.action)
		want.Repository = &test.want
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("Decode(%s) (-got +want):\n%s", test.action, diff)
		}
	}
	if got := decoded(t, "repo:updated", `{"repository":{"uuid":"{`+uuid+`}"}}`); got.Repository != nil || got.Ignored == "" {
		t.Errorf("without a name: %+v, want it ignored", got)
	}
}

func TestDecode_Ignored(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"repo:push":                   "event repo:push is not folded",
		"repo:commit_comment_created": "event repo:commit_comment_created is not folded",
		"pullrequest:blessed":         "event pullrequest:blessed is not folded",
		"pullrequest:comment_liked":   "event pullrequest:comment_liked is not folded",
		"issue:created":               "event issue:created is not folded",
		"project:updated":             "event project:updated is not folded",
		"from_the_future":             "event from_the_future is not folded",
		"pr:blessed":                  "event pr:blessed is not folded",
		"pr:reviewer:blessed":         "event pr:reviewer:blessed is not folded",
		"pr:comment:liked":            "event pr:comment:liked is not folded",
		"repo:refs_changed":           "event repo:refs_changed is not folded",
		"repo:comment:added":          "event repo:comment:added is not folded",
		"project:modified":            "event project:modified is not folded",
		"mirror:repo_synchronized":    "event mirror:repo_synchronized is not folded",
		"diagnostics:ping":            "a ping says that the webhook is set up",
	} {
		got := decoded(t, key, `{"test":true,"pullrequest":7,"pullRequest":7}`)
		if got.Ignored != want || got.PullRequest != nil || got.Comment != nil || !got.ReceivedAt.Equal(time.Time{}) {
			t.Errorf("Decode(%s) = %+v, want it ignored: %s", key, got, want)
		}
	}
}
