package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"cel.dev/cel-go/common/types"

	"pawl/schemas"
)

// Holding is whether a rule would act on a state.
type Holding string

// The answers.
const (
	Holds       Holding = "yes"     // its condition holds
	HoldsNot    Holding = "no"      // a part of it is false
	HoldsIfTold Holding = "depends" // on the transition: on what changed, on who did it
	HoldsBroken Holding = "error"   // it cannot be evaluated
)

// Explanation is why a rule would act on a pull request as it is now, or not.
// Whether it would act is also a matter of its keys, which rules do not know.
type Explanation struct {
	Rule   string            `json:"rule"`
	Entity schemas.EntityKey `json:"entity"`
	// On are the transitions on which it is asked; none is at hand.
	On []schemas.Kind `json:"on"`
	// NotFor says why the rule is not for the repository. Such a rule makes no
	// decision at all.
	NotFor string  `json:"not_for,omitempty"`
	Holds  Holding `json:"holds"`
	// Reason is what a decision would say.
	Reason string `json:"reason"`
	When   string `json:"when,omitempty"`
	// Parts are all parts of the condition, also those after one that is false.
	Parts      []Part                 `json:"parts,omitempty"`
	Once       Once                   `json:"once"`
	After      string                 `json:"after,omitempty"`
	IncludeOwn bool                   `json:"include_own"`
	Mutations  []schemas.MutationKind `json:"mutations"`
}

var errNoRow = errors.New("the pull request is unknown")

// Explain asks a rule about a pull request as it is now, without a transition.
// What depends on the transition is not known, and counts as such: of
// `pr.draft || transition.kind == "opened"` the answer is known for a draft.
func (s *Set) Explain(name string, now Now) (Explanation, error) {
	r, ok := s.find(name)
	if !ok {
		return Explanation{}, errors.New(unknown("rule", name, s.ruleNames()))
	}
	pr := now.PullRequest
	if pr == nil {
		return Explanation{}, errNoRow
	}
	info := r.info()
	e := Explanation{
		Rule: r.name, Entity: pr.EntityKey, On: info.On, When: r.when, Once: r.once, IncludeOwn: r.includeOwn, Mutations: info.Mutations,
	}
	if r.after > 0 {
		e.After = span(r.after)
	}
	v := s.bindRow(r, now)
	verdict := v.ask(r.clauses)
	if len(r.clauses) > 0 {
		if err := json.Unmarshal(v.values(verdict, math.MaxInt32), &e.Parts); err != nil { // unreachable: values are JSON
			return Explanation{}, fmt.Errorf("explain rule %s: %w", name, err)
		}
	}
	e.Holds, e.Reason = v.holding(verdict)
	e.NotFor = r.notFor(pr)
	if e.NotFor != "" {
		e.Holds, e.Reason = HoldsNot, e.NotFor
	}
	return e, nil
}

func (r *rule) notFor(pr *schemas.PullRequest) string {
	if r.isOfStatusPage() {
		return "the rule is of status pages, and not of pull requests"
	}
	reason, _ := r.stillFor(schemas.Transition{Entity: pr.EntityKey, PullRequest: pr}, pr)
	return reason
}

func (v *variables) holding(f *verdict) (Holding, string) {
	switch {
	case f.failed == nil && len(f.clauses) == 0:
		return Holds, "there is no condition"
	case f.failed == nil:
		return Holds, "the condition holds"
	case f.err != nil:
		return HoldsBroken, f.failure(v)
	case f.outcome == types.False:
		return HoldsNot, f.denial(v, nil)
	}
	return HoldsIfTold, cut(f.failed.text, conditionWidth) + " depends on the transition" + f.values(v, nil)
}

// bindRow returns the variables of a row. What a transition brings is unknown,
// except that a rule which listens to no comments gets none.
func (s *Set) bindRow(r *rule, now Now) *variables {
	v := s.bind(schemas.Transition{}, now)
	v.everything = true
	v.transition = types.NewUnknown(1, types.NewAttributeTrail(variableTransition))
	v.actor = types.NewUnknown(2, types.NewAttributeTrail(variableActor))
	if r.listensToComments() {
		v.comment = types.NewUnknown(3, types.NewAttributeTrail(variableComment))
	}
	return v
}

func (s *Set) ruleNames() []string {
	list := make([]string, len(s.rules))
	for i, r := range s.rules {
		list[i] = r.name
	}
	return list
}
