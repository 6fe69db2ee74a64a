package projector

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"pawl/schemas"
)

// foldReview folds one review. It has a clock of its own and moves nothing of
// the pull request's snapshot (I7).
func foldReview(f *folding) Outcome {
	at, future := providerTime(f.event.Review.UpdatedAt, f.event.ReceivedAt)
	if f.event.Review.Reset {
		return foldReset(f, at)
	}
	row, known := f.state.Reviews[f.event.Review.ID]
	next, verdict, reason := nextReview(row, known, f.event, at)
	if verdict == schemas.Applied {
		next.Version++
		f.state.Reviews = with(f.state.Reviews, next.ID, next)
	}
	if verdict == schemas.Applied && f.state.PullRequest == nil {
		reason = joinReasons("waits for its pull request to be seen", reason)
	}
	return Outcome{Verdict: verdict, Reason: reason, FutureTime: future}
}

// foldReset takes back the approvals given until a time, as a rule of the
// provider's did.
func foldReset(f *folding, at time.Time) Outcome {
	if f.state.PullRequest == nil {
		return Outcome{Verdict: schemas.Unchanged, Reason: "no pull request is known whose approvals could be reset"}
	}
	for _, review := range f.state.Reviews {
		if f.event.Review.UpdatedAt.Value.IsZero() {
			at = latest(at, reviewTime(review)) // without a time of its own it is of all that is known
		}
	}
	if !at.After(f.state.PullRequest.Arrival.ReviewsResetAt) {
		return Outcome{Verdict: schemas.Unchanged, Reason: "the approvals were reset already"}
	}
	next := *f.state.PullRequest
	next.Arrival.ReviewsResetAt = at
	f.state.PullRequest = &next
	return Outcome{Verdict: schemas.Applied}
}

// nextReview folds a payload into a review. Dismissed is final, because a
// dismissal keeps the time of the review at the provider.
func nextReview(row schemas.Review, known bool, event schemas.Event, at time.Time) (schemas.Review, schemas.Verdict, string) {
	said := event.Review
	if !known {
		return schemas.Review{
			PullRequest: event.Entity, ID: said.ID, Author: said.Author.Login, AuthorIsBot: said.Author.IsBot,
			State: said.State, HeadSHA: said.HeadSHA, Body: said.Body.Value, URL: said.URL,
			SubmittedAt: timeOf(said.SubmittedAt, event), ProviderUpdatedAt: at,
		}, schemas.Applied, ""
	}
	order := 0
	if !at.IsZero() && !row.ProviderUpdatedAt.IsZero() {
		order = at.Compare(row.ProviderUpdatedAt)
	}
	next := row
	dismisses := said.State == schemas.ReviewDismissed
	switch {
	case dismisses:
		next.State = said.State
	case row.State == schemas.ReviewDismissed:
		// The text may still be the newer one.
	case order > 0, order == 0 && !said.Edited:
		next.State = said.State
		next.HeadSHA = cmp.Or(said.HeadSHA, row.HeadSHA)
		next.SubmittedAt = keepTime(timeOf(said.SubmittedAt, event), row.SubmittedAt)
	}
	if order > 0 || order == 0 && said.Edited {
		next.Body = said.Body.Or(row.Body)
	}
	if order > 0 {
		next.ProviderUpdatedAt = at
	}
	switch {
	case next != row:
		return next, schemas.Applied, ""
	case order < 0:
		return row, schemas.Stale, "the review is known as it was later"
	}
	return row, schemas.Unchanged, "the review says the same already"
}

// deriveReviews takes the latest review of each person. A comment is no opinion
// and supersedes none.
func deriveReviews(next *schemas.PullRequest, reviews map[string]schemas.Review) {
	latest := make(map[string]schemas.Review, len(reviews))
	for _, id := range slices.Sorted(maps.Keys(reviews)) {
		review := reviews[id]
		if review.State == schemas.ReviewApproved && !next.Arrival.ReviewsResetAt.IsZero() &&
			!reviewTime(review).After(next.Arrival.ReviewsResetAt) {
			review.State = schemas.ReviewWithdrawn
		}
		person := cmp.Or(review.Author, "ghost/"+review.ID)
		if held, ok := latest[person]; !ok || supersedes(review, held) {
			latest[person] = review
		}
	}
	next.Approvals, next.ApprovalsOfHead, next.ChangesRequested = 0, 0, 0
	next.Reviews = make([]schemas.PullRequestReview, 0, len(latest))
	for _, person := range slices.Sorted(maps.Keys(latest)) {
		review := latest[person]
		next.Reviews = append(next.Reviews, schemas.PullRequestReview{
			Author: review.Author, AuthorIsBot: review.AuthorIsBot, State: review.State,
			HeadSHA: review.HeadSHA, SubmittedAt: review.SubmittedAt,
		})
		switch review.State {
		case schemas.ReviewApproved:
			next.Approvals++
			if review.HeadSHA != "" && review.HeadSHA == next.HeadSHA {
				next.ApprovalsOfHead++
			}
		case schemas.ReviewChangesRequested:
			next.ChangesRequested++
		case schemas.ReviewCommented, schemas.ReviewDismissed, schemas.ReviewWithdrawn:
		}
	}
}

func reviewTime(r schemas.Review) time.Time { return keepTime(r.SubmittedAt, r.ProviderUpdatedAt) }

// supersedes reports whether a review of a person is the one that counts.
func supersedes(review, held schemas.Review) bool {
	if comments, heldComments := review.State == schemas.ReviewCommented, held.State == schemas.ReviewCommented; comments != heldComments {
		return heldComments
	}
	a, b := reviewTime(review), reviewTime(held)
	if !a.IsZero() && !b.IsZero() && !a.Equal(b) {
		return a.After(b)
	}
	return compareIDs(review.ID, held.ID) > 0
}

// compareIDs compares the provider's ids, which are numbers where they have an
// order.
func compareIDs(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}
