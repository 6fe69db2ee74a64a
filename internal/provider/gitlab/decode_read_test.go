package gitlab_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/gitlab"
	"pawl/schemas"
)

// apiMergeRequest has the fields of "Get single MR" in docs.gitlab.com.
const apiMergeRequest = `{"id":1,"iid":7,"project_id":101,"title":"Fix","description":null,"state":"merged",
	"created_at":"2026-01-01T00:00:00.123Z","updated_at":"2026-01-02T03:04:05.678Z",
	"merged_at":"2026-01-02T03:04:05.670Z","closed_at":null,"target_branch":"main","source_branch":"fix",
	"author":{"id":5,"username":"ann","state":"active"},
	"assignees":[],"reviewers":[{"id":6,"username":"bob","state":"active"}],
	"source_project_id":202,"target_project_id":101,"labels":["b","a"],"draft":false,"work_in_progress":false,
	"milestone":{"id":3,"title":"v1"},"merge_when_pipeline_succeeds":false,"discussion_locked":null,
	"sha":"` + shaA + `","merge_commit_sha":"` + shaB + `","references":{"full":"acme/api!7"},
	"blocking_discussions_resolved":true}`

// readOf is the record that a live read makes.
func readOf(body string) schemas.Record {
	return schemas.Record{
		Key: "gitlab.com:101#7", ID: "read:1", Source: "gitlab", Provider: "gitlab", Event: "merge_request",
		Body: []byte(`{"object_kind":"merge_request","merge_request":` + body + `}`),
	}
}

func TestDecodeRead_IsTheWholeMergeRequestAndNoChange(t *testing.T) {
	t.Parallel()
	event, err := gitlab.Provider{}.Decode(readOf(apiMergeRequest))
	if err != nil {
		t.Fatal(err)
	}
	second := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := &schemas.PullRequestSnapshot{
		Instance: "gitlab.com", RepositoryID: "101", Repository: "acme/api", Number: 7,
		UpdatedAt: schemas.Say(second), Title: schemas.Say("Fix"), Body: schemas.Say(""),
		Author: schemas.Say(schemas.Actor{Login: "ann"}), State: schemas.Say("closed"), Merged: schemas.Say(true),
		Draft: schemas.Say(false), Locked: schemas.Say(false), HeadSHA: schemas.Say(shaA), HeadRef: schemas.Say("fix"),
		HeadRepositoryID: schemas.Say("202"), HeadCommit: schemas.Say(schemas.CommitKey("gitlab.com", "202", shaA)),
		BaseRef: schemas.Say("main"), Labels: schemas.Say([]string{"a", "b"}), Milestone: schemas.Say("v1"),
		RequestedReviewers: schemas.Say([]string{"bob"}), Assignees: schemas.Say([]string{}), AutoMerge: schemas.Say(false),
		ThreadsResolved: schemas.Say(true), MergeCommitSHA: schemas.Say(shaB),
		CreatedAt: schemas.Say(time.Date(2026, 1, 1, 0, 0, 0, 123e6, time.UTC)),
		MergedAt:  schemas.Say(second.Add(670 * time.Millisecond)), ClosedAt: schemas.Say(time.Time{}),
	}
	if diff := cmp.Diff(want, event.PullRequest); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
	if event.Entity != "gitlab.com:101#7" || event.Action != "" || event.Review != nil || event.Ignored != "" {
		t.Errorf("event: got %+v", event)
	}
}

func TestDecodeRead_NamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, from, to, want string }{
		{"another merge request", `"iid":7`, `"iid":8`, "gitlab.com:101#8, and the record's key is gitlab.com:101#7"},
		{"no number", `"iid":7`, `"iid":0`, "iid is missing"},
		{"no head", shaA, "not a sha", "not the name of a commit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := gitlab.Provider{}.Decode(readOf(strings.Replace(apiMergeRequest, tt.from, tt.to, 1)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}

// TestDecodeRead_AWebhookIsNone: object_attributes make a webhook of it, whatever
// else stands there.
func TestDecodeRead_AWebhookIsNone(t *testing.T) {
	t.Parallel()
	event := decoded(t, "Merge Request Hook", mergeRequest(`,"state":"opened"`, `,"merge_request":`+apiMergeRequest))
	if event.PullRequest.Merged.Value || event.PullRequest.Change != schemas.ChangeUnknown {
		t.Errorf("snapshot: got %+v", event.PullRequest)
	}
}
