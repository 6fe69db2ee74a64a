package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"pawl/schemas"
)

// Outcome is what a rule made of a transition.
type Outcome string

// The outcomes of a decision.
const (
	OutcomeMutate Outcome = "mutate" // the rule wants its mutations
	OutcomeNo     Outcome = "no"     // the condition is false, or the cause is our own
	OutcomeError  Outcome = "error"  // it cannot be decided, nothing is wanted
)

// Decision is what one rule made of one transition, and why. The Entity is the
// pull request that is acted on, also when the transition is of a comment; or the
// component or the incident that is told about.
type Decision struct {
	Rule    string
	Entity  schemas.EntityKey
	Outcome Outcome
	Reason  string
	// Values are the parts of the condition, each with its value and the values
	// of the variables in it: a list of Part, at most 4 KB. Nil where the
	// condition was not asked.
	Values json.RawMessage
	// After is how long the mutations wait.
	After     time.Duration
	Mutations []Mutation
	// WaitsFor are the components whose statuses alone make the condition false,
	// sorted: a change of one is a reason to decide again.
	WaitsFor []schemas.EntityKey
	// Transition is what was decided on, where it is not the transition as it
	// stands in the log: with the pull request that a comment is mirrored under.
	Transition *schemas.Transition
}

// Mutation is one change that a decision wants. Position is its place in the
// rule, from 0. Params are rendered.
type Mutation struct {
	Position int
	Kind     schemas.MutationKind
	Params   json.RawMessage
	Key      schemas.IdempotencyKey
}

// Decide returns a decision of each rule that listens to the transition's kind
// and is for its repository, in the order of the file. Rules that mirror comments
// are not among them, and no others hear of the comments of an issue: see Bridge.
// The same transition and the same rules give the same decisions (I3).
func (s *Set) Decide(t schemas.Transition) []Decision { return s.decideAll(t, nil) }

func (s *Set) decideAll(t schemas.Transition, cover *Coverage) []Decision {
	var decisions []Decision
	var bound *variables
	if isOfIssue(t) {
		return nil
	}
	for _, r := range s.rules {
		if r.bridge != nil || !r.listensTo(t.Kind) || !r.filter.listensAt(t) {
			continue
		}
		if bound == nil {
			bound = s.bind(t, NowOf(t))
			bound.cover = cover
		}
		d := s.decide(r, t, bound)
		d.Rule, d.Entity = r.name, actedOn(t)
		if len(r.reads) > 0 {
			d.Transition = &t
		}
		decisions = append(decisions, d)
	}
	return decisions
}

// actedOn is the pull request: a comment's is its parent.
func actedOn(t schemas.Transition) schemas.EntityKey {
	if !isCommentKind(t.Kind) {
		return t.Entity
	}
	if t.Comment != nil && t.Comment.Parent != "" {
		return t.Comment.Parent
	}
	if t.PullRequest != nil {
		return t.PullRequest.EntityKey
	}
	return ""
}

func (s *Set) decide(r *rule, t schemas.Transition, v *variables) Decision {
	if err := r.complete(t); err != nil {
		return Decision{Outcome: OutcomeError, Reason: err.Error()}
	}
	if reason, own := s.ownEcho(t); own && !r.includeOwn {
		return Decision{Outcome: OutcomeNo, Reason: reason}
	}
	v.cover.reached(r)
	v.everything = len(r.reads) > 0 // what else is false tells whether a status alone is the reason
	verdict := v.ask(r.clauses)
	d := Decision{Outcome: OutcomeMutate, Values: v.values(verdict, valuesLimit)}
	switch {
	case verdict.err != nil:
		d.Outcome, d.Reason = OutcomeError, verdict.failure(v)
		return d
	case verdict.failed != nil:
		d.Outcome, d.Reason = OutcomeNo, verdict.denial(v, nil)
		if len(r.reads) > 0 {
			d.WaitsFor = v.hinges(verdict)
		}
		return d
	}
	within, mutations, err := r.mutate(t, v)
	if err != nil {
		d.Outcome, d.Reason = OutcomeError, err.Error()
		return d
	}
	d.Reason, d.Mutations, d.After = r.consent(within.short(t), mutations), mutations, r.after
	return d
}

// complete reports what a decision would need and the transition lacks.
func (r *rule) complete(t schemas.Transition) error {
	switch {
	case t.Kind == schemas.KindComponentChanged && t.Component == nil:
		return errors.New("the transition carries no component")
	case isIncidentKind(t.Kind) && t.Incident == nil:
		return errors.New("the transition carries no incident")
	case !isStatusKind(t.Kind) && t.PullRequest == nil:
		return errors.New("the transition carries no pull request")
	case isCommentKind(t.Kind) && t.Comment == nil:
		return errors.New("the transition carries no comment")
	case actedOn(t) == "":
		return errors.New("the transition names no entity")
	case strings.ContainsRune(string(actedOn(t)), 0):
		return errors.New("the transition's entity is no key")
	case !r.filter.isForAll() && (t.PullRequest == nil || t.PullRequest.Repository == ""):
		return errNoRepository
	}
	return nil
}

// mutate renders all mutations of the rule, or none.
func (r *rule) mutate(t schemas.Transition, v *variables) (scope, []Mutation, error) {
	within, err := r.scope(t, v)
	if err != nil {
		return scope{}, nil, err
	}
	mutations := make([]Mutation, len(r.mutations))
	for i, m := range r.mutations {
		rendered, err := m.params.render(v)
		if err != nil {
			return scope{}, nil, err
		}
		text, err := encode(rendered)
		if err != nil {
			return scope{}, nil, fmt.Errorf("%s: %w", m.kind, err)
		}
		mutations[i] = Mutation{
			Position: i, Kind: m.kind, Params: text,
			Key: key(r.name, m.kind, i, actedOn(t), within),
		}
	}
	return within, mutations, nil
}

// encode writes JSON without escaping what HTML would need: people read it.
func encode(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
