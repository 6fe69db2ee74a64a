package github_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pawl/internal/provider/github"
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
	}
	return "push"
}

// All real payloads at hand are sealed under a key and decoded without an
// error; those of pull_request and of comments on one yield a snapshot.
func TestDecode_RealPayloads(t *testing.T) {
	t.Parallel()
	folder := shared(t)
	files, snapshots, comments := 0, 0, 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		event := realEvent(path, body)
		record, err := github.Provider{}.Seal(delivery(event, string(body)))
		if err != nil {
			t.Errorf("seal %s: %v", path, err)
			return nil
		}
		decoded, err := github.Provider{}.Decode(record)
		if err != nil {
			t.Errorf("decode %s: %v", path, err)
			return nil
		}
		if decoded.Entity != record.Key {
			t.Errorf("%s: sealed under %s, decoded as %s", path, record.Key, decoded.Entity)
		}
		if pr := decoded.PullRequest; pr != nil {
			snapshots++
			if !pr.UpdatedAt.Known || !pr.State.Known || !pr.Merged.Known || pr.HeadSHA.Value == "" {
				t.Errorf("%s: the snapshot lacks its time, state, merged or head: %+v", path, pr)
			}
		}
		if decoded.Comment != nil {
			comments++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d payloads, %d snapshots, %d comments", files, snapshots, comments)
	if files < 150 || snapshots < 30 || comments < 2 {
		t.Errorf("%d payloads, %d snapshots, %d comments: too few to mean something", files, snapshots, comments)
	}
}
