package bitbucket_test

import (
	"strings"
	"testing"

	"pawl/internal/provider/bitbucket"
	"pawl/schemas"
)

// Comments and statuses come with the pull request or near it, and have clocks
// of their own: none of them is a snapshot.
func TestTrap03_CommentsAndChecksAreNoSnapshot(t *testing.T) {
	t.Parallel()
	for key, body := range map[string]string{
		"pullrequest:comment_created":  cloudWith(wholeCloud, `,"comment":{"id":1}`),
		"pullrequest:comment_resolved": cloudWith(wholeCloud, `,"comment":{"id":1}`),
		"repo:commit_status_created":   cloudWith(wholeCloud, `,"commit_status":{"key":"k","commit":{"hash":"aa"}}`),
		"pr:comment:added":             dataCenterWith(wholeDC, `,"comment":{"id":1}`),
	} {
		if got := decoded(t, key, body); got.PullRequest != nil || got.Ignored != "" {
			t.Errorf("%s: %+v, want it folded without a snapshot", key, got)
		}
	}
}

func TestTrap04_MergedIsStatedByTheStateAlone(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{`"MERGED"`: "true", `"OPEN"`: "false", `"DECLINED"`: "false", `null`: "unknown"} {
		if got := field(pullRequest(t, "pullrequest:updated", cloud(`,"state":`+state)).Merged); got != want {
			t.Errorf("cloud: merged of state %s = %s, want %s", state, got, want)
		}
		if got := field(pullRequest(t, "pr:modified", dataCenter(`,"state":`+state)).Merged); got != want {
			t.Errorf("data center: merged of state %s = %s, want %s", state, got, want)
		}
	}
}

func TestTrap05_ARenameKeepsTheKey(t *testing.T) {
	t.Parallel()
	renamed := strings.Replace(cloud(``), "acme/api", "other/core", 1)
	if a, b := decoded(t, "pullrequest:updated", cloud(``)).Entity, decoded(t, "pullrequest:updated", renamed).Entity; a != b {
		t.Errorf("cloud: %s under one name and %s under another", a, b)
	}
	renamed = strings.Replace(dataCenter(``), `"slug":"api"`, `"slug":"core"`, 1)
	if a, b := decoded(t, "pr:opened", dataCenter(``)).Entity, decoded(t, "pr:opened", renamed).Entity; a != b {
		t.Errorf("data center: %s under one name and %s under another", a, b)
	}
}

// Issues have numbers of their own: issue 7 is not pull request 7.
func TestTrap07_AnIssueIsNoPullRequest(t *testing.T) {
	t.Parallel()
	got := decoded(t, "issue:comment_created", `{"issue":{"id":7},"comment":{"id":1},`+repo+`}`)
	if got.Entity != "bitbucket.org:"+uuid || got.Comment != nil || got.Ignored == "" {
		t.Errorf("comment on an issue: %+v, want it ignored", got)
	}
}

func TestTrap08_IDsBeyond32Bits(t *testing.T) {
	t.Parallel()
	cloudComment := decoded(t, "pullrequest:comment_created", cloudWith(``, `,"comment":{"id":14030131450}`)).Comment
	if got, want := cloudComment.Key, schemas.EntityKey("bitbucket.org:comment/14030131450"); got != want {
		t.Errorf("comment = %s, want %s", got, want)
	}
	got := decoded(t, "pr:opened", strings.ReplaceAll(dataCenter(``), "101", "4294967297")).Entity
	if want := schemas.EntityKey("bitbucket.org:4294967297#7"); got != want {
		t.Errorf("pull request = %s, want %s", got, want)
	}
}

func TestTrap09_ForkGoneAndAuthorGone(t *testing.T) {
	t.Parallel()
	got := pullRequest(t, "pullrequest:updated", cloud(`,"author":null,"source":{"commit":{"hash":"aa"},"repository":null}`))
	if got.Author != schemas.Say(schemas.Actor{}) || got.HeadRepositoryID != schemas.Say("") {
		t.Errorf("author %v and head repository %v, want both stated and empty", got.Author, got.HeadRepositoryID)
	}
	if want := schemas.Say(schemas.CommitKey("bitbucket.org", uuid, "aa")); got.HeadCommit != want {
		t.Errorf("head commit = %v, want that of the destination", got.HeadCommit)
	}
	gone := pullRequest(t, "pr:declined", dataCenter(`,"fromRef":{"latestCommit":"aa","repository":null}`))
	if want := schemas.Say(schemas.CommitKey("bitbucket.org", "101", "aa")); gone.HeadCommit != want || gone.HeadRepositoryID != schemas.Say("") {
		t.Errorf("data center: head %v of %q, want that of the target", gone.HeadCommit, gone.HeadRepositoryID.Value)
	}
}

func TestTrap10_RetargetIsAnEditOfTheBase(t *testing.T) {
	t.Parallel()
	got := pullRequest(t, "pr:modified", dataCenterWith(`,"title":"t"`, `,"previousTitle":"t","previousTarget":{"id":"refs/heads/old"}`))
	if got.Change != "edited" || len(got.Edited) != 1 || got.Edited[0] != "base" || got.BaseRef != schemas.Say("main") {
		t.Errorf("change %s of %v to %v, want an edit of the base", got.Change, got.Edited, got.BaseRef)
	}
	if moved := pullRequest(t, "pullrequest:updated", cloud(wholeCloud)); moved.Change != schemas.ChangeUnknown || !moved.BaseRef.Known {
		t.Errorf("cloud: change %s to %v, want an unknown one that shows the base", moved.Change, moved.BaseRef)
	}
}

func TestTrap11_MissingDraftIsNotFalse(t *testing.T) {
	t.Parallel()
	if got := pullRequest(t, "pullrequest:created", cloud(``)).Draft; got.Known {
		t.Errorf("cloud: draft = %v, want unknown", got)
	}
	if got := pullRequest(t, "pr:opened", dataCenter(``)).Draft; got.Known {
		t.Errorf("data center: draft = %v, want unknown", got)
	}
	if got := pullRequest(t, "pullrequest:created", cloud(`,"draft":true`)).Draft; got != schemas.Say(true) {
		t.Errorf("opened as a draft: %v", got)
	}
}

// A commit has 12 digits in a pull request and 40 in a status: one key, and one
// form of head and of reviewed commit.
func TestTrap15_TheStatusMeetsTheHead(t *testing.T) {
	t.Parallel()
	const sha = "bdf6fac0519ffd1562461eb82e018ff62efffbc9"
	for _, hash := range []string{sha, sha[:12]} {
		approved := decoded(t, "pullrequest:approved", cloudWith(
			`,"source":{"commit":{"hash":"`+hash+`"},"repository":{"uuid":"{`+uuid+`}"}}`, `,"approval":{"user":{"uuid":"{d}"}}`))
		status := decoded(t, "repo:commit_status_updated", `{`+repo+`,"commit_status":{"key":"k","commit":{"hash":"`+sha+`"}}}`)
		if got := approved.PullRequest.HeadCommit; got != schemas.Say(status.Entity) {
			t.Errorf("head commit %v, status on %s", got, status.Entity)
		}
		if approved.Review.HeadSHA != approved.PullRequest.HeadSHA.Value {
			t.Errorf("reviewed %s, head %s", approved.Review.HeadSHA, approved.PullRequest.HeadSHA.Value)
		}
	}
}

func TestTrap18_StatusKeysAreInLowerCase(t *testing.T) {
	t.Parallel()
	upper := decoded(t, "repo:commit_status_created", `{`+repo+`,"commit_status":{"key":"CI/Unit","commit":{"hash":"aa"}}}`).Check
	lower := decoded(t, "repo:commit_status_created", `{`+repo+`,"commit_status":{"key":"ci/unit","commit":{"hash":"aa"}}}`).Check
	if upper.Name != lower.Name {
		t.Errorf("names %q and %q, want one", upper.Name, lower.Name)
	}
}

// Data Center keeps updatedDate of a comment when it deletes it.
func TestTrap20_ADeletionHasTheTimeOfItsEvent(t *testing.T) {
	t.Parallel()
	got := decoded(t, "pr:comment:deleted", dataCenterWith(``, `,"date":"2019-03-01T10:09:09+0100","comment":{"id":166,"updatedDate":1551431209893}`)).Comment
	if !got.RemovedAt.Value.After(got.UpdatedAt.Value) {
		t.Errorf("removed at %v, updated at %v", got.RemovedAt, got.UpdatedAt)
	}
}

func TestTrap21_APingNeedsNoRepository(t *testing.T) {
	t.Parallel()
	got := decoded(t, "diagnostics:ping", `{"test":true}`)
	if got.Entity != "bitbucket.org" || got.Ignored == "" {
		t.Errorf("ping: %+v, want it ignored under the instance", got)
	}
}

func TestTrap24_TextThatPostgreSQLRefuses(t *testing.T) {
	t.Parallel()
	got := pullRequest(t, "pr:opened", dataCenter(",\"title\":\"a\\u0000b\xff\",\"reviewers\":[{\"user\":{\"name\":\"d\\u0000ee\"}}]"))
	if field(got.Title) != "ab\ufffd" || field(got.RequestedReviewers) != "[dee]" {
		t.Errorf("title %q and reviewers %q, want them cleaned", got.Title.Value, got.RequestedReviewers.Value)
	}
}

// Linear is the strictest; Bitbucket calls 2xx a success.
func TestTrap26_SuccessIs200(t *testing.T) {
	t.Parallel()
	if got := (bitbucket.Provider{}).SuccessStatus(); got != 200 {
		t.Errorf("SuccessStatus() = %d, want 200", got)
	}
}

// A missing time is unknown. The time of receipt never stands in.
func TestTrap37_OurClockNeverFillsIn(t *testing.T) {
	t.Parallel()
	for key, body := range map[string]string{"pullrequest:updated": cloud(``), "pr:opened": dataCenter(``)} {
		in := delivery(key, body)
		in.ReceivedAt = at("2026-01-01T00:00:00Z")
		record, err := bitbucket.Provider{}.Seal(in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := bitbucket.Provider{}.Decode(record)
		if err != nil || got.PullRequest.UpdatedAt.Known {
			t.Errorf("%s: updated at %v, %v, want unknown", key, got.PullRequest.UpdatedAt, err)
		}
	}
}
