package actuator

import (
	"context"
	"fmt"

	"code.gitea.io/sdk/gitea"

	"pawl/schemas"
)

// eachTeaReview hands over one page of what the server keeps as reviews:
// requests and drafts are among them.
func (g *Gitea) eachTeaReview(ctx context.Context, ref Ref, page int, do func(*gitea.PullReview)) (int, error) {
	client, err := g.client(ctx)
	if err != nil {
		return 0, err
	}
	owner, name, _ := ref.split()
	shown, response, err := client.ListPullReviews(owner, name, ref.Number, gitea.ListPullReviewsOptions{ListOptions: pageOf(page)})
	if err != nil {
		return 0, fmt.Errorf("read page %d of the reviews of %s: %w", page, ref, err)
	}
	for _, review := range shown {
		do(review)
	}
	return response.NextPage, nil
}

// Reviews implements reviewReader.
func (g *Gitea) Reviews(ctx context.Context, ref Ref, page int) ([]LiveReview, int, error) {
	var reviews []LiveReview
	next, err := g.eachTeaReview(ctx, ref, page, func(r *gitea.PullReview) {
		if state, given := teaReviewState(r); given {
			reviews = append(reviews, LiveReview{
				ID: r.ID, Author: teaName(r.Reviewer), State: state, HeadSHA: r.CommitID, Body: r.Body, SubmittedAt: r.Submitted,
			})
		}
	})
	return reviews, next, err
}

// teaReviewState is not given of a request and of a draft.
func teaReviewState(r *gitea.PullReview) (state schemas.ReviewState, given bool) {
	switch {
	case r.State == gitea.ReviewStateRequestReview, r.State == gitea.ReviewStatePending:
		return "", false
	case r.Dismissed:
		return schemas.ReviewDismissed, true
	case r.State == gitea.ReviewStateApproved:
		return schemas.ReviewApproved, true
	case r.State == gitea.ReviewStateRequestChanges:
		return schemas.ReviewChangesRequested, true
	}
	return schemas.ReviewCommented, true
}

// RequestedReviewers implements reviewRequester.
func (g *Gitea) RequestedReviewers(ctx context.Context, ref Ref) (people, teams []string, err error) {
	for page := 1; page > 0; {
		page, err = g.eachTeaReview(ctx, ref, page, func(r *gitea.PullReview) {
			switch {
			case r.State != gitea.ReviewStateRequestReview:
			case r.ReviewerTeam != nil:
				teams = append(teams, r.ReviewerTeam.Name)
			default:
				people = append(people, teaName(r.Reviewer))
			}
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return people, teams, nil
}

// RequestReview implements reviewRequester.
func (g *Gitea) RequestReview(ctx context.Context, ref Ref, people, teams []string) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, err = client.CreateReviewRequests(owner, name, ref.Number, gitea.PullReviewRequestOptions{Reviewers: people, TeamReviewers: teams})
	return wrap("request a review of", ref, err)
}

// Approve implements approver.
func (g *Gitea) Approve(ctx context.Context, ref Ref, sha, body string) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, _, err = client.CreatePullReview(owner, name, ref.Number, gitea.CreatePullReviewOptions{
		State: gitea.ReviewStateApproved, Body: body, CommitID: sha,
	})
	return wrap("approve", ref, err)
}

// DismissReview implements dismisser. It takes an administrator of the
// repository.
func (g *Gitea) DismissReview(ctx context.Context, ref Ref, id int64, message string) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, err = client.DismissPullReview(owner, name, ref.Number, id, gitea.DismissPullReviewOptions{Message: message})
	return wrap("dismiss a review of", ref, err)
}
