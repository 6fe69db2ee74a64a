package plan

import (
	"fmt"
	"slices"
	"time"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// recent is a mutation that may count towards a limit.
type recent struct {
	at       time.Time
	rule     string
	mutation *Mutation // nil for one from before the run
}

// counts reports whether it had or may have an effect.
func (r recent) counts() bool {
	return r.mutation == nil || r.mutation.State == Planned || r.mutation.State == Dead
}

// bound returns why mutations are opened dead, by decision and place: those that
// are more than the rules allow for one entity within an hour.
func (p *Plan) bound(at time.Time, decisions []rules.Decision) [][]string {
	limits := p.rules.Limits()
	counted := make(map[schemas.EntityKey]map[string]int)
	refusals := make([][]string, len(decisions))
	for i, d := range decisions {
		refusals[i] = make([]string, len(d.Mutations))
		for place := range d.Mutations {
			if counted[d.Entity] == nil {
				counted[d.Entity] = p.countRecent(d.Entity, at)
			}
			refusals[i][place] = refuse(limits, counted[d.Entity], d)
		}
	}
	return refusals
}

// refuse counts one more mutation, unless that is too many.
func refuse(limits rules.Limits, counted map[string]int, d rules.Decision) string {
	all := 0
	for _, count := range counted {
		all += count
	}
	switch {
	case limits.PerRule > 0 && counted[d.Rule] >= limits.PerRule:
		return fmt.Sprintf("rule %s has made %d mutations of %s within an hour, and limits.per_rule is %d: it looks like a loop",
			d.Rule, counted[d.Rule], d.Entity, limits.PerRule)
	case limits.PerEntity > 0 && all >= limits.PerEntity:
		return fmt.Sprintf("the rules have made %d mutations of %s within an hour, and limits.per_entity is %d: it looks like a loop",
			all, d.Entity, limits.PerEntity)
	}
	counted[d.Rule]++
	return ""
}

// countRecent counts the mutations of the last hour by rule, and forgets older
// ones.
func (p *Plan) countRecent(key schemas.EntityKey, at time.Time) map[string]int {
	e := p.entity(key)
	e.recent = slices.DeleteFunc(e.recent, func(r recent) bool { return !r.at.After(at.Add(-time.Hour)) })
	counted := make(map[string]int)
	for _, r := range e.recent {
		if r.counts() {
			counted[r.rule]++
		}
	}
	return counted
}
