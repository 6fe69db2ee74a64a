package rules

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types/ref"
)

// expression is a compiled expression and the fields it asks for.
type expression struct {
	text    string
	program cel.Program
	fields  [][]string // paths, in the order of the text
}

// evaluate returns the value; a CEL error value is an error.
func (e expression) evaluate(v *variables) (ref.Val, error) {
	value, _, err := e.program.Eval(v)
	return value, err
}

// issue is a fault within an expression, at an offset in characters.
type issue struct {
	offset  int
	message string
}

// compile checks a text and returns its AST, or what is wrong with it. Without
// comments, comment is null on every transition that the rule listens to.
func (e *environment) compile(text string, comments bool) (*cel.Ast, []issue) {
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
	if comments {
		return checked, nil
	}
	return checked, e.alwaysAbsent(text, checked)
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

// alwaysAbsent finds fields of comment in an expression for which it is always
// null, unless the expression asks whether it is.
func (e *environment) alwaysAbsent(text string, checked *cel.Ast) []issue {
	var issues []issue
	guarded := false
	native := checked.NativeRep()
	e.eachSelection(native.Expr(), func(path []string, node celast.Expr) {
		if path[0] != variableComment {
			return
		}
		if len(path) == 1 || node.AsSelect().IsTestOnly() {
			guarded = true
			return
		}
		at := native.SourceInfo().GetStartLocation(node.AsSelect().Operand().ID())
		message := fmt.Sprintf("comment is null on every kind the rule listens to, and has no %s", path[1])
		issues = append(issues, issue{offsetOf(text, at.Line(), at.Column()), message})
	})
	if guarded {
		return nil
	}
	return issues
}

// condition compiles a text that must be true or false, in parts.
func (e *environment) condition(text string, comments bool) ([]expression, []issue) {
	checked, issues := e.compile(text, comments)
	if issues != nil {
		return nil, issues
	}
	start := inkAt(text)
	if !checked.OutputType().IsExactType(cel.BoolType) {
		return nil, []issue{{start, fmt.Sprintf("want true or false, is a %s", typeName(checked.OutputType()))}}
	}
	conditions, err := e.conjuncts(text, checked)
	if err != nil {
		return nil, []issue{{start, err.Error()}}
	}
	return conditions, nil
}

// inkAt is the offset of the first character that is not blank.
func inkAt(text string) int {
	return len([]rune(text)) - len([]rune(strings.TrimLeftFunc(text, isBlank)))
}

// expression makes an expression of a part of a checked one.
func (e *environment) expression(text string, checked *cel.Ast) (expression, error) {
	program, err := e.program(checked)
	if err != nil {
		return expression{}, err
	}
	return expression{text, program, e.fieldsOf(checked.NativeRep().Expr())}, nil
}

// conjuncts splits a checked condition at its top-level && into programs of
// their own.
func (e *environment) conjuncts(text string, checked *cel.Ast) ([]expression, error) {
	native := checked.NativeRep()
	parts := flattenAnd(native.Expr())
	if len(parts) == 1 {
		whole, err := e.expression(oneLine(text), checked)
		return []expression{whole}, err
	}
	conjuncts := make([]expression, len(parts))
	for i, part := range parts {
		written, err := cel.ExprToString(part, native.SourceInfo(), cel.FormatWrapOnColumn(2*expressionLimit))
		if err != nil {
			return nil, err
		}
		again, issues := e.env.Compile(written)
		if issues.Err() != nil { // unreachable unless CEL writes what it cannot read
			return nil, issues.Err()
		}
		if conjuncts[i], err = e.expression(written, again); err != nil {
			return nil, err
		}
	}
	return conjuncts, nil
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

// fieldsOf lists the fields of variables that an expression asks for.
func (e *environment) fieldsOf(expr celast.Expr) [][]string {
	var fields [][]string
	e.eachSelection(expr, func(path []string, _ celast.Expr) {
		same := func(other []string) bool { return slices.Equal(path, other) }
		if !slices.ContainsFunc(fields, same) {
			fields = append(fields, path)
		}
	})
	return fields
}

// eachSelection calls visit with the longest path of each selection from a
// variable, and with the variable alone where nothing is selected from it.
func (e *environment) eachSelection(expr celast.Expr, visit func([]string, celast.Expr)) {
	within := make(map[int64]bool)
	celast.PreOrderVisit(expr, celast.NewExprVisitor(func(node celast.Expr) {
		if within[node.ID()] {
			return
		}
		path := e.path(node)
		if path == nil {
			return
		}
		for inner := node; inner.Kind() == celast.SelectKind; {
			inner = inner.AsSelect().Operand()
			within[inner.ID()] = true
		}
		visit(path, node)
	}))
}

// path returns a selection as names, from its variable on, or nil.
func (e *environment) path(node celast.Expr) []string {
	var path []string
	for ; node.Kind() == celast.SelectKind; node = node.AsSelect().Operand() {
		path = append(path, node.AsSelect().FieldName())
	}
	if node.Kind() != celast.IdentKind {
		return nil
	}
	if _, ok := e.variable(node.AsIdent()); !ok {
		return nil
	}
	path = append(path, node.AsIdent())
	slices.Reverse(path)
	return path
}
