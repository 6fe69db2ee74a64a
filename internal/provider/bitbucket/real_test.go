package bitbucket_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pawl/internal/provider/bitbucket"
)

// placeholder stands for a state in Atlassian's documentation, where
// go-playground's payloads of Cloud are from. It is none that a pull request can
// have: decoding must name it, and is tried again with a real one.
const placeholder = "OPEN|MERGED|DECLINED"

// realKey guesses the event key of a real payload: Data Center writes it into
// the body, the files of Cloud are named by it.
func realKey(path string, body []byte) string {
	var said struct {
		EventKey string `json:"eventKey"`
	}
	if json.Unmarshal(body, &said) == nil && said.EventKey != "" {
		return said.EventKey
	}
	name := strings.TrimSuffix(filepath.Base(path), ".json")
	for _, known := range []struct{ begins, key string }{
		{"pull-request-approval-removed", "pullrequest:unapproved"},
		{"pull-request-declined", "pullrequest:rejected"},
		{"pull-request-merged", "pullrequest:fulfilled"},
		{"pull-request-", "pullrequest:" + word(name, "pull-request-")},
		{"pr_declined", "pullrequest:rejected"},
		{"pr_", "pullrequest:" + word(name, "pr_")},
		{"pipeline_hook_created", "repo:commit_status_created"},
		{"pipeline_hook_update", "repo:commit_status_updated"},
		{"repo-", "repo:" + word(name, "repo-")},
		{"commit-comment-created", "repo:commit_comment_created"},
		{"issue-", "issue:" + word(name, "issue-")},
	} {
		if strings.HasPrefix(name, known.begins) {
			return known.key
		}
	}
	return "repo:push"
}

func word(name, prefix string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, prefix), "-", "_")
}

// tally counts what real payloads yield.
type tally struct{ files, snapshots, comments, reviews, checks, repositories, placeholders int }

// All real payloads at hand are sealed under a key and decoded without an
// error, and yield what their events are about.
func TestDecode_RealPayloads(t *testing.T) {
	t.Parallel()
	var got tally
	for _, name := range []string{"bitbucket", "bitbucket-server"} {
		err := filepath.WalkDir(shared(t, name), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
				return err
			}
			body, err := os.ReadFile(path)
			if err == nil {
				got.decode(t, path, string(body))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%+v", got)
	if got.files < 60 || got.snapshots < 30 || got.comments < 8 || got.reviews < 6 || got.checks < 4 || got.repositories < 1 {
		t.Errorf("%+v: too few to mean something", got)
	}
}

func (y *tally) decode(t *testing.T, path, body string) {
	t.Helper()
	y.files++
	key := realKey(path, []byte(body))
	record := sealed(t, key, body)
	event, err := bitbucket.Provider{}.Decode(record)
	if strings.Contains(body, placeholder) && !strings.Contains(key, "comment") {
		y.placeholders++
		if !strings.Contains(fmt.Sprint(err), "pullrequest.state") {
			t.Errorf("decode %s: %v, want that the state is none", path, err)
		}
		record = sealed(t, key, strings.ReplaceAll(body, placeholder, "OPEN"))
		event, err = bitbucket.Provider{}.Decode(record)
	}
	if err != nil {
		t.Errorf("decode %s as %s: %v", path, key, err)
		return
	}
	if event.Entity != record.Key {
		t.Errorf("%s: sealed under %s, decoded as %s", path, record.Key, event.Entity)
	}
	if pr := event.PullRequest; pr != nil {
		y.snapshots++
		if !pr.UpdatedAt.Known || !pr.State.Known || !pr.Merged.Known || !pr.HeadCommit.Known || pr.Title.Value == "" || pr.Author.Value.Login == "" || pr.Repository == "" {
			t.Errorf("%s: the snapshot lacks something: %+v", path, pr)
		}
	}
	y.count(event.Comment != nil, event.Review != nil, event.Check != nil, event.Repository != nil)
}

func (y *tally) count(comment, review, check, repository bool) {
	for _, one := range []struct {
		is    bool
		count *int
	}{{comment, &y.comments}, {review, &y.reviews}, {check, &y.checks}, {repository, &y.repositories}} {
		if one.is {
			*one.count++
		}
	}
}
