package story

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pawl/internal/plan"
	"pawl/schemas"
)

// checkMutations pairs each wanted mutation with one that has all its fields. No
// planned one may be left; of those that were given up, others may be.
func (s *Story) checkMutations(ran Ran) []string {
	if s.Want.Mutations == nil {
		return nil
	}
	left := make(map[plan.State][]row)
	for _, mutation := range ran.Mutations {
		left[mutation.State] = append(left[mutation.State], rowOfMutation(mutation))
	}
	var diffs []string
	for _, want := range s.Want.Mutations {
		state, fields := stateOf(ran.named(want))
		at := slices.IndexFunc(left[state], func(got row) bool { return hasFields(got, fields) })
		if at < 0 {
			diffs = append(diffs, fmt.Sprintf("mutation not %s: %s", state, show(want))+ran.insteadOf(fields, state))
			continue
		}
		left[state] = slices.Delete(left[state], at, at+1)
	}
	for _, got := range left[plan.Planned] {
		diffs = append(diffs, "mutation not wanted: "+show(got))
	}
	return diffs
}

// stateOf splits a wanted mutation: its state at the end, and its fields. A commit
// status has a parameter of that name, whose values are others.
func stateOf(want map[string]any) (plan.State, map[string]any) {
	text, _ := want["state"].(string)
	state := plan.State(text)
	if !state.Valid() {
		return plan.Planned, want
	}
	fields := make(map[string]any, len(want))
	for name, value := range want {
		if name != "state" {
			fields[name] = value
		}
	}
	return state, fields
}

// insteadOf says in which other states there is such a mutation, and why.
func (r Ran) insteadOf(fields map[string]any, wanted plan.State) string {
	var texts []string
	for _, mutation := range r.Mutations {
		if mutation.State != wanted && hasFields(rowOfMutation(mutation), fields) {
			texts = append(texts, strings.TrimSuffix(fmt.Sprintf("%s: %s", mutation.State, mutation.Reason), ": "))
		}
	}
	if texts == nil {
		return ""
	}
	return " (it is " + strings.Join(texts, "; ") + ")"
}

// named returns the wanted fields with the entity by its key, where it is named
// as people do.
func (r Ran) named(want map[string]any) map[string]any {
	name, ok := want["entity"].(string)
	if !ok || r.entityKey(name) == name {
		return want
	}
	fields := make(map[string]any, len(want))
	for field, value := range want {
		fields[field] = value
	}
	fields["entity"] = r.entityKey(name)
	return fields
}

// entityKey returns the key of a pull request that is named as people do; other
// texts are returned as they are.
func (r Ran) entityKey(name string) string {
	if found, err := find(pullRequests(r), name); err == nil {
		return found.keys[0]
	}
	return name
}

// rowOfMutation is a mutation by its field names: entity, rule, kind, and its
// parameters.
func rowOfMutation(m *plan.Mutation) row {
	made := make(row)
	_ = json.Unmarshal(m.Params, &made) // rules write an object
	made["entity"], made["rule"], made["kind"] = string(m.Entity), m.Rule, string(m.Kind)
	return made
}

// checkDecisions pairs each wanted decision with one that was made.
func (s *Story) checkDecisions(ran Ran) []string {
	left := slices.Clone(ran.Decisions)
	var diffs []string
	for _, want := range s.Want.Decisions {
		named := want
		named.Entity = ran.entityKey(want.Entity)
		at := slices.IndexFunc(left, named.isMet)
		if at < 0 {
			diffs = append(diffs, "decision not made: "+show(want)+ran.decidedInstead(named))
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	return diffs
}

func (w WantDecision) isMet(d plan.Decision) bool {
	return (w.Entity == "" || schemas.EntityKey(w.Entity) == d.Entity) && (w.Rule == "" || w.Rule == d.Rule) &&
		(w.Outcome == "" || w.Outcome == d.Outcome) && strings.Contains(d.Reason, w.Reason)
}

// decidedInstead lists what was decided, by the rule if one is wanted.
func (r Ran) decidedInstead(want WantDecision) string {
	var b strings.Builder
	for _, d := range r.Decisions {
		if (WantDecision{Entity: want.Entity, Rule: want.Rule}).isMet(d) {
			fmt.Fprintf(&b, "\n  %s on %s: %s: %s", d.Rule, d.Origin.Kind, d.Outcome, d.Reason)
		}
	}
	if b.Len() == 0 {
		return "; no such rule was asked"
	}
	return "; there were:" + b.String()
}
