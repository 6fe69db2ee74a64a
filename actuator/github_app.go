package actuator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v66/github"
)

// githubApp acts as an App: each installation has a client, a token and a
// budget of its own.
//
//	repository ──known?──▶ installation ──token valid?──▶ client
//	     │ no                    │ no: a new one
//	     ▼                       ▼
//	GET …/installation ◀──gone── POST …/access_tokens
//
// An installation that is gone, suspended, or whose token is not taken any more
// is looked up once again; what is not there then is refused for good.
type githubApp struct {
	provider *GitHub
	id       int64
	key      []byte
	client   *github.Client // with the App's JWT

	mu            sync.Mutex // mu guards what follows
	repositories  map[string]int64
	installations map[int64]*githubInstallation
	budgets       map[int64]*budget // they outlive a token that was revoked
}

// githubInstallation is an App on some repositories.
type githubInstallation struct {
	client *github.Client
	tokens *ghinstallation.Transport
}

// installationError says that an App cannot act on a repository, and why.
type installationError struct {
	ref Ref
	why string
}

func (e *installationError) Error() string {
	return fmt.Sprintf("the App %s on %s: install it there, or except the repository in the rules", e.why, e.ref.Repository)
}

func newGitHubApp(g *GitHub, id int64, key []byte) (*githubApp, error) {
	if id <= 0 || len(key) == 0 {
		return nil, fmt.Errorf("github %s: an App needs both its id and its private key", g.instance)
	}
	a := &githubApp{
		provider: g, id: id, key: key,
		repositories: make(map[string]int64), installations: make(map[int64]*githubInstallation), budgets: make(map[int64]*budget),
	}
	transport, err := a.transport()
	if err != nil {
		return nil, err
	}
	a.client = g.newClient(transport, newBudget(g.limits))
	return a, nil
}

// transport signs calls as the App itself. Each user has one of its own:
// refreshing a token writes into it.
func (a *githubApp) transport() (*ghinstallation.AppsTransport, error) {
	transport, err := ghinstallation.NewAppsTransport(a.provider.transport, a.id, a.key)
	if err != nil {
		// What is wrong with a key may quote it.
		return nil, fmt.Errorf("github %s: the private key of App %d cannot be read: want an RSA key in PEM", a.provider.instance, a.id)
	}
	transport.BaseURL = strings.TrimSuffix(a.provider.base.String(), "/")
	return transport, nil
}

// login is the account that an App acts as.
func (a *githubApp) login(ctx context.Context) (string, error) {
	app, _, err := a.client.Apps.Get(ctx, "")
	if err != nil {
		return "", err
	}
	return app.GetSlug() + "[bot]", nil
}

// installationOf returns the client for a repository, with a token that is
// valid.
func (a *githubApp) installationOf(ctx context.Context, ref Ref) (*github.Client, error) {
	if held := a.known(ref); held != nil {
		err := held.ready(ctx, ref)
		var lost *installationError
		if !errors.As(err, &lost) {
			return held.client, err
		}
	}
	held, err := a.find(ctx, ref)
	if err != nil {
		return nil, err
	}
	return held.client, held.ready(ctx, ref)
}

// ready sees to a token that is valid. The call that wants it is not started
// without one.
func (i *githubInstallation) ready(ctx context.Context, ref Ref) error {
	_, err := i.tokens.Token(ctx)
	if err == nil {
		return nil
	}
	var refused *ghinstallation.HTTPError
	if !errors.As(err, &refused) || refused.Response == nil {
		return fmt.Errorf("%w: token for %s: %w", errNotSent, ref.Repository, err)
	}
	defer refused.Response.Body.Close()
	answer := github.CheckResponse(refused.Response)
	if f := classify(answer); f.verdict == permanent {
		return &installationError{ref, "is not installed, or suspended"}
	}
	return fmt.Errorf("%w: token for %s: %w", errNotSent, ref.Repository, answer)
}

func (a *githubApp) known(ref Ref) *githubInstallation {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.installations[a.repositories[ref.Repository]]
}

// find asks GitHub for the installation of a repository.
func (a *githubApp) find(ctx context.Context, ref Ref) (*githubInstallation, error) {
	owner, name, _ := ref.split()
	shown, _, err := a.client.Apps.FindRepositoryInstallation(ctx, owner, name)
	var answer *github.ErrorResponse
	switch {
	case errors.As(err, &answer) && answer.Response.StatusCode == http.StatusNotFound:
		return nil, &installationError{ref, "is not installed"}
	case err != nil:
		return nil, fmt.Errorf("look up the installation on %s: %w", ref.Repository, err)
	case shown.SuspendedAt != nil:
		return nil, &installationError{ref, "is suspended"}
	}
	return a.keep(ref, shown.GetID())
}

func (a *githubApp) keep(ref Ref, id int64) (*githubInstallation, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.repositories[ref.Repository] = id
	if held := a.installations[id]; held != nil {
		return held, nil
	}
	transport, err := a.transport()
	if err != nil {
		return nil, err // unreachable: the key was read before
	}
	tokens := ghinstallation.NewFromAppsTransport(transport, id)
	if a.budgets[id] == nil {
		a.budgets[id] = newBudget(a.provider.limits)
	}
	held := &githubInstallation{tokens: tokens}
	held.client = a.provider.newClient(&revocable{next: tokens, forget: func() { a.drop(id) }}, a.budgets[id])
	a.installations[id] = held
	return held, nil
}

func (a *githubApp) drop(id int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.installations, id)
}

// revocable notices that a token is not taken any more before its time: the App
// was uninstalled, and perhaps installed anew.
type revocable struct {
	next   http.RoundTripper
	forget func()
}

// RoundTrip implements http.RoundTripper.
func (r *revocable) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusUnauthorized {
		r.forget()
	}
	return response, err
}
