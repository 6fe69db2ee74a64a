package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// template is a text with {{ expressions }} in it.
type template struct {
	text  string
	parts []part
}

// part is a piece of text, or an expression.
type part struct {
	text       string
	expression *expression
}

// MarshalJSON writes the text, for the hash of the rules.
func (t template) MarshalJSON() ([]byte, error) { return json.Marshal(t.text) }

// segment is a piece of a template before it is compiled.
type segment struct {
	text         string
	isExpression bool
	offset       int // of the text, in characters
}

var (
	errUnclosed = errors.New(`"{{" without "}}"`)
	errEmpty    = errors.New(`"{{ }}" has no expression`)
)

// split cuts a template into texts and expressions. The "}}" that ends an
// expression is the first one outside of its strings and braces. On an error
// the offset is of the "{{".
func split(text string) (segments []segment, offset int, err error) {
	rest := []rune(text)
	at := 0
	for {
		open := indexPair(rest, '{')
		if open < 0 {
			return appendText(segments, rest, at), 0, nil
		}
		segments = appendText(segments, rest[:open], at)
		length := expressionLength(rest[open+2:])
		if length < 0 {
			return nil, at + open, errUnclosed
		}
		inner := string(rest[open+2 : open+2+length])
		if strings.TrimSpace(inner) == "" {
			return nil, at + open, errEmpty
		}
		segments = append(segments, segment{inner, true, at + open + 2})
		at += open + length + 4
		rest = rest[open+length+4:]
	}
}

func appendText(segments []segment, text []rune, at int) []segment {
	if len(text) == 0 {
		return segments
	}
	return append(segments, segment{string(text), false, at})
}

func indexPair(text []rune, r rune) int {
	for i := range len(text) - 1 {
		if text[i] == r && text[i+1] == r {
			return i
		}
	}
	return -1
}

// expressionLength returns how long the expression at the start of text is, or
// -1 if it does not end.
func expressionLength(text []rune) int {
	depth := 0
	for i := 0; i < len(text); {
		switch {
		case text[i] == '"' || text[i] == '\'':
			i += stringLength(text[i:], isRaw(text, i))
			continue
		case text[i] == '{':
			depth++
		case text[i] == '}' && depth > 0:
			depth--
		case text[i] == '}' && i+1 < len(text) && text[i+1] == '}':
			return i
		}
		i++
	}
	return -1
}

// isRaw reports whether the string that begins at i is one without escapes:
// r"…", which can also be written R, br or rb.
func isRaw(text []rune, i int) bool {
	for j := i - 1; j >= max(0, i-2); j-- {
		switch text[j] {
		case 'r', 'R':
			return true
		case 'b', 'B':
		default:
			return false
		}
	}
	return false
}

// stringLength returns the length of the string literal at the start of text.
func stringLength(text []rune, raw bool) int {
	quote := text[:1]
	if len(text) >= 3 && text[1] == text[0] && text[2] == text[0] {
		quote = text[:3]
	}
	for i := len(quote); i < len(text); i++ {
		if text[i] == '\\' && !raw {
			i++
			continue
		}
		if strings.HasPrefix(string(text[i:min(len(text), i+len(quote))]), string(quote)) {
			return i + len(quote)
		}
	}
	return len(text)
}

// template compiles a text.
func (e *environment) template(text string, absent []string) (template, []issue) {
	segments, offset, err := split(text)
	if err != nil {
		return template{}, []issue{{offset, err.Error()}}
	}
	made := template{text: text}
	var issues []issue
	for _, s := range segments {
		if !s.isExpression {
			made.parts = append(made.parts, part{text: s.text})
			continue
		}
		compiled, found := e.rendered(s.text, absent)
		for _, i := range found {
			issues = append(issues, issue{s.offset + i.offset, i.message})
		}
		made.parts = append(made.parts, part{expression: compiled})
	}
	return made, issues
}

// rendered compiles an expression whose value can be written as text.
func (e *environment) rendered(text string, absent []string) (*expression, []issue) {
	checked, issues := e.compile(text, absent)
	if issues != nil {
		return nil, issues
	}
	start := inkAt(text)
	if !renders(checked.OutputType()) {
		return nil, []issue{{start, fmt.Sprintf("a %s cannot be written as text", typeName(checked.OutputType()))}}
	}
	compiled, err := e.expression(oneLine(text), checked)
	if err != nil {
		return nil, []issue{{start, err.Error()}}
	}
	return &compiled, nil
}

// renders reports whether values of the type can be written as text.
func renders(t *cel.Type) bool {
	if t.Kind() == types.ListKind {
		element := t.Parameters()[0]
		return element.Kind() != types.ListKind && renders(element)
	}
	return slices.Contains([]types.Kind{
		types.StringKind, types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind,
		types.TimestampKind, types.DurationKind, types.NullTypeKind, types.DynKind, types.TypeParamKind,
	}, t.Kind())
}

func typeName(t *cel.Type) string {
	if t.Kind() == types.DynKind {
		return "value of any type"
	}
	return strings.ReplaceAll(cel.FormatCELType(t), "pawl.", "")
}

// render writes the template with the values of the variables.
func (t template) render(v *variables) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expression == nil {
			b.WriteString(p.text)
			continue
		}
		value, err := p.expression.evaluate(v)
		if err != nil {
			return "", fmt.Errorf("{{%s}} cannot be evaluated: %w", cut(p.expression.text, conditionWidth), err)
		}
		text, err := written(value)
		if err != nil {
			return "", fmt.Errorf("{{%s}} cannot be written: %w", cut(p.expression.text, conditionWidth), err)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// written turns a value into text: a list joined by commas, a time in RFC 3339,
// null as nothing.
func written(value ref.Val) (string, error) {
	switch value := value.(type) {
	case types.Null:
		return "", nil
	case types.String:
		return string(value), nil
	case types.Timestamp:
		return value.UTC().Format(time.RFC3339Nano), nil
	case types.Bool, types.Int, types.Uint, types.Double, types.Duration:
		text, ok := value.ConvertToType(types.StringType).(types.String)
		if !ok { // unreachable unless CEL stops writing its own scalars
			return "", fmt.Errorf("a %s is no text", value.Type().TypeName())
		}
		return string(text), nil
	case traits.Lister:
		return writtenList(value)
	}
	return "", fmt.Errorf("a %s is no text", strings.TrimPrefix(value.Type().TypeName(), "pawl."))
}

func writtenList(list traits.Lister) (string, error) {
	var texts []string
	for it := list.Iterator(); it.HasNext() == types.True; {
		element := it.Next()
		if _, nested := element.(traits.Lister); nested {
			return "", errors.New("a list in a list is no text")
		}
		text, err := written(element)
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", "), nil
}
