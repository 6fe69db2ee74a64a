package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pawl/schemas"
)

// Supported holds the rules against what providers can do, by instance: for each
// mutation that a rule may want at an instance whose provider lacks its kind it
// returns a fault. Where a mutation is lacked by several instances the fault
// names them all. To notify somebody needs no provider.
func (s *Set) Supported(instances map[string]func(schemas.MutationKind) bool) []Fault {
	found := &faults{file: s.file}
	for _, r := range s.rules {
		for _, m := range r.mutations {
			if lacking := r.lacking(m, instances); lacking != nil {
				found.add(m.at, fmt.Sprintf("rule %q: %s cannot be done at %s: take it out, or keep the rule away by repositories or except",
					r.name, m.kind, strings.Join(lacking, ", ")))
			}
		}
	}
	return found.sorted()
}

// Untracked returns a fault of each rule that mirrors comments to an issue tracker
// which is none of those that are acted at.
func (s *Set) Untracked(trackers map[string]bool) []Fault {
	found := &faults{file: s.file}
	for _, r := range s.rules {
		if r.bridge != nil && r.bridge.To != ToPullRequest && !trackers[r.bridge.Instance] {
			found.add(r.mutations[0].at, fmt.Sprintf("rule %q: comments are mirrored to %s, and providers names no issue tracker of that name",
				r.name, r.bridge.Instance))
		}
	}
	return found.sorted()
}

func (r *rule) lacking(m mutation, instances map[string]func(schemas.MutationKind) bool) []string {
	if m.kind == schemas.MutateNotify || r.bridge != nil && r.bridge.To == ToIssue {
		return nil
	}
	var lacking []string
	for _, instance := range slices.Sorted(maps.Keys(instances)) {
		if r.filter.mayBeAt(instance) && !instances[instance](m.kind) {
			lacking = append(lacking, instance)
		}
	}
	return lacking
}
