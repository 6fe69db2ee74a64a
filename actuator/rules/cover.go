package rules

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"cel.dev/cel-go/common/types"

	"pawl/schemas"
)

// Coverage is a Set that remembers what it was asked: which rules a transition
// came to, and which parts of their conditions were ever true and ever false.
// It may be used by several goroutines.
type Coverage struct {
	*Set

	mu    sync.Mutex
	rules map[*rule]bool // guarded by mu
	parts map[int]seen   // guarded by mu: by clause
}

// seen is which values a part ever had.
type seen struct{ yes, no bool }

// Cover returns a Coverage of the rules that has seen nothing yet.
func (s *Set) Cover() *Coverage {
	return &Coverage{Set: s, rules: make(map[*rule]bool), parts: make(map[int]seen)}
}

// Decide decides as the Set does, and remembers.
func (c *Coverage) Decide(t schemas.Transition) []Decision { return c.decideAll(t, c) }

// Bridge decides as the Set does, and remembers.
func (c *Coverage) Bridge(t schemas.Transition, around BridgeAround) []Decision {
	return c.bridgeAll(t, around, c)
}

// Again asks as the Set does, and remembers.
func (c *Coverage) Again(name string, t schemas.Transition, now Now) (holds bool, reason string) {
	return c.askAgain(name, t, now, c)
}

// reached notes that the condition of a rule is asked. Of an own echo it is not.
func (c *Coverage) reached(r *rule) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rules[r] = true
}

// saw notes the value of a part. A part after one that is false is not seen,
// whatever it would be: it decided nothing.
func (c *Coverage) saw(part *clause, a answer) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.parts[part.id]
	c.parts[part.id] = seen{was.yes || a.is == types.True, was.no || a.is == types.False}
}

// Missing says what was not seen: rules in the order of the file, then the
// shared conditions by their names.
func (c *Coverage) Missing() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missing []string
	for _, r := range c.Set.rules {
		if !c.rules[r] {
			missing = append(missing, fmt.Sprintf("rule %s: no transition reached it", r.name))
			continue
		}
		missing = append(missing, c.missingLocked("rule "+r.name, r.clauses)...)
	}
	for _, name := range slices.Sorted(maps.Keys(c.conditions)) {
		missing = append(missing, c.missingLocked("condition "+name, c.conditions[name].clauses)...)
	}
	return missing
}

func (c *Coverage) missingLocked(of string, clauses []clause) []string {
	var missing []string
	for i := range clauses {
		text := clauses[i].text
		switch was := c.parts[clauses[i].id]; {
		case !was.yes && !was.no:
			missing = append(missing, fmt.Sprintf("%s: `%s` was never asked", of, text))
		case !was.yes:
			missing = append(missing, fmt.Sprintf("%s: `%s` was never true", of, text))
		case !was.no:
			missing = append(missing, fmt.Sprintf("%s: `%s` was never false", of, text))
		}
	}
	return missing
}
