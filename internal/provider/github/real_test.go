package github_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pawl/internal/provider/github"
	"pawl/schemas"
)

// realEvent guesses the event of a real payload: octokit's files are named by
// it, the others show it by their fields.
func realEvent(path string, body []byte) string {
	name := filepath.Base(path)
	if strings.Contains(path, "octokit") {
		event, _, _ := strings.Cut(name, ".")
		return event
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return "unknown"
	}
	for _, named := range []string{"check_run", "check_suite", "workflow_run", "merge_group"} {
		if _, ok := fields[named]; ok {
			return named
		}
	}
	has := func(field string) bool { _, ok := fields[field]; return ok }
	switch {
	case has("issue") && has("comment"):
		return "issue_comment"
	case has("pull_request") && has("review"):
		return "pull_request_review"
	case has("pull_request") && has("comment"):
		return "pull_request_review_comment"
	case has("pull_request"):
		return "pull_request"
	case has("zen"):
		return "ping"
	case has("sha") && has("state"):
		return "status"
	case has("repository") && strings.HasPrefix(name, "repository") && !has("alert"):
		return "repository"
	case has("installation") && strings.HasPrefix(name, "installation"):
		return strings.TrimSuffix(strings.ReplaceAll(name, "-", "_"), ".json")
	}
	return "push"
}

// All real payloads at hand are sealed under the key they are decoded to, without
// an error, and each of an event that is folded says what that event is for.
func TestDecode_RealPayloads(t *testing.T) {
	t.Parallel()
	said := make(map[string]int) // by event; ignored ones under "ignored"
	files := 0
	err := filepath.WalkDir(shared(t), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		said[checkReal(t, path, body)]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d payloads: %v", files, said)
	if files < 150 {
		t.Errorf("%d payloads: too few to mean something", files)
	}
	for event, want := range map[string]int{
		"pull_request": 35, "issue_comment": 2, "pull_request_review": 7, "pull_request_review_comment": 5, "pull_request_review_thread": 2,
		"check_run": 11, "check_suite": 10, "status": 6, "workflow_run": 6, "merge_group": 3, "repository": 12,
	} {
		if said[event] < want {
			t.Errorf("%d payloads of %s say something, want %d or more", said[event], event, want)
		}
	}
}

// checkReal seals and decodes one payload, and returns its event, or "ignored".
func checkReal(t *testing.T, path string, body []byte) string {
	t.Helper()
	name := realEvent(path, body)
	record, err := github.Provider{}.Seal(delivery(name, string(body)))
	if err != nil {
		t.Errorf("seal %s: %v", path, err)
		return "refused"
	}
	event, err := github.Provider{}.Decode(record)
	if err != nil {
		t.Errorf("decode %s: %v", path, err)
		return "dead"
	}
	if event.Entity != record.Key {
		t.Errorf("%s: sealed under %s, decoded as %s", path, record.Key, event.Entity)
	}
	if event.Ignored != "" {
		return "ignored"
	}
	if lacks := lacking(event); lacks != "" || parts(event) != 1 {
		t.Errorf("%s: the event lacks %s: %+v", path, lacks, event)
	}
	return name
}

// lacking names what every real payload of its event has, and this one has not.
func lacking(event schemas.Event) string {
	switch pr, comment, review, check := event.PullRequest, event.Comment, event.Review, event.Check; {
	case pr != nil && (!pr.UpdatedAt.Known || !pr.State.Known || !pr.Merged.Known || !pr.HeadCommit.Known):
		return "its time, state, merged or head"
	case comment != nil && (!comment.UpdatedAt.Known || comment.Author.Login == ""):
		return "its time or author"
	case review != nil && (!review.SubmittedAt.Known || !review.UpdatedAt.Known || review.Author.Login == ""):
		return "its times or author"
	case event.Thread != nil && !event.Thread.UpdatedAt.Known:
		return "its time"
	case check != nil && (check.Attempt == 0 || check.Status == ""):
		return "its attempt or status"
	case check != nil && check.Kind != schemas.CheckRun && !check.UpdatedAt.Known:
		return "its time"
	case event.Repository != nil && !event.Repository.UpdatedAt.Known:
		return "its time"
	}
	return ""
}
