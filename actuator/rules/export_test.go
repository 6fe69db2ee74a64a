package rules

import (
	"errors"

	"cel.dev/cel-go/common/types"

	"pawl/schemas"
)

// CostLimit is the limit of one expression.
const CostLimit = costLimit

// Join splits a template and puts it together again.
func Join(text string) (string, error) {
	segments, _, err := split(text)
	joined := ""
	for _, s := range segments {
		if s.isExpression {
			joined += "{{" + s.text + "}}"
			continue
		}
		joined += s.text
	}
	return joined, err
}

// Templates compiles and renders single templates.
type Templates struct{ env *environment }

// NewTemplates returns Templates.
func NewTemplates() (*Templates, error) {
	env, err := newEnvironment(declareAll())
	return &Templates{env}, err
}

// ErrCompile is returned for a template with a fault.
var ErrCompile = errors.New("compile")

// Render compiles a template and renders it on a transition.
func (ts *Templates) Render(text string, t schemas.Transition) (string, error) {
	made, issues := ts.env.template(text, nil)
	if issues != nil {
		return "", ErrCompile
	}
	return made.render(ts.env.bind(t, NowOf(t)))
}

// AskWhole evaluates a condition as CEL does, in one program.
func (ts *Templates) AskWhole(text string, t schemas.Transition) Outcome {
	checked, issues := ts.env.compile(text, nil)
	if issues != nil {
		return "fault: " + Outcome(issues[0].message)
	}
	program, err := ts.env.program(checked, counting)
	if err != nil {
		return "fault: " + Outcome(err.Error())
	}
	value, _, err := program.Eval(ts.env.bind(t, NowOf(t)))
	switch {
	case err != nil:
		return OutcomeError
	case value == types.True:
		return OutcomeMutate
	}
	return OutcomeNo
}

// VariableNames returns the fields of each variable that is an object, by their
// paths.
func (ts *Templates) VariableNames() map[string][]string {
	names := make(map[string][]string)
	for _, path := range [][]string{
		{variablePR},
		{variablePR, "checks"},
		{variablePR, "reviews"},
		{variableComment},
		{variableTransition},
		{variableTransition, "cause"},
		{variableTransition, "cause", "sender"},
		{variableActor},
		{variableComponent},
		{variableIncident},
	} {
		last := path[len(path)-1]
		names[last] = ts.env.fieldNames(path)
	}
	return names
}

// Variables returns the names of all variables.
func Variables() []string { return variableNames() }

// RuleKeys returns the keys of a rule.
func RuleKeys() []string { return ruleKeys() }

// KindsWithChecker returns the kinds of mutations that rules can ask for.
func KindsWithChecker() []schemas.MutationKind {
	var kinds []schemas.MutationKind
	for kind := range kindCheckers() {
		kinds = append(kinds, kind)
	}
	return kinds
}
