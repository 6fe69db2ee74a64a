package story_test

import (
	"strings"
	"testing"

	"pawl/internal/story"
)

// http is one delivery of a story, as GitHub sends it.
func http(name, event, body string) string {
	return "-- " + name + ".http --\nPOST /webhooks/github\nX-GitHub-Event: " + event + "\nX-GitHub-Delivery: d-" + name + "\n\n" + body + "\n"
}

const repository = `"repository":{"id":101,"full_name":"acme/api"}`

// everything is a story with a row in each table.
func everything() string {
	const pr = `"pull_request":{"number":7,"updated_at":"2026-01-01T00:00:05Z"},`
	return http("01", "pull_request", `{"action":"opened","number":7,`+repository+`,"pull_request":{"number":7,"state":"open",
		"title":"ENG-1","body":"Fixes #12","head":{"sha":"aaaa"},"updated_at":"2026-01-01T00:00:00Z"}}`) +
		http("02", "pull_request_review", `{"action":"submitted",`+pr+repository+`,
		"review":{"id":5,"user":{"login":"ben"},"state":"approved","commit_id":"aaaa","submitted_at":"2026-01-01T00:00:05Z"}}`) +
		http("03", "pull_request_review_comment", `{"action":"created",`+pr+repository+`,
		"comment":{"id":51,"user":{"login":"ben"},"body":"Why?","created_at":"2026-01-01T00:00:05Z","updated_at":"2026-01-01T00:00:05Z"}}`) +
		http("04", "check_run", `{"action":"completed",`+repository+`,"check_run":{"id":1,"name":"build","head_sha":"aaaa",
		"status":"completed","conclusion":"success","app":{"slug":"ci"},"started_at":"2026-01-01T00:00:01Z","completed_at":"2026-01-01T00:00:02Z"}}`) +
		http("05", "status", `{"id":2,"sha":"aaaa","context":"Build","state":"pending","updated_at":"2026-01-01T00:00:03Z",`+repository+`}`) +
		http("06", "repository", `{"action":"created","repository":{"id":101,"full_name":"acme/api","private":true}}`)
}

// TestTables_HoldWhatIsWanted: each section, under each of its names and keys.
func TestTables_HoldWhatIsWanted(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want string }{
		{"review", `review: {"github.com:101#7/5": {pull_request: "github.com:101#7", state: approved, submitted_at: 2026-01-01T00:00:05Z}}`},
		{"review by its alias and name", `pull_request_review: {acme/api#7/5: {author: ben, head_sha: aaaa}}`},
		{"thread", `thread: {"github.com:101#7/51": {resolved: false, live: ["github.com:comment/review-51"]}}`},
		{"thread by its alias and name", `review_thread: {acme/api#7/51: {commented: true}}`},
		{"check by its whole key", `check: {"github.com:101@aaaa/check_run/ci/build": {commit_key: "github.com:101@aaaa", kind: check_run, app: ci, name: build, attempt: 1}}`},
		{"check by its alias and name", `commit_check: {acme/api@aaaa/status//build: {state: pending, completed_at: null}}`},
		{"commit", `commit: {"github.com:101@aaaa": {state: pending, total: 2, succeeded: 1}}`},
		{"commit by its alias and name", `commit_rollup: {acme/api@aaaa: {sha: aaaa, merge_group: ""}}`},
		{"link", `link: {"github.com:101#7": [acme/api#12, ENG-1]}`},
		{"link by its alias and name", `issue_link: {acme/api#7: [ENG-1, acme/api#12]}`},
		{"repository", `repository: {"github.com:101": {private: true, state: live, provider_updated_at: null}}`},
		{"repository by its name", `repository: {acme/api: {repository_id: "101"}}`},
		{"comment", `comment: {"github.com:comment/review-51": {kind: review, removed_at: null}}`},
		{"objects of a list, as far as they are named", `pull_request: {acme/api#7: {checks: [{name: build, state: pending}, {app: ci}]}}`},
		{"transitions of any entity", `transitions: {"github.com:comment/review-51": [comment_created], acme/api#7: [opened, reviews_changed, reviews_changed, checks_changed, checks_changed]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := story.Test("x", []byte(everything()+"-- want.yaml --\n"+tt.want+"\n"), story.Options{})
			if !report.OK {
				t.Error(strings.Join(report.Diffs, "\n"))
			}
		})
	}
}

// TestTables_TellWhatIsNotSo: what is wanted of each table and is not there fails.
func TestTables_TellWhatIsNotSo(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, wanted, want string }{
		{"review", `review: {acme/api#7/5: {state: dismissed}}`, `review acme/api#7/5 state: got "approved", want "dismissed"`},
		{"review alias", `pull_request_review: {acme/api#7/5: {state: dismissed}}`, `got "approved", want "dismissed"`},
		{"no such review", `review: {acme/api#7/6: {}}`, "review acme/api#7/6: there is no such row; there are github.com:101#7/5"},
		{"no such column", `review: {acme/api#7/5: {user: ben}}`, "there is no column user; there are author, "},
		{"thread", `thread: {acme/api#7/51: {resolved: true}}`, "resolved: got false, want true"},
		{"thread alias", `review_thread: {acme/api#7/52: {}}`, "there is no such row"},
		{
			"a check's name that two have", `check: {acme/api@aaaa/build: {}}`,
			"this names 2 rows, say which: github.com:101@aaaa/check_run/ci/build, github.com:101@aaaa/status//build",
		},
		{"check", `check: {acme/api@aaaa/check_run/ci/build: {state: failure}}`, `state: got "success", want "failure"`},
		{"a check's columns are the table's", `check: {acme/api@aaaa/check_run/ci/build: {commit: x}}`, "there is no column commit; there are app, attempt, commit_key, "},
		{"check alias", `commit_check: {acme/api@aaaa/lint: {}}`, "there is no such row"},
		{"commit", `commit: {acme/api@aaaa: {total: 3}}`, "total: got 2, want 3"},
		{"commit alias", `commit_rollup: {acme/api@bbbb: {}}`, "there is no such row; there are github.com:101@aaaa"},
		{"a link too many", `link: {acme/api#7: [ENG-1]}`, "link acme/api#7: got [ENG-1 acme/api#12], want [ENG-1]"},
		{"a link too few", `issue_link: {acme/api#7: [ENG-1, ENG-2, acme/api#12]}`, "want [ENG-1 ENG-2 acme/api#12]"},
		{"links of a pull request that is not there", `link: {acme/api#8: []}`, "link acme/api#8: there is no such row"},
		{"repository", `repository: {acme/api: {state: deleted}}`, `state: got "live", want "deleted"`},
		{"an object of a list", `pull_request: {acme/api#7: {checks: [{name: build, state: success}, {}]}}`, "checks: got "},
		{"transitions of any entity", `transitions: {"github.com:comment/review-51": []}`, "got [comment_created], want []"},
		{"an unknown section", `checks: {}`, "unknown field"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := story.Test("x", []byte(everything()+"-- want.yaml --\n"+tt.wanted+"\n"), story.Options{})
			if got := strings.Join(report.Diffs, "\n"); report.OK || !strings.Contains(got, tt.want) {
				t.Errorf("ok %t, diffs %q, want %q", report.OK, got, tt.want)
			}
		})
	}
}

// TestTables_OneNameOfTwoRepositories: a name that a repository was deleted under
// and another made says nothing.
func TestTables_OneNameOfTwoRepositories(t *testing.T) {
	t.Parallel()
	const opened = `{"action":"opened","number":7,"repository":{"id":%,"full_name":"acme/api"},"pull_request":{"number":7,"state":"open"}}`
	text := http("01", "pull_request", strings.Replace(opened, "%", "101", 1)) +
		http("02", "pull_request", strings.Replace(opened, "%", "102", 1)) +
		"-- want.yaml --\ntransitions: {acme/api#7: [opened]}\npull_request: {acme/api#7: {state: open}}\n"
	report := story.Test("x", []byte(text), story.Options{})
	for _, want := range []string{"pull_request acme/api#7: this names 2 rows", "transitions of acme/api#7: this names 2 rows, say which: github.com:101#7, github.com:102#7"} {
		if got := strings.Join(report.Diffs, "\n"); report.OK || !strings.Contains(got, want) {
			t.Errorf("diffs %q, want %q", got, want)
		}
	}
}

// TestSources_TrackerKeys: the pattern of the source that a delivery came through
// finds keys; one that says nothing has the default.
func TestSources_TrackerKeys(t *testing.T) {
	t.Parallel()
	opened := http("01", "pull_request", `{"action":"opened","number":7,`+repository+`,"pull_request":{"number":7,"state":"open","title":"ENG-1 and T12"}}`)
	tests := []struct{ name, source, links string }{
		{"not stated", "", "[ENG-1]"},
		{"null", ", tracker_keys: null", "[ENG-1]"},
		{"none", `, tracker_keys: ""`, "[]"},
		{"a pattern", ", tracker_keys: 'T[0-9]+'", "[T12]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := "-- pawl.yaml --\nsources: [{name: github, provider: github" + tt.source + "}]\n" + opened +
				"-- want.yaml --\nlink: {acme/api#7: " + tt.links + "}\n"
			if report := story.Test("x", []byte(text), story.Options{}); !report.OK {
				t.Error(strings.Join(report.Diffs, "\n"))
			}
		})
	}
	text := "-- pawl.yaml --\nsources: [{name: github, provider: github, tracker_keys: 'T('}]\n" + opened + "-- want.yaml --\n"
	report := story.Test("x", []byte(text), story.Options{})
	if got := strings.Join(report.Diffs, "\n"); report.OK || !strings.Contains(got, "pawl.yaml: source github: ") {
		t.Errorf("diffs %q, want the source's fault", got)
	}
}

// TestOrders_CompareAllTables: a row that depends on the order is found in each
// table. Two statuses without a time and an id are such a row.
func TestOrders_CompareAllTables(t *testing.T) {
	t.Parallel()
	thread := func(action string) string {
		return `{"action":"` + action + `","updated_at":"2026-01-01T00:00:05Z","pull_request":{"number":7},"thread":{"node_id":"T"},` + repository + `}`
	}
	review := func(state string) string {
		return `{"action":"submitted","pull_request":{"number":7},"review":{"id":5,"user":{"login":"ben"},"state":"` + state + `"},` + repository + `}`
	}
	named := func(name string) string {
		return `{"action":"renamed","repository":{"id":101,"full_name":"` + name + `"}}`
	}
	tests := []struct{ name, event, first, second, want string }{
		{"thread", "pull_request_review_thread", thread("resolved"), thread("unresolved"), "thread github.com:101#7/T resolved: got true"},
		{"review", "pull_request_review", review("approved"), review("commented"), `review github.com:101#7/5 state: got "approved"`},
		{"repository", "repository", named("acme/one"), named("acme/two"), `repository github.com:101 repository: got "acme/one"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := http("01", tt.event, tt.first) + http("02", tt.event, tt.second) + "-- want.yaml --\n"
			report := story.Test("x", []byte(text), story.Options{Orders: 10})
			if got := strings.Join(report.Diffs, "\n"); report.OK || !strings.Contains(got, tt.want) {
				t.Errorf("ok %t, diffs %q, want %q", report.OK, got, tt.want)
			}
		})
	}
}
