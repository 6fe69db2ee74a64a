package actuator_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/internal/fakegithub"
)

// TestClassify makes each error by the client's own way: over HTTP.
func TestClassify(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string // and where its message or rule is from
		fault fakegithub.Fault
		read  bool // a GET; else a POST
		want  string
		least time.Duration
		says  string
	}{
		{name: "500 on a read", fault: fakegithub.Fault{Status: 500}, read: true, want: "transient"},
		{name: "502 on a change", fault: fakegithub.BadGateway(), want: "unknown outcome"},
		{name: "503 on a change", fault: fakegithub.Fault{Status: 503}, want: "unknown outcome"},
		{name: "dropped", fault: fakegithub.Fault{Drop: true}, want: "unknown outcome"},
		{name: "slow", fault: fakegithub.Fault{Delay: 200 * time.Millisecond}, want: "unknown outcome"},
		{name: "202", fault: fakegithub.Fault{Status: 202}, want: "unknown outcome"},
		{name: "401", fault: fakegithub.Fault{Status: 401, Message: "Bad credentials"}, want: "transient"},
		{name: "403 of a permission", fault: fakegithub.Fault{Status: 403, Message: "Resource not accessible by integration"}, want: "permanent"},
		{
			// docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api#insufficient-permissions
			name: "403 that names the permission", want: "permanent", says: "permission missing, one of: issues=write; pull_requests=write",
			fault: fakegithub.Fault{
				Status: 403, Message: "Resource not accessible by integration",
				Header: http.Header{"X-Accepted-Github-Permissions": {"issues=write; pull_requests=write"}},
			},
		},
		{name: "404", fault: fakegithub.Fault{Status: 404, Message: "Not Found"}, want: "permanent"},
		// Reviewable/Reviewable#561
		{name: "405 of a rule", fault: fakegithub.Fault{Status: 405, Message: fakegithub.MessageReviewMissing}, want: "permanent"},
		// docs.github.com/rest/pulls/pulls#merge-a-pull-request
		{name: "405 of a conflict", fault: fakegithub.Fault{Status: 405, Message: fakegithub.MessageNotMergeable}, want: "permanent"},
		// pascalgn/automerge-action#235, cncf/prow-github-actions#166
		{name: "405 of the merge queue", fault: fakegithub.Fault{Status: 405, Message: fakegithub.MessageQueue}, want: "permanent"},
		// cli/cli#8092, quipper/monorepo-deploy-actions#499
		{name: "405 of a race", fault: fakegithub.Fault{Status: 405, Message: fakegithub.MessageBaseModified}, want: "transient"},
		// docs.github.com/rest/pulls/pulls#merge-a-pull-request
		{name: "409", fault: fakegithub.Fault{Status: 409, Message: "Head branch was modified"}, want: "precondition gone"},
		// docs.github.com/rest/issues/comments#create-an-issue-comment
		{name: "410", fault: fakegithub.Fault{Status: 410, Message: "Issues are disabled"}, want: "permanent"},
		{name: "422", fault: fakegithub.Fault{Status: 422, Message: "Validation Failed"}, want: "permanent"},
		// docs.github.com/rest/pulls/pulls#update-a-pull-request-branch
		{name: "422 of a head that moved", fault: fakegithub.Fault{Status: 422, Message: "expected head sha didn’t match current head ref."}, want: "precondition gone"},
		// peter-evans/create-pull-request#1835
		{name: "422 of a reviewer", fault: fakegithub.Fault{Status: 422, Message: "Review cannot be requested from pull request author."}, want: "permanent"},
		{name: "451", fault: fakegithub.Fault{Status: 451, Message: "Repository access blocked"}, want: "permanent"},
		{name: "primary limit", fault: fakegithub.PrimaryLimit(time.Now().Add(30 * time.Minute)), want: "rate limited", least: 29 * time.Minute},
		{name: "primary limit whose time is over", fault: fakegithub.PrimaryLimit(time.Now().Add(-time.Minute)), want: "rate limited", least: time.Second},
		{name: "secondary limit", fault: fakegithub.SecondaryLimit(40 * time.Second), want: "rate limited", least: 40 * time.Second},
		{
			name: "secondary limit told by its message", want: "rate limited", least: time.Minute,
			fault: fakegithub.Fault{Status: 403, Message: "You have exceeded a secondary rate limit"},
		},
		{name: "429", fault: fakegithub.TooManyRequests(40 * time.Second), want: "rate limited", least: 40 * time.Second},
		{name: "429 without a time", fault: fakegithub.Fault{Status: 429}, want: "rate limited", least: time.Minute},
		{
			name: "redirect to another host", fault: fakegithub.Fault{Status: 307, Header: http.Header{"Location": {"http://192.0.2.1/"}}},
			want: "transient",
		},
		{
			name: "redirect that would turn the change into a read", fault: fakegithub.Fault{Status: 301, Header: http.Header{"Location": {"/user"}}},
			want: "transient",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake := fakegithub.New(fakegithub.Config{})
			fake.AddRepository(repositoryID, repo)
			ref := actuator.Ref{Repository: repo, Number: int64(fake.Open(repo, fakegithub.PullRequest{}))}
			server := httptest.NewServer(fake)
			t.Cleanup(server.Close)
			client, err := actuator.NewGitHub(actuator.GitHubConfig{BaseURL: server.URL}, prometheus.NewRegistry())
			if err != nil {
				t.Fatal(err)
			}
			fake.Fail(tt.fault)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if tt.fault.Delay == 0 {
				ctx = t.Context()
			}
			if tt.read {
				_, err = client.PullRequest(ctx, ref)
			} else {
				err = client.CreateComment(ctx, ref, "hello")
			}
			if err == nil {
				t.Fatal("no error")
			}
			got, wait := actuator.Classify(err)
			if f := actuator.Reason(err); !strings.Contains(f, tt.says) {
				t.Errorf("got %q, want %q in it", f, tt.says)
			}
			if got != tt.want || wait < tt.least || wait > tt.least+2*time.Minute {
				t.Errorf("%v: got %s for %s, want %s for at least %s", err, got, wait, tt.want, tt.least)
			}
		})
	}
}

// TestClassify_GraphQL: a refusal comes with status 200.
func TestClassify_GraphQL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string // of the answer, and where it is from
		status     int
		want       string
	}{
		// peter-evans/enable-pull-request-automerge#343
		{name: "clean: it can be merged now", body: `{"errors":[{"type":"UNPROCESSABLE","message":"Pull request Pull request is in clean status"}]}`, want: "transient"},
		{name: "unstable", body: `{"errors":[{"type":"UNPROCESSABLE","message":"Pull request Pull request is in unstable status"}]}`, want: "transient"},
		// docs.github.com/graphql/reference/input-objects#enablepullrequestautomergeinput: expectedHeadOid
		{name: "head moved", body: `{"errors":[{"type":"UNPROCESSABLE","message":"Expected head OID does not match"}]}`, want: "precondition gone"},
		// iterative/cml#955
		{name: "no rules", body: `{"errors":[{"type":"UNPROCESSABLE","message":"Pull request Protected branch rules not configured for this branch"}]}`, want: "permanent"},
		{name: "forbidden", body: `{"errors":[{"type":"FORBIDDEN","message":"Resource not accessible by integration"}]}`, want: "permanent"},
		// docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
		{name: "limited", body: `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`, want: "rate limited"},
		// 5dive-ai/5dive#936
		{name: "something", body: `{"errors":[{"message":"Something went wrong while executing your query"}]}`, want: "unknown outcome"},
		{name: "502", status: 502, body: `{}`, want: "unknown outcome"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				if calls == 1 {
					_, _ = w.Write([]byte(`{"data":{"repository":{"pullRequest":{"id":"PR_1"}}}}`))
					return
				}
				w.WriteHeader(max(200, tt.status))
				_, _ = w.Write([]byte(tt.body))
			}))
			t.Cleanup(server.Close)
			client, err := actuator.NewGitHub(actuator.GitHubConfig{BaseURL: server.URL}, prometheus.NewRegistry())
			if err != nil {
				t.Fatal(err)
			}
			err = client.EnableAutoMerge(t.Context(), actuator.Ref{Repository: repo, Number: 1}, actuator.MergeParams{Method: "merge", SHA: "aaaa"})
			if got, _ := actuator.Classify(err); got != tt.want {
				t.Errorf("%v: got %s, want %s", err, got, tt.want)
			}
		})
	}
}

func TestClassify_NothingWasSent(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	client, err := actuator.NewGitHub(actuator.GitHubConfig{BaseURL: server.URL}, prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	err = client.CreateComment(t.Context(), actuator.Ref{Repository: repo, Number: 1}, "hello")
	if got, _ := actuator.Classify(err); got != "transient" {
		t.Errorf("connection refused: got %s, want transient", got)
	}
	if got, _ := actuator.Classify(errors.New("something else")); got != "unknown outcome" {
		t.Errorf("an error nobody knows: got %s, want unknown outcome", got)
	}
}

func TestBackoff_GrowsAndIsCapped(t *testing.T) {
	t.Parallel()
	for attempt := 1; attempt <= 40; attempt++ {
		full := min(2*time.Second<<min(attempt-1, 10), 5*time.Minute)
		if got := actuator.Backoff(2*time.Second, attempt); got < full/2 || got > full {
			t.Errorf("attempt %d: got %s, want within %s and %s", attempt, got, full/2, full)
		}
	}
}

func TestConfig_MarginLeavesRoomForACall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config actuator.Config
		want   bool
	}{
		{"defaults", actuator.Config{}, true},
		{"call longer than the margin", actuator.Config{Margin: 10 * time.Second}, false},
		{"margin longer than the lease", actuator.Config{Lease: 15 * time.Second}, false},
		{"no workers", actuator.Config{Workers: -1}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := tt.config.Validate(); (err == nil) != tt.want {
				t.Errorf("got %v, want valid: %v", err, tt.want)
			}
		})
	}
}
