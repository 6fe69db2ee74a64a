package rules

import (
	"slices"

	"pawl/schemas"
)

// familyOf is what transitions of a kind are of, in a word for people.
func familyOf(kind schemas.Kind) string {
	if isStatusKind(kind) {
		return "status page"
	}
	return "pull request"
}

// isOfStatusPage reports whether a rule listens to status pages. The kinds of one
// rule are all of one family.
func (r *rule) isOfStatusPage() bool { return slices.ContainsFunc(r.on, isStatusKind) }

// absent returns the variables that are null on every kind that the rule listens
// to. Of a rule whose kinds are faulty nothing is assumed.
func (r *rule) absent() []string {
	if len(r.on) == 0 {
		return nil
	}
	var names []string
	if !r.listensToComments() {
		names = append(names, variableComment)
	}
	if r.isOfStatusPage() {
		names = append(names, variablePR, variableStatus)
	}
	if !slices.Contains(r.on, schemas.KindComponentChanged) {
		names = append(names, variableComponent)
	}
	if !slices.ContainsFunc(r.on, isIncidentKind) {
		names = append(names, variableIncident)
	}
	return names
}

// checkStatusRule holds a rule of a status page against what there is to do about
// one: to tell somebody.
func (c checker) checkStatusRule(r *rule, keys map[string]entry) {
	if !r.isOfStatusPage() {
		return
	}
	for _, m := range r.mutations {
		if m.kind != schemas.MutateNotify {
			c.fault(m.at, "%s is done to a pull request, and %s is of a status page: there is only notify", m.kind, r.on[0])
		}
	}
	if r.once == OnceHead {
		c.fault(c.place(keys["once"]), "once: head is the head of a pull request, and %s is of a status page", r.on[0])
	}
	for _, key := range []string{"repositories", "except"} {
		if e, ok := keys[key]; ok {
			c.fault(c.place(e), "%s: a status page is of no repository", key)
		}
	}
}
