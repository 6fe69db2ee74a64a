package rules

import (
	"fmt"
	"math"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/ext"
)

// costLimit bounds one expression, in CEL's units of cost, by a count at each
// evaluation. A unit takes some tens of nanoseconds, so a
// decision that runs away ends within about a tenth of a second.
const costLimit = 1_000_000

// expressionLimit bounds the text of one expression, in characters.
const expressionLimit = 16_384

// environment compiles expressions.
type environment struct {
	declarations
	env *cel.Env
}

func newEnvironment(d declarations) (*environment, error) {
	types, err := newRegistry(d.pr, d.transition, d.comment)
	if err != nil {
		return nil, err
	}
	env, err := cel.NewEnv(
		cel.CustomTypeProvider(types),
		cel.Variable(variablePR, d.pr.cel),
		cel.Variable(variableTransition, d.transition.cel),
		cel.Variable(variableComment, d.comment.cel),
		ext.Strings(), ext.Sets(),
		cel.EnableMacroCallTracking(), // so that a part of a condition is written as its author wrote it
		cel.ParserExpressionSizeLimit(expressionLimit),
		cel.ASTValidators(
			cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals(),
			cel.ValidateComprehensionNestingLimit(3),
		),
	)
	if err != nil {
		return nil, fmt.Errorf("make the environment of rules: %w", err)
	}
	return &environment{d, env}, nil
}

// program makes a checked expression ready to be evaluated.
func (e *environment) program(checked *cel.Ast) (cel.Program, error) {
	return e.env.Program(checked, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(costLimit))
}

// dear returns the estimated cost of an expression that may pass the limit even
// on a small pull request: one that loops over a text within a loop over a text.
// With the sizes that a provider allows, the estimate would refuse what is cheap:
// a loop over the lines of a comment counts as 65,536 lines of 65,536 characters.
// What is dear on a large pull request only is stopped by the count.
func (e *environment) dear(checked *cel.Ast) (uint64, bool) {
	estimate, err := e.env.EstimateCost(checked, smallSizes{})
	if err != nil || estimate.Max == math.MaxUint64 {
		return 0, false // no upper end can be told, of a dyn for example
	}
	return estimate.Max, estimate.Max > costLimit
}

// smallSizes are the sizes of fields for estimates of cost.
type smallSizes struct{}

// EstimateSize returns the size of a field by its place.
func (smallSizes) EstimateSize(element cost.AstNode) *cost.SizeEstimate {
	path := element.Path()
	if len(path) == 0 {
		return nil
	}
	size := cost.RangedSizeEstimate(0, 64)
	switch path[len(path)-1] {
	case "body":
		size.Max = 256
	case "labels", "requested_reviewers", "assignees", "links", "checks", "reviews", "from", "to":
		size.Max = 16
	}
	return &size
}

// EstimateCallCost leaves the costs of functions as CEL has them.
func (smallSizes) EstimateCallCost(string, string, *cost.AstNode, []cost.AstNode) *cost.CallEstimate {
	return nil
}
