package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
)

// issues puts CEL's messages into ours: an offset in characters, one line each,
// and what may have been meant.
func (e *environment) issues(text string, parsed *cel.Ast, found *cel.Issues) []issue {
	var list []issue
	for _, err := range found.Errors() {
		offset := 0
		if err.Location != nil && err.Location.Line() > 0 {
			offset = offsetOf(text, err.Location.Line(), err.Location.Column())
		}
		list = append(list, issue{atName(text, offset), e.explain(text, oneLine(err.Message), parsed)})
	}
	return list
}

// atName moves from the dot of a selection, which is where CEL sees it, to the
// name that is selected.
func atName(text string, offset int) int {
	if runes := []rune(text); offset < len(runes) && runes[offset] == '.' {
		return offset + 1
	}
	return offset
}

// offsetOf turns a line from 1 and a column from 0 into an offset, all in
// characters.
func offsetOf(text string, line, column int) int {
	offset := 0
	for _, r := range text {
		if line == 1 {
			break
		}
		if r == '\n' {
			line--
		}
		offset++
	}
	return offset + max(0, column)
}

// explain rewrites the messages that people meet most.
func (e *environment) explain(text, message string, parsed *cel.Ast) string {
	if m := regexp.MustCompile(`^undefined field '([^']*)'`).FindStringSubmatch(message); m != nil {
		return unknown("field", m[1], e.fieldsNear(m[1], parsed))
	}
	if m := regexp.MustCompile(`^undeclared reference to '([^']*)'`).FindStringSubmatch(message); m != nil {
		return e.explainName(text, m[1])
	}
	if rest, ok := strings.CutPrefix(message, "Syntax error: "); ok {
		rest, _, _ = strings.Cut(rest, " expecting {")
		return "not an expression: " + rest
	}
	return strings.ReplaceAll(message, "pawl.", "")
}

func (e *environment) explainName(text, name string) string {
	if name == "now" {
		return "there is no clock in a rule: a decision follows from the transition alone"
	}
	if !strings.Contains(text, name+"(") {
		return unknown("variable", name, e.names())
	}
	if near, ok := nearest(name, e.functions()); ok {
		return fmt.Sprintf("unknown function %q, did you mean %q?", name, near)
	}
	return fmt.Sprintf("unknown function %q", name)
}

// functions returns the names of functions and macros, without those of
// operators.
func (e *environment) functions() []string {
	found := []string{"has", "all", "exists", "exists_one", "map", "filter"}
	for name := range e.env.Functions() {
		if !strings.ContainsAny(name, "_@") {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// fieldsNear returns the fields of the variable from which the name was
// selected, all fields where that cannot be told.
func (e *environment) fieldsNear(name string, parsed *cel.Ast) []string {
	var near []string
	celast.PreOrderVisit(parsed.NativeRep().Expr(), celast.NewExprVisitor(func(node celast.Expr) {
		if near != nil || node.Kind() != celast.SelectKind || node.AsSelect().FieldName() != name {
			return
		}
		if path := e.path(node.AsSelect().Operand()); path != nil {
			near = e.fieldNames(path)
		}
	}))
	if near != nil {
		return near
	}
	return append(append(append(near, e.pr.names...), e.transition.names...), e.comment.names...)
}
