package rules

import (
	"cmp"
	"fmt"

	"pawl/schemas"
)

// Again asks the condition of a rule again, with the pull request as it is now
// and the transition as it was: whether it still holds and, if it does not, why,
// naming the values that changed since the decision. It is asked of a mutation
// that waits on each later transition, and of each mutation before it is done.
func (s *Set) Again(name string, t schemas.Transition, now *schemas.PullRequest) (holds bool, reason string) {
	return s.askAgain(name, t, now, nil)
}

func (s *Set) askAgain(name string, t schemas.Transition, now *schemas.PullRequest, cover *Coverage) (holds bool, reason string) {
	r, ok := s.find(name)
	if !ok {
		return false, fmt.Sprintf("there is no rule %q any more", name)
	}
	if now == nil {
		return false, "the pull request is unknown"
	}
	if reason, ok := r.stillFor(t, now); !ok {
		return false, reason
	}
	v := s.bind(t, now)
	v.cover = cover
	switch verdict := v.ask(r.clauses); {
	case verdict.err != nil:
		return false, verdict.failure(v)
	case verdict.failed != nil:
		return false, verdict.denial(v, s.bind(t, t.PullRequest))
	}
	return true, ""
}

// stillFor reports whether the rule is for the repository by its newest name.
func (r *rule) stillFor(t schemas.Transition, now *schemas.PullRequest) (reason string, ok bool) {
	if r.filter.isForAll() {
		return "", true
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
