package actuator_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/internal/fakegithub"
)

func TestGitHub_BaseURL(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"api", "http://%", "/only/a/path"} {
		if _, err := actuator.NewGitHub(actuator.GitHubConfig{BaseURL: base}, prometheus.NewRegistry()); err == nil {
			t.Errorf("%q: no error", base)
		}
	}
	registry := prometheus.NewRegistry()
	for _, instance := range []string{"", "ghe.example.com"} {
		if _, err := actuator.NewGitHub(actuator.GitHubConfig{Instance: instance}, registry); err != nil {
			t.Errorf("%q: %v", instance, err)
		}
	}
}

// TestGitHub_TokenGoesToNoOtherHost: the first host redirects to a second.
func TestGitHub_TokenGoesToNoOtherHost(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Authorization")
	}))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(first.Close)
	client, err := actuator.NewGitHub(actuator.GitHubConfig{BaseURL: first.URL, Token: "t0ken"}, prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.PullRequest(t.Context(), actuator.Ref{Repository: repo, Number: 1}); err == nil {
		t.Error("no error")
	}
	select {
	case header := <-asked:
		t.Errorf("the other host was asked with %q", header)
	default:
	}
}

// TestGitHub_LoginOfAnAppIsUnknown: an installation's token may not ask.
func TestGitHub_LoginOfAnAppIsUnknown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		login  string
		fault  fakegithub.Fault
		want   string
		wantOK bool
		calls  int
	}{
		{name: "asked once", want: "pawl[bot]", wantOK: true, calls: 1},
		{name: "configured", login: "me", want: "me", wantOK: true},
		{name: "refused", fault: fakegithub.Fault{Status: 403, Message: "Resource not accessible by integration"}, wantOK: true, calls: 1},
		{name: "away", fault: fakegithub.Fault{Status: 502}, calls: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake := fakegithub.New(fakegithub.Config{})
			server := httptest.NewServer(fake)
			t.Cleanup(server.Close)
			client, err := actuator.NewGitHub(actuator.GitHubConfig{BaseURL: server.URL, Login: tt.login}, prometheus.NewRegistry())
			if err != nil {
				t.Fatal(err)
			}
			if tt.fault.Status != 0 {
				tt.fault.Times = -1
				fake.Fail(tt.fault)
			}
			for range 2 {
				login, err := client.Login(t.Context())
				if login != tt.want || (err == nil) != tt.wantOK {
					t.Errorf("got %q, %v; want %q, known: %v", login, err, tt.want, tt.wantOK)
				}
			}
			if got := len(fake.Calls()); got != tt.calls {
				t.Errorf("calls: got %d, want %d", got, tt.calls)
			}
		})
	}
}

func TestGitHub_RemainingCallsAreShown(t *testing.T) {
	t.Parallel()
	r := newRig(t, mergeRules)
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{Labels: []string{"automerge"}})
	r.decide(a, r.transition(number, "labels_changed"))
	r.passes(a)
	if got := a.counter(t, "pawl_provider_rate_limit_remaining"); got < 4900 || got >= 5000 {
		t.Errorf("remaining: got %v, want a little below 5000", got)
	}
}
