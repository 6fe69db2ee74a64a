package gitlab_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pawl/internal/provider/gitlab"
)

// undecodable are the real payloads that cannot be decoded, with what is missing.
var undecodable = map[string]string{
	"go-gitlab/group_merge_request.json": "project.id", // cut by hand: it has neither the project's id nor the iid
}

// realEvent guesses X-Gitlab-Event of a real payload.
func realEvent(body []byte) string {
	var said struct {
		Kind  string `json:"object_kind"`
		Event string `json:"event_name"`
		Type  string `json:"event_type"`
	}
	if json.Unmarshal(body, &said) != nil {
		return "Unknown Hook"
	}
	switch {
	case said.Kind == "" && said.Event != "":
		return "System Hook"
	case said.Kind == "build":
		return "Job Hook"
	case said.Type == "confidential_note":
		return "Confidential Note Hook"
	}
	return strings.ReplaceAll(said.Kind, "_", " ") + " Hook"
}

// All real payloads at hand are sealed under a key and decoded without an error,
// but for those that cannot be; the merge requests have all that a row needs.
func TestDecode_RealPayloads(t *testing.T) {
	t.Parallel()
	folder := shared(t)
	found := make(map[string]int)
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		found["payload"]++
		checkReal(t, filepath.ToSlash(name), body, found)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(found)
	for kind, least := range map[string]int{"payload": 90, "merge request": 12, "comment": 8, "thread": 2, "check": 4, "repository": 3, "undecodable": 1} {
		if found[kind] < least {
			t.Errorf("%d of %s, want at least %d", found[kind], kind, least)
		}
	}
}

func checkReal(t *testing.T, name string, body []byte, found map[string]int) {
	t.Helper()
	record, err := gitlab.Provider{}.Seal(hook(realEvent(body), string(body)))
	if err != nil {
		t.Errorf("seal %s: %v", name, err)
		return
	}
	got, err := gitlab.Provider{}.Decode(record)
	if missing, listed := undecodable[name]; listed {
		found["undecodable"]++
		if err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("decode %s: %v, want an error about %s", name, err, missing)
		}
		return
	}
	if err != nil {
		t.Errorf("decode %s: %v", name, err)
		return
	}
	if got.Entity != record.Key {
		t.Errorf("%s: sealed under %s, decoded as %s", name, record.Key, got.Entity)
	}
	if pr := got.PullRequest; pr != nil {
		found["merge request"]++
		if !pr.UpdatedAt.Known || !pr.State.Known || !pr.Merged.Known || !pr.HeadCommit.Known || pr.Title.Value == "" {
			t.Errorf("%s: the snapshot lacks its time, state, head or title: %+v", name, pr)
		}
	}
	for kind, there := range map[string]bool{
		"comment": got.Comment != nil, "thread": got.Thread != nil, "check": got.Check != nil, "repository": got.Repository != nil,
	} {
		if there {
			found[kind]++
		}
	}
}
