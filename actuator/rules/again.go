package rules

import (
	"cmp"
	"fmt"

	"pawl/schemas"
)

// Again asks the condition of a rule again, with the row as it is now
// and the transition as it was: whether it still holds and, if it does not, why,
// naming the values that changed since the decision. It is asked of a mutation
// that waits on each later transition, and of each mutation before it is done.
func (s *Set) Again(name string, t schemas.Transition, now Now) (holds bool, reason string) {
	return s.askAgain(name, t, now, nil)
}

func (s *Set) askAgain(name string, t schemas.Transition, now Now, cover *Coverage) (holds bool, reason string) {
	r, ok := s.find(name)
	if !ok {
		return false, fmt.Sprintf("there is no rule %q any more", name)
	}
	if now.IsUnknown() {
		return false, "the " + subjectOf(t.Kind) + " is unknown"
	}
	if reason, ok := r.stillFor(t, now.PullRequest); !ok {
		return false, reason
	}
	if r.bridge != nil {
		if reason, stands := mirrorStands(t, now.Comment); !stands || t.Kind == schemas.KindCommentRemoved {
			return stands, reason
		}
	}
	v := s.bind(t, now)
	v.cover = cover
	switch verdict := v.ask(r.clauses); {
	case verdict.err != nil:
		return false, verdict.failure(v)
	case verdict.failed != nil:
		return false, verdict.denial(v, s.bind(t, NowOf(t)))
	}
	return true, ""
}

// stillFor reports whether the rule is for the repository by its newest name.
func (r *rule) stillFor(t schemas.Transition, now *schemas.PullRequest) (reason string, ok bool) {
	if r.filter.isForAll() {
		return "", true
	}
	if now == nil {
		return errNoRepository.Error(), false // unreachable unless a rule of a status page has a filter
	}
	repository := now.Repository
	if repository == "" && t.PullRequest != nil {
		repository = t.PullRequest.Repository
	}
	if repository == "" {
		return errNoRepository.Error(), false
	}
	return r.filter.takes(cmp.Or(now.Instance, instanceOf(t)), repository)
}

// subjectOf is what transitions of a kind are about.
func subjectOf(kind schemas.Kind) string {
	switch {
	case kind == schemas.KindComponentChanged:
		return "component"
	case isIncidentKind(kind):
		return "incident"
	}
	return "pull request"
}
