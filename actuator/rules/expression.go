package rules

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"pawl/schemas"
)

// expression is a compiled expression and what it asks for.
type expression struct {
	text     string
	counted  cel.Program // ends at the limit of cost
	free     cel.Program // does not count; nil unless it cannot pass the limit on what is ordinary
	cheap    bool        // on what is ordinary it takes microseconds
	mentions []*mention  // in the order of the text
}

// evaluate returns the value; a CEL error value is an error.
func (e *expression) evaluate(v *variables) (ref.Val, error) {
	program := e.counted
	if e.free != nil && v.ordinary {
		program = e.free
	}
	value, _, err := program.Eval(v)
	return value, err
}

// issue is a fault within an expression, at an offset in characters.
type issue struct {
	offset  int
	message string
}

// compile checks a text and returns its AST, or what is wrong with it. Without
// comments, comment is null on every transition that the rule listens to.
func (e *environment) compile(text string, absent []string) (*cel.Ast, []issue) {
	parsed, issues := e.env.Parse(text)
	if issues.Err() != nil {
		return nil, e.issues(text, nil, issues)
	}
	checked, issues := e.env.Check(parsed)
	if issues.Err() != nil {
		return nil, e.issues(text, parsed, issues)
	}
	if at, makes := makesObject(checked); makes {
		return nil, []issue{{offsetOf(text, at.Line(), at.Column()), "a rule cannot make objects"}}
	}
	if cost, dear := e.dear(checked); dear {
		return nil, []issue{{0, fmt.Sprintf("may cost %d even on a small pull request, the limit is %d", cost, costLimit)}}
	}
	found := append(e.alwaysPresent(text, checked), orderless(text, checked)...)
	found = append(found, noStatuses(text, checked)...)
	for _, variable := range absent {
		found = append(found, e.alwaysAbsent(text, checked, variable)...)
	}
	return checked, found
}

// alwaysPresent finds has(checks.x), which is true of any x.
func (e *environment) alwaysPresent(text string, checked *cel.Ast) []issue {
	var issues []issue
	native := checked.NativeRep()
	e.eachSelection(native.Expr(), func(path []string, node celast.Expr) {
		if path[0] != variableChecks || node.Kind() != celast.SelectKind || !node.AsSelect().IsTestOnly() {
			return
		}
		at := native.SourceInfo().GetStartLocation(node.AsSelect().Operand().ID())
		message := fmt.Sprintf("has(checks.%s) always holds: ask %s == %q", path[1], nameOf(path), schemas.ChecksSuccess)
		issues = append(issues, issue{offsetOf(text, at.Line(), at.Column()), message})
	})
	return issues
}

// makesObject finds where an expression makes an object, such as Name{field: 1}.
func makesObject(checked *cel.Ast) (at common.Location, makes bool) {
	native := checked.NativeRep()
	celast.PreOrderVisit(native.Expr(), celast.NewExprVisitor(func(node celast.Expr) {
		if node.Kind() == celast.StructKind {
			at, makes = native.SourceInfo().GetStartLocation(node.ID()), true
		}
	}))
	return at, makes
}

// orderless finds loops over a map that is not checks: its keys are met in
// another order each time (I3). What a loop over a value of any type meets is
// only known to be no map where the expression makes none.
func orderless(text string, checked *cel.Ast) []issue {
	native := checked.NativeRep()
	var loops []celast.Expr
	makesMap, hidden := false, false
	celast.PreOrderVisit(native.Expr(), celast.NewExprVisitor(func(node celast.Expr) {
		makesMap = makesMap || node.Kind() == celast.MapKind
		if node.Kind() == celast.ComprehensionKind {
			loops = append(loops, node.AsComprehension().IterRange())
			hidden = hidden || node.AsComprehension().IterVar() == variableChecks
		}
	}))
	var issues []issue
	for _, over := range loops {
		isMap := native.GetType(over.ID()).Kind() == types.MapKind && (hidden || !isChecks(over))
		if isAny := native.GetType(over.ID()).Kind() == types.DynKind; isMap || isAny && makesMap {
			at := native.SourceInfo().GetStartLocation(over.ID())
			issues = append(issues, issue{offsetOf(text, at.Line(), at.Column()), "a map has no order: loop over a list"})
		}
	}
	return issues
}

func isChecks(node celast.Expr) bool {
	return node.Kind() == celast.IdentKind && node.AsIdent() == variableChecks
}

// alwaysAbsent finds fields of a variable in an expression for which it is always
// null, unless the expression asks whether it is. They may be in a shared
// condition.
func (e *environment) alwaysAbsent(text string, checked *cel.Ast, variable string) []issue {
	var issues []issue
	guarded := false
	native := checked.NativeRep()
	e.eachSelection(native.Expr(), func(path []string, node celast.Expr) {
		var message string
		at := native.SourceInfo().GetStartLocation(node.ID())
		switch c := e.conditions[path[0]]; {
		case c != nil && c.asks[variable] != "" && variable == variableStatus:
			message = fmt.Sprintf("status is for rules of pull requests, and %s asks for %s", c.name, c.asks[variable])
		case c != nil && c.asks[variable] != "":
			message = fmt.Sprintf("%s is null on every kind the rule listens to, and %s asks for %s", variable, c.name, c.asks[variable])
		case path[0] != variable:
			return
		case variable == variableStatus:
			message = "status is for rules of pull requests: here the component is `component`"
		case len(path) == 1 || node.AsSelect().IsTestOnly():
			guarded = true
			return
		default:
			at = native.SourceInfo().GetStartLocation(node.AsSelect().Operand().ID())
			message = fmt.Sprintf("%s is null on every kind the rule listens to, and has no %s", variable, path[1])
		}
		issues = append(issues, issue{offsetOf(text, at.Line(), at.Column()), message})
	})
	if guarded {
		return nil
	}
	return issues
}

// usesOf returns the conditions in an expression, and what it asks of the variables
// that can be null.
func (e *environment) usesOf(checked *cel.Ast) (uses []*condition, asks map[string]string) {
	asks = make(map[string]string)
	guarded := make(map[string]bool)
	e.eachSelection(checked.NativeRep().Expr(), func(path []string, node celast.Expr) {
		variable := path[0]
		switch c := e.conditions[variable]; {
		case c != nil && !slices.Contains(uses, c):
			uses = append(uses, c)
		case !slices.Contains(nullable(), variable):
		case variable != variableStatus && (len(path) == 1 || node.AsSelect().IsTestOnly()):
			guarded[variable] = true
		case asks[variable] == "":
			asks[variable] = nameOf(path)
		}
	})
	for variable := range guarded {
		asks[variable] = ""
	}
	return uses, asks
}

// nullable are the variables that are null on some kinds of transitions, and the
// call that is for some kinds alone.
func nullable() []string {
	return []string{variableComment, variablePR, variableComponent, variableIncident, variableStatus}
}

// condition compiles a text that must be true or false, in clauses.
func (e *environment) condition(text string, absent []string) ([]clause, *cel.Ast, []issue) {
	checked, issues := e.compile(text, absent)
	if issues != nil {
		return nil, nil, issues
	}
	start := inkAt(text)
	if !checked.OutputType().IsExactType(cel.BoolType) {
		return nil, nil, []issue{{start, fmt.Sprintf("want true or false, is a %s", typeName(checked.OutputType()))}}
	}
	clauses, err := e.clauses(text, checked)
	if err != nil {
		return nil, nil, []issue{{start, err.Error()}}
	}
	return clauses, checked, nil
}

// inkAt is the offset of the first character that is not blank.
func inkAt(text string) int {
	return len([]rune(text)) - len([]rune(strings.TrimLeftFunc(text, isBlank)))
}

// expression makes an expression of a part of a checked one.
func (e *environment) expression(text string, checked *cel.Ast) (expression, error) {
	made := expression{text: text, mentions: e.mentionsOf(checked.NativeRep().Expr())}
	var err error
	if made.counted, err = e.program(checked, counting); err != nil {
		return expression{}, err
	}
	if cost, bounded := e.ordinaryCost(checked); bounded && cost <= costLimit {
		made.cheap = cost <= cheapCost
		made.free, err = e.program(checked, freely)
	}
	return made, err
}

// clauses splits a checked condition at its top-level && into programs of
// their own.
func (e *environment) clauses(text string, checked *cel.Ast) ([]clause, error) {
	native := checked.NativeRep()
	parts := flattenAnd(native.Expr())
	if len(parts) == 1 {
		whole, err := e.clause(oneLine(text), checked)
		return []clause{whole}, err
	}
	clauses := make([]clause, len(parts))
	for i, part := range parts {
		written, err := cel.ExprToString(part, native.SourceInfo(), cel.FormatWrapOnColumn(2*expressionLimit))
		if err != nil {
			return nil, err
		}
		again, issues := e.env.Compile(written)
		if issues.Err() != nil { // unreachable unless CEL writes what it cannot read
			return nil, issues.Err()
		}
		if clauses[i], err = e.clause(written, again); err != nil {
			return nil, err
		}
	}
	return clauses, nil
}

func (e *environment) clause(text string, checked *cel.Ast) (clause, error) {
	made := clause{id: e.mentions.clauses, json: `{"text":` + jsonText(cut(text, conditionWidth))}
	e.mentions.clauses++
	if expr := checked.NativeRep().Expr(); expr.Kind() == celast.IdentKind {
		made.named = e.conditions[expr.AsIdent()]
	}
	var err error
	made.expression, err = e.expression(text, checked)
	return made, err
}

func flattenAnd(expr celast.Expr) []celast.Expr {
	if expr.Kind() != celast.CallKind || expr.AsCall().FunctionName() != operators.LogicalAnd {
		return []celast.Expr{expr}
	}
	var parts []celast.Expr
	for _, arg := range expr.AsCall().Args() {
		parts = append(parts, flattenAnd(arg)...)
	}
	return parts
}

// oneLine joins lines, so that a reason stays one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
