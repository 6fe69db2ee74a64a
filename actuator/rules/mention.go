package rules

import (
	"slices"
	"strconv"
	"strings"

	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// mention is what expressions ask of a variable, such as pr.state or
// checks["build"]. One that several rules ask for is one mention.
type mention struct {
	id   int
	path []string
	name string
	json string // name, as the key of an object
}

// mentions are all mentions of a file.
type mentions struct {
	byName  map[string]*mention
	clauses int // parts of conditions, which are counted here too
}

func (m *mentions) of(path []string) *mention {
	name := nameOf(path)
	if held, ok := m.byName[name]; ok {
		return held
	}
	made := &mention{id: len(m.byName), path: path, name: name, json: jsonText(name) + ":"}
	m.byName[name] = made
	return made
}

// nameOf writes a path as an expression.
func nameOf(path []string) string {
	if path[0] == variableChecks && len(path) == 2 {
		return variableChecks + "[" + strconv.Quote(path[1]) + "]"
	}
	if path[0] == variableStatus && len(path) == 2 {
		return callStatus + "(" + strconv.Quote(path[1]) + ")"
	}
	return strings.Join(path, ".")
}

// jsonText writes a text as JSON. PostgreSQL takes no NUL.
func jsonText(text string) string {
	written, err := encode(strings.ReplaceAll(text, "\x00", "\uFFFD"))
	if err != nil { // unreachable: a text is JSON
		return `""`
	}
	return string(written)
}

// mentionsOf lists what an expression asks for, in the order of the text.
func (e *environment) mentionsOf(expr celast.Expr) []*mention {
	var list []*mention
	e.eachSelection(expr, func(path []string, _ celast.Expr) {
		if m := e.mentions.of(path); !slices.Contains(list, m) {
			list = append(list, m)
		}
	})
	return list
}

// eachSelection calls visit with the longest path of each selection from a
// variable, and with the variable alone where nothing is selected from it. A
// loop's own variable hides one of ours.
func (e *environment) eachSelection(expr celast.Expr, visit func([]string, celast.Expr)) {
	walker{e, visit}.walk(expr, nil)
}

type walker struct {
	*environment
	visit func([]string, celast.Expr)
}

func (w walker) walk(node celast.Expr, hidden []string) {
	if path := w.path(node); path != nil {
		if !slices.Contains(hidden, path[0]) {
			w.visit(path, node)
		}
		return
	}
	if node.Kind() == celast.ComprehensionKind {
		loop := node.AsComprehension()
		w.walk(loop.IterRange(), hidden)
		w.walk(loop.AccuInit(), hidden)
		inner := append(slices.Clone(hidden), loop.IterVar(), loop.IterVar2(), loop.AccuVar())
		w.walk(loop.LoopCondition(), inner)
		w.walk(loop.LoopStep(), inner)
		w.walk(loop.Result(), inner)
		return
	}
	for _, child := range children(node) {
		w.walk(child, hidden)
	}
}

// children are the expressions within one that is no loop.
func children(node celast.Expr) []celast.Expr {
	switch node.Kind() {
	case celast.CallKind:
		call := node.AsCall()
		if call.IsMemberFunction() {
			return append([]celast.Expr{call.Target()}, call.Args()...)
		}
		return call.Args()
	case celast.SelectKind:
		return []celast.Expr{node.AsSelect().Operand()}
	case celast.ListKind:
		return node.AsList().Elements()
	case celast.MapKind:
		var list []celast.Expr
		for _, entry := range node.AsMap().Entries() {
			list = append(list, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return list
	case celast.StructKind:
		var list []celast.Expr
		for _, f := range node.AsStruct().Fields() {
			list = append(list, f.AsStructField().Value())
		}
		return list
	case celast.ComprehensionKind, celast.IdentKind, celast.LiteralKind, celast.UnspecifiedExprKind:
	}
	return nil
}

// path returns a selection as names, from its variable on, or nil.
func (e *environment) path(node celast.Expr) []string {
	if name, ok := checkAt(node); ok {
		return []string{variableChecks, name}
	}
	if key, ok := statusAt(node); ok {
		return []string{variableStatus, key}
	}
	var path []string
	for ; node.Kind() == celast.SelectKind; node = node.AsSelect().Operand() {
		path = append(path, node.AsSelect().FieldName())
	}
	if node.Kind() != celast.IdentKind || !e.isVariable(node.AsIdent()) {
		return nil
	}
	path = append(path, node.AsIdent())
	slices.Reverse(path)
	return path
}

// checkAt returns the name in checks["name"].
func checkAt(node celast.Expr) (string, bool) {
	if node.Kind() != celast.CallKind || node.AsCall().FunctionName() != operators.Index {
		return "", false
	}
	args := node.AsCall().Args()
	if !isChecks(args[0]) || args[1].Kind() != celast.LiteralKind {
		return "", false
	}
	name, ok := args[1].AsLiteral().(types.String)
	return string(name), ok
}
