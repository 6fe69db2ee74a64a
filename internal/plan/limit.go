package plan

import (
	"slices"
	"time"

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
