package plan

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// gates are the statuses of components that the rules read, and the decisions that
// wait for one: what the live system keeps in pawl.decision.
type gates struct {
	reads    []schemas.EntityKey
	statuses map[schemas.EntityKey]schemas.ComponentStatus
	waiting  map[ruleOf]waiting
}

// ruleOf is a rule about one pull request. Of its decisions the newest waits.
type ruleOf struct {
	rule   string
	entity schemas.EntityKey
}

type waiting struct {
	t          schemas.Transition
	components []schemas.EntityKey
}

func newGates(reads []schemas.EntityKey) gates {
	return gates{
		reads: reads, statuses: make(map[schemas.EntityKey]schemas.ComponentStatus), waiting: make(map[ruleOf]waiting),
	}
}

// note learns the status of a component, and puts the statuses into a transition of
// a pull request.
func (g gates) note(t *schemas.Transition) {
	switch {
	case len(g.reads) == 0:
	case t.Component != nil:
		if slices.Contains(g.reads, t.Entity) {
			g.statuses[t.Entity] = t.Component.Status
		}
	case t.Incident == nil:
		t.Statuses = maps.Clone(g.statuses)
	}
}

// decided keeps a decision that waits, and forgets one whose place it takes.
func (g gates) decided(t schemas.Transition, d rules.Decision) {
	of := ruleOf{d.Rule, d.Entity}
	switch {
	case len(d.WaitsFor) > 0:
		g.waiting[of] = waiting{t, d.WaitsFor}
	case d.Outcome == rules.OutcomeMutate:
		delete(g.waiting, of)
	}
}

// refused keeps the decision of a mutation that a status alone has ended.
func (g gates) refused(by Rules, m *Mutation, now rules.Now) {
	if components := by.WaitsFor(m.Rule, *m.decided, now); len(components) > 0 {
		g.waiting[ruleOf{m.Rule, m.Entity}] = waiting{*m.decided, components}
	}
}

// reconsider decides again what waits for a component that has changed, and asks what
// waits for its time.
func (p *Plan) reconsider(t schemas.Transition, at time.Time) []Decision {
	if t.Kind != schemas.KindComponentChanged || !slices.Contains(p.gates.reads, t.Entity) {
		return nil
	}
	p.cancelReaders(at)
	var decisions []Decision
	for _, of := range slices.SortedFunc(maps.Keys(p.gates.waiting), compareRulesOf) {
		w := p.gates.waiting[of]
		if !slices.Contains(w.components, t.Entity) {
			continue
		}
		delete(p.gates.waiting, of)
		w.t.Statuses = maps.Clone(p.gates.statuses)
		if row := p.world.pullRequests[of.entity]; row != nil {
			w.t.PullRequest = row
		}
		if d, listens := p.rules.DecideAgain(of.rule, w.t); listens {
			d.Reason = "after " + string(t.Entity) + " became " + t.To.Text + ": " + d.Reason
			decisions = append(decisions, p.settle(w.t, at, []rules.Decision{d})...)
		}
	}
	return decisions
}

func compareRulesOf(a, b ruleOf) int {
	return cmp.Or(cmp.Compare(a.entity, b.entity), cmp.Compare(a.rule, b.rule))
}

// cancelReaders shows what waits for its time the statuses of now.
func (p *Plan) cancelReaders(at time.Time) {
	for _, key := range p.Waiting() {
		e, row := p.entities[key], p.world.pullRequests[key]
		if row == nil {
			continue
		}
		e.advance(at)
		p.wake(e, e.at)
		e.newest = rules.Now{PullRequest: row, Statuses: maps.Clone(p.gates.statuses)}
		p.cancel(e, e.newest)
	}
}
