package actuator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// GitLabConfig says how to reach one GitLab, and as whom.
type GitLabConfig struct {
	// Instance is the host in entity keys: "gitlab.com".
	Instance string
	// BaseURL is the address of a self-managed GitLab, with or without /api/v4;
	// empty is https://<instance>/.
	BaseURL string
	// Token is a personal, group or project access token with scope api.
	Token string
	// Login is the account behind the token; empty asks GitLab.
	Login string
	// Transport is http.DefaultTransport where nil.
	Transport http.RoundTripper
}

// GitLab is the Provider for gitlab.com and self-managed GitLab. What GitLab
// does not have, it does not implement: check runs, dismissed reviews, a merge
// queue that one can look into, and an update of the branch that is guarded by
// a sha.
//
// A project is named by its id where it is known, for its path changes.
type GitLab struct {
	instance string
	client   *gitlab.Client
	login    login
	users    userIDs
}

// NewGitLab returns a client. It calls nobody yet.
func NewGitLab(config GitLabConfig, registerer prometheus.Registerer) (*GitLab, error) {
	config.Instance = cmp.Or(config.Instance, "gitlab.com")
	base, err := baseOf("gitlab", config.Instance, config.BaseURL)
	if err != nil {
		return nil, err
	}
	gauge, err := rateLimitGauge(registerer)
	if err != nil {
		return nil, fmt.Errorf("gitlab %s: %w", config.Instance, err)
	}
	shown := &leastRemaining{gauge: gauge.WithLabelValues(config.Instance), left: make(map[*budget]int)}
	client, err := gitlab.NewClient(config.Token,
		gitlab.WithBaseURL(base.String()),
		gitlab.WithHTTPClient(newAnswerClient(config.Transport, newBudget(limits{}), shown)),
		gitlab.WithUserAgent(userAgent),
		// Its own retries would repeat a change, and its own limiter would sleep
		// while the lease is held.
		gitlab.WithoutRetries(),
		gitlab.WithCustomLimiter(noLimiter{}),
	)
	if err != nil {
		return nil, fmt.Errorf("gitlab %s: %w", config.Instance, err)
	}
	return &GitLab{
		instance: config.Instance, client: client, login: login{name: config.Login},
		users: userIDs{known: make(map[string]knownUser)},
	}, nil
}

// baseOf returns the address of an instance, without what a client library adds.
func baseOf(provider, instance, text string) (*url.URL, error) {
	text = cmp.Or(text, "https://"+instance)
	base, err := url.Parse(text)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("%s %s: %q is no base URL: write https://host", provider, instance, text)
	}
	return base, nil
}

type noLimiter struct{}

// Wait implements gitlab.RateLimiter: the budget is asked in the transport.
func (noLimiter) Wait(context.Context) error { return nil }

// login is the account that we act as, asked for once.
type login struct {
	mu   sync.Mutex // mu guards what follows
	name string
}

func (l *login) get(ask func() (string, error)) (string, error) {
	l.mu.Lock()
	name := l.name
	l.mu.Unlock()
	if name != "" {
		return name, nil
	}
	name, err := ask()
	if err != nil {
		return "", fmt.Errorf("ask who we are: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.name = name
	return name, nil
}

// Login implements Provider. Also the account of a project's token may ask.
func (g *GitLab) Login(ctx context.Context) (string, error) {
	return g.login.get(func() (string, error) {
		user, _, err := g.client.Users.CurrentUser(gitlab.WithContext(ctx))
		if err != nil {
			return "", err
		}
		return user.Username, nil
	})
}

// project is how GitLab is told which project is meant.
func (g *GitLab) project(ref Ref) string { return cmp.Or(ref.RepositoryID, ref.Repository) }

// labMergeRequest is the few fields of a merge request that acting needs.
type labMergeRequest struct {
	State               string    `json:"state"`
	SHA                 string    `json:"sha"`
	MergeCommitSHA      string    `json:"merge_commit_sha"`
	SquashCommitSHA     string    `json:"squash_commit_sha"`
	Labels              []string  `json:"labels"`
	AutoMerge           bool      `json:"merge_when_pipeline_succeeds"`
	DetailedMergeStatus string    `json:"detailed_merge_status"`
	Reviewers           []labUser `json:"reviewers"`
}

type labUser struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
}

// stateMerged is GitLab's word; while a merge runs it is "locked".
const stateMerged = "merged"

// commit is what the merge has made. A fast-forward makes no merge commit.
func (m labMergeRequest) commit() string { return cmp.Or(m.MergeCommitSHA, m.SquashCommitSHA, m.SHA) }

func (g *GitLab) read(ctx context.Context, ref Ref) (labMergeRequest, []byte, error) {
	path := fmt.Sprintf("projects/%s/merge_requests/%d", gitlab.PathEscape(g.project(ref)), ref.Number)
	request, err := g.client.NewRequest(http.MethodGet, path, nil, []gitlab.RequestOptionFunc{gitlab.WithContext(ctx)})
	if err != nil {
		return labMergeRequest{}, nil, err
	}
	var raw bytes.Buffer
	if _, err := g.client.Do(request, &raw); err != nil {
		return labMergeRequest{}, nil, fmt.Errorf("read %s: %w", ref, err)
	}
	var shown labMergeRequest
	if err := json.Unmarshal(raw.Bytes(), &shown); err != nil {
		return labMergeRequest{}, nil, fmt.Errorf("read %s: %w", ref, err)
	}
	return shown, raw.Bytes(), nil
}

// PullRequest implements Provider. It decodes the few fields that acting needs,
// and keeps the rest as it came. GitLab names no project in it: the merge
// request has the project's id and path.
func (g *GitLab) PullRequest(ctx context.Context, ref Ref) (Live, error) {
	shown, raw, err := g.read(ctx, ref)
	if err != nil {
		return Live{}, err
	}
	live := Live{
		Closed: shown.State == "closed" || shown.State == stateMerged, Merged: shown.State == stateMerged,
		HeadSHA: shown.SHA, AutoMerge: shown.AutoMerge, Labels: shown.Labels, PullRequest: raw,
	}
	if live.Merged {
		live.MergeCommitSHA = shown.commit()
	}
	return live, nil
}

// Close implements Provider.
func (g *GitLab) Close(ctx context.Context, ref Ref) error {
	return wrap("close", ref, g.update(ctx, ref, &gitlab.UpdateMergeRequestOptions{StateEvent: new("close")}))
}

// Reopen implements reopener.
func (g *GitLab) Reopen(ctx context.Context, ref Ref) error {
	return wrap("reopen", ref, g.update(ctx, ref, &gitlab.UpdateMergeRequestOptions{StateEvent: new("reopen")}))
}

// AddLabels implements Provider. GitLab makes labels that are not there yet.
func (g *GitLab) AddLabels(ctx context.Context, ref Ref, labels []string) error {
	return wrap("label", ref, g.update(ctx, ref, &gitlab.UpdateMergeRequestOptions{AddLabels: (*gitlab.LabelOptions)(&labels)}))
}

// RemoveLabel implements Provider.
func (g *GitLab) RemoveLabel(ctx context.Context, ref Ref, label string) error {
	return wrap("unlabel", ref, g.update(ctx, ref, &gitlab.UpdateMergeRequestOptions{RemoveLabels: &gitlab.LabelOptions{label}}))
}

func (g *GitLab) update(ctx context.Context, ref Ref, options *gitlab.UpdateMergeRequestOptions) error {
	_, _, err := g.client.MergeRequests.UpdateMergeRequest(g.project(ref), ref.Number, options, gitlab.WithContext(ctx))
	return err
}

func at(moment *time.Time) time.Time {
	if moment == nil {
		return time.Time{}
	}
	return *moment
}
