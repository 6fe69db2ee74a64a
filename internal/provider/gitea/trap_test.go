package gitea_test

import (
	"testing"

	"pawl/schemas"
)

// The traps that can be seen in decoding; 22, 25 and 36 stand beside what they
// are about.

func TestTrap03_OnlyWholePullRequestsCarryAClock(t *testing.T) {
	t.Parallel()
	comment := `{"action":"created","issue":{"number":7,"updated_at":"2026-01-01T00:00:00Z"},"comment":{"id":1},"is_pull":true,` +
		`"pull_request":{"number":7,"state":"open","updated_at":"2026-01-01T00:00:00Z"},` + repo + `}`
	run := `{"workflow_run":{"id":1,"head_sha":"` + sha + `"},"pull_request":{"number":7,"state":"open","updated_at":"2026-01-01T00:00:00Z"},` + repo + `}`
	for event, body := range map[string]string{"pull_request_comment": comment, "issue_comment": comment, "workflow_run": run} {
		if got := decoded(t, event, body); got.PullRequest != nil || got.Ignored != "" {
			t.Errorf("Decode() of %s = %+v, want no snapshot", event, got)
		}
	}
}

func TestTrap04_MergedMissingIsNotFalse(t *testing.T) {
	t.Parallel()
	if got := snapshotOf(t, `,"state":"closed"`).Merged; got.Known {
		t.Errorf("merged = %v, want not stated", got)
	}
	if got := snapshotOf(t, `,"merged":false,"merged_at":"2026-01-01T00:00:00Z"`).Merged; !got.Value {
		t.Errorf("merged = %v, want true: merged_at is set", got)
	}
}

func TestTrap05_TheKeyIsOfTheIDNotTheName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"acme/api", "acme/core", "other/api"} {
		got := decoded(t, "pull_request", `{"number":7,"repository":{"id":101,"full_name":"`+name+`"}}`)
		if got.Entity != "git.acme.com:101#7" || got.PullRequest.Repository != name {
			t.Errorf("entity and name = %s, %s", got.Entity, got.PullRequest.Repository)
		}
	}
}

func TestTrap07_ACommentOnAnIssueMakesNoPullRequest(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{
		`"issue":{"number":7}`, `"issue":{"number":7,"pull_request":null},"is_pull":false`, `"issue":{"number":7},"pull_request":null`,
	} {
		got := decoded(t, "issue_comment", `{"action":"created","comment":{"id":1},`+fields+`,`+repo+`}`)
		if got.Comment != nil || got.Ignored == "" || got.Entity != "git.acme.com:101" {
			t.Errorf("Decode(%s) = %+v, want ignored", fields, got)
		}
	}
}

func TestTrap08_IdsBeyond32Bits(t *testing.T) {
	t.Parallel()
	got := decoded(t, "status", `{"id":9007199254740993,"sha":"`+sha+`","context":"c","repository":{"id":4294967297}}`)
	if got.Entity != "git.acme.com:4294967297@"+sha || got.Check.Attempt != 9007199254740993 {
		t.Errorf("entity and attempt = %s, %d", got.Entity, got.Check.Attempt)
	}
}

func TestTrap09_TheForkAndTheAuthorAreGone(t *testing.T) {
	t.Parallel()
	for _, head := range []string{`{"repo_id":-1,"repo":null}`, `{"repo":null}`, `{"repo_id":-1}`} {
		got := snapshotOf(t, `,"user":null,"head":`+head)
		if got.HeadRepositoryID != schemas.Say("") || got.Author != schemas.Say(schemas.Actor{}) {
			t.Errorf("head repository and author of %s = %v, %v, want stated and empty", head, got.HeadRepositoryID, got.Author)
		}
	}
}

func TestTrap10_ARetargetKeepsTheHead(t *testing.T) {
	t.Parallel()
	got := decoded(t, "pull_request", `{"action":"edited","changes":{"ref":{"from":"main"}},"pull_request":{"number":7,"base":{"ref":"next"},"head":{"sha":"`+sha+`"}},`+repo+`}`)
	if pr := got.PullRequest; len(pr.Edited) != 1 || pr.Edited[0] != "base" || pr.BaseRef.Value != "next" || pr.HeadSHA.Value != sha {
		t.Errorf("edited, base and head = %v, %v, %v", pr.Edited, pr.BaseRef, pr.HeadSHA)
	}
}

func TestTrap11_ANewPullRequestCanBeADraft(t *testing.T) {
	t.Parallel()
	if got := snapshotOf(t, `,"draft":true`); !got.Draft.Value || got.Change != "opened" {
		t.Errorf("draft = %v of %s", got.Draft, got.Change)
	}
}

func TestTrap15_ChecksHangOnTheCommitOfTheBaseRepository(t *testing.T) {
	t.Parallel()
	head := snapshotOf(t, `,"head":{"sha":"`+sha+`","repo_id":202}`).HeadCommit
	check := decoded(t, "status", `{"sha":"`+sha+`","context":"c","state":"success",`+repo+`}`)
	if head.Value != check.Entity {
		t.Errorf("head's commit = %s, status' = %s", head.Value, check.Entity)
	}
}

func TestTrap17_ARunThatIsDoneAgainKeepsItsID(t *testing.T) {
	t.Parallel()
	first := decoded(t, "workflow_run", runBody(`,"status":"completed","conclusion":"failure","run_attempt":1`)).Check
	again := decoded(t, "workflow_run", runBody(`,"status":"queued","run_attempt":2`)).Check
	if first.Attempt != again.Attempt || again.Retry <= first.Retry {
		t.Errorf("attempts = %d.%d, %d.%d, want the second to be the newer", first.Attempt, first.Retry, again.Attempt, again.Retry)
	}
}

func TestTrap18_ContextsAreEqualWhateverTheirCase(t *testing.T) {
	t.Parallel()
	for _, context := range []string{"CI/Build", "ci/build"} {
		if got := decoded(t, "status", `{"sha":"`+sha+`","context":"`+context+`",`+repo+`}`).Check.Name; got != "ci/build" {
			t.Errorf("name of %s = %s", context, got)
		}
	}
}

func TestTrap19_ACommentTakesNoApprovalAway(t *testing.T) {
	t.Parallel()
	approval := decoded(t, "pull_request_review_approved", reviewBody(`"review":{"type":"pull_request_review_approved"},`)).Review
	comment := decoded(t, "pull_request_review_comment", reviewBody(`"review":{"type":"pull_request_review_comment"},`)).Review
	rejection := decoded(t, "pull_request_review_rejected", reviewBody(`"review":{"type":"pull_request_review_rejected"},`)).Review
	if comment.ID == approval.ID || rejection.ID != approval.ID || comment.Author != approval.Author {
		t.Errorf("ids = %s, %s, %s, want one for the opinion and another for comments", approval.ID, comment.ID, rejection.ID)
	}
}

func TestTrap20_ADeletedCommentIsKnownByItsAction(t *testing.T) {
	t.Parallel()
	got := decoded(t, "issue_comment", commentBody("deleted", `,"updated_at":"2026-01-01T10:00:00Z"`)).Comment
	if got.Change != schemas.CommentDeleted || got.RemovedAt.Value.Before(got.UpdatedAt.Value) {
		t.Errorf("change %s, removed %v before it was edited %v", got.Change, got.RemovedAt, got.UpdatedAt)
	}
}

func TestTrap24_RawBytesInTheRecordAndCleanTextInTheRow(t *testing.T) {
	t.Parallel()
	body := minimal("opened", ",\"title\":\"a\\u0000\xffb\"")
	if got := string(sealed(t, "pull_request", body).Body); got != body {
		t.Errorf("body = %q, want %q", got, body)
	}
	if got := snapshotOf(t, ",\"title\":\"a\\u0000\xffb\"").Title.Value; got != "a\ufffdb" {
		t.Errorf("title = %q", got)
	}
}

func TestTrap37_AMissingTimeStaysUnknown(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{``, `,"updated_at":null`, `,"updated_at":""`, `,"updated_at":"0001-01-01T00:00:00Z"`} {
		if got := snapshotOf(t, fields).UpdatedAt; got.Known {
			t.Errorf("updated at of %s = %v, want unknown", fields, got)
		}
	}
}
