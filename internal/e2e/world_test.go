package e2e_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/internal/fakegithub"
	"pawl/internal/fakelinear"
	"pawl/internal/pgtest"
)

const (
	repository   = "acme/api"
	login        = "pawl[bot]"
	webhookKey   = "e2e webhook secret"
	githubToken  = "e2e-github-token"
	configFormat = `version: 1
sources:
  - {name: github, provider: github, secrets: ["env:PAWL_GITHUB_SECRET"]}
%sproviders:
  github.com: {token: "env:GITHUB_TOKEN", base_url: %q, login: %q}
%s%s`
	linearSourceFormat   = "  - {name: linear, provider: linear, secrets: [\"env:PAWL_LINEAR_SECRET\"]}\n"
	linearProviderFormat = "  linear.app: {token: \"env:LINEAR_TOKEN\", base_url: %q}\n"
)

// world is one installation: a broker, a database, a provider, and the
// processes that a test starts.
type world struct {
	t        *testing.T
	broker   broker
	pool     *pgxpool.Pool
	github   *fakegithub.Server
	linear   *fakelinear.Server // nil where there is none
	hooks    chan fakegithub.Webhook
	unposted atomic.Int64 // how many hooks are not acknowledged, or taken by lived
	webhooks string       // address of the ingest
	env      []string
	posts    *poster
	rules    ruleSet
}

// ruleSet is the rules section of pawl.yaml, and the kinds that it listens to.
type ruleSet struct {
	yaml    string
	listens []string
}

// noRules only folds.
var noRules = ruleSet{yaml: "rules: []\n", listens: []string{}}

// withLinear adds an issue tracker.
func withLinear(fake *fakelinear.Server) func(*world) {
	return func(w *world) { w.linear = fake }
}

func newWorld(t *testing.T, b broker, rules ruleSet, with ...func(*world)) *world {
	t.Helper()
	w := &world{t: t, broker: b, rules: rules, hooks: make(chan fakegithub.Webhook, 10_000), webhooks: freeAddr(t)}
	w.github = fakegithub.New(fakegithub.Config{
		Token: githubToken, Login: login, Webhook: func(hook fakegithub.Webhook) {
			w.unposted.Add(1)
			w.hooks <- hook
		},
	})
	w.github.AddRepository(101, repository)
	provider := httptest.NewServer(w.github)
	t.Cleanup(provider.Close)
	database := pgtest.New(t)
	w.pool = pgtest.Pool(t, database)
	for _, add := range with {
		add(w)
	}
	w.env = append(environment(w.writeConfig(provider.URL)),
		"PAWL_KAFKA_BROKERS="+strings.Join(b.Addrs(), ","),
		"PAWL_DATABASE_URL="+database,
		"PAWL_LISTEN_WEBHOOKS="+w.webhooks,
	)
	w.posts = newPoster("http://" + w.webhooks + "/webhooks/github")
	return w
}

// environment is what every process is started with.
func environment(config string) []string {
	return []string{
		"PAWL_CONFIG=" + config, "PAWL_LOG_FORMAT=json",
		"PAWL_GITHUB_SECRET=" + webhookKey, "GITHUB_TOKEN=" + githubToken,
		"PAWL_LINEAR_SECRET=" + linearSecret, "LINEAR_TOKEN=" + linearKey,
	}
}

func (w *world) writeConfig(github string) string {
	w.t.Helper()
	source, provider := "", ""
	if w.linear != nil {
		tracker := httptest.NewServer(w.linear)
		w.t.Cleanup(tracker.Close)
		source, provider = linearSourceFormat, fmt.Sprintf(linearProviderFormat, tracker.URL)
	}
	return writeConfig(w.t, fmt.Sprintf(configFormat, source, github+"/", login, provider, w.rules.yaml))
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pawl.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// start runs one role.
func (w *world) start(name, role string) *program { return start(w.t, name, w.env, role) }

// lived takes the deliveries that the provider has made so far.
func (w *world) lived() []fakegithub.Webhook {
	var hooks []fakegithub.Webhook
	for {
		select {
		case hook := <-w.hooks:
			hooks = append(hooks, hook)
			w.unposted.Add(-1)
		default:
			return hooks
		}
	}
}

// forward posts what the provider tells of Pawl's own acts, until the test ends.
func (w *world) forward() {
	for {
		select {
		case hook := <-w.hooks:
			w.posts.untilTaken(w.t.Context(), hook)
			w.unposted.Add(-1)
		case <-w.t.Context().Done():
			return
		}
	}
}

// post posts deliveries until each is acknowledged.
func (w *world) post(hooks []fakegithub.Webhook) { w.posts.all(w.t.Context(), hooks, func() {}) }

// postAround posts deliveries, and lets something happen when half of them are
// on their way. It returns when that is over and each is acknowledged.
func (w *world) postAround(hooks []fakegithub.Webhook, happens func()) {
	half, posted := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(posted)
		w.posts.all(w.t.Context(), hooks, func() { close(half) })
	}()
	<-half
	happens()
	<-posted
}
