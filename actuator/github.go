package actuator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v66/github"
	"github.com/prometheus/client_golang/prometheus"
)

// GitHubConfig says how to reach one GitHub, and as whom: with a token, or as an
// App.
type GitHubConfig struct {
	// Instance is the host in entity keys: "github.com".
	Instance string
	// BaseURL of the REST API; empty is https://api.github.com/, for a tenant of
	// ghe.com its api host, and https://<instance>/api/v3/ for any other
	// instance.
	BaseURL string
	Token   string
	// AppID and PrivateKey, in PEM, authenticate as a GitHub App, one client an
	// installation. Then Token is not needed.
	AppID      int64
	PrivateKey []byte
	// Login is the account behind the token or the App; empty asks GitHub.
	Login string
	// PointsPerMinute and Spacing bound what an account asks: a read is one
	// point, a change five; Spacing lies between the starts of two changes. Zero
	// is what GitHub asks for, 900 and a second, and where BaseURL or the
	// instance is a server of one's own no bound: there its headers alone say.
	PointsPerMinute int
	Spacing         time.Duration
	// Transport is http.DefaultTransport where nil.
	Transport http.RoundTripper
}

// GitHub is the Provider for github.com and GitHub Enterprise Server.
type GitHub struct {
	instance  string
	base      *url.URL
	transport http.RoundTripper
	limits    limits
	shown     *leastRemaining
	token     *github.Client // nil for an App
	app       *githubApp     // nil with a token
	chains    *chains

	mu    sync.Mutex // mu guards what follows
	login string
	asked bool
}

const perPage = 100 // the most that GitHub gives

// NewGitHub returns a client. It calls nobody yet.
func NewGitHub(config GitHubConfig, registerer prometheus.Registerer) (*GitHub, error) {
	config.Instance = cmp.Or(config.Instance, "github.com")
	base, err := config.baseURL()
	if err != nil {
		return nil, err
	}
	gauge, err := rateLimitGauge(registerer)
	if err != nil {
		return nil, fmt.Errorf("github %s: %w", config.Instance, err)
	}
	g := &GitHub{
		instance: config.Instance, base: base, transport: config.Transport, limits: config.limits(), login: config.Login,
		shown:  &leastRemaining{gauge: gauge.WithLabelValues(config.Instance), left: make(map[*budget]int)},
		chains: newChains(),
	}
	if g.transport == nil {
		g.transport = http.DefaultTransport
	}
	if config.AppID != 0 || len(config.PrivateKey) > 0 {
		g.app, err = newGitHubApp(g, config.AppID, config.PrivateKey)
		return g, err
	}
	g.token = g.newClient(g.transport, newBudget(g.limits))
	if config.Token != "" {
		g.token = g.token.WithAuthToken(config.Token)
	}
	return g, nil
}

const userAgent = "pawl"

// newClient returns the client of one account, with its budget.
func (g *GitHub) newClient(transport http.RoundTripper, held *budget) *github.Client {
	client := github.NewClient(&http.Client{
		Transport: &limitedTransport{
			next: noteCalls{transport}, budget: held, shown: g.shown, prefix: "X-Ratelimit", pause: secondaryLimit,
		},
		CheckRedirect: followSafely,
	})
	client.BaseURL, client.UserAgent = g.base, userAgent
	return client
}

// of returns the client that may act on a repository.
func (g *GitHub) of(ctx context.Context, ref Ref) (*github.Client, error) {
	if g.app == nil {
		return g.token, nil
	}
	return g.app.installationOf(ctx, ref)
}

// hosted reports whether it is GitHub's own service, with GitHub's limits.
func (c GitHubConfig) hosted() bool {
	return c.BaseURL == "" && (c.Instance == "github.com" || strings.HasSuffix(c.Instance, tenants))
}

// tenants is the domain of GitHub Enterprise Cloud with data residency.
const tenants = ".ghe.com"

func (c GitHubConfig) limits() limits {
	l := limits{points: c.PointsPerMinute, spacing: c.Spacing}
	if c.hosted() {
		l.points, l.spacing = cmp.Or(l.points, hostedPoints), cmp.Or(l.spacing, hostedSpacing)
	}
	return l
}

func (c GitHubConfig) baseURL() (*url.URL, error) {
	text := c.BaseURL
	switch {
	case text != "":
	case c.Instance == "github.com":
		text = "https://api.github.com/"
	case strings.HasSuffix(c.Instance, tenants):
		text = "https://api." + c.Instance + "/"
	default:
		text = "https://" + c.Instance + "/api/v3/"
	}
	base, err := url.Parse(text)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("github %s: %q is no base URL", c.Instance, text)
	}
	if !strings.HasSuffix(base.Path, "/") {
		base.Path += "/"
	}
	return base, nil
}

// followSafely follows the redirects of a renamed repository. The token goes to
// no other host, and a change does not turn into a read that looks like success.
func followSafely(request *http.Request, via []*http.Request) error {
	first := via[0]
	if request.URL.Host != first.URL.Host || request.Method != first.Method || len(via) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

// Login implements Provider. A token of an app installation may not ask who it
// is; the login is unknown then.
func (g *GitHub) Login(ctx context.Context) (string, error) {
	g.mu.Lock()
	login, known := g.login, g.login != "" || g.asked
	g.mu.Unlock()
	if known {
		return login, nil
	}
	login, err := g.askLogin(ctx)
	if err != nil {
		return "", fmt.Errorf("ask who we are: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.login, g.asked = login, true
	return g.login, nil
}

func (g *GitHub) askLogin(ctx context.Context) (string, error) {
	if g.app != nil {
		return g.app.login(ctx)
	}
	user, _, err := g.token.Users.Get(ctx, "")
	var answer *github.ErrorResponse
	if errors.As(err, &answer) && !isLimit(answer) &&
		(answer.Response.StatusCode == http.StatusForbidden || answer.Response.StatusCode == http.StatusNotFound) {
		return "", nil // an installation's token may not ask
	}
	return user.GetLogin(), err
}

// PullRequest implements Provider. It decodes the few fields that acting needs,
// and keeps the rest as it came.
func (g *GitHub) PullRequest(ctx context.Context, ref Ref) (Live, error) {
	client, err := g.of(ctx, ref)
	if err != nil {
		return Live{}, err
	}
	request, err := client.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/pulls/%d", ref.Repository, ref.Number), nil)
	if err != nil {
		return Live{}, err
	}
	var raw bytes.Buffer
	if _, err := client.Do(ctx, request, &raw); err != nil {
		return Live{}, fmt.Errorf("read %s: %w", ref, err)
	}
	var shown struct {
		State          string
		Merged         bool
		MergeCommitSHA string `json:"merge_commit_sha"`
		Labels         []struct{ Name string }
		AutoMerge      *struct{} `json:"auto_merge"`
		Head           struct{ SHA string }
		Base           struct{ Repo json.RawMessage }
	}
	if err := json.Unmarshal(raw.Bytes(), &shown); err != nil {
		return Live{}, fmt.Errorf("read %s: %w", ref, err)
	}
	live := Live{
		Closed: shown.State == "closed", Merged: shown.Merged, HeadSHA: shown.Head.SHA, MergeCommitSHA: shown.MergeCommitSHA,
		AutoMerge:   shown.AutoMerge != nil,
		PullRequest: raw.Bytes(), Repository: shown.Base.Repo,
	}
	for _, label := range shown.Labels {
		live.Labels = append(live.Labels, label.Name)
	}
	return live, nil
}

// String returns acme/api#7.
func (r Ref) String() string { return fmt.Sprintf("%s#%d", r.Repository, r.Number) }

func (r Ref) split() (owner, name string, number int) {
	owner, name, _ = strings.Cut(r.Repository, "/")
	return owner, name, int(r.Number)
}

// Close implements Provider.
func (g *GitHub) Close(ctx context.Context, ref Ref) error {
	return wrap("close", ref, g.setState(ctx, ref, "closed"))
}

// Reopen implements reopener.
func (g *GitHub) Reopen(ctx context.Context, ref Ref) error {
	return wrap("reopen", ref, g.setState(ctx, ref, "open"))
}

func (g *GitHub) setState(ctx context.Context, ref Ref, state string) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, number := ref.split()
	_, _, err = client.PullRequests.Edit(ctx, owner, name, number, &github.PullRequest{State: &state})
	return err
}

func wrap(what string, ref Ref, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, ref, err)
}

// unlessNotFound takes "it is not there" for the success of a removal. The look
// before it has shown that the pull request itself is there.
func unlessNotFound(err error) error {
	var answer *github.ErrorResponse
	if errors.As(err, &answer) && answer.Response.StatusCode == http.StatusNotFound {
		return nil
	}
	return err
}

// GitHub has every capability.
var _ interface {
	Provider
	reopener
	commentEditor
	reviewRequester
	reviewReader
	approver
	dismisser
	checkReporter
	statusReporter
	branchUpdater
	queuer
} = (*GitHub)(nil)
