package projector

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"pawl/schemas"
)

// FindLinks returns the issues that a pull request names in its title, body and
// branch: sorted by target, without repeats. It is a function of its arguments.
type FindLinks func(source, provider string, row *schemas.PullRequest) []schemas.Link

// derive returns the row with all that follows from other rows: what hangs on its
// head, the latest review of each person, the threads, the comments that came or
// went since they were counted, and the repository's newest name. The links follow
// from the row's own texts; see deriveLinks.
func derive(state State, around Around) *schemas.PullRequest {
	next := *state.PullRequest
	if next.Version == 0 {
		next.Version = 1
	}
	deriveName(&next, around.Repository)
	deriveChecks(&next, around.commit(next.HeadCommit))
	deriveReviews(&next, state.Reviews)
	next.UnresolvedThreads = countUnresolved(&next, state.Threads)
	next.Comments = countComments(next.Arrival.CommentsStated, state.Tally, schemas.CommentConversation)
	next.ReviewComments = countComments(next.Arrival.ReviewCommentsStated, state.Tally, schemas.CommentReview)
	next.Queued = next.State == schemas.Open && isQueued(next.Arrival)
	return &next
}

// deriveLinks finds the issues that the texts name. They stand under the verdict
// of the snapshot that the texts are of.
func deriveLinks(next *schemas.PullRequest, find FindLinks, event schemas.Event) []schemas.Link {
	if find == nil {
		return nil
	}
	links := find(event.Source, event.Provider, next)
	next.Links = make([]string, len(links))
	for i, link := range links {
		next.Links[i] = link.Target
	}
	return links
}

// deriveName shows the repository's newest name. Every snapshot of the pull
// request carries the name of its own time. A repository's event without one is of
// no known age, and stands.
func deriveName(next *schemas.PullRequest, repository *schemas.Repository) {
	if repository == nil || repository.Repository == "" {
		return
	}
	if compareTimes(repository.ProviderUpdatedAt, next.ProviderUpdatedAt) >= 0 {
		next.Repository = repository.Repository
	}
}

// deriveChecks rolls up the checks of the head. Results that were there before
// the base moved do not count.
func deriveChecks(next *schemas.PullRequest, head CommitState) {
	next.Checks = []schemas.PullRequestCheck{}
	since := retargeted(next.Arrival)
	var sum rollup
	for _, check := range inCheckOrder(head.Checks) {
		if !check.Kind.Counts() || !countsSince(check, since) {
			continue
		}
		sum.add(check.State)
		next.Checks = append(next.Checks, schemas.PullRequestCheck{
			App: check.App, Name: check.Name, State: check.State, Status: check.Status, Conclusion: check.Conclusion,
		})
	}
	next.ChecksState = sum.state()
}

// countsSince reports whether a result came after the base moved. Where the check
// has no time of the provider's, the order of receipt tells.
func countsSince(check schemas.Check, since schemas.Retarget) bool {
	if isZeroRetarget(since) {
		return true
	}
	at := checkTime(check)
	if !at.IsZero() && !since.At.IsZero() {
		return at.After(since.At)
	}
	return check.ReceivedAt.After(since.ReceivedAt)
}

func inCheckOrder(checks map[schemas.CheckID]schemas.Check) []schemas.Check {
	return slices.SortedFunc(maps.Values(checks), func(a, b schemas.Check) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.App, b.App), cmp.Compare(a.Kind, b.Kind))
	})
}

// Counted is a comment as the count of a pull request needs it.
type Counted struct {
	Kind      schemas.CommentKind
	Live      bool
	CreatedAt time.Time
	RemovedAt time.Time
}

// countComments returns the number of comments of a kind: what the newest
// snapshot that counts them said, and those that came or went since. Where no
// snapshot counts them (GitLab), it is those that are known.
func countComments(stated schemas.StatedCount, tally map[schemas.EntityKey]Counted, kind schemas.CommentKind) int64 {
	count, live := stated.Count, int64(0)
	for _, comment := range tally {
		if comment.Kind != kind {
			continue
		}
		if comment.Live {
			live++
		}
		switch since := comment.CreatedAt.After(stated.At); {
		case since && comment.Live:
			count++
		case !since && !comment.Live && comment.RemovedAt.After(stated.At):
			count--
		}
	}
	switch {
	case !stated.Known:
		return live
	case stated.At.IsZero():
		return max(stated.Count, live)
	}
	return max(count, 0)
}
