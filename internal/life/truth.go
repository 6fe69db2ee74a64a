package life

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"pawl/schemas"
)

// truth is the row as it must be: the columns of the newest snapshot, and what
// follows from reviews, checks, threads and comments as they are now. It is
// counted here anew, not by the fold's code.
func (m *model) truth() schemas.PullRequest {
	row := m.shown
	m.forge.count(&row)
	m.countReviews(&row)
	m.countChecks(&row)
	row.UnresolvedThreads = 0
	for _, t := range m.threads {
		if !t.resolved && !t.gone() {
			row.UnresolvedThreads++
		}
	}
	row.Queued, row.DequeuedReason = m.queued, m.dequeuedReason
	return row
}

// countReviews: each person counts once, by the newest opinion; a comment is
// none, and stands in where there is no opinion.
func (m *model) countReviews(row *schemas.PullRequest) {
	newest := make(map[string]*review)
	for _, r := range slices.SortedStableFunc(slices.Values(m.reviews), func(a, b *review) int { return a.at.Compare(b.at) }) {
		held := newest[r.author]
		if held == nil || r.state != schemas.ReviewCommented || held.state == schemas.ReviewCommented {
			newest[r.author] = r
		}
	}
	row.Reviews = []schemas.PullRequestReview{}
	row.Approvals, row.ApprovalsOfHead, row.ChangesRequested = 0, 0, 0
	for _, person := range slices.Sorted(maps.Keys(newest)) {
		r := newest[person]
		state := r.state
		if state == schemas.ReviewApproved && !m.resetAt.IsZero() && !r.at.After(m.resetAt) {
			state = schemas.ReviewWithdrawn
		}
		row.Reviews = append(row.Reviews, schemas.PullRequestReview{Author: person, State: state, HeadSHA: r.sha, SubmittedAt: r.at})
		switch {
		case state == schemas.ReviewChangesRequested:
			row.ChangesRequested++
		case state == schemas.ReviewApproved && r.sha == row.HeadSHA:
			row.ApprovalsOfHead++
			row.Approvals++
		case state == schemas.ReviewApproved:
			row.Approvals++
		}
	}
}

// countChecks: those of the head count, but for results from before the base
// moved.
func (m *model) countChecks(row *schemas.PullRequest) {
	row.Checks, row.ChecksState = []schemas.PullRequestCheck{}, schemas.ChecksNone
	var failed, pending bool
	for _, c := range m.checks {
		if m.cut(c.sha) != row.HeadSHA || !m.retargeted.IsZero() && !c.stated.After(m.retargeted) || c.kind == schemas.CheckSuite {
			continue
		}
		row.Checks = append(row.Checks, c.PullRequestCheck)
		failed = failed || c.State == schemas.ChecksFailure
		pending = pending || c.State == schemas.ChecksPending
	}
	slices.SortFunc(row.Checks, func(a, b schemas.PullRequestCheck) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.App, b.App))
	})
	switch {
	case failed:
		row.ChecksState = schemas.ChecksFailure
	case pending:
		row.ChecksState = schemas.ChecksPending
	case len(row.Checks) > 0:
		row.ChecksState = schemas.ChecksSuccess
	}
}

// links are the issues that the body names after a word that closes: the bodies
// of a life name one at most.
func (m *model) links(repository string) []string {
	if number, closes := cutFixes(m.body); closes {
		return []string{repository + "#" + number}
	}
	return []string{}
}

// live counts the comments of a kind.
func (m *model) live(line bool) int64 {
	var count int64
	for _, c := range m.comments {
		if c.live && c.line == line {
			count++
		}
	}
	return count
}

func cutFixes(body string) (number string, closes bool) {
	const closing = "Fixes #"
	if len(body) <= len(closing) || body[:len(closing)] != closing {
		return "", false
	}
	return body[len(closing):], true
}

// atOrZero is a time, or none.
func atOrZero(condition bool, at time.Time) time.Time {
	if condition {
		return at
	}
	return time.Time{}
}
