package plan

import (
	"maps"
	"slices"
	"time"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// Waiting returns the entities for which something waits.
func (p *Plan) Waiting() []schemas.EntityKey {
	var keys []schemas.EntityKey
	for _, key := range slices.Sorted(maps.Keys(p.entities)) {
		if len(p.entities[key].waiting) > 0 {
			keys = append(keys, key)
		}
	}
	return keys
}

// See lets time pass until at, and then makes known how a pull request has
// changed without a transition: what is due is decided on the newest row, and
// nothing is cancelled for it.
func (p *Plan) See(now *schemas.PullRequest, at time.Time) {
	e := p.entity(now.EntityKey)
	e.advance(at)
	p.wake(e, e.at)
	if len(e.waiting) > 0 {
		e.newest = rules.Now{PullRequest: now, Statuses: maps.Clone(p.gates.statuses)}
	}
}

// Finish lets all delays run out.
func (p *Plan) Finish() {
	for _, e := range p.entities {
		for len(e.waiting) > 0 {
			p.wake(e, e.waiting[0].DueAt)
		}
	}
}

// wake asks the condition of those again that are due, on the newest state.
func (p *Plan) wake(e *entity, at time.Time) {
	e.waiting = p.sift(e.waiting, func(m *Mutation) bool { return !m.DueAt.After(at) }, func(m *Mutation) {
		if holds, reason := p.rules.Again(m.Rule, *m.decided, e.newest); !holds {
			p.giveUp(m, Skipped, reason)
			p.gates.refused(p.rules, m, e.newest)
			p.follow(e, m)
		}
	})
}

// cancel gives up those whose condition a later state does not meet.
func (p *Plan) cancel(e *entity, now rules.Now) {
	contrary := func(m *Mutation) bool {
		holds, reason := p.rules.Again(m.Rule, *m.decided, now)
		if !holds {
			p.giveUp(m, Cancelled, reason)
			p.gates.refused(p.rules, m, now)
		}
		return !holds
	}
	e.waiting = p.sift(e.waiting, contrary, func(*Mutation) {})
}

// sift ends the waiting of those that have an end, and returns the others. What
// was given up meanwhile waits no more.
func (p *Plan) sift(waiting []*Mutation, ends func(*Mutation) bool, end func(*Mutation)) []*Mutation {
	var left []*Mutation
	for _, m := range waiting {
		if m.State != Planned {
			m.decided = nil
			continue
		}
		if !ends(m) {
			left = append(left, m)
			continue
		}
		end(m)
		m.decided = nil
	}
	return left
}

// follow gives up the later mutations of the same decision, unless the rule says
// that they go on: nobody retries what was skipped.
func (p *Plan) follow(e *entity, refused *Mutation) {
	if rule, _ := p.rules.Rule(refused.Rule); rule.OnRefusal == rules.RefusalGoesOn {
		return
	}
	for _, m := range e.waiting {
		if m.Origin.ID == refused.Origin.ID && m.Rule == refused.Rule && m.Position > refused.Position && m.State == Planned {
			p.giveUp(m, Cancelled, "an earlier mutation of the decision was refused: "+refused.Reason)
		}
	}
}

// giveUp gives the key back: a later transition may open it again (I11).
func (p *Plan) giveUp(m *Mutation, state State, reason string) {
	m.State, m.Reason = state, reason
	delete(p.held, m.Key)
}
