package gitea_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/gitea"
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

func TestDecode_Status(t *testing.T) {
	t.Parallel()
	body := `{"id":31,"sha":"` + sha + `","context":"CI/Lint","state":"failure","description":"2 faults",` +
		`"target_url":"https://ci.acme.com/31","created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-01T10:05:00Z",` +
		`"commit":{"id":"` + sha + `"},` + repo + `,"sender":{"login":"ci"}}`
	want := schemas.Event{
		Entity: "git.acme.com:101@" + sha, Source: "gitea", DeliveryID: "d-1", Provider: "gitea", Name: "status",
		Sender: schemas.Actor{Login: "ci"},
		Check: &schemas.CheckSnapshot{
			Instance: "git.acme.com", RepositoryID: "101", Repository: "acme/api", SHA: sha,
			Kind: schemas.CommitStatus, Name: "ci/lint", Attempt: 31, Status: schemas.CheckCompleted, Conclusion: "failure",
			State: schemas.ChecksFailure, URL: "https://ci.acme.com/31", UpdatedAt: schemas.Say(at("2026-01-01T10:05:00Z")),
		},
	}
	if diff := cmp.Diff(decoded(t, "status", body), want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

func TestDecode_StatusState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		state      string
		status     schemas.CheckStatus
		conclusion string
		want       schemas.ChecksState
	}{
		{"pending", schemas.CheckInProgress, "", schemas.ChecksPending},
		{"success", schemas.CheckCompleted, "success", schemas.ChecksSuccess},
		{"warning", schemas.CheckCompleted, "warning", schemas.ChecksSuccess},
		{"skipped", schemas.CheckCompleted, "skipped", schemas.ChecksSuccess},
		{"failure", schemas.CheckCompleted, "failure", schemas.ChecksFailure},
		{"error", schemas.CheckCompleted, "error", schemas.ChecksFailure},
		{"wobbly", schemas.CheckInProgress, "", schemas.ChecksPending},
		{"", schemas.CheckInProgress, "", schemas.ChecksPending},
	} {
		check := decoded(t, "status", `{"sha":"`+sha+`","context":"c","state":"`+test.state+`",`+repo+`}`).Check
		if check.Status != test.status || check.Conclusion != test.conclusion || check.State != test.want {
			t.Errorf("state %q = %s, %q, %s", test.state, check.Status, check.Conclusion, check.State)
		}
	}
}

func TestDecode_StatusClock(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ fields, want string }{
		{`"created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-01T10:05:00Z",`, "2026-01-01 10:05:00 +0000 UTC"},
		{`"created_at":"2026-01-01T10:00:00Z","updated_at":null,`, "2026-01-01 10:00:00 +0000 UTC"},
		{`"created_at":"1970-01-01T00:00:00Z",`, "unknown"},
		{``, "unknown"},
	} {
		check := decoded(t, "status", `{`+test.fields+`"sha":"`+sha+`","context":"c","state":"success",`+repo+`}`).Check
		if got := field(check.UpdatedAt); got != test.want {
			t.Errorf("updated at of %s = %s, want %s", test.fields, got, test.want)
		}
	}
}

func runBody(fields string) string {
	return `{"action":"completed","workflow":{"id":"build.yml","name":"Build"},"workflow_run":{"id":55,"head_sha":"` + sha +
		`","path":"build.yml@refs/heads/main"` + fields + `},` + repo + `,"sender":{"login":"ann"}}`
}

func TestDecode_WorkflowRun(t *testing.T) {
	t.Parallel()
	body := runBody(`,"status":"completed","conclusion":"success","run_attempt":2,"html_url":"https://git.acme.com/acme/api/actions/runs/55",` +
		`"started_at":"2026-01-01T19:00:00+09:00","completed_at":"2026-01-01T19:10:00+09:00","updated_at":"2026-01-01T19:10:01+09:00"`)
	want := schemas.Event{
		Entity: "git.acme.com:101@" + sha, Source: "gitea", DeliveryID: "d-1", Provider: "gitea", Name: "workflow_run",
		Action: "completed", Sender: schemas.Actor{Login: "ann"},
		Check: &schemas.CheckSnapshot{
			Instance: "git.acme.com", RepositoryID: "101", Repository: "acme/api", SHA: sha,
			Kind: schemas.WorkflowRun, App: "gitea-actions", Name: "Build", Attempt: 55, Retry: 2,
			Status: schemas.CheckCompleted, Conclusion: "success", State: schemas.ChecksSuccess,
			URL:       "https://git.acme.com/acme/api/actions/runs/55",
			StartedAt: schemas.Say(at("2026-01-01T10:00:00Z")), CompletedAt: schemas.Say(at("2026-01-01T10:10:00Z")),
			UpdatedAt: schemas.Say(at("2026-01-01T10:10:01Z")),
		},
	}
	if diff := cmp.Diff(decoded(t, "workflow_run", body), want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

func TestDecode_WorkflowRunState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status, conclusion string
		want               schemas.CheckStatus
		state              schemas.ChecksState
	}{
		{"queued", "", schemas.CheckQueued, schemas.ChecksPending},
		{"waiting", "", schemas.CheckQueued, schemas.ChecksPending},
		{"pending", "", schemas.CheckQueued, schemas.ChecksPending},
		{"requested", "", schemas.CheckQueued, schemas.ChecksPending},
		{"in_progress", "", schemas.CheckInProgress, schemas.ChecksPending},
		{"completed", "success", schemas.CheckCompleted, schemas.ChecksSuccess},
		{"completed", "skipped", schemas.CheckCompleted, schemas.ChecksSuccess},
		{"completed", "failure", schemas.CheckCompleted, schemas.ChecksFailure},
		{"completed", "cancelled", schemas.CheckCompleted, schemas.ChecksFailure},
		{"completed", "", schemas.CheckCompleted, schemas.ChecksPending},
		{"completed", "wobbly", schemas.CheckCompleted, schemas.ChecksPending},
	} {
		check := decoded(t, "workflow_run", runBody(`,"status":"`+test.status+`","conclusion":"`+test.conclusion+`"`)).Check
		if check.Status != test.want || check.State != test.state || check.Conclusion != test.conclusion {
			t.Errorf("%s, %q = %s, %q, %s", test.status, test.conclusion, check.Status, check.Conclusion, check.State)
		}
	}
}

// A run that waits has the year 1970 for what has not happened.
func TestDecode_WorkflowRunTimesThatAreNotYet(t *testing.T) {
	t.Parallel()
	check := decoded(t, "workflow_run", runBody(`,"status":"queued","started_at":"1970-01-01T09:00:00+09:00","completed_at":"0001-01-01T00:00:00Z"`)).Check
	if check.StartedAt.Known || check.CompletedAt.Known || check.UpdatedAt.Known {
		t.Errorf("times = %v, %v, %v, want unknown", check.StartedAt, check.CompletedAt, check.UpdatedAt)
	}
}

func TestDecode_WorkflowRunIsNamedByItsFileWhereItHasNoName(t *testing.T) {
	t.Parallel()
	body := strings.Replace(runBody(``), `{"id":"build.yml","name":"Build"}`, `null`, 1)
	if got := decoded(t, "workflow_run", body).Check.Name; got != "build.yml" {
		t.Errorf("name = %q, want build.yml", got)
	}
}

func TestDecode_CheckErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ event, body, says string }{
		{"status", `{"sha":"` + sha + `","context":"c"}`, "repository.id is missing"},
		{"status", `{"context":"c",` + repo + `}`, "sha is missing"},
		{"status", `{"sha":"a b","context":"c",` + repo + `}`, `sha is "a b"`},
		{"status", `{"sha":"` + sha + `",` + repo + `}`, "context is missing"},
		{"status", `{"sha":"` + sha + `","context":"c","id":"1",` + repo + `}`, "id is a string"},
		{"workflow_run", `{"workflow_run":{},` + repo + `}`, "workflow_run.head_sha is missing"},
		{"workflow_run", `{"workflow_run":{"head_sha":1},` + repo + `}`, "workflow_run.head_sha is a number"},
		{"workflow_run", `{"workflow_run":{"head_sha":"` + sha + `"},"repository":{"id":-1}}`, "repository.id is -1"},
		{"repository", `{"action":"created","repository":{"full_name":"acme/api"}}`, "repository.id is missing"},
		{"repository", `{"action":"created","repository":{"id":101,"full_name":"acme/api","private":1}}`, "repository.private is a number"},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			t.Parallel()
			_, err := gitea.Provider{}.Decode(sealed(t, test.event, test.body))
			if !errors.Is(err, payload.ErrPayload) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("Decode() = %v, want an error that says %q", err, test.says)
			}
		})
	}
}

func TestDecode_Repository(t *testing.T) {
	t.Parallel()
	for action, change := range map[string]schemas.RepositoryChange{
		"created": schemas.RepositoryNamed, "renamed": schemas.RepositoryNamed, "transferred": schemas.RepositoryNamed,
		"deleted": schemas.RepositoryDeleted,
	} {
		body := `{"action":"` + action + `","repository":{"id":101,"full_name":"acme/api","private":true,"updated_at":"2026-01-01T19:00:00+09:00"},` +
			`"organization":{"login":"acme"},"sender":{"login":"ann"}}`
		want := schemas.Event{
			Entity: "git.acme.com:101", Source: "gitea", DeliveryID: "d-1", Provider: "gitea", Name: "repository",
			Action: action, Sender: schemas.Actor{Login: "ann"},
			Repository: &schemas.RepositorySnapshot{
				Instance: "git.acme.com", RepositoryID: "101", Repository: "acme/api", Change: change,
				Private: schemas.Say(true), UpdatedAt: schemas.Say(at("2026-01-01T10:00:00Z")),
			},
		}
		if diff := cmp.Diff(decoded(t, "repository", body), want); diff != "" {
			t.Errorf("Decode() of %s (-got +want):\n%s", action, diff)
		}
	}
}
