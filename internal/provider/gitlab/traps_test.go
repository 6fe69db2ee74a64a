//nolint:misspell // noteable is GitLab's word
package gitlab_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/gitlab"
	"pawl/schemas"
)

// Trap 3: a note and a pipeline carry a merge request with a time of its own. It
// must not move the watermark, so it is no snapshot.
func TestTrap03_PartialMergeRequestIsNoSnapshot(t *testing.T) {
	t.Parallel()
	const partial = `"merge_request":{"iid":7,"source_project_id":101,"state":"opened","title":"t","updated_at":"2030-01-01 00:00:00 UTC"}`
	for event, body := range map[string]string{
		"Note Hook":     noteOn(`"action":"create"`, partial),
		"Pipeline Hook": pipelineOf(`"status":"success"`, partial),
	} {
		if got := decoded(t, event, body); got.PullRequest != nil {
			t.Errorf("%s has the snapshot %+v", event, got.PullRequest)
		}
	}
}

// Trap 5: the name of a project changes, its id does not.
func TestTrap05_RenamedProjectKeepsTheKey(t *testing.T) {
	t.Parallel()
	before := decoded(t, "Merge Request Hook", mergeRequest("", ""))
	after := decoded(t, "Merge Request Hook", strings.Replace(mergeRequest("", ""), "acme/api", "apex/core", 1))
	if before.Entity != after.Entity || after.PullRequest.Repository != "apex/core" {
		t.Errorf("%s became %s of %s, want the same key and the new name", before.Entity, after.Entity, after.PullRequest.Repository)
	}
}

// Trap 7: issues are counted beside merge requests. A note on issue 7 is not about
// merge request 7.
func TestTrap07_NoteOnAnIssueIsNotOnTheMergeRequest(t *testing.T) {
	t.Parallel()
	got := decoded(t, "Note Hook", noteOn(`"noteable_type":"Issue"`, `"issue":{"iid":7}`))
	if got.Entity != "gitlab.com:101" || got.Comment != nil {
		t.Errorf("the note is about %s with comment %v, want the project and none", got.Entity, got.Comment)
	}
}

// Trap 8: ids are beyond 2^31.
func TestTrap08_LargeIDs(t *testing.T) {
	t.Parallel()
	body := strings.NewReplacer("101", "14030131450", "1244", "14030131451").Replace(noteOn(`"action":"create"`, onMergeRequest))
	got := decoded(t, "Note Hook", body)
	if got.Entity != "gitlab.com:14030131450#7" || got.Comment.Key != "gitlab.com:comment/14030131451" {
		t.Errorf("entity %s and comment %s, want the whole ids", got.Entity, got.Comment.Key)
	}
}

// Trap 9: the fork is gone, the head commit is gone, nobody is named.
func TestTrap09_NullsOfAForkThatIsGone(t *testing.T) {
	t.Parallel()
	got := decoded(t, "Merge Request Hook", mergeRequest(`,"action":"open","source_project_id":null,"last_commit":null,"source":null`, `,"user":null`))
	want := schemas.Say("")
	if pr := got.PullRequest; pr.HeadRepositoryID != want || pr.HeadSHA.Known || pr.HeadCommit.Known || pr.Author.Known {
		t.Errorf("snapshot %+v, want a head repository that is gone, and no head and no author", pr)
	}
}

// Trap 10: a new target branch comes as an edit of the base.
func TestTrap10_RetargetIsAnEditOfTheBase(t *testing.T) {
	t.Parallel()
	got := snapshotOf(t, mergeRequest(`,"action":"update","target_branch":"next"`,
		`,"changes":{"target_branch":{"previous":"main","current":"next"},"updated_at":{}}`))
	if got.Change != "edited" || fmt.Sprint(got.Edited) != "[base]" || got.BaseRef.Value != "next" {
		t.Errorf("change %q of %v to %v, want an edit of the base to next", got.Change, got.Edited, got.BaseRef)
	}
}

// Trap 11: what is opened can be a draft, and a payload without draft does not
// say that it is none.
func TestTrap11_Draft(t *testing.T) {
	t.Parallel()
	if got := snapshotOf(t, mergeRequest(`,"action":"open","draft":true`, "")).Draft; got != schemas.Say(true) {
		t.Errorf("draft = %v, want true", got)
	}
	if got := snapshotOf(t, mergeRequest(`,"action":"open"`, "")).Draft; got.Known {
		t.Errorf("draft = %v, want it not stated", got)
	}
}

// Trap 12: what is reopened has the head of the snapshot.
func TestTrap12_ReopenedHasTheHeadOfTheSnapshot(t *testing.T) {
	t.Parallel()
	got := snapshotOf(t, mergeRequest(`,"action":"reopen","state":"opened","last_commit":{"id":"`+shaB+`"}`, ""))
	if got.Change != "reopened" || got.HeadSHA.Value != shaB {
		t.Errorf("change %q with head %v, want reopened with %s", got.Change, got.HeadSHA, shaB)
	}
}

// Trap 20: GitLab tells of no deleted note. Should it begin to, that is not taken
// for a comment that was created.
func TestTrap20_DeletedNoteIsNotCreated(t *testing.T) {
	t.Parallel()
	if got := decoded(t, "Note Hook", noteOn(`"action":"destroy"`, onMergeRequest)); got.Comment != nil || got.Ignored == "" {
		t.Errorf("comment %+v, want none and a reason", got.Comment)
	}
}

// Trap 24: PostgreSQL refuses NUL.
func TestTrap24_NULIsDropped(t *testing.T) {
	t.Parallel()
	got := snapshotOf(t, mergeRequest(`,"title":"a\u0000b","description":"\u0000"`, `,"labels":[{"title":"c\u0000"}]`))
	if got.Title.Value != "ab" || got.Body != schemas.Say("") || fmt.Sprint(got.Labels.Value) != "[c]" {
		t.Errorf("title %q, body %v, labels %v, want them without NUL", got.Title.Value, got.Body, got.Labels)
	}
}

// Trap 25: headers of another provider beside GitLab's own decide nothing.
func TestTrap25_HeadersOfOthersDecideNothing(t *testing.T) {
	t.Parallel()
	in := hook("Merge Request Hook", mergeRequest("", ""))
	in.Header.Set("X-GitHub-Event", "push")
	in.Header.Set("X-GitHub-Delivery", "g-1")
	record, err := gitlab.Provider{}.Seal(in)
	if err != nil || record.Event != "merge_request" || record.ID != "d-1" {
		t.Errorf("Seal() = %s %s, %v, want merge_request d-1", record.Event, record.ID, err)
	}
}

// Trap 26: GitLab disables a webhook for its errors, so an event that is not
// folded is sealed like any other.
func TestTrap26_UnwantedEventIsNoError(t *testing.T) {
	t.Parallel()
	if got := decoded(t, "From The Future Hook", `{"anything":1}`); got.Ignored == "" || got.Entity != "gitlab.com" {
		t.Errorf("event %+v, want it ignored under the instance", got)
	}
}

// Trap 30: id is global, and iid is the number that people see.
func TestTrap30_TheNumberIsTheIID(t *testing.T) {
	t.Parallel()
	const want = "gitlab.com:101#7"
	for event, body := range map[string]string{
		"Merge Request Hook": mergeRequest(`,"id":99`, ""),
		"Note Hook":          noteOn(`"noteable_id":99`, `"merge_request":{"id":99,"iid":7}`),
	} {
		if got := decoded(t, event, body); string(got.Entity) != want {
			t.Errorf("%s is about %s, want %s", event, got.Entity, want)
		}
	}
	pipeline := decoded(t, "Pipeline Hook", pipelineOf(`"status":"success"`, `"merge_request":{"id":99,"iid":7,"source_project_id":202}`))
	if got, want := string(pipeline.Entity), "gitlab.com:202@"+shaA; got != want {
		t.Errorf("a pipeline is about %s, want %s", got, want)
	}
}

// Trap 31: a merge request is locked while it is being merged. It is open until
// the merge is through.
func TestTrap31_LockedIsOpen(t *testing.T) {
	t.Parallel()
	got := snapshotOf(t, mergeRequest(`,"state":"locked","action":"update"`, ""))
	if got.State != schemas.Say("open") || got.Merged != schemas.Say(false) {
		t.Errorf("locked is state %v and merged %v, want open and not merged", got.State, got.Merged)
	}
	got = snapshotOf(t, mergeRequest(`,"state":"merged","action":"merge"`, `,"changes":{"state":{"previous":"locked","current":"merged"}}`))
	if got.State != schemas.Say("closed") || got.Merged != schemas.Say(true) || got.Change != "closed" {
		t.Errorf("merged is state %v, merged %v, change %q, want closed and merged", got.State, got.Merged, got.Change)
	}
}

// Trap 32: a system hook reports the same merge request again, in another shape
// and without an action. It is the same entity, and changes nothing by a word.
func TestTrap32_SystemHookIsTheSameMergeRequest(t *testing.T) {
	t.Parallel()
	const fields = `,"id":99,"target_project_id":101,"state":"opened","title":"t"`
	project := decoded(t, "Merge Request Hook", mergeRequest(fields+`,"action":"open"`, ""))
	system := decoded(t, "System Hook", strings.Replace(mergeRequest(fields, `,"labels":null`), `"id":101,`, "", 1))
	if project.Entity != system.Entity {
		t.Errorf("entities %s and %s, want one", project.Entity, system.Entity)
	}
	system.PullRequest.Change = project.PullRequest.Change
	if diff := cmp.Diff(system.PullRequest, project.PullRequest); diff != "" {
		t.Errorf("snapshots but for the change (-system +project):\n%s", diff)
	}
	if got := decoded(t, "System Hook", mergeRequest(fields, "")).PullRequest.Change; got != schemas.ChangeUnknown {
		t.Errorf("change of a system hook = %q, want %q", got, schemas.ChangeUnknown)
	}
}

// Trap 36: X-Gitlab-Token is the secret in clear text. It must not reach the log.
func TestTrap36_TheTokenIsNotInTheRecord(t *testing.T) {
	t.Parallel()
	in := hook("Merge Request Hook", mergeRequest("", ""))
	in.Header.Set("X-Gitlab-Token", plainSecret)
	in.Header.Set("webhook-signature", "v1,"+plainSecret)
	record, err := gitlab.Provider{}.Seal(in)
	if err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprint(record.Headers()) + string(record.Body); strings.Contains(said, plainSecret) {
		t.Errorf("the record carries the secret: %s", said)
	}
}

// Trap 37: a time that is missing stays unknown, whatever was received when.
func TestTrap37_MissingTimeStaysUnknown(t *testing.T) {
	t.Parallel()
	record := sealed(t, "Merge Request Hook", mergeRequest(`,"action":"approved"`, `,"user":{"username":"ann"}`))
	record.ReceivedAt = at("2026-01-01T00:00:00Z")
	got, err := gitlab.Provider{}.Decode(record)
	if err != nil || got.PullRequest.UpdatedAt.Known || got.Review.UpdatedAt.Known || got.Review.SubmittedAt.Known {
		t.Errorf("Decode() = %+v and review %+v, %v, want no times", got.PullRequest, got.Review, err)
	}
}
