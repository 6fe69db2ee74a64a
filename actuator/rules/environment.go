package rules

import (
	"fmt"
	"math"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/ext"
)

// costLimit bounds one expression, in CEL's units of cost, by a count at each
// evaluation. A unit takes some tens of nanoseconds, so a
// decision that runs away ends within about a tenth of a second.
const costLimit = 1_000_000

// cheapCost is the cost of an expression that takes some microseconds on a pull
// request as they are, and less than a millisecond on an ordinary one at its
// largest.
const cheapCost = 10_000

// expressionLimit bounds the text of one expression, in characters.
const expressionLimit = 16_384

// environment compiles expressions.
type environment struct {
	declarations
	env *cel.Env
}

func newEnvironment(d declarations) (*environment, error) {
	types, err := newRegistry(d.pr, d.transition, d.comment, d.component, d.incident)
	if err != nil {
		return nil, err
	}
	env, err := cel.NewEnv(append(
		d.options(),
		cel.CustomTypeProvider(types),
		ext.Strings(), ext.Sets(), statusMacro(),
		cel.EnableMacroCallTracking(), // so that a part of a condition is written as its author wrote it
		cel.ParserExpressionSizeLimit(expressionLimit),
		cel.ASTValidators(
			cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals(),
			cel.ValidateComprehensionNestingLimit(3),
		),
	)...)
	if err != nil {
		return nil, fmt.Errorf("make the environment of rules: %w", err)
	}
	return &environment{d, env}, nil
}

// counting says whether a program counts its cost.
type counts bool

const (
	counting counts = true
	freely   counts = false
)

// program makes a checked expression ready to be evaluated.
func (e *environment) program(checked *cel.Ast, counted counts) (cel.Program, error) {
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	if counted {
		options = append(options, cel.CostLimit(costLimit))
	}
	return e.env.Program(checked, options...)
}

// ordinaryCost returns the most that an expression can cost on what isOrdinary
// takes. Counting doubles the time of an evaluation, and an expression that
// cannot pass the limit there need not be counted there.
func (e *environment) ordinaryCost(checked *cel.Ast) (uint64, bool) {
	estimate, err := e.env.EstimateCost(checked, ordinarySizes{})
	if err != nil || estimate.Max == math.MaxUint64 {
		return 0, false
	}
	return estimate.Max, true
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
