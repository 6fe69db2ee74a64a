package actuator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v66/github"
)

// FindCheckRun implements checkReporter. It asks for all runs of the name: the
// newest one may be another mutation's. GitHub keeps a thousand.
func (g *GitHub) FindCheckRun(ctx context.Context, ref Ref, sha, name, externalID string) (LiveCheckRun, bool, error) {
	client, err := g.of(ctx, ref)
	if err != nil {
		return LiveCheckRun{}, false, err
	}
	owner, repository, _ := ref.split()
	options := &github.ListCheckRunsOptions{
		CheckName: &name, Filter: github.String("all"), ListOptions: github.ListOptions{Page: 1, PerPage: perPage},
	}
	for options.Page > 0 {
		shown, response, err := client.Checks.ListCheckRunsForRef(ctx, owner, repository, sha, options)
		if err != nil {
			return LiveCheckRun{}, false, fmt.Errorf("read the check runs %q of %s at %s: %w", name, ref, sha, err)
		}
		for _, run := range shown.CheckRuns {
			if run.GetExternalID() == externalID {
				return liveCheckRun(run), true, nil
			}
		}
		options.Page = response.NextPage
	}
	return LiveCheckRun{}, false, nil
}

func liveCheckRun(run *github.CheckRun) LiveCheckRun {
	return LiveCheckRun{ID: run.GetID(), CheckRunParams: CheckRunParams{
		Name: run.GetName(), SHA: run.GetHeadSHA(), Status: run.GetStatus(), Conclusion: run.GetConclusion(),
		Title: run.GetOutput().GetTitle(), Summary: run.GetOutput().GetSummary(), DetailsURL: run.GetDetailsURL(),
	}}
}

// CreateCheckRun implements checkReporter.
func (g *GitHub) CreateCheckRun(ctx context.Context, ref Ref, externalID string, params CheckRunParams) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, _, err = client.Checks.CreateCheckRun(ctx, owner, name, github.CreateCheckRunOptions{
		Name: params.Name, HeadSHA: params.SHA, ExternalID: &externalID, DetailsURL: unlessEmpty(params.DetailsURL),
		Status: &params.Status, Conclusion: unlessEmpty(params.Conclusion), Output: outputOf(params),
	})
	return wrap("report check run "+params.Name+" of", ref, err)
}

// UpdateCheckRun implements checkReporter.
func (g *GitHub) UpdateCheckRun(ctx context.Context, ref Ref, id int64, params CheckRunParams) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, _, err = client.Checks.UpdateCheckRun(ctx, owner, name, id, github.UpdateCheckRunOptions{
		Name: params.Name, DetailsURL: unlessEmpty(params.DetailsURL),
		Status: &params.Status, Conclusion: unlessEmpty(params.Conclusion), Output: outputOf(params),
	})
	return wrap("update check run "+params.Name+" of", ref, err)
}

func outputOf(params CheckRunParams) *github.CheckRunOutput {
	if params.Title == "" && params.Summary == "" {
		return nil
	}
	return &github.CheckRunOutput{Title: &params.Title, Summary: &params.Summary}
}

func unlessEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// CommitStatus implements statusReporter. GitHub lists the newest first and
// ignores case in the names of contexts.
func (g *GitHub) CommitStatus(ctx context.Context, ref Ref, sha, name string) (StatusParams, bool, error) {
	client, err := g.of(ctx, ref)
	if err != nil {
		return StatusParams{}, false, err
	}
	owner, repository, _ := ref.split()
	for page := 1; page > 0; {
		shown, response, err := client.Repositories.ListStatuses(ctx, owner, repository, sha, &github.ListOptions{Page: page, PerPage: perPage})
		if err != nil {
			return StatusParams{}, false, fmt.Errorf("read the statuses of %s at %s: %w", ref, sha, err)
		}
		for _, status := range shown {
			if strings.EqualFold(status.GetContext(), name) {
				return StatusParams{
					Context: status.GetContext(), SHA: sha, State: status.GetState(), Description: status.GetDescription(),
					TargetURL: status.GetTargetURL(), At: status.GetCreatedAt().Time,
				}, true, nil
			}
		}
		page = response.NextPage
	}
	return StatusParams{}, false, nil
}

// CreateCommitStatus implements statusReporter.
func (g *GitHub) CreateCommitStatus(ctx context.Context, ref Ref, params StatusParams) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, _, err = client.Repositories.CreateStatus(ctx, owner, name, params.SHA, &github.RepoStatus{
		State: &params.State, Context: &params.Context, Description: unlessEmpty(params.Description), TargetURL: unlessEmpty(params.TargetURL),
	})
	return wrap("set status "+params.Context+" of", ref, err)
}

// UpdateBranch implements branchUpdater. GitHub answers 202, which go-github
// makes an error of: the update was taken on, and is made a moment later.
func (g *GitHub) UpdateBranch(ctx context.Context, ref Ref, sha string) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, number := ref.split()
	_, _, err = client.PullRequests.UpdateBranch(ctx, owner, name, number, &github.PullRequestBranchUpdateOptions{ExpectedHeadSHA: &sha})
	var accepted *github.AcceptedError
	if errors.As(err, &accepted) {
		return nil
	}
	return wrap("update the branch of", ref, err)
}

// Parents implements branchUpdater.
func (g *GitHub) Parents(ctx context.Context, ref Ref, sha string) ([]string, error) {
	client, err := g.of(ctx, ref)
	if err != nil {
		return nil, err
	}
	request, err := client.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/commits/%s", ref.Repository, sha), nil)
	if err != nil {
		return nil, err
	}
	var shown struct{ Parents []struct{ SHA string } }
	if _, err := client.Do(ctx, request, &shown); err != nil {
		return nil, fmt.Errorf("read commit %s of %s: %w", sha, ref, err)
	}
	parents := make([]string, 0, len(shown.Parents))
	for _, parent := range shown.Parents {
		parents = append(parents, parent.SHA)
	}
	return parents, nil
}
