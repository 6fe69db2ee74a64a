package gitlab_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pawl/internal/provider/gitlab"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

const (
	shaA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	shaB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// hook returns a delivery of the event that X-Gitlab-Event names.
func hook(event, body string) webhook.Delivery {
	header := make(http.Header)
	header.Set("X-Gitlab-Event", event)
	header.Set("Idempotency-Key", "d-1")
	return webhook.Delivery{Header: header, Raw: []byte(body), ContentType: "application/json", Source: "gitlab"}
}

// sealed seals a delivery that must be one.
func sealed(tb testing.TB, event, body string) schemas.Record {
	tb.Helper()
	record, err := gitlab.Provider{}.Seal(hook(event, body))
	if err != nil {
		tb.Fatal(err)
	}
	return record
}

// decoded seals and decodes a body that must be decodable, and holds the two
// against each other.
func decoded(tb testing.TB, event, body string) schemas.Event {
	tb.Helper()
	record := sealed(tb, event, body)
	got, err := gitlab.Provider{}.Decode(record)
	if err != nil {
		tb.Fatal(err)
	}
	if got.Entity != record.Key {
		tb.Fatalf("sealed under %s, decoded as %s", record.Key, got.Entity)
	}
	return got
}

// mergeRequest returns the smallest payload of a merge request with more fields
// in object_attributes, and more beside it.
func mergeRequest(fields, beside string) string {
	return `{"object_kind":"merge_request","project":{"id":101,"path_with_namespace":"acme/api"}` + beside +
		`,"object_attributes":{"iid":7` + fields + `}}`
}

func snapshotOf(tb testing.TB, body string) *schemas.PullRequestSnapshot {
	tb.Helper()
	event := decoded(tb, "Merge Request Hook", body)
	if event.PullRequest == nil {
		tb.Fatalf("no snapshot, ignored: %s", event.Ignored)
	}
	return event.PullRequest
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
	payloads := filepath.Join(folder, "..", "shared", "payloads", "gitlab")
	if _, err := os.Stat(payloads); err != nil {
		t.Skip("the real payloads are not at hand: ", err)
	}
	return payloads
}
