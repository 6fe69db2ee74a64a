package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"pawl/schemas"
)

// textLimit bounds the texts that people read, in characters. GitHub takes
// 65,536, of which our marker needs some.
const textLimit = 65_000

// template compiles the template of a key.
func (c mutationChecker) template(node ast.Node, what string) template {
	text, ok := c.text(node, what)
	if !ok {
		return template{}
	}
	env, err := c.environment()
	if err != nil {
		c.fault(text.at, "%s: %v", what, err)
		return template{}
	}
	if strings.TrimSpace(text.text) == "" {
		c.fault(text.at, "%s is empty", what)
	}
	made, issues := env.template(text.text, c.rule.absent())
	c.issues(text, what, issues)
	for _, p := range made.parts {
		if p.expression != nil {
			c.rule.noteReads(c.declarations, p.expression.mentions)
		}
	}
	return made
}

// literal returns the text of a template without expressions; empty is none.
func (t template) literal() (string, bool) {
	if len(t.parts) != 1 || t.parts[0].expression != nil {
		return "", false
	}
	return strings.TrimSpace(t.parts[0].text), true
}

// fields are the keys of one mutation.
type fields struct {
	mutationChecker
	kind schemas.MutationKind
	at   position
	keys map[string]entry
}

// fields reads the keys of a mutation that has some.
func (c mutationChecker) fields(e entry, known ...string) (fields, bool) {
	keys, ok := c.mapping(e.value, e.key, known...)
	return fields{c, schemas.MutationKind(e.key), e.at, keys}, ok
}

func (f fields) has(key string) bool {
	_, ok := f.keys[key]
	return ok
}

func (f fields) name(key string) string { return string(f.kind) + "." + key }

// required reads a text that must be there.
func (f fields) required(key string) template {
	e, ok := f.keys[key]
	if !ok {
		f.fault(f.at, "%s: %s is missing", f.kind, key)
		return template{}
	}
	return f.template(e.value, f.name(key))
}

// optional reads a text that may be there.
func (f fields) optional(key string) *template {
	e, ok := f.keys[key]
	if !ok {
		return nil
	}
	made := f.template(e.value, f.name(key))
	return &made
}

// flag reads true or false.
func (f fields) flag(key string, otherwise bool) bool {
	e, ok := f.keys[key]
	if !ok {
		return otherwise
	}
	value, ok := f.bare(e.value).(*ast.BoolNode)
	if !ok {
		f.fault(f.place(e), "%s: want true or false, got %s", f.name(key), f.kindOf(e.value))
		return otherwise
	}
	return value.Value
}

// word holds a text to a list of words, if it is known before it is rendered.
func (f fields) word(key string, t *template, list []string) {
	if t == nil {
		return
	}
	if text, ok := t.literal(); ok && !slices.Contains(list, text) {
		f.fault(f.place(f.keys[key]), "%s: %s", f.name(key), unknown("value", text, list))
	}
}

// link holds a text to what a link is.
func (f fields) link(key string, t *template) {
	if t == nil {
		return
	}
	if text, ok := t.literal(); ok && !isLink(text) {
		f.fault(f.place(f.keys[key]), "%s: want an address that begins with https:// or http://", f.name(key))
	}
}

var linkPattern = regexp.MustCompile(`^https?://[^\s/?#]+\S*$`)

func isLink(text string) bool { return linkPattern.MatchString(text) }

// isNothing reports whether a mutation is written without parameters: nothing,
// {} or true.
func (c mutationChecker) isNothing(e entry) bool {
	if c.isNull(e.value) {
		return true
	}
	if value, ok := c.bare(e.value).(*ast.BoolNode); ok {
		return value.Value
	}
	entries, ok := c.entries(e.value)
	return ok && len(entries) == 0
}

// rendered writes a text of which something must be left.
func (t template) rendered(v *variables, what string) (string, error) {
	text, err := t.render(v)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("%s: nothing is left of the text", what)
	}
	return text, nil
}

// renderedLine is rendered without blanks around it.
func (t template) renderedLine(v *variables, what string) (string, error) {
	text, err := t.rendered(v, what)
	return strings.TrimSpace(text), err
}

// renderedWord writes one of a list of words.
func (t template) renderedWord(v *variables, what string, list []string) (string, error) {
	text, err := t.renderedLine(v, what)
	if err == nil && !slices.Contains(list, text) {
		return "", fmt.Errorf("%s: %q is none of %s", what, cut(text, valueWidth), strings.Join(list, ", "))
	}
	return text, err
}

// renderOptional writes a text that may be absent, without blanks around it.
func renderOptional(what string, t *template, v *variables) (string, error) {
	if t == nil {
		return "", nil
	}
	text, err := t.render(v)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return strings.TrimSpace(text), nil
}

// renderLink writes a link that may be absent.
func renderLink(what string, t *template, v *variables) (string, error) {
	text, err := renderOptional(what, t, v)
	if err == nil && text != "" && !isLink(text) {
		return "", fmt.Errorf("%s: %q is no address that begins with https:// or http://", what, cut(text, valueWidth))
	}
	return text, err
}
