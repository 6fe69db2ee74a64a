package rules

import (
	"maps"
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"pawl/schemas"
)

// checks is the variable checks: the states of the head's checks by name. One
// that has not reported is "none", and never success; `in`, the size and loops
// know those that have. Of two apps that report one name the worst counts.
//
// Its names are met in their order. Those of CEL's own maps are met in the order
// of Go's maps, which differs each time, and a decision may not (I3); so no rule
// may loop over another map, see orderless.
type checks struct {
	traits.Mapper
	names []string
}

// stateNone is the state of a check that has not reported.
const stateNone = types.String(schemas.ChecksNone)

func newChecks(list []schemas.PullRequestCheck) *checks {
	states := make(map[string]string, len(list))
	for _, check := range list {
		state := string(check.State)
		if held, ok := states[check.Name]; !ok || badness(state) > badness(held) {
			states[check.Name] = state
		}
	}
	return &checks{types.NewDynamicMap(types.DefaultTypeAdapter, states), slices.Sorted(maps.Keys(states))}
}

// Iterator meets the names in order.
func (c *checks) Iterator() traits.Iterator {
	return types.NewStringList(types.DefaultTypeAdapter, c.names).Iterator()
}

// badness orders the states of one check: what is not known is worse than
// success and better than what can still fail.
func badness(state string) int {
	switch schemas.ChecksState(state) {
	case schemas.ChecksFailure:
		return 3
	case schemas.ChecksPending:
		return 2
	case schemas.ChecksNone:
		return 1
	case schemas.ChecksSuccess:
		return 0
	}
	return 1
}

// Find returns the state of a check.
func (c *checks) Find(name ref.Val) (ref.Val, bool) {
	if state, ok := c.Mapper.Find(name); ok {
		return state, true
	}
	if _, ok := name.(types.String); ok {
		return stateNone, true
	}
	return nil, false
}

// Get returns the state of a check.
func (c *checks) Get(name ref.Val) ref.Val {
	if state, ok := c.Find(name); ok {
		return state
	}
	return types.NewErr("no such key: %v", name)
}
