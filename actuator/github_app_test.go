package actuator_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/internal/fakegithub"
)

const appID = 4711

// appKey is one key for all tests: to make one takes long.
var appKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func pemOf(key *rsa.PrivateKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
}

// newAppRig is a rig whose GitHub knows callers as an App only.
func newAppRig(t *testing.T) (*rig, *actuator.GitHub) {
	t.Helper()
	r := newRig(t, always)
	r.github = fakegithub.New(fakegithub.Config{App: &fakegithub.App{ID: appID, Slug: "pawl", Key: &appKey().PublicKey}})
	server := httptest.NewServer(r.github)
	t.Cleanup(server.Close)
	r.url = server.URL
	r.github.AddRepository(repositoryID, repo)
	client, err := actuator.NewGitHub(r.appConfig(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	return r, client
}

func (r *rig) appConfig() actuator.GitHubConfig {
	return actuator.GitHubConfig{BaseURL: r.url, AppID: appID, PrivateKey: pemOf(appKey())}
}

// actorOf is an actuator over a provider that others may use too.
func (r *rig) actorOf(owner string, provider actuator.Provider) actor {
	r.t.Helper()
	registry := prometheus.NewRegistry()
	a, err := actuator.New(actuator.Config{Owner: owner}, r.pool, map[string]actuator.Provider{"github.com": provider},
		r.rules.Load, r.log, slog.New(slog.DiscardHandler), registry)
	if err != nil {
		r.t.Fatal(err)
	}
	return actor{a, registry}
}

func TestApp_ActsAsItsInstallation(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "/api/v3"} { // github.com, and a server of one's own
		t.Run("under "+path+"/", func(t *testing.T) {
			t.Parallel()
			r, _ := newAppRig(t)
			r.github.Install(42, repo)
			config := r.appConfig()
			config.BaseURL += path
			client, err := actuator.NewGitHub(config, prometheus.NewRegistry())
			if err != nil {
				t.Fatal(err)
			}
			ref := actuator.Ref{Repository: repo, Number: int64(r.github.Open(repo, fakegithub.PullRequest{}))}
			for range 3 {
				if err := client.CreateComment(t.Context(), ref, "hello"); err != nil {
					t.Fatal(err)
				}
			}
			login, err := client.Login(t.Context())
			if err != nil || login != "pawl[bot]" {
				t.Errorf("login: got %q, %v", login, err)
			}
			if got := r.github.Comments(repo, int(ref.Number)); len(got) != 3 || got[0].Author != login {
				t.Errorf("comments: got %+v", got)
			}
			if lookups, tokens := r.called("GET", "/installation"), r.called("POST", "/access_tokens"); lookups != 1 || tokens != 1 {
				t.Errorf("got %d lookups and %d tokens for three calls, want one of each", lookups, tokens)
			}
		})
	}
}

// TestApp_LostInstallation: what was known of an installation is not true any
// more.
func TestApp_LostInstallation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		life   time.Duration // of a token; below a minute it is asked for each time
		before func(g *fakegithub.Server)
		// want are the verdicts of the calls that follow, "" is success.
		want []string
		says string
	}{
		{name: "never installed", before: func(g *fakegithub.Server) { g.Uninstall(1) }, life: time.Second, want: []string{"permanent"}, says: "not installed on acme/api"},
		{name: "suspended", before: func(g *fakegithub.Server) { g.Suspend(1, true) }, life: time.Second, want: []string{"permanent"}, says: "suspended"},
		{name: "suspended, with a token", before: func(g *fakegithub.Server) { g.Suspend(1, true) }, want: []string{"permanent"}, says: "suspended"},
		{
			name: "installed anew", life: time.Second, want: []string{""},
			before: func(g *fakegithub.Server) { g.Uninstall(1); g.Install(2, repo) },
		},
		{
			name: "installed anew, with a token", want: []string{"transient", ""},
			before: func(g *fakegithub.Server) { g.Uninstall(1); g.Install(2, repo) },
		},
		{
			name: "gone, with a token", want: []string{"transient", "permanent"},
			before: func(g *fakegithub.Server) { g.Uninstall(1) },
		},
		{
			name: "tokens cannot be made for a moment", life: time.Second, want: []string{"transient", ""},
			before: func(g *fakegithub.Server) { g.Fail(fakegithub.Fault{Path: "/access_tokens", Status: 502}) },
		},
		{
			name: "the connection for a token is lost", life: time.Second, want: []string{"transient", ""},
			before: func(g *fakegithub.Server) { g.Fail(fakegithub.Fault{Path: "/access_tokens", Drop: true}) },
		},
		{
			name: "tokens are limited", life: time.Second, want: []string{"rate limited", ""},
			before: func(g *fakegithub.Server) {
				fault := fakegithub.TooManyRequests(time.Minute)
				fault.Path = "/access_tokens"
				g.Fail(fault)
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake := fakegithub.New(fakegithub.Config{App: &fakegithub.App{ID: appID, Slug: "pawl", Key: &appKey().PublicKey, TokenLife: tt.life}})
			fake.AddRepository(repositoryID, repo)
			fake.Install(1, repo)
			server := httptest.NewServer(fake)
			t.Cleanup(server.Close)
			client, err := actuator.NewGitHub(actuator.GitHubConfig{BaseURL: server.URL, AppID: appID, PrivateKey: pemOf(appKey())}, prometheus.NewRegistry())
			if err != nil {
				t.Fatal(err)
			}
			ref := actuator.Ref{Repository: repo, Number: int64(fake.Open(repo, fakegithub.PullRequest{}))}
			if err := client.CreateComment(t.Context(), ref, "before"); err != nil {
				t.Fatal(err)
			}
			tt.before(fake)
			for i, want := range tt.want {
				err := client.CreateComment(t.Context(), ref, "after")
				got := ""
				if err != nil {
					got, _ = actuator.Classify(err)
				}
				if got != want || (err != nil && i == len(tt.want)-1 && !strings.Contains(err.Error(), tt.says)) {
					t.Errorf("call %d: got %q (%v), want %q saying %q", i+1, got, err, want, tt.says)
				}
			}
		})
	}
}

// TestApp_BudgetOutlivesAToken: a token is refused, the installation is looked
// up again, and its next change still has to wait for its turn.
func TestApp_BudgetOutlivesAToken(t *testing.T) {
	t.Parallel()
	r, _ := newAppRig(t)
	r.github.Install(1, repo)
	config := r.appConfig()
	config.Spacing = time.Hour
	client, err := actuator.NewGitHub(config, prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	ref := actuator.Ref{Repository: repo, Number: int64(r.github.Open(repo, fakegithub.PullRequest{}))}
	if err := client.CreateComment(t.Context(), ref, "one"); err != nil {
		t.Fatal(err)
	}
	r.github.Fail(fakegithub.Fault{Method: "GET", Path: "/pulls/", Status: 401, Message: "Bad credentials"})
	if _, err := client.PullRequest(t.Context(), ref); err == nil {
		t.Fatal("no error")
	}
	err = client.CreateComment(t.Context(), ref, "two")
	if got, wait := actuator.Classify(err); got != "rate limited" || wait < 59*time.Minute {
		t.Errorf("got %s for %s (%v), want it put off by an hour", got, wait, err)
	}
	if lookups := r.called("GET", "/installation"); lookups != 2 {
		t.Errorf("lookups: got %d, want 2", lookups)
	}
}

func TestApp_ConfigurationIsChecked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config actuator.GitHubConfig
	}{
		{"no key", actuator.GitHubConfig{AppID: 1}},
		{"no id", actuator.GitHubConfig{PrivateKey: pemOf(appKey())}},
		{"no PEM", actuator.GitHubConfig{AppID: 1, PrivateKey: []byte("s3cret")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := actuator.NewGitHub(tt.config, prometheus.NewRegistry())
			if err == nil || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("got %v, want an error without the key in it", err)
			}
		})
	}
}

// TestApp_WrongKeyIsRefused: the fake checks what the App signs.
func TestApp_WrongKeyIsRefused(t *testing.T) {
	t.Parallel()
	r, _ := newAppRig(t)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	config := r.appConfig()
	config.PrivateKey = pemOf(stranger)
	client, err := actuator.NewGitHub(config, prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Login(t.Context()); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("got %v, want a 401", err)
	}
}
