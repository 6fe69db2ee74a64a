package projector

import (
	"cmp"
	"time"

	"pawl/schemas"
)

// FoldRepository returns a repository's row after one event. Its pull requests
// keep their keys, whatever it is called; which of them show another name is told
// by Held.
func FoldRepository(held *schemas.Repository, event schemas.Event) (*schemas.Repository, Outcome) {
	said := event.Repository
	at, future := providerTime(said.UpdatedAt, event.ReceivedAt)
	next := schemas.Repository{
		EntityKey: event.Entity, Instance: said.Instance, RepositoryID: said.RepositoryID, State: schemas.RepositoryLive,
	}
	if held != nil {
		next = *held
	}
	outcome := Outcome{Verdict: schemas.Applied, FutureTime: future}
	older := compareTimes(at, next.ProviderUpdatedAt) < 0
	if !older {
		next.Repository = cmp.Or(said.Repository, next.Repository)
		next.Private = said.Private.Or(next.Private)
		next.ProviderUpdatedAt = latest(at, next.ProviderUpdatedAt)
	}
	if said.Change == schemas.RepositoryDeleted {
		next.State = schemas.RepositoryGone
	}
	switch {
	case held != nil && next == *held && older:
		outcome.Verdict, outcome.Reason = schemas.Stale, "the repository is known as it was later"
		return held, outcome
	case held != nil && next == *held:
		outcome.Verdict, outcome.Reason = schemas.Unchanged, "the row says the same already"
		return held, outcome
	}
	next.Version++
	return &next, outcome
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
