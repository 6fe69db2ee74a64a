package actuator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v66/github"
)

// Merge implements Provider.
func (g *GitHub) Merge(ctx context.Context, ref Ref, params MergeParams) (string, error) {
	if refused := g.chains.waiting(ref, params.SHA).merge; refused != nil {
		return "", refused
	}
	client, err := g.of(ctx, ref)
	if err != nil {
		return "", err
	}
	owner, name, number := ref.split()
	result, _, err := client.PullRequests.Merge(ctx, owner, name, number, params.Message, &github.PullRequestOptions{
		SHA: params.SHA, MergeMethod: params.Method, CommitTitle: params.Title,
	})
	err = wrap("merge", ref, err)
	if refusalOf(err) != "" {
		g.chains.refused(ref, params.SHA, func(c *chain) { c.merge = err })
	}
	return result.GetSHA(), err
}

// graphError is a refusal of GraphQL: it comes with status 200.
type graphError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	change  bool
}

func (e *graphError) Error() string { return strings.ToLower(e.Type) + ": " + e.Message }

const queryPull = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { id isInMergeQueue } }
}`

// graphPull is what GraphQL knows of a pull request and REST does not.
type graphPull struct {
	ID             string
	IsInMergeQueue bool
}

func (g *GitHub) graphPull(ctx context.Context, ref Ref) (graphPull, error) {
	owner, name, number := ref.split()
	var shown struct {
		Repository struct{ PullRequest *graphPull }
	}
	err := g.query(ctx, ref, graphCall{}, queryPull, map[string]any{"owner": owner, "name": name, "number": number}, &shown)
	if err == nil && shown.Repository.PullRequest == nil {
		err = &graphError{Type: graphNotFound, Message: "no such pull request"}
	}
	if err != nil {
		return graphPull{}, fmt.Errorf("ask for %s: %w", ref, err)
	}
	return *shown.Repository.PullRequest, nil
}

// InQueue implements queuer.
func (g *GitHub) InQueue(ctx context.Context, ref Ref) (bool, error) {
	pull, err := g.graphPull(ctx, ref)
	return pull.IsInMergeQueue, err
}

const enqueue = `mutation($input: EnqueuePullRequestInput!) {
  payload: enqueuePullRequest(input: $input) { clientMutationId }
}`

// Enqueue implements queuer. It asks for the node's id first. One that is in the
// queue already is no error.
func (g *GitHub) Enqueue(ctx context.Context, ref Ref, sha string) error {
	if refused := g.chains.waiting(ref, sha).enqueue; refused != nil {
		return refused
	}
	err := wrap("enqueue", ref, g.enqueue(ctx, ref, sha))
	if err != nil && classify(err).verdict == permanent {
		g.chains.refused(ref, sha, func(c *chain) { c.enqueue = err })
		return err
	}
	g.chains.ended(ref, sha, err)
	return err
}

func (g *GitHub) enqueue(ctx context.Context, ref Ref, sha string) error {
	pull, err := g.graphPull(ctx, ref)
	if err != nil || pull.IsInMergeQueue {
		return err
	}
	err = g.mutate(ctx, ref, "enqueue", enqueue, map[string]any{"pullRequestId": pull.ID, "expectedHeadOid": sha})
	var refusal *graphError
	if errors.As(err, &refusal) && strings.Contains(strings.ToLower(refusal.Message), "already") {
		return nil
	}
	return err
}

const enableAutoMerge = `mutation($input: EnablePullRequestAutoMergeInput!) {
  payload: enablePullRequestAutoMerge(input: $input) { clientMutationId }
}`

// EnableAutoMerge implements queuer. It asks for the node's id first.
func (g *GitHub) EnableAutoMerge(ctx context.Context, ref Ref, params MergeParams) error {
	err := wrap("switch on auto-merge of", ref, g.enableAutoMerge(ctx, ref, params))
	g.chains.ended(ref, params.SHA, err)
	return err
}

func (g *GitHub) enableAutoMerge(ctx context.Context, ref Ref, params MergeParams) error {
	pull, err := g.graphPull(ctx, ref)
	if err != nil {
		return err
	}
	input := map[string]any{
		"pullRequestId": pull.ID, "expectedHeadOid": params.SHA, "mergeMethod": strings.ToUpper(params.Method),
	}
	if params.Title != "" {
		input["commitHeadline"] = params.Title
	}
	if params.Message != "" {
		input["commitBody"] = params.Message
	}
	return g.mutate(ctx, ref, "auto-merge", enableAutoMerge, input)
}

func (g *GitHub) mutate(ctx context.Context, ref Ref, what, text string, input map[string]any) error {
	return g.query(ctx, ref, graphCall{change: true, key: what + " " + ref.String()}, text, map[string]any{"input": input}, nil)
}

// query makes one call of GraphQL with the client that makes the others:
// go-github knows REST only. into is where the data goes.
func (g *GitHub) query(ctx context.Context, ref Ref, call graphCall, text string, variables map[string]any, into any) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	request, err := client.NewRequest(http.MethodPost, g.graphURL(), map[string]any{"query": text, "variables": variables})
	if err != nil {
		return err
	}
	answer := struct {
		Data   any           `json:"data"`
		Errors []*graphError `json:"errors"`
	}{Data: into}
	if _, err := client.Do(withGraphCall(ctx, call), request, &answer); err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		answer.Errors[0].change = call.change
		return answer.Errors[0]
	}
	return nil
}

// graphURL is beside the REST API: /graphql at github.com, /api/graphql beside
// /api/v3 on a server.
func (g *GitHub) graphURL() string {
	beside := *g.base
	beside.Path = strings.TrimSuffix(strings.TrimSuffix(beside.Path, "/"), "/v3") + "/graphql"
	return (&url.URL{Scheme: beside.Scheme, Host: beside.Host, Path: beside.Path}).String()
}
