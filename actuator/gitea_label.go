package actuator

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"code.gitea.io/sdk/gitea"
)

// AddLabels implements Provider. Labels are named by id, and none is made: one
// has a colour, and a name may be a slip of the pen.
func (g *Gitea) AddLabels(ctx context.Context, ref Ref, labels []string) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	ids, err := g.labelIDs(client, ref, labels)
	if err != nil {
		return wrap("label", ref, err)
	}
	owner, name, _ := ref.split()
	_, _, err = client.AddIssueLabels(owner, name, ref.Number, gitea.IssueLabelsOption{Labels: ids})
	return wrap("label", ref, err)
}

// labelIDs looks for labels in the repository, and what is not there in its
// organization.
func (g *Gitea) labelIDs(client *gitea.Client, ref Ref, labels []string) ([]int64, error) {
	owner, name, _ := ref.split()
	known := make(map[string]int64)
	err := eachLabel(known, func(page int) ([]*gitea.Label, *gitea.Response, error) {
		return client.ListRepoLabels(owner, name, gitea.ListLabelsOptions{ListOptions: pageOf(page)})
	})
	if err == nil && firstUnknown(labels, known) != "" {
		err = eachLabel(known, func(page int) ([]*gitea.Label, *gitea.Response, error) {
			return client.ListOrgLabels(owner, gitea.ListOrgLabelsOptions{ListOptions: pageOf(page)})
		})
		if answer := answerOf(err); answer != nil && answer.is(http.StatusNotFound) {
			err = nil // the owner is a person
		}
	}
	if err != nil {
		return nil, fmt.Errorf("look up labels: %w: %w", errNotSent, err)
	}
	if label := firstUnknown(labels, known); label != "" {
		return nil, &lackError{instance: g.instance, what: fmt.Sprintf("add label %q: create it in %s or in its organization", label, ref.Repository)}
	}
	ids := make([]int64, 0, len(labels))
	for _, label := range labels {
		ids = append(ids, known[strings.ToLower(label)])
	}
	return ids, nil
}

// eachLabel adds the labels of all pages. Of two with one name the first counts:
// the repository's goes before the organization's.
func eachLabel(known map[string]int64, list func(page int) ([]*gitea.Label, *gitea.Response, error)) error {
	for page := 1; page > 0; {
		labels, response, err := list(page)
		if err != nil {
			return err
		}
		for _, label := range labels {
			if _, there := known[strings.ToLower(label.Name)]; !there {
				known[strings.ToLower(label.Name)] = label.ID
			}
		}
		page = response.NextPage
	}
	return nil
}

func firstUnknown(labels []string, known map[string]int64) string {
	for _, label := range labels {
		if _, there := known[strings.ToLower(label)]; !there {
			return label
		}
	}
	return ""
}

// RemoveLabel implements Provider. The pull request itself has the label's id.
func (g *Gitea) RemoveLabel(ctx context.Context, ref Ref, label string) error {
	shown, _, err := g.read(ctx, ref)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotSent, err)
	}
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	for _, there := range shown.Labels {
		if !strings.EqualFold(there.Name, label) {
			continue
		}
		if _, err := client.DeleteIssueLabel(owner, name, ref.Number, there.ID); unlessGone(err) != nil {
			return wrap("unlabel", ref, err)
		}
	}
	return nil
}
