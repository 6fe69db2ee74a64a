package actuator

import (
	"context"
	"fmt"
	"strings"

	"code.gitea.io/sdk/gitea"
)

// CommitStatus implements statusReporter. The newest status has the highest id.
func (g *Gitea) CommitStatus(ctx context.Context, ref Ref, sha, name string) (StatusParams, bool, error) {
	client, err := g.client(ctx)
	if err != nil {
		return StatusParams{}, false, err
	}
	owner, repository, _ := ref.split()
	var newest *gitea.Status
	for page := 1; page > 0; {
		shown, response, err := client.ListStatuses(owner, repository, sha, gitea.ListStatusesOption{ListOptions: pageOf(page)})
		if err != nil {
			return StatusParams{}, false, fmt.Errorf("read the statuses of %s at %s: %w", ref, sha, err)
		}
		for _, status := range shown {
			if strings.EqualFold(status.Context, name) && (newest == nil || status.ID > newest.ID) {
				newest = status
			}
		}
		page = response.NextPage
	}
	if newest == nil {
		return StatusParams{}, false, nil
	}
	return StatusParams{
		Context: newest.Context, SHA: sha, State: string(newest.State), Description: newest.Description,
		TargetURL: newest.TargetURL, At: newest.Created,
	}, true, nil
}

// CreateCommitStatus implements statusReporter.
func (g *Gitea) CreateCommitStatus(ctx context.Context, ref Ref, params StatusParams) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, _, err = client.CreateStatus(owner, name, params.SHA, gitea.CreateStatusOption{
		State: gitea.StatusState(params.State), Context: params.Context, Description: params.Description, TargetURL: params.TargetURL,
	})
	return wrap("report status "+params.Context+" of", ref, err)
}
