package actuator

import (
	"encoding/json"
	"slices"
	"time"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// again asks the rule's condition again on the newest row: whether it holds,
// and if not, what changed.
func (a *Actuator) again(m mutation) (bool, string) {
	return a.rules().Again(m.Rule, m.Transition, nowOf(m))
}

func nowOf(m mutation) rules.Now {
	now := newestOf(m)
	now.PullRequest = withoutOwn(now.PullRequest, m.Transition.PullRequest, m.Before)
	return now
}

// denied skips a mutation whose condition does not hold any more. Where the status of
// a component alone is the reason, its decision waits for that.
func (a *Actuator) denied(m mutation) (outcome, bool) {
	holds, reason := a.again(m)
	if holds {
		return outcome{}, false
	}
	o := skipped(reason)
	o.waitsFor = a.rules().WaitsFor(m.Rule, m.Transition, nowOf(m))
	o.asked = m.Newest.Statuses
	return o, true
}

// withoutOwn returns the newest row as if the mutations that the same decision
// has already made were not in it. A rule that closes and then comments would
// otherwise comment or not by whether the echo of its own closing has been
// folded yet.
func withoutOwn(newest, decided *schemas.PullRequest, before []doneBefore) *schemas.PullRequest {
	if len(before) == 0 || newest == nil || decided == nil {
		return newest
	}
	now := *newest
	for _, earlier := range before {
		switch earlier.Kind {
		case schemas.MutateClose:
			if now.State == schemas.Closed {
				now.State, now.ClosedAt = decided.State, decided.ClosedAt
			}
		case schemas.MutateMerge:
			if now.State == schemas.Merged {
				now.State, now.ClosedAt, now.MergedAt = decided.State, decided.ClosedAt, time.Time{}
				now.MergeCommitSHA = decided.MergeCommitSHA
			}
		case schemas.MutateAddLabels:
			added := without(labelsOf(earlier), decided.Labels)
			now.Labels = without(now.Labels, added)
		case schemas.MutateRemoveLabels:
			removed := without(labelsOf(earlier), without(labelsOf(earlier), decided.Labels))
			now.Labels = append(without(now.Labels, removed), removed...)
			slices.Sort(now.Labels)
		case schemas.MutateReopen:
			if now.State == schemas.Open {
				now.State, now.ClosedAt = decided.State, decided.ClosedAt
			}
		case schemas.MutateRequestReview:
			asked := without(reviewersOf(earlier), decided.RequestedReviewers)
			now.RequestedReviewers = without(now.RequestedReviewers, asked)
		case schemas.MutateComment, schemas.MutateDeleteComment, schemas.MutateNotify, schemas.MutateBridgeComment:
		case schemas.MutateUpdateBranch, schemas.MutateApprove, schemas.MutateDismissReview, schemas.MutateCheckRun, schemas.MutateCommitStatus:
			// The head, the reviews and the checks are what a merge depends on: they
			// count as they are, whoever changed them.
		}
	}
	return &now
}

func labelsOf(earlier doneBefore) []string {
	var params struct{ Labels []string }
	if json.Unmarshal(earlier.Params, &params) != nil {
		return nil
	}
	return params.Labels
}

func reviewersOf(earlier doneBefore) []string {
	var params struct{ Reviewers []string }
	if json.Unmarshal(earlier.Params, &params) != nil {
		return nil
	}
	return params.Reviewers
}

// without returns a copy of labels that lacks some.
func without(labels, some []string) []string {
	return slices.DeleteFunc(slices.Clone(labels), func(label string) bool { return slices.Contains(some, label) })
}
