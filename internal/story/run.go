package story

import (
	"fmt"
	"maps"
	"slices"

	"pawl/actuator/rules"
	"pawl/internal/provider"
	"pawl/projector"
	"pawl/schemas"
)

// Ran is what a story came to in one order of arrival.
type Ran struct {
	Verdicts     []Verdict // in order of arrival
	States       map[schemas.EntityKey]projector.State
	Commits      map[schemas.EntityKey]projector.CommitState
	Repositories map[schemas.EntityKey]*schemas.Repository
	Transitions  map[schemas.EntityKey][]schemas.Transition
	Decisions    []Decision
	Mutations    []Mutation
}

// Verdict is how one delivery ended.
type Verdict struct {
	Name    string
	Verdict schemas.Verdict
	Reason  string
}

// Refused is the verdict of a delivery that the edge would not take: it never
// reaches the log.
const Refused schemas.Verdict = "refused"

// Decision is what a rule said of a transition.
type Decision struct {
	rules.Decision
	Transition schemas.Transition
}

// Mutation is one that was planned.
type Mutation struct {
	Entity schemas.EntityKey `json:"entity"`
	Rule   string            `json:"rule"`
	rules.Mutation
	TransitionID schemas.TransitionID `json:"transition_id"`
}

// runner is the state of one run.
type runner struct {
	story *Story
	rules *rules.Set
	held  *projector.Held
	keys  map[schemas.IdempotencyKey]bool
	ran   Ran
}

// Run runs the story in an order of arrival, given as places in
// story.Deliveries; a place may occur more than once. The rules may be nil.
func (s *Story) Run(set *rules.Set, order []int) (Ran, error) {
	r := &runner{
		story: s, rules: set, held: projector.NewHeld(), keys: make(map[schemas.IdempotencyKey]bool),
		ran: Ran{Transitions: make(map[schemas.EntityKey][]schemas.Transition)},
	}
	r.held.Links = s.findLinks
	for _, place := range order {
		if err := r.deliver(s.Deliveries[place]); err != nil {
			return Ran{}, err
		}
	}
	r.ran.States, r.ran.Commits, r.ran.Repositories = r.held.States, r.held.Commits, r.held.Repositories
	return r.ran, nil
}

// written is the order in which the story stands.
func (s *Story) written() []int {
	order := make([]int, len(s.Deliveries))
	for i := range order {
		order[i] = i
	}
	return order
}

// deliver takes one delivery from the edge to the decisions.
func (r *runner) deliver(delivery Delivery) error {
	source, found := r.story.Sources[delivery.Source]
	if !found {
		return fmt.Errorf("%s.http: there is no source %q; there are %v", delivery.Name, delivery.Source, slices.Sorted(maps.Keys(r.story.Sources)))
	}
	reader, found := provider.ByName(source.Provider)
	if !found {
		return fmt.Errorf("%s.http: source %s is of provider %q, which this version does not read; it reads %v",
			delivery.Name, source.Name, source.Provider, provider.Names())
	}
	record, refusal := reader.Seal(provider.Delivery{
		Header: delivery.Header, Raw: delivery.Body, ContentType: contentType(delivery), Instance: source.Instance,
		Source: source.Name, ReceivedAt: delivery.ReceivedAt,
	})
	if refusal != nil {
		r.ran.Verdicts = append(r.ran.Verdicts, Verdict{delivery.Name, Refused, refusal.Error()})
		return nil //nolint:nilerr // a refusal is how the delivery ended
	}
	decoded := projector.Decoded{Record: record, Hash: projector.HashBody(record.Body)}
	decoded.Event, decoded.Err = provider.Decode(record)
	result := r.held.Fold(decoded)
	r.ran.Verdicts = append(r.ran.Verdicts, Verdict{delivery.Name, result.Verdict, result.Reason})
	for _, transition := range result.Transitions {
		r.ran.Transitions[transition.Entity] = append(r.ran.Transitions[transition.Entity], transition)
		r.decide(transition)
	}
	return nil
}

// contentType is JSON unless the story says otherwise.
func contentType(delivery Delivery) string {
	if stated := delivery.Header.Get("Content-Type"); stated != "" {
		return stated
	}
	return schemas.ContentTypeJSON
}

// decide asks the rules. A mutation whose key is held is not planned again, as
// the database's unique index sees to in production (I10).
func (r *runner) decide(transition schemas.Transition) {
	if r.rules == nil {
		return
	}
	for _, decision := range r.rules.Decide(transition) {
		r.ran.Decisions = append(r.ran.Decisions, Decision{decision, transition})
		for _, mutation := range decision.Mutations {
			if r.keys[mutation.Key] {
				continue
			}
			r.keys[mutation.Key] = true
			r.ran.Mutations = append(r.ran.Mutations, Mutation{
				Entity: decision.Entity, Rule: decision.Rule, Mutation: mutation, TransitionID: transition.ID,
			})
		}
	}
}
