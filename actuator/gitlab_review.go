package actuator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"pawl/schemas"
)

// Reviews implements reviewReader: the approvals that stand, all on one page. An
// approval at GitLab is of the merge request as it is: whether a push takes it
// back is a setting of the project. So it is of the head of now.
func (g *GitLab) Reviews(ctx context.Context, ref Ref, _ int) ([]LiveReview, int, error) {
	shown, _, err := g.read(ctx, ref)
	if err != nil {
		return nil, 0, err
	}
	approvals, _, err := g.client.MergeRequestApprovals.GetConfiguration(g.project(ref), ref.Number, gitlab.WithContext(ctx))
	if err != nil {
		return nil, 0, fmt.Errorf("read the approvals of %s: %w", ref, err)
	}
	reviews := make([]LiveReview, 0, len(approvals.ApprovedBy))
	for _, by := range approvals.ApprovedBy {
		if by.User == nil {
			continue // the account was deleted
		}
		reviews = append(reviews, LiveReview{
			ID: by.User.ID, Author: by.User.Username, State: schemas.ReviewApproved, HeadSHA: shown.SHA, SubmittedAt: at(by.ApprovedAt),
		})
	}
	return reviews, 0, nil
}

// Approve implements approver. An approval has no text at GitLab.
func (g *GitLab) Approve(ctx context.Context, ref Ref, sha, body string) error {
	if key, ok := markerKey(body); ok {
		body = strings.TrimSuffix(body, marker(key))
	}
	if strings.TrimSpace(body) != "" {
		return &lackError{instance: g.instance, what: "approve with a text: leave body out and add a comment"}
	}
	_, _, err := g.client.MergeRequestApprovals.ApproveMergeRequest(g.project(ref), ref.Number,
		&gitlab.ApproveMergeRequestOptions{SHA: &sha}, gitlab.WithContext(ctx))
	return wrap("approve", ref, err)
}

// RequestedReviewers implements reviewRequester.
func (g *GitLab) RequestedReviewers(ctx context.Context, ref Ref) (people, teams []string, err error) {
	shown, _, err := g.read(ctx, ref)
	for _, reviewer := range shown.Reviewers {
		people = append(people, reviewer.Username)
	}
	return people, nil, err
}

// RequestReview implements reviewRequester. GitLab takes the whole list of
// reviewers, so those who are there are read right before it.
func (g *GitLab) RequestReview(ctx context.Context, ref Ref, people, teams []string) error {
	if len(teams) > 0 {
		return &lackError{instance: g.instance, what: "ask a group for a review: name people"}
	}
	wanted := make([]int64, 0, len(people))
	for _, name := range people {
		id, err := g.userID(ctx, name)
		if err != nil {
			return wrap("request a review of", ref, err)
		}
		wanted = append(wanted, id)
	}
	shown, _, err := g.read(ctx, ref)
	if err != nil {
		return err
	}
	all := slices.Clone(wanted)
	for _, reviewer := range shown.Reviewers {
		if !slices.Contains(all, reviewer.ID) {
			all = append(all, reviewer.ID)
		}
	}
	updated, _, err := g.client.MergeRequests.UpdateMergeRequest(g.project(ref), ref.Number,
		&gitlab.UpdateMergeRequestOptions{ReviewerIDs: &all}, gitlab.WithContext(ctx))
	if err != nil {
		return wrap("request a review of", ref, err)
	}
	return g.checkReviewers(wanted, updated.Reviewers)
}

// checkReviewers looks whether GitLab took them all: the free tier keeps one.
func (g *GitLab) checkReviewers(wanted []int64, taken []*gitlab.BasicUser) error {
	for _, id := range wanted {
		if !slices.ContainsFunc(taken, func(user *gitlab.BasicUser) bool { return user.ID == id }) {
			return &lackError{instance: g.instance, what: fmt.Sprintf(
				"ask %d people for a review: it took %d; its free tier has one reviewer, and a reviewer must see the project", len(wanted), len(taken))}
		}
	}
	return nil
}

// userIDs are the ids of people by name, in lower case.
type userIDs struct {
	mu    sync.Mutex // mu guards what follows
	known map[string]knownUser
}

type knownUser struct {
	id    int64
	until time.Time
}

// userKept bounds how long an id is kept: a name can go to another person.
const userKept = 10 * time.Minute

func (g *GitLab) userID(ctx context.Context, name string) (int64, error) {
	key := strings.ToLower(name)
	g.users.mu.Lock()
	kept := g.users.known[key]
	g.users.mu.Unlock()
	if time.Now().Before(kept.until) {
		return kept.id, nil
	}
	found, _, err := g.client.Users.ListUsers(&gitlab.ListUsersOptions{Username: &name}, gitlab.WithContext(ctx))
	if err != nil {
		return 0, fmt.Errorf("look up %s: %w: %w", name, errNotSent, err)
	}
	if len(found) == 0 {
		return 0, &lackError{instance: g.instance, what: "ask " + name + " for a review: it shows no account of that name"}
	}
	g.users.mu.Lock()
	defer g.users.mu.Unlock()
	g.users.known[key] = knownUser{id: found[0].ID, until: time.Now().Add(userKept)}
	return found[0].ID, nil
}
