package rules

import (
	"github.com/goccy/go-yaml/ast"

	"pawl/schemas"
)

// kindChecker reads the parameters of one kind of mutation. It returns nil
// after a fault.
type kindChecker func(mutationChecker, entry) params

// kindCheckers is the table of kinds. A new kind of mutation is a line here, a
// checker, and params that render.
func kindCheckers() map[schemas.MutationKind]kindChecker {
	return map[schemas.MutationKind]kindChecker{
		schemas.MutateComment:       checkComment,
		schemas.MutateDeleteComment: checkDeleteComment,
		schemas.MutateClose:         checkPlain,
		schemas.MutateReopen:        checkPlain,
		schemas.MutateMerge:         checkMerge,
		schemas.MutateUpdateBranch:  checkUpdateBranch,
		schemas.MutateAddLabels:     checkLabels,
		schemas.MutateRemoveLabels:  checkLabels,
		schemas.MutateRequestReview: checkRequestReview,
		schemas.MutateApprove:       checkApprove,
		schemas.MutateDismissReview: checkDismissReview,
		schemas.MutateCheckRun:      checkCheckRun,
		schemas.MutateCommitStatus:  checkCommitStatus,
		schemas.MutateNotify:        checkNotify,
		schemas.MutateBridgeComment: checkBridge,
	}
}

// mutationChecker is a checker within the mutations of one rule.
type mutationChecker struct {
	checker
	rule *rule
}

// parseMutate reads a map of mutations, or a list of such maps.
func (c checker) parseMutate(r *rule, at position, keys map[string]entry) []mutation {
	e, ok := keys["mutate"]
	if !ok {
		c.fault(at, "mutate is missing: what the rule wants done")
		return nil
	}
	nodes, isList := c.sequence(e.value)
	if !isList {
		nodes = []ast.Node{e.value}
	}
	var mutations []mutation
	found := false
	for _, node := range nodes {
		entries, ok := c.entries(node)
		if !ok {
			c.fault(c.place(entry{at: e.at, value: node}), "mutate: want a map such as {close: true}, or a list of them, got %s", c.kindOf(node))
		}
		found = found || !ok || len(entries) > 0
		for _, e := range entries {
			if m, ok := (mutationChecker{c, r}).mutation(e); ok {
				mutations = append(mutations, m)
			}
		}
	}
	if !found {
		c.fault(c.place(e), "mutate: want at least one mutation")
	}
	return mutations
}

func (c mutationChecker) mutation(e entry) (mutation, bool) {
	kind := schemas.MutationKind(e.key)
	check, ok := kindCheckers()[kind]
	if !ok {
		c.fault(e.at, "%s", unknown("mutation", e.key, names(schemas.MutationKinds())))
		return mutation{}, false
	}
	checked := check(c, e)
	return mutation{kind, e.at, checked}, checked != nil
}
