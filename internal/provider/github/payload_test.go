package github_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pawl/internal/provider/github"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// sign returns X-Hub-Signature-256 of a body.
func sign(body []byte, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func formDelivery(event, body string) webhook.Delivery {
	in := delivery(event, url.Values{"payload": {body}}.Encode())
	in.ContentType = "application/x-www-form-urlencoded"
	return in
}

// fullBody returns our own pull_request payload, padded with what nobody reads
// to the size of a real one (about 24 KB, with the links of every object).
func fullBody(tb testing.TB) []byte {
	tb.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "pull_request.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var payload map[string]any
	if err := json.Unmarshal(body, &payload); err != nil {
		tb.Fatal(err)
	}
	for _, path := range [][]string{{"repository"}, {"pull_request", "head", "repo"}, {"pull_request", "base", "repo"}, {"sender"}} {
		object := payload
		for _, name := range path {
			object = object[name].(map[string]any)
		}
		addLinks(object)
	}
	padded, err := json.Marshal(payload)
	if err != nil {
		tb.Fatal(err)
	}
	return padded
}

func addLinks(object map[string]any) {
	for _, name := range strings.Fields(`archive assignees blobs branches collaborators comments commits compare
		contents contributors deployments downloads events forks git_commits git_refs git_tags hooks issue_comment
		issue_events issues keys labels languages merges milestones notifications pulls releases stargazers statuses
		subscribers subscription tags teams trees git ssh clone svn mirror default license has_pages has_wiki`) {
		object[name+"_url"] = "https://api.github.com/repos/acme/api/" + name + "{/sha}{/other}"
		object["has_"+name] = len(name)%2 == 0
	}
}

// pullRequestRecord seals a body as a pull_request.
func pullRequestRecord(tb testing.TB, body string) schemas.Record {
	tb.Helper()
	record, err := (github.Provider{}).Seal(delivery("pull_request", body))
	if err != nil {
		tb.Fatal(err)
	}
	return record
}

// decodeSnapshot seals and decodes a body that must be decodable.
func decodeSnapshot(tb testing.TB, body string) (schemas.Event, *schemas.PullRequestSnapshot) {
	tb.Helper()
	event, err := (github.Provider{}).Decode(pullRequestRecord(tb, body))
	if err != nil {
		tb.Fatal(err)
	}
	if event.PullRequest == nil {
		tb.Fatalf("no snapshot, ignored: %s", event.Ignored)
	}
	return event, event.PullRequest
}

// decodeEvent seals and decodes a body that must be decodable, and checks that
// both make the same key.
func decodeEvent(tb testing.TB, event, body string) schemas.Event {
	tb.Helper()
	record, err := (github.Provider{}).Seal(delivery(event, body))
	if err != nil {
		tb.Fatal(err)
	}
	decoded, err := (github.Provider{}).Decode(record)
	if err != nil {
		tb.Fatal(err)
	}
	if decoded.Entity != record.Key {
		tb.Errorf("sealed under %s, decoded as %s", record.Key, decoded.Entity)
	}
	return decoded
}

// parts counts what an event says.
func parts(event schemas.Event) int {
	count := 0
	for _, said := range []bool{
		event.PullRequest != nil, event.Comment != nil, event.Thread != nil, event.Review != nil,
		event.Check != nil, event.MergeGroup != nil, event.Repository != nil,
	} {
		if said {
			count++
		}
	}
	return count
}

// minimal returns the smallest pull_request payload with more fields in it.
func minimal(fields string) string {
	return `{"repository":{"id":101,"full_name":"acme/api"},"pull_request":{"number":7` + fields + `}}`
}

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t.UTC()
}

// shared returns the folder of real payloads beside the repository, and skips
// the test where it is not there.
func shared(t *testing.T) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("no go.mod above the test")
		}
		folder = parent
	}
	payloads := filepath.Join(folder, "..", "shared", "payloads", "github")
	if _, err := os.Stat(payloads); err != nil {
		t.Skip("the real payloads are not at hand: ", err)
	}
	return payloads
}
