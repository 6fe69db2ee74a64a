package actuator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pawl/schemas"
)

// requestReviewEffect: people and teams are asked for a review. Who is asked
// already is not asked again.
type requestReviewEffect struct {
	provider  reviewRequester
	ref       Ref
	author    string
	Reviewers []string `json:"reviewers"`
	Teams     []string `json:"teams"`

	people, teams []string // what the look found to ask
}

// look leaves the author out: providers refuse to ask the author, and the whole
// call with it.
func (e *requestReviewEffect) look(ctx context.Context) (sight, error) {
	wanted := lacking(e.Reviewers, []string{e.author})
	if len(wanted)+len(e.Teams) == 0 {
		return sight{gone: true, reason: "only its author would be asked"}, nil
	}
	people, teams, err := e.provider.RequestedReviewers(ctx, e.ref)
	if err != nil {
		return sight{}, err
	}
	e.people, e.teams = lacking(wanted, people), lacking(e.Teams, teams)
	if len(e.people)+len(e.teams) > 0 {
		return sight{}, nil
	}
	return sight{found: true, reason: "they are asked already"}, nil
}

// lacking returns the names that are not among others, without regard to case.
func lacking(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(name, other) })
	})
}

func (e *requestReviewEffect) change(ctx context.Context) (string, error) {
	return "asked " + strings.Join(slices.Concat(e.people, e.teams), ", "), e.provider.RequestReview(ctx, e.ref, e.people, e.teams)
}

// approveEffect: we have approved the head that was decided on.
type approveEffect struct {
	provider interface {
		reader
		reviewReader
		approver
	}
	ref  Ref
	key  schemas.IdempotencyKey
	SHA  string `json:"sha"`
	Body string `json:"body"`
	// report appends a live read to the log, for the fold to see the new head.
	report func(context.Context, Live) error
}

// look asks for our approval first: one of that sha stands, wherever the head
// has gone since. A provider takes an approval of an older commit, so the head
// is compared here.
func (e *approveEffect) look(ctx context.Context) (sight, error) {
	login, err := e.provider.Login(ctx)
	if err != nil {
		return sight{}, err
	}
	var seen sight
	err = eachReview(ctx, e.provider, e.ref, func(r LiveReview) {
		if e.isOurs(r, login) {
			seen = sight{found: true, reason: fmt.Sprintf("found review %d, %s", r.ID, r.State)}
		}
	})
	if err != nil || seen.found {
		return seen, err
	}
	live, err := e.provider.PullRequest(ctx, e.ref)
	switch {
	case err != nil:
		return sight{}, err
	case live.HeadSHA != e.SHA:
		return sight{gone: true, reason: fmt.Sprintf("head moved from %s to %s", e.SHA, live.HeadSHA)}, e.report(ctx, live)
	case live.Merged, live.Closed:
		return sight{gone: true, reason: "found closed"}, nil
	}
	return sight{}, nil
}

// isOurs takes a review for the effect by its marker, whatever became of it
// since, and any approval of that sha by our account.
func (e *approveEffect) isOurs(r LiveReview, login string) bool {
	byUs := strings.EqualFold(r.Author, login)
	if key, ok := markerKey(r.Body); ok && key == e.key && (byUs || login == "") {
		return true
	}
	return byUs && r.State == schemas.ReviewApproved && r.HeadSHA == e.SHA
}

func (e *approveEffect) change(ctx context.Context) (string, error) {
	body := strings.TrimLeft(strings.TrimRight(e.Body, "\n")+"\n\n"+marker(e.key), "\n")
	return "approved " + e.SHA, e.provider.Approve(ctx, e.ref, e.SHA, body)
}

// dismissReviewEffect: the reviews that approve or request changes, of one
// person or of all, do not count any more. What was given after the decision is
// none of its business: it has a transition of its own.
type dismissReviewEffect struct {
	provider interface {
		reviewReader
		dismisser
	}
	ref Ref
	// decided is the pull request that the decision saw.
	decided *schemas.PullRequest
	Author  string `json:"author"`
	Message string `json:"message"`

	left []int64 // what the look found to dismiss
}

func (e *dismissReviewEffect) look(ctx context.Context) (sight, error) {
	e.left = nil
	dismissed := make(map[string]bool)
	last := e.lastSeen()
	err := eachReview(ctx, e.provider, e.ref, func(r LiveReview) {
		if (e.Author != "" && !strings.EqualFold(r.Author, e.Author)) || (!last.IsZero() && r.SubmittedAt.After(last)) {
			return
		}
		switch r.State {
		case schemas.ReviewApproved, schemas.ReviewChangesRequested:
			e.left = append(e.left, r.ID)
		case schemas.ReviewDismissed:
			dismissed[r.Author] = true
		case schemas.ReviewCommented, schemas.ReviewWithdrawn:
		}
	})
	if err != nil || len(e.left) > 0 {
		return sight{begun: e.begun(dismissed)}, err
	}
	return sight{found: true, reason: "no review stands to be dismissed"}, nil
}

// lastSeen is the newest moment that the decision knew of, on the provider's
// clock.
func (e *dismissReviewEffect) lastSeen() time.Time {
	last := e.decided.ProviderUpdatedAt
	for _, r := range e.decided.Reviews {
		last = later(last, r.SubmittedAt)
	}
	return last
}

// begun reports whether somebody's review was dismissed since the decision.
func (e *dismissReviewEffect) begun(dismissed map[string]bool) bool {
	return slices.ContainsFunc(e.decided.Reviews, func(r schemas.PullRequestReview) bool {
		return dismissed[r.Author] && (r.State == schemas.ReviewApproved || r.State == schemas.ReviewChangesRequested)
	})
}

func (e *dismissReviewEffect) change(ctx context.Context) (string, error) {
	return fmt.Sprintf("dismissed %d", len(e.left)), inTurn(e.left, func(id int64) error {
		return e.provider.DismissReview(ctx, e.ref, id, e.Message)
	})
}

func eachReview(ctx context.Context, p reviewReader, ref Ref, do func(LiveReview)) error {
	for page := 1; page > 0; {
		reviews, next, err := p.Reviews(ctx, ref, page)
		if err != nil {
			return err
		}
		for _, r := range reviews {
			do(r)
		}
		page = next
	}
	return nil
}
