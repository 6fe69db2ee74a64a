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
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-github/v66/github"
	"github.com/prometheus/client_golang/prometheus"
)

// GitHubConfig says how to reach one GitHub.
type GitHubConfig struct {
	// Instance is the host in entity keys: "github.com".
	Instance string
	// BaseURL of the REST API; empty is https://api.github.com/, and
	// https://<instance>/api/v3/ for any other instance.
	BaseURL string
	Token   string
	// Login is the account behind the token; empty asks GitHub.
	Login string
	// Transport is http.DefaultTransport where nil.
	Transport http.RoundTripper
}

// GitHub is the Provider for github.com and GitHub Enterprise Server.
type GitHub struct {
	client *github.Client

	mu    sync.Mutex // mu guards what follows
	login string
	asked bool
}

const commentsPerPage = 100 // the most that GitHub gives

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
	transport := config.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	client := github.NewClient(&http.Client{
		Transport:     &watchRate{next: transport, remaining: gauge.WithLabelValues(config.Instance)},
		CheckRedirect: followSafely,
	})
	if config.Token != "" {
		client = client.WithAuthToken(config.Token)
	}
	client.BaseURL = base
	client.UserAgent = "pawl"
	return &GitHub{client: client, login: config.Login}, nil
}

func (c GitHubConfig) baseURL() (*url.URL, error) {
	text := c.BaseURL
	switch {
	case text != "":
	case c.Instance == "github.com":
		text = "https://api.github.com/"
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

// watchRate notes what each answer says of the primary limit.
type watchRate struct {
	next      http.RoundTripper
	remaining prometheus.Gauge
}

// RoundTrip implements http.RoundTripper.
func (w *watchRate) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := w.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if left, err := strconv.Atoi(response.Header.Get("X-Ratelimit-Remaining")); err == nil {
		w.remaining.Set(float64(left))
	}
	return response, nil
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
	user, _, err := g.client.Users.Get(ctx, "")
	var answer *github.ErrorResponse
	refused := errors.As(err, &answer) && !isLimit(answer) &&
		(answer.Response.StatusCode == http.StatusForbidden || answer.Response.StatusCode == http.StatusNotFound)
	if err != nil && !refused {
		return "", fmt.Errorf("ask who we are: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.login, g.asked = user.GetLogin(), true
	return g.login, nil
}

// PullRequest implements Provider. It decodes the few fields that acting needs,
// and keeps the rest as it came.
func (g *GitHub) PullRequest(ctx context.Context, ref Ref) (Live, error) {
	request, err := g.client.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/pulls/%d", ref.Repository, ref.Number), nil)
	if err != nil {
		return Live{}, err
	}
	var raw bytes.Buffer
	if _, err := g.client.Do(ctx, request, &raw); err != nil {
		return Live{}, fmt.Errorf("read %s: %w", ref, err)
	}
	var shown struct {
		State          string
		Merged         bool
		MergeCommitSHA string `json:"merge_commit_sha"`
		Labels         []struct{ Name string }
		Head           struct{ SHA string }
		Base           struct{ Repo json.RawMessage }
	}
	if err := json.Unmarshal(raw.Bytes(), &shown); err != nil {
		return Live{}, fmt.Errorf("read %s: %w", ref, err)
	}
	live := Live{
		Closed: shown.State == "closed", Merged: shown.Merged, HeadSHA: shown.Head.SHA, MergeCommitSHA: shown.MergeCommitSHA,
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

// Comments implements Provider.
func (g *GitHub) Comments(ctx context.Context, ref Ref, page int) ([]LiveComment, int, error) {
	owner, name, number := ref.split()
	shown, response, err := g.client.Issues.ListComments(ctx, owner, name, number, &github.IssueListCommentsOptions{
		ListOptions: github.ListOptions{Page: page, PerPage: commentsPerPage},
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read page %d of the comments of %s: %w", page, ref, err)
	}
	comments := make([]LiveComment, 0, len(shown))
	for _, c := range shown {
		comments = append(comments, LiveComment{ID: c.GetID(), Author: c.GetUser().GetLogin(), Body: c.GetBody()})
	}
	return comments, response.NextPage, nil
}

// CreateComment implements Provider.
func (g *GitHub) CreateComment(ctx context.Context, ref Ref, body string) error {
	owner, name, number := ref.split()
	_, _, err := g.client.Issues.CreateComment(ctx, owner, name, number, &github.IssueComment{Body: &body})
	return wrap("comment on", ref, err)
}

// DeleteComment implements Provider.
func (g *GitHub) DeleteComment(ctx context.Context, ref Ref, id int64) error {
	owner, name, _ := ref.split()
	_, err := g.client.Issues.DeleteComment(ctx, owner, name, id)
	return wrap("remove a comment of", ref, unlessNotFound(err))
}

// Close implements Provider.
func (g *GitHub) Close(ctx context.Context, ref Ref) error {
	owner, name, number := ref.split()
	_, _, err := g.client.PullRequests.Edit(ctx, owner, name, number, &github.PullRequest{State: github.String("closed")})
	return wrap("close", ref, err)
}

// Merge implements Provider.
func (g *GitHub) Merge(ctx context.Context, ref Ref, params MergeParams) (string, error) {
	owner, name, number := ref.split()
	result, _, err := g.client.PullRequests.Merge(ctx, owner, name, number, params.Message, &github.PullRequestOptions{
		SHA: params.SHA, MergeMethod: params.Method, CommitTitle: params.Title,
	})
	return result.GetSHA(), wrap("merge", ref, err)
}

// AddLabels implements Provider.
func (g *GitHub) AddLabels(ctx context.Context, ref Ref, labels []string) error {
	owner, name, number := ref.split()
	_, _, err := g.client.Issues.AddLabelsToIssue(ctx, owner, name, number, labels)
	return wrap("label", ref, err)
}

// RemoveLabel implements Provider. go-github puts the name into the path as it
// is: a slash or a question mark in it must be escaped here.
func (g *GitHub) RemoveLabel(ctx context.Context, ref Ref, label string) error {
	owner, name, number := ref.split()
	_, err := g.client.Issues.RemoveLabelForIssue(ctx, owner, name, number, url.PathEscape(label))
	return wrap("unlabel", ref, unlessNotFound(err))
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
