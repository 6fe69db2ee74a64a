package story

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"pawl/internal/plan"
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
	Components   map[schemas.EntityKey]*schemas.StatusComponent
	Incidents    map[schemas.EntityKey]*schemas.StatusIncident
	// IssueComments are the comments of issue trackers.
	IssueComments map[schemas.EntityKey]*schemas.Comment
	Transitions   map[schemas.EntityKey][]schemas.Transition
	Decisions     []plan.Decision
	// Mutations are all that were opened, also those that were given up. All
	// delays have run out.
	Mutations []*plan.Mutation
}

// wanted returns the mutations that would be done.
func (r Ran) wanted() []*plan.Mutation { return r.inState(plan.Planned) }

// inState returns the mutations that ended in a state.
func (r Ran) inState(state plan.State) []*plan.Mutation {
	var found []*plan.Mutation
	for _, mutation := range r.Mutations {
		if mutation.State == state {
			found = append(found, mutation)
		}
	}
	return found
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

// runner is the state of one run.
type runner struct {
	story *Story
	held  *projector.Held
	plan  *plan.Plan // nil without rules
	ran   Ran
}

// Run runs the story in an order of arrival, given as places in
// story.Deliveries; a place may occur more than once. The rules may be nil.
func (s *Story) Run(rules plan.Rules, order []int) (Ran, error) {
	r := &runner{
		story: s, held: projector.NewHeld(),
		ran: Ran{Transitions: make(map[schemas.EntityKey][]schemas.Transition)},
	}
	r.held.Links = s.findLinks
	if rules != nil {
		r.plan = plan.New(rules)
	}
	for _, place := range order {
		if err := r.deliver(s.Deliveries[place]); err != nil {
			return Ran{}, err
		}
	}
	if r.plan != nil {
		r.plan.Finish()
		r.ran.Mutations = r.plan.Mutations()
	}
	r.ran.States, r.ran.Commits, r.ran.Repositories = r.held.States, r.held.Commits, r.held.Repositories
	r.ran.Components, r.ran.Incidents, r.ran.IssueComments = r.held.Components, r.held.Incidents, r.held.IssueComments
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
	}
	r.decide(result.Transitions, delivery.ReceivedAt)
	return nil
}

// contentType is JSON unless the story says otherwise.
func contentType(delivery Delivery) string {
	if stated := delivery.Header.Get("Content-Type"); stated != "" {
		return stated
	}
	return schemas.ContentTypeJSON
}

// decide asks the rules, and shows them how rows have changed without a
// transition.
func (r *runner) decide(transitions []schemas.Transition, at time.Time) {
	if r.plan == nil {
		return
	}
	for _, transition := range transitions {
		r.ran.Decisions = append(r.ran.Decisions, r.plan.Take(transition)...)
	}
	for _, entity := range r.plan.Waiting() {
		if row := r.held.States[entity].PullRequest; row != nil {
			r.plan.See(row, at)
		}
	}
}
