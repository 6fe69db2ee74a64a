package gitea_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pawl/internal/provider/gitea"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

const (
	repo = `"repository":{"id":101,"full_name":"acme/api"}`
	sha  = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
)

// sign returns X-Gitea-Signature of a body.
func sign(body []byte, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// delivery returns a delivery as Gitea sends it: with GitHub's names as well.
func delivery(event, body string) webhook.Delivery {
	header := make(http.Header)
	for _, family := range []string{"X-Gitea", "X-Gogs", "X-GitHub"} {
		header.Set(family+"-Event", event)
		header.Set(family+"-Event-Type", event)
		header.Set(family+"-Delivery", "d-1")
	}
	return webhook.Delivery{
		Header: header, Raw: []byte(body), ContentType: "application/json",
		Instance: "git.acme.com", Source: "gitea",
	}
}

func formDelivery(event, body string) webhook.Delivery {
	in := delivery(event, url.Values{"payload": {body}}.Encode())
	in.ContentType = "application/x-www-form-urlencoded"
	return in
}

// sealed returns the record of a body that must be sealable.
func sealed(tb testing.TB, event, body string) schemas.Record {
	tb.Helper()
	record, err := (gitea.Provider{}).Seal(delivery(event, body))
	if err != nil {
		tb.Fatal(err)
	}
	return record
}

// decoded seals and decodes a body that must be decodable.
func decoded(tb testing.TB, event, body string) schemas.Event {
	tb.Helper()
	record := sealed(tb, event, body)
	got, err := (gitea.Provider{}).Decode(record)
	if err != nil {
		tb.Fatal(err)
	}
	if got.Entity != record.Key {
		tb.Errorf("sealed under %s, decoded as %s", record.Key, got.Entity)
	}
	return got
}

// snapshotOf decodes a pull request with these fields, and nothing else.
func snapshotOf(tb testing.TB, fields string) *schemas.PullRequestSnapshot {
	tb.Helper()
	got := decoded(tb, "pull_request", minimal("opened", fields))
	if got.PullRequest == nil {
		tb.Fatalf("no snapshot, ignored: %s", got.Ignored)
	}
	return got.PullRequest
}

// minimal returns the smallest payload of a pull request with more fields in it.
func minimal(action, fields string) string {
	return `{"action":"` + action + `","pull_request":{"number":7` + fields + `},` + repo + `}`
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
	payloads := filepath.Join(folder, "..", "shared", "payloads", "gitea")
	if _, err := os.Stat(payloads); err != nil {
		t.Skip("the real payloads are not at hand: ", err)
	}
	return payloads
}
