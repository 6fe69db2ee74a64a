package actuator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"code.gitea.io/sdk/gitea"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/schemas"
)

// GiteaConfig says how to reach one Gitea or Forgejo, and as whom.
type GiteaConfig struct {
	// Instance is the host in entity keys: "gitea.com".
	Instance string
	// BaseURL is the address of the server, without /api/v1; empty is
	// https://<instance>/.
	BaseURL string
	// Token is an access token that may write issues and repositories.
	Token string
	// Login is the account behind the token; empty asks the server, for which
	// the token must be able to read the user.
	Login string
	// Transport is http.DefaultTransport where nil.
	Transport http.RoundTripper
}

// Gitea is the Provider for Gitea and Forgejo. What they do not have, it does
// not implement: check runs and a merge queue.
type Gitea struct {
	instance string
	base     string
	token    string
	http     *http.Client
	login    login
}

// NewGitea returns a client. It calls nobody yet.
func NewGitea(config GiteaConfig, registerer prometheus.Registerer) (*Gitea, error) {
	config.Instance = cmp.Or(config.Instance, "gitea.com")
	base, err := baseOf("gitea", config.Instance, config.BaseURL)
	if err != nil {
		return nil, err
	}
	gauge, err := rateLimitGauge(registerer)
	if err != nil {
		return nil, fmt.Errorf("gitea %s: %w", config.Instance, err)
	}
	shown := &leastRemaining{gauge: gauge.WithLabelValues(config.Instance), left: make(map[*budget]int)}
	address := strings.TrimSuffix(strings.TrimRight(base.String(), "/"), "/api/v1")
	return &Gitea{
		instance: config.Instance, base: address, token: config.Token, login: login{name: config.Login},
		http: newAnswerClient(config.Transport, newBudget(limits{}), shown),
	}, nil
}

// client returns the SDK's client for one call: it keeps the context of its
// calls in itself. Told that versions do not matter, it asks nobody for one.
func (g *Gitea) client(ctx context.Context) (*gitea.Client, error) {
	return gitea.NewClient(g.base, gitea.SetHTTPClient(g.http), gitea.SetToken(g.token), gitea.SetUserAgent(userAgent),
		gitea.SetContext(ctx), gitea.SetGiteaVersion(""))
}

// Login implements Provider.
func (g *Gitea) Login(ctx context.Context) (string, error) {
	return g.login.get(func() (string, error) {
		client, err := g.client(ctx)
		if err != nil {
			return "", err
		}
		user, _, err := client.GetMyUserInfo()
		if err != nil {
			return "", err
		}
		return user.UserName, nil
	})
}

// teaPull is the few fields of a pull request that acting needs.
type teaPull struct {
	State          string `json:"state"`
	Merged         bool   `json:"merged"`
	MergeCommitSHA string `json:"merge_commit_sha"`
	MergeBase      string `json:"merge_base"`
	Labels         []struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	} `json:"labels"`
	Head struct {
		SHA string `json:"sha"`
	} `json:"head"`
	Base struct {
		SHA  string          `json:"sha"`
		Repo json.RawMessage `json:"repo"`
	} `json:"base"`
}

// read makes the call without the SDK, which keeps only the fields it knows: a
// live read goes to the log as it came.
func (g *Gitea) read(ctx context.Context, ref Ref) (teaPull, []byte, error) {
	owner, name, number := ref.split()
	path := fmt.Sprintf("%s/api/v1/repos/%s/%s/pulls/%d", g.base, url.PathEscape(owner), url.PathEscape(name), number)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		return teaPull{}, nil, err
	}
	request.Header.Set("User-Agent", userAgent)
	if g.token != "" {
		request.Header.Set("Authorization", "token "+g.token)
	}
	response, err := g.http.Do(request)
	if err != nil {
		return teaPull{}, nil, fmt.Errorf("read %s: %w", ref, err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return teaPull{}, nil, fmt.Errorf("read %s: %w", ref, err)
	}
	var shown teaPull
	if err := json.Unmarshal(raw, &shown); err != nil {
		return teaPull{}, nil, fmt.Errorf("read %s: %w", ref, err)
	}
	return shown, raw, nil
}

// PullRequest implements Provider. It decodes the few fields that acting needs,
// and keeps the rest as it came. Nothing in it tells of an auto-merge.
func (g *Gitea) PullRequest(ctx context.Context, ref Ref) (Live, error) {
	shown, raw, err := g.read(ctx, ref)
	if err != nil {
		return Live{}, err
	}
	live := Live{
		Closed: shown.State == "closed" || shown.Merged, Merged: shown.Merged, HeadSHA: shown.Head.SHA,
		MergeCommitSHA: shown.MergeCommitSHA, PullRequest: raw, Repository: shown.Base.Repo,
	}
	for _, label := range shown.Labels {
		live.Labels = append(live.Labels, label.Name)
	}
	return live, nil
}

// readRecord implements readRecorder: the API shows what webhooks show.
func (*Gitea) readRecord(ref Ref, live Live) readRecord {
	return readRecord{
		provider: "gitea", event: "pull_request", header: schemas.Header{Name: "X-Gitea-Event", Value: "pull_request"},
		body: pullRequestRead(ref, live),
	}
}

// Close implements Provider.
func (g *Gitea) Close(ctx context.Context, ref Ref) error {
	return wrap("close", ref, g.setState(ctx, ref, gitea.StateClosed))
}

// Reopen implements reopener.
func (g *Gitea) Reopen(ctx context.Context, ref Ref) error {
	return wrap("reopen", ref, g.setState(ctx, ref, gitea.StateOpen))
}

func (g *Gitea) setState(ctx context.Context, ref Ref, state gitea.StateType) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, _, err = client.EditPullRequest(owner, name, ref.Number, gitea.EditPullRequestOption{State: &state})
	return err
}
