package actuator

import (
	"context"
	"fmt"
	"net/http"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// CommitStatus implements statusReporter. A status is a job of the commit's
// pipeline at GitLab, and the newest job has the highest id.
func (g *GitLab) CommitStatus(ctx context.Context, ref Ref, sha, name string) (StatusParams, bool, error) {
	options := &gitlab.GetCommitStatusesOptions{
		ListOptions: gitlab.ListOptions{Page: 1, PerPage: perPage}, Name: &name, All: new(true),
	}
	var newest *gitlab.CommitStatus
	for options.Page > 0 {
		shown, response, err := g.client.Commits.GetCommitStatuses(g.project(ref), sha, options, gitlab.WithContext(ctx))
		if err != nil {
			return StatusParams{}, false, fmt.Errorf("read the statuses of %s at %s: %w", ref, sha, err)
		}
		for _, status := range shown {
			if status.Name == name && (newest == nil || status.ID > newest.ID) {
				newest = status
			}
		}
		options.Page = response.NextPage
	}
	if newest == nil {
		return StatusParams{}, false, nil
	}
	return StatusParams{
		Context: name, SHA: sha, State: stateOfLab(newest.Status), Description: newest.Description,
		TargetURL: newest.TargetURL, At: later(at(newest.CreatedAt), later(at(newest.StartedAt), at(newest.FinishedAt))),
	}, true, nil
}

// CreateCommitStatus implements statusReporter. A status that is pending is
// changed, and one that has ended is followed by a new one.
func (g *GitLab) CreateCommitStatus(ctx context.Context, ref Ref, params StatusParams) error {
	options := &gitlab.SetCommitStatusOptions{
		State: labState(params.State), Name: &params.Context,
		Description: unlessEmpty(params.Description), TargetURL: unlessEmpty(params.TargetURL),
	}
	_, _, err := g.client.Commits.SetCommitStatus(g.project(ref), params.SHA, options, gitlab.WithContext(ctx))
	if answer := answerOf(err); answer != nil && answer.is(http.StatusBadRequest) && answer.says("cannot transition status") {
		return nil // it is pending: GitLab has no step from pending to pending, and keeps the older text
	}
	return wrap("report status "+params.Context+" of", ref, err)
}

// KeptState implements stateKeeper: GitLab knows no error.
func (*GitLab) KeptState(state string) string { return stateOfLab(string(labState(state))) }

func labState(state string) gitlab.BuildStateValue {
	switch state {
	case "success":
		return gitlab.Success
	case "pending":
		return gitlab.Pending
	}
	return gitlab.Failed
}

// stateOfLab is what a state of a job means. What waits for a hand is pending.
func stateOfLab(status string) string {
	switch status {
	case "success", "skipped":
		return "success"
	case "failed", "canceled":
		return "failure"
	}
	return "pending"
}
