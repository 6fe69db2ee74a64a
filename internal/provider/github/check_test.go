package github_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/schemas"
)

// TestDecode_Check has a whole event of each kind of check.
func TestDecode_Check(t *testing.T) {
	t.Parallel()
	const rest = `,"repository":{"id":101,"full_name":"acme/api"},"sender":{"login":"ann"}}`
	tests := []struct {
		name, event, action, body string
		want                      schemas.CheckSnapshot
	}{
		{
			"check run", "check_run", "completed",
			`{"action":"completed","check_run":{"id":14030131450,"name":"Lint","head_sha":"aaaa","status":"completed","conclusion":"timed_out",
			"started_at":"2026-01-01T10:00:00Z","completed_at":"2026-01-01T10:05:00Z","html_url":"https://github.com/runs/1","details_url":"https://ci.example.com/1",
			"app":{"id":29310,"slug":"linter"},"check_suite":{"id":5,"updated_at":"2026-01-01T10:06:00Z"},"pull_requests":[{"number":7}]}` + rest,
			schemas.CheckSnapshot{
				Kind: schemas.CheckRun, App: "linter", Name: "Lint", Attempt: 14030131450,
				Status: schemas.CheckCompleted, Conclusion: "timed_out", State: schemas.ChecksFailure, URL: "https://github.com/runs/1",
				StartedAt: schemas.Say(at("2026-01-01T10:00:00Z")), CompletedAt: schemas.Say(at("2026-01-01T10:05:00Z")),
			},
		},
		{
			"check suite", "check_suite", "completed",
			`{"action":"completed","check_suite":{"id":5,"head_sha":"aaaa","status":"completed","conclusion":"success",
			"updated_at":"2026-01-01T10:06:00Z","app":{"id":29310,"slug":"linter"},"pull_requests":[],"head_branch":null}` + rest,
			schemas.CheckSnapshot{
				Kind: schemas.CheckSuite, App: "linter", Attempt: 5,
				Status: schemas.CheckCompleted, Conclusion: "success", State: schemas.ChecksSuccess,
				UpdatedAt: schemas.Say(at("2026-01-01T10:06:00Z")),
			},
		},
		{
			"status", "status", "",
			`{"id":6805126730,"sha":"aaaa","context":"CI/Jenkins","state":"error","target_url":"https://ci.example.com/1",
			"created_at":"2026-01-01T10:00:00+00:00","updated_at":"2026-01-01T10:05:00+00:00","branches":[]` + rest,
			schemas.CheckSnapshot{
				Kind: schemas.CommitStatus, Name: "ci/jenkins", Attempt: 6805126730,
				Status: schemas.CheckCompleted, Conclusion: "error", State: schemas.ChecksFailure, URL: "https://ci.example.com/1",
				CompletedAt: schemas.Say(at("2026-01-01T10:05:00Z")), UpdatedAt: schemas.Say(at("2026-01-01T10:05:00Z")),
			},
		},
		{
			"workflow run", "workflow_run", "in_progress",
			`{"action":"in_progress","workflow_run":{"id":289782451,"name":"test","path":".github/workflows/test.yml","workflow_id":3,"run_attempt":2,
			"head_sha":"aaaa","status":"in_progress","conclusion":null,"html_url":"https://github.com/acme/api/actions/runs/289782451",
			"run_started_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-01T10:01:00Z","head_repository":{"id":202},"pull_requests":[]},"workflow":{"id":3,"name":"other"}` + rest,
			schemas.CheckSnapshot{
				Kind: schemas.WorkflowRun, App: "github-actions", Name: "test", Attempt: 289782451, Retry: 2,
				Status: schemas.CheckInProgress, State: schemas.ChecksPending, URL: "https://github.com/acme/api/actions/runs/289782451",
				StartedAt: schemas.Say(at("2026-01-01T10:00:00Z")), UpdatedAt: schemas.Say(at("2026-01-01T10:01:00Z")),
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.want.Instance, test.want.RepositoryID, test.want.Repository, test.want.SHA = "github.com", "101", "acme/api", "aaaa"
			want := schemas.Event{
				Entity: "github.com:101@aaaa", Source: "github", DeliveryID: "d-1", Provider: "github", Name: test.event,
				Action: test.action, Sender: schemas.Actor{Login: "ann"}, Check: &test.want,
			}
			if diff := cmp.Diff(decodeEvent(t, test.event, test.body), want); diff != "" {
				t.Errorf("Decode() (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecode_CheckOutcome(t *testing.T) {
	t.Parallel()
	type outcome struct {
		Status     schemas.CheckStatus
		Conclusion string
		State      schemas.ChecksState
	}
	completed := func(conclusion string, state schemas.ChecksState) outcome {
		return outcome{schemas.CheckCompleted, conclusion, state}
	}
	tests := []struct {
		name, fields string
		want         outcome
	}{
		{"success", `"status":"completed","conclusion":"success"`, completed("success", schemas.ChecksSuccess)},
		{"neutral", `"status":"completed","conclusion":"neutral"`, completed("neutral", schemas.ChecksSuccess)},
		{"skipped", `"status":"completed","conclusion":"skipped"`, completed("skipped", schemas.ChecksSuccess)},
		{"failure", `"status":"completed","conclusion":"failure"`, completed("failure", schemas.ChecksFailure)},
		{"timed out", `"status":"completed","conclusion":"timed_out"`, completed("timed_out", schemas.ChecksFailure)},
		{"cancelled", `"status":"completed","conclusion":"cancelled"`, completed("cancelled", schemas.ChecksFailure)},
		{"action required", `"status":"completed","conclusion":"action_required"`, completed("action_required", schemas.ChecksFailure)},
		{"startup failure", `"status":"completed","conclusion":"startup_failure"`, completed("startup_failure", schemas.ChecksFailure)},
		{"stale", `"status":"completed","conclusion":"stale"`, completed("stale", schemas.ChecksPending)},
		{"word of the future", `"status":"completed","conclusion":"finished"`, completed("finished", schemas.ChecksPending)},
		{"completed as what is not told", `"status":"completed","conclusion":null`, completed("", schemas.ChecksPending)},
		{"conclusion alone", `"conclusion":"success"`, completed("success", schemas.ChecksSuccess)},
		{"in progress", `"status":"in_progress"`, outcome{schemas.CheckInProgress, "", schemas.ChecksPending}},
		{"in progress with an old conclusion", `"status":"in_progress","conclusion":"success"`, outcome{schemas.CheckInProgress, "", schemas.ChecksPending}},
		{"queued", `"status":"queued"`, outcome{schemas.CheckQueued, "", schemas.ChecksPending}},
		{"waiting for an approval", `"status":"waiting"`, outcome{schemas.CheckQueued, "", schemas.ChecksPending}},
		{"nothing is told", `"id":1`, outcome{schemas.CheckQueued, "", schemas.ChecksPending}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for event, name := range map[string]string{"check_run": `"name":"ci",`, "check_suite": ``, "workflow_run": `"name":"ci",`} {
				check := decodeEvent(t, event, `{"`+event+`":{`+name+`"head_sha":"aaaa",`+test.fields+`},"repository":{"id":101}}`).Check
				if diff := cmp.Diff(outcome{check.Status, check.Conclusion, check.State}, test.want); diff != "" {
					t.Errorf("%s (-got +want):\n%s", event, diff)
				}
			}
		})
	}
}

func TestDecode_CheckFields(t *testing.T) {
	t.Parallel()
	type check = *schemas.CheckSnapshot
	tests := []struct {
		name, event, fields string
		get                 func(c check) string
		want                string
	}{
		{"app by its id", "check_run", `"name":"ci","app":{"id":29310}`, func(c check) string { return c.App }, "29310"},
		{"app null", "check_run", `"name":"ci","app":null`, func(c check) string { return c.App }, ""},
		{"no page, but details", "check_run", `"name":"ci","details_url":"https://ci.example.com/1"`, func(c check) string { return c.URL }, "https://ci.example.com/1"},
		{"names keep their case", "check_run", `"name":"Lint"`, func(c check) string { return c.Name }, "Lint"},
		{"not completed yet", "check_run", `"name":"ci","completed_at":null`, func(c check) string { return field(c.CompletedAt) }, "0001-01-01 00:00:00 +0000 UTC"},
		{"completion not told", "check_run", `"name":"ci"`, func(c check) string { return field(c.CompletedAt) }, "unknown"},
		{"id negative", "check_run", `"name":"ci","id":-1`, func(c check) string { return strconv.FormatInt(c.Attempt, 10) }, "0"},
		{"workflow by its path", "workflow_run", `"name":"","path":".github/workflows/test.yml","workflow_id":3`, func(c check) string { return c.Name }, ".github/workflows/test.yml"},
		{"workflow by its id", "workflow_run", `"name":null,"workflow_id":3`, func(c check) string { return c.Name }, "3"},
		{"attempts of a run", "workflow_run", `"name":"ci","id":5,"run_attempt":2`, func(c check) string { return strconv.FormatInt(c.Attempt, 10) + "/" + strconv.FormatInt(c.Retry, 10) }, "5/2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			body := `{"` + test.event + `":{"head_sha":"aaaa",` + test.fields + `},"repository":{"id":101}}`
			if got := test.get(decodeEvent(t, test.event, body).Check); got != test.want {
				t.Errorf("Decode(%s) = %q, want %q", body, got, test.want)
			}
		})
	}
}

func TestDecode_StatusStates(t *testing.T) {
	t.Parallel()
	when := schemas.Say(at("2026-01-01T10:00:00Z"))
	tests := []struct {
		state string
		want  schemas.CheckSnapshot
	}{
		{"success", schemas.CheckSnapshot{Status: schemas.CheckCompleted, Conclusion: "success", State: schemas.ChecksSuccess, CompletedAt: when}},
		{"failure", schemas.CheckSnapshot{Status: schemas.CheckCompleted, Conclusion: "failure", State: schemas.ChecksFailure, CompletedAt: when}},
		{"error", schemas.CheckSnapshot{Status: schemas.CheckCompleted, Conclusion: "error", State: schemas.ChecksFailure, CompletedAt: when}},
		{"pending", schemas.CheckSnapshot{Status: schemas.CheckInProgress, State: schemas.ChecksPending}},
		{"expected", schemas.CheckSnapshot{Status: schemas.CheckInProgress, State: schemas.ChecksPending}},
	}
	for _, test := range tests {
		t.Run(test.state, func(t *testing.T) {
			t.Parallel()
			got := decodeEvent(t, "status", `{"id":1,"sha":"aaaa","context":"ci","state":"`+test.state+`","updated_at":"2026-01-01T10:00:00Z","repository":{"id":101}}`)
			test.want.Instance, test.want.RepositoryID, test.want.SHA = "github.com", "101", "aaaa"
			test.want.Kind, test.want.Name, test.want.Attempt, test.want.UpdatedAt = schemas.CommitStatus, "ci", 1, when
			if diff := cmp.Diff(got.Check, &test.want); diff != "" {
				t.Errorf("check (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecode_MergeGroup(t *testing.T) {
	t.Parallel()
	const group = `"merge_group":{"head_sha":"aaaa","head_ref":"refs/heads/gh-readonly-queue/main/pr-7-bbbb","base_sha":"bbbb","base_ref":"refs/heads/main"},
		"repository":{"id":101,"full_name":"acme/api"},"sender":{"login":"ann"}}`
	tests := []struct {
		action, body string
		destroyed    bool
		reason       string
	}{
		{"checks_requested", `{"action":"checks_requested",` + group, false, ""},
		{"checks_requested", `{"action":"checks_requested","reason":"merged",` + group, false, ""},
		{"destroyed", `{"action":"destroyed","reason":"invalidated",` + group, true, "invalidated"},
		{"destroyed", `{"action":"destroyed",` + group, true, ""},
	}
	for _, test := range tests {
		want := schemas.Event{
			Entity: "github.com:101@aaaa", Source: "github", DeliveryID: "d-1", Provider: "github", Name: "merge_group",
			Action: test.action, Sender: schemas.Actor{Login: "ann"},
			MergeGroup: &schemas.MergeGroupSnapshot{
				Instance: "github.com", RepositoryID: "101", Repository: "acme/api", SHA: "aaaa",
				HeadRef: "refs/heads/gh-readonly-queue/main/pr-7-bbbb", BaseRef: "refs/heads/main",
				Destroyed: test.destroyed, Reason: test.reason,
			},
		}
		if diff := cmp.Diff(decodeEvent(t, "merge_group", test.body), want); diff != "" {
			t.Errorf("Decode(%s) (-got +want):\n%s", test.body, diff)
		}
	}
}
