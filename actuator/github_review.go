package actuator

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v66/github"

	"pawl/schemas"
)

// RequestedReviewers implements reviewRequester.
func (g *GitHub) RequestedReviewers(ctx context.Context, ref Ref) (people, teams []string, err error) {
	client, err := g.of(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	owner, name, number := ref.split()
	shown, _, err := client.PullRequests.ListReviewers(ctx, owner, name, number, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("read who is asked to review %s: %w", ref, err)
	}
	for _, user := range shown.Users {
		people = append(people, user.GetLogin())
	}
	for _, team := range shown.Teams {
		teams = append(teams, team.GetSlug())
	}
	return people, teams, nil
}

// RequestReview implements reviewRequester.
func (g *GitHub) RequestReview(ctx context.Context, ref Ref, people, teams []string) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, number := ref.split()
	_, _, err = client.PullRequests.RequestReviewers(ctx, owner, name, number, github.ReviewersRequest{Reviewers: people, TeamReviewers: teams})
	return wrap("request a review of", ref, err)
}

// Reviews implements reviewReader.
func (g *GitHub) Reviews(ctx context.Context, ref Ref, page int) ([]LiveReview, int, error) {
	client, err := g.of(ctx, ref)
	if err != nil {
		return nil, 0, err
	}
	owner, name, number := ref.split()
	shown, response, err := client.PullRequests.ListReviews(ctx, owner, name, number, &github.ListOptions{Page: page, PerPage: perPage})
	if err != nil {
		return nil, 0, fmt.Errorf("read page %d of the reviews of %s: %w", page, ref, err)
	}
	reviews := make([]LiveReview, 0, len(shown))
	for _, r := range shown {
		reviews = append(reviews, LiveReview{
			ID: r.GetID(), Author: r.GetUser().GetLogin(), HeadSHA: r.GetCommitID(), Body: r.GetBody(),
			SubmittedAt: r.GetSubmittedAt().Time,
			State:       schemas.ReviewState(strings.ToLower(r.GetState())), // upper case here, lower case in webhooks
		})
	}
	return reviews, response.NextPage, nil
}

// Approve implements approver.
func (g *GitHub) Approve(ctx context.Context, ref Ref, sha, body string) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, number := ref.split()
	_, _, err = client.PullRequests.CreateReview(ctx, owner, name, number, &github.PullRequestReviewRequest{
		CommitID: &sha, Body: &body, Event: github.String("APPROVE"),
	})
	return wrap("approve", ref, err)
}

// DismissReview implements dismisser.
func (g *GitHub) DismissReview(ctx context.Context, ref Ref, id int64, message string) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, number := ref.split()
	_, _, err = client.PullRequests.DismissReview(ctx, owner, name, number, id, &github.PullRequestReviewDismissalRequest{Message: &message})
	return wrap("dismiss a review of", ref, err)
}
