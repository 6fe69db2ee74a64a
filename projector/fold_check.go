package projector

import (
	"cmp"
	"time"

	"pawl/schemas"
)

// FoldCommit returns what hangs on a commit after one event: a check, or a merge
// group. It says nothing of pull requests: whose head the commit is, and what
// follows for them, is told by Held.
func FoldCommit(held CommitState, event schemas.Event) (CommitState, Outcome) {
	if event.MergeGroup != nil {
		return foldMergeGroup(held, event)
	}
	return foldCheck(held, event)
}

func foldCheck(held CommitState, event schemas.Event) (CommitState, Outcome) {
	said := event.Check
	at, future := providerTime(said.UpdatedAt, event.ReceivedAt)
	next := checkOf(event, at)
	id := next.CheckID
	row, known := held.Checks[id]
	if known {
		switch order := compareChecks(next, row); {
		case order < 0:
			return held, Outcome{Verdict: schemas.Stale, Reason: "the check is known as it was later", FutureTime: future}
		case sameCheck(next, row):
			return held, Outcome{Verdict: schemas.Unchanged, Reason: "the check says the same already", FutureTime: future}
		}
	}
	next.Version = row.Version + 1
	checks := with(held.Checks, id, next)
	commit := commitOf(held, event.Entity, said.Instance, said.RepositoryID, said.Repository, said.SHA)
	if held.Commit != nil && held.Commit.Repository != "" && checkTime(next).Before(newestTime(held.Checks)) {
		commit.Repository = held.Commit.Repository // an older result shows an older name
	}
	rollUp(commit, checks)
	return CommitState{Commit: commit, Checks: checks}, Outcome{Verdict: schemas.Applied, FutureTime: future}
}

func checkOf(event schemas.Event, at time.Time) schemas.Check {
	said := event.Check
	return schemas.Check{
		Commit:  event.Entity,
		CheckID: schemas.CheckID{Kind: said.Kind, App: said.App, Name: said.Name},
		Attempt: said.Attempt, Retry: said.Retry,
		Status: said.Status, Conclusion: said.Conclusion, State: said.State, URL: said.URL,
		StartedAt: timeOf(said.StartedAt, event), CompletedAt: timeOf(said.CompletedAt, event), ProviderUpdatedAt: at,
		ReceivedAt: event.ReceivedAt,
	}
}

// checkTime is the newest time that a check states.
func checkTime(c schemas.Check) time.Time {
	return latest(c.CompletedAt, latest(c.StartedAt, c.ProviderUpdatedAt))
}

func newestTime(checks map[schemas.CheckID]schemas.Check) time.Time {
	var newest time.Time
	for _, check := range checks {
		newest = latest(checkTime(check), newest)
	}
	return newest
}

// sameCheck reports whether two checks say the same, but for when they came.
func sameCheck(a, b schemas.Check) bool {
	a.ReceivedAt, a.Version = b.ReceivedAt, b.Version
	return a == b
}

// compareChecks tells which of two results of one check is the later one.
//
// A commit status is a new object each time: its own clock orders it, then its
// id, and where it has neither how far it is. All else is an attempt with an id, the greater the newer; a retry
// counts within one id. Within an attempt, a clock of its own decides where it
// has one (workflow_run, check_suite). Then the status, which does not go back:
// queued, in_progress, completed; and then the time that it states, of its end or
// of its start. What is still equal is decided by what it counts as, the worst
// last, so that no order of arrival makes a difference.
//
// Where a run has no id, one that began after the other had ended is the newer
// attempt.
func compareChecks(a, b schemas.Check) int {
	if a.Kind == schemas.CommitStatus {
		return cmp.Or(
			compareTimes(a.ProviderUpdatedAt, b.ProviderUpdatedAt),
			compareAttempts(a.Attempt, b.Attempt),
			cmp.Compare(a.Status.Rank(), b.Status.Rank()),
			cmp.Compare(severity(a.State), severity(b.State)),
		)
	}
	if a.Kind == schemas.CheckSuite && !a.ProviderUpdatedAt.IsZero() && !b.ProviderUpdatedAt.IsZero() {
		return cmp.Or(compareAttempts(a.Attempt, b.Attempt), a.ProviderUpdatedAt.Compare(b.ProviderUpdatedAt), compareProgress(a, b))
	}
	return cmp.Or(
		compareAttempts(a.Attempt, b.Attempt),
		cmp.Compare(a.Retry, b.Retry),
		compareStarts(a, b),
		compareTimes(a.ProviderUpdatedAt, b.ProviderUpdatedAt),
		compareProgress(a, b),
		cmp.Compare(severity(a.State), severity(b.State)),
	)
}

// compareTimes compares two times of the provider's; one that is unknown is
// equal to every other.
func compareTimes(a, b time.Time) int {
	if a.IsZero() || b.IsZero() {
		return 0
	}
	return a.Compare(b)
}

// compareAttempts compares two ids; one that is unknown is equal to every other.
func compareAttempts(a, b int64) int {
	if a == 0 || b == 0 {
		return 0
	}
	return cmp.Compare(a, b)
}

// compareStarts tells two attempts apart that have no ids: one began after the
// other had begun and ended.
func compareStarts(a, b schemas.Check) int {
	switch {
	case a.Attempt != 0 || b.Attempt != 0:
		return 0
	case endedBefore(b, a):
		return +1
	case endedBefore(a, b):
		return -1
	}
	return 0
}

func endedBefore(one, other schemas.Check) bool {
	return compareTimes(one.CompletedAt, other.StartedAt) < 0 && compareTimes(one.StartedAt, other.StartedAt) <= 0
}

// compareProgress compares how far two states of one attempt are. The rank comes
// first: an app's own clock may say that a check ended before it began.
func compareProgress(a, b schemas.Check) int {
	return cmp.Or(cmp.Compare(a.Status.Rank(), b.Status.Rank()), compareTimes(progressTime(a), progressTime(b)))
}

func progressTime(c schemas.Check) time.Time {
	if c.Status == schemas.CheckCompleted {
		return c.CompletedAt
	}
	return c.StartedAt
}

// severity orders what checks count as.
func severity(state schemas.ChecksState) int {
	switch state {
	case schemas.ChecksFailure:
		return 3
	case schemas.ChecksPending:
		return 2
	case schemas.ChecksSuccess:
		return 1
	case schemas.ChecksNone:
		return 0
	}
	return 0
}

// rollup sums up checks.
type rollup struct{ total, pending, succeeded, failed int64 }

func (r *rollup) add(state schemas.ChecksState) {
	r.total++
	switch state {
	case schemas.ChecksFailure:
		r.failed++
	case schemas.ChecksSuccess:
		r.succeeded++
	case schemas.ChecksPending, schemas.ChecksNone:
		r.pending++
	}
}

// state: any failure is failure; else anything unfinished is pending; no check
// is none, and not success.
func (r *rollup) state() schemas.ChecksState {
	switch {
	case r.failed > 0:
		return schemas.ChecksFailure
	case r.pending > 0:
		return schemas.ChecksPending
	case r.succeeded > 0:
		return schemas.ChecksSuccess
	}
	return schemas.ChecksNone
}

func rollUp(commit *schemas.Commit, checks map[schemas.CheckID]schemas.Check) {
	var sum rollup
	for _, check := range checks {
		if check.Kind.Counts() {
			sum.add(check.State)
		}
	}
	commit.Total, commit.Pending, commit.Succeeded, commit.Failed = sum.total, sum.pending, sum.succeeded, sum.failed
	commit.State = sum.state()
}

// commitOf returns a copy of the commit's row, or a new one, one version on.
func commitOf(held CommitState, key schemas.EntityKey, instance, repositoryID, repository, sha string) *schemas.Commit {
	next := schemas.Commit{EntityKey: key, Instance: instance, RepositoryID: repositoryID, SHA: sha, State: schemas.ChecksNone}
	if held.Commit != nil {
		next = *held.Commit
	}
	next.Repository = cmp.Or(repository, next.Repository)
	if len(sha) > len(next.SHA) {
		next.SHA = sha // a meeting point knows an abbreviated one
	}
	next.Version++
	return &next
}

// foldMergeGroup notes that the merge queue made the commit, or gave it up.
// Destroyed is final: a group has no clock, and is never made again.
func foldMergeGroup(held CommitState, event schemas.Event) (CommitState, Outcome) {
	said := event.MergeGroup
	state := schemas.MergeGroupRequested
	if said.Destroyed {
		state = schemas.MergeGroupDestroyed
	}
	if held.Commit != nil {
		switch held.Commit.MergeGroup {
		case state:
			return held, Outcome{Verdict: schemas.Unchanged, Reason: "the merge group is known as such"}
		case schemas.MergeGroupDestroyed:
			return held, Outcome{Verdict: schemas.Stale, Reason: "the merge group is destroyed, and nothing brings it back"}
		}
	}
	commit := commitOf(held, event.Entity, said.Instance, said.RepositoryID, said.Repository, said.SHA)
	commit.MergeGroup = state
	commit.MergeGroupReason = cmp.Or(said.Reason, commit.MergeGroupReason)
	commit.MergeGroupRef = cmp.Or(said.HeadRef, commit.MergeGroupRef)
	return CommitState{Commit: commit, Checks: held.Checks}, Outcome{Verdict: schemas.Applied}
}
