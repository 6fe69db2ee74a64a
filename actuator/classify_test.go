package actuator_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
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
		name  string
		fault fakegithub.Fault
		read  bool // a GET; else a POST
		want  string
		least time.Duration
	}{
		{name: "500 on a read", fault: fakegithub.Fault{Status: 500}, read: true, want: "transient"},
		{name: "502 on a change", fault: fakegithub.BadGateway(), want: "unknown outcome"},
		{name: "503 on a change", fault: fakegithub.Fault{Status: 503}, want: "unknown outcome"},
		{name: "dropped", fault: fakegithub.Fault{Drop: true}, want: "unknown outcome"},
		{name: "slow", fault: fakegithub.Fault{Delay: 200 * time.Millisecond}, want: "unknown outcome"},
		{name: "202", fault: fakegithub.Fault{Status: 202}, want: "unknown outcome"},
		{name: "401", fault: fakegithub.Fault{Status: 401, Message: "Bad credentials"}, want: "transient"},
		{name: "403 of a permission", fault: fakegithub.Fault{Status: 403, Message: "Resource not accessible by integration"}, want: "permanent"},
		{name: "404", fault: fakegithub.Fault{Status: 404, Message: "Not Found"}, want: "permanent"},
		{name: "405 of a rule", fault: fakegithub.Fault{Status: 405, Message: "At least 1 approving review is required"}, want: "permanent"},
		{name: "405 of the merge queue", fault: fakegithub.Fault{Status: 405, Message: "Changes must be made through the merge queue"}, want: "permanent"},
		{name: "405 of a race", fault: fakegithub.Fault{Status: 405, Message: fakegithub.MessageBaseModified}, want: "transient"},
		{name: "409", fault: fakegithub.Fault{Status: 409, Message: "Head branch was modified"}, want: "precondition gone"},
		{name: "410", fault: fakegithub.Fault{Status: 410, Message: "Issues are disabled"}, want: "permanent"},
		{name: "422", fault: fakegithub.Fault{Status: 422, Message: "Validation Failed"}, want: "permanent"},
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
			if got != tt.want || wait < tt.least || wait > tt.least+2*time.Minute {
				t.Errorf("%v: got %s for %s, want %s for at least %s", err, got, wait, tt.want, tt.least)
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
