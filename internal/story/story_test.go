package story_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pawl/internal/story"
)

// TestStories runs the stories that users see as examples, in the written order
// and in all others.
func TestStories(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../stories/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			report := story.Test(file, data, story.Options{Orders: 200})
			for _, diff := range report.Diffs {
				t.Error(diff)
			}
			for _, note := range report.Notes {
				t.Log(note)
			}
		})
	}
}

// TestStory_TellsWhatIsNotSo: a want that is false fails, and says how.
func TestStory_TellsWhatIsNotSo(t *testing.T) {
	t.Parallel()
	const head = "-- 01.http --\nPOST /webhooks/github\r\nX-GitHub-Event: pull_request\r\nX-GitHub-Delivery: d-1\r\n\r\n" +
		`{"action":"opened","number":7,"repository":{"id":101,"full_name":"acme/api"},"pull_request":{"number":7,"state":"open"}}` + "\n"
	const rule = "-- pawl.yaml --\nrules:\n  - {name: greet, on: [opened], mutate: {comment: {body: hi}}}\n"
	tests := []struct{ name, story, want string }{
		{"verdict of a name that is not quoted", head + "-- want.yaml --\nverdicts: {01: stale}\n", "got applied, want stale"},
		{"no such delivery, in a name that could be octal", head + "-- want.yaml --\nverdicts: {010: stale}\n", "there is no 010.http"},
		{"verdict", head + "-- want.yaml --\nverdicts: {\"01\": stale}\n", "verdict of 01: got applied, want stale"},
		{"no such delivery", head + "-- want.yaml --\nverdicts: {\"02\": stale}\n", "there is no 02.http"},
		{"column", head + "-- want.yaml --\npull_request: {\"github.com:101#7\": {state: closed}}\n", `state: got "open", want "closed"`},
		{"no such column", head + "-- want.yaml --\npull_request: {acme/api#7: {status: closed}}\n", "there is no column status"},
		{"no such row", head + "-- want.yaml --\npull_request: {acme/api#8: {state: open}}\n", "there is no such row; there are github.com:101#7"},
		{"transitions", head + "-- want.yaml --\ntransitions: {acme/api#7: [opened, closed]}\n", "got [opened], want [opened closed]"},
		{"mutation missing", head + "-- want.yaml --\nmutations: [{rule: greet}]\n", "mutation not planned"},
		{"mutation too many", rule + head + "-- want.yaml --\nmutations: []\n", "mutation not wanted"},
		{"mutation with another body", rule + head + "-- want.yaml --\nmutations: [{rule: greet, params: {body: ho}}]\n", "mutation not planned"},
		{"unknown key of want", head + "-- want.yaml --\nverdict: {}\n", "unknown field"},
		{"unknown source", strings.Replace(head, "/webhooks/github", "/webhooks/nobody", 1) + "-- want.yaml --\n", `no source "nobody"`},
		{"no want", head, "no want.yaml"},
		{"not a story", "hello", "txtar"},
		{"request line", strings.Replace(head, "POST", "GET", 1) + "-- want.yaml --\n", "want POST /webhooks/SOURCE"},
		{"bad rules", "-- pawl.yaml --\nrules:\n  - {name: x, on: [open], mutate: {close: {}}}\n" + head + "-- want.yaml --\n", "pawl.yaml:2"},
		{"unknown file", head + "-- want.yaml --\n-- notes.txt --\n", "notes.txt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := story.Test("x", []byte(tt.story), story.Options{})
			if got := strings.Join(report.Diffs, "\n"); report.OK || !strings.Contains(got, tt.want) {
				t.Errorf("ok %t, diffs %q, want %q", report.OK, got, tt.want)
			}
		})
	}
}

// TestOrders_FindWhatDependsOnTheOrder: a rule that sees the label only in one
// order is reported, and fails the strict run.
func TestOrders_FindWhatDependsOnTheOrder(t *testing.T) {
	t.Parallel()
	const text = `
-- pawl.yaml --
rules:
  - {name: label, on: [opened], when: size(pr.labels) == 0, mutate: {add_labels: [x]}}
-- 01.http --
POST /webhooks/github
X-GitHub-Event: pull_request
X-GitHub-Delivery: d-1

{"action":"opened","number":7,"repository":{"id":101,"full_name":"acme/api"},"pull_request":{"number":7,"state":"open","labels":[],"updated_at":"2026-01-01T00:00:00Z"}}
-- 02.http --
POST /webhooks/github
X-GitHub-Event: pull_request
X-GitHub-Delivery: d-2

{"action":"labeled","label":{"name":"y"},"number":7,"repository":{"id":101,"full_name":"acme/api"},"pull_request":{"number":7,"state":"open","labels":[{"name":"y"}],"updated_at":"2026-01-01T00:00:05Z"}}
-- want.yaml --
mutations: [{rule: label}]
`
	report := story.Test("x", []byte(text), story.Options{Orders: 10})
	if !report.OK || len(report.Notes) == 0 || report.Runs != 7 {
		t.Errorf("lenient: %+v", report)
	}
	report = story.Test("x", []byte(text), story.Options{Orders: 10, Strict: true})
	if report.OK {
		t.Errorf("strict: %+v", report)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("-- 01.http --\nPOST /webhooks/github\nA: b\n\n{}\n-- want.yaml --\norders: false\n"))
	f.Add([]byte("-- pawl.yaml --\nsources: [{name: a, provider: github}]\n-- 01.http --\r\nPOST /webhooks/a\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := story.Parse("fuzz", data)
		if err == nil && len(parsed.Deliveries) == 0 {
			t.Error("a story without deliveries was taken")
		}
		_ = story.Test("fuzz", data, story.Options{Orders: 2})
	})
}
