package gitea_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"pawl/internal/provider/gitea"
)

// realEvent guesses the event of a real payload by its fields.
func realEvent(body []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return "unknown"
	}
	has := func(field string) bool { value, ok := fields[field]; return ok && string(value) != "null" }
	switch {
	case has("issue") && has("comment"):
		return "issue_comment"
	case has("issue"):
		return "issues"
	case has("review"):
		return "pull_request_review_approved"
	case has("pull_request"):
		return "pull_request"
	case has("organization"):
		return "repository"
	}
	return "push"
}

// All real payloads at hand are sealed and decoded without an error; the secrets
// that old ones carry are not in the record.
func TestDecode_RealPayloads(t *testing.T) {
	t.Parallel()
	files, snapshots, comments, reviews, secrets := 0, 0, 0, 0, 0
	err := filepath.WalkDir(shared(t), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		record, err := gitea.Provider{}.Seal(delivery(realEvent(body), string(body)))
		if err != nil {
			t.Errorf("seal %s: %v", path, err)
			return nil
		}
		if bytes.Contains(record.Body, []byte(`"secret"`)) {
			t.Errorf("%s: the record carries the secret", path)
		}
		if len(record.Body) != len(body) {
			secrets++
		}
		got, err := gitea.Provider{}.Decode(record)
		if err != nil {
			t.Errorf("decode %s: %v", path, err)
			return nil
		}
		if got.Entity != record.Key {
			t.Errorf("%s: sealed under %s, decoded as %s", path, record.Key, got.Entity)
		}
		if pr := got.PullRequest; pr != nil {
			snapshots++
			if !pr.UpdatedAt.Known || !pr.State.Known || !pr.Merged.Known || !pr.HeadSHA.Known || !pr.HeadCommit.Known ||
				!pr.Labels.Known || !pr.Assignees.Known || !pr.Draft.Known || pr.Change == "" {
				t.Errorf("%s: the snapshot lacks what each of Gitea's has: %+v", path, pr)
			}
		}
		if got.Comment != nil {
			comments++
		}
		if got.Review != nil {
			reviews++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d payloads, %d snapshots, %d comments, %d reviews, %d secrets", files, snapshots, comments, reviews, secrets)
	if files < 35 || snapshots < 10 || comments < 4 || reviews < 2 || secrets < 7 {
		t.Error("too few to mean something")
	}
}
