package rules

import "pawl/schemas"

// Now is the row that a transition is about, as it is at one moment. One of them
// is set, and none where the row is unknown; Comment is set beside the pull request
// of a mirror.
type Now struct {
	PullRequest *schemas.PullRequest
	Component   *schemas.StatusComponent
	Incident    *schemas.StatusIncident
	Comment     *schemas.Comment
	// Statuses are those of the components that the rules read. Nil leaves them as
	// the transition has them.
	Statuses map[schemas.EntityKey]schemas.ComponentStatus
}

// NowOf returns the row that a transition carries: as it was right after it.
func NowOf(t schemas.Transition) Now {
	return Now{PullRequest: t.PullRequest, Component: t.Component, Incident: t.Incident, Statuses: t.Statuses}
}

// IsUnknown reports whether no row is known.
func (n Now) IsUnknown() bool { return n.PullRequest == nil && n.Component == nil && n.Incident == nil }

// Version counts the folds that changed the row; 0 where it is unknown.
func (n Now) Version() int64 {
	switch {
	case n.PullRequest != nil:
		return n.PullRequest.Version
	case n.Component != nil:
		return n.Component.Version
	case n.Incident != nil:
		return n.Incident.Version
	}
	return 0
}

// isStatusKind reports whether transitions of a kind are of a status page.
func isStatusKind(kind schemas.Kind) bool {
	return kind == schemas.KindComponentChanged || isIncidentKind(kind)
}

func isIncidentKind(kind schemas.Kind) bool {
	return kind == schemas.KindIncidentOpened || kind == schemas.KindIncidentChanged || kind == schemas.KindIncidentResolved
}
