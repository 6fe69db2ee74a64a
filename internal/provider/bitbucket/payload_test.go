package bitbucket_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pawl/internal/provider/bitbucket"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

const (
	uuid     = "11111111-2222-3333-4444-555555555555"
	forkUUID = "99999999-2222-3333-4444-555555555555"
	repo     = `"repository":{"uuid":"{` + uuid + `}","full_name":"acme/api"}`
	dcRepo   = `"repository":{"id":101,"slug":"api","project":{"key":"ACME"}}`
	toRef    = `"toRef":{"displayId":"main","id":"refs/heads/main",` + dcRepo + `}`
)

// sign returns X-Hub-Signature of a body.
func sign(body []byte, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func delivery(key, body string) webhook.Delivery {
	header := make(http.Header)
	header.Set("X-Event-Key", key)
	header.Set("X-Request-UUID", "d-1")
	return webhook.Delivery{
		Header: header, Raw: []byte(body), ContentType: "application/json", Instance: "bitbucket.org", Source: "bitbucket",
	}
}

func sealed(tb testing.TB, key, body string) schemas.Record {
	tb.Helper()
	record, err := bitbucket.Provider{}.Seal(delivery(key, body))
	if err != nil {
		tb.Fatal(err)
	}
	return record
}

// decoded seals and decodes a body that must be decodable, and checks that both
// found the same key.
func decoded(tb testing.TB, key, body string) schemas.Event {
	tb.Helper()
	record := sealed(tb, key, body)
	event, err := bitbucket.Provider{}.Decode(record)
	if err != nil {
		tb.Fatal(err)
	}
	if event.Entity != record.Key {
		tb.Errorf("sealed under %s, decoded as %s", record.Key, event.Entity)
	}
	return event
}

// pullRequest decodes a body that must yield a snapshot.
func pullRequest(tb testing.TB, key, body string) *schemas.PullRequestSnapshot {
	tb.Helper()
	event := decoded(tb, key, body)
	if event.PullRequest == nil {
		tb.Fatalf("no snapshot, ignored: %s", event.Ignored)
	}
	return event.PullRequest
}

// cloud returns the smallest pull request of Cloud with more fields in it.
func cloud(fields string) string { return cloudWith(fields, "") }

// cloudWith puts more fields beside the pull request too.
func cloudWith(fields, beside string) string {
	return `{` + repo + `,"pullrequest":{"id":7` + fields + `}` + beside + `}`
}

// dataCenter returns the smallest pull request of Data Center with more fields
// in it.
func dataCenter(fields string) string { return dataCenterWith(fields, "") }

func dataCenterWith(fields, beside string) string {
	return `{"pullRequest":{"id":7,` + toRef + fields + `}` + beside + `}`
}

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return t.UTC()
}

// shared returns the folder of real payloads beside the repository, and skips
// the test where it is not there.
func shared(t *testing.T, name string) string {
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
	payloads := filepath.Join(folder, "..", "shared", "payloads", name)
	if _, err := os.Stat(payloads); err != nil {
		t.Skip("the real payloads are not at hand: ", err)
	}
	return payloads
}
