package rules

import (
	"regexp"
	"slices"
	"strings"
)

// namePattern is what the name of a shared condition looks like: an expression
// asks for it like for a variable.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// taken are names that mean something else in an expression.
func (d *document) taken(name string) bool {
	return slices.Contains(variableNames(), name) || slices.Contains([]string{
		"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop", "namespace",
		"null", "package", "return", "true", "var", "void", "while",
		"bool", "bytes", "double", "duration", "dyn", "int", "list", "map", "null_type", "string", "timestamp", "type", "uint",
		"cel", "google", "has", "math", "now", "pawl", "sets", "strings",
	}, name)
}

// parseConditions reads the shared conditions. All are declared before one is
// compiled: they use each other in any order.
func (c checker) parseConditions(e entry) {
	if c.isNull(e.value) {
		return
	}
	entries, ok := c.entries(e.value)
	if !ok {
		c.fault(c.position(e.value), "conditions: want a map of names to conditions, got %s", c.kindOf(e.value))
		return
	}
	texts := make(map[string]scalar)
	for _, e := range entries {
		switch {
		case !namePattern.MatchString(e.key):
			c.fault(e.at, "conditions: %q: want a lower-case letter, then letters, digits and underscores", e.key)
			continue
		case c.taken(e.key):
			c.fault(e.at, "conditions: %s means something else in an expression", e.key)
			continue
		}
		c.conditions[e.key] = &condition{name: e.key, at: e.at}
		if text, ok := c.condition(e, "condition "+e.key); ok {
			texts[e.key] = text
			c.conditions[e.key].text = strings.TrimSpace(text.text)
		}
	}
	for _, e := range entries {
		if text, ok := texts[e.key]; ok {
			c.compileCondition(c.conditions[e.key], text)
		}
	}
	c.spread(entries)
}

func (c checker) compileCondition(made *condition, text scalar) {
	what := "condition " + made.name
	env, err := c.environment()
	if err != nil {
		c.fault(text.at, "%s: %v", what, err)
		return
	}
	clauses, checked, issues := env.condition(text.text, nil)
	c.issues(text, what, issues)
	if issues == nil {
		made.clauses = clauses
		made.uses, made.asks = env.usesOf(checked)
	}
}

// spread finds circles, and then what conditions ask of variables that can be null
// through others.
func (c checker) spread(entries []entry) {
	for _, e := range entries {
		made := c.conditions[e.key]
		if made == nil {
			continue
		}
		if circle := made.circle(); circle != nil {
			c.fault(e.at, "condition %s: it uses itself: %s", e.key, strings.Join(circle, " → "))
		}
	}
	done := make(map[*condition]bool)
	for _, made := range c.conditions {
		made.inherit(done)
	}
}

// circle returns the names from the condition back to itself, or nil.
func (c *condition) circle() []string { return c.pathTo(c, make(map[*condition]bool)) }

func (c *condition) pathTo(target *condition, passed map[*condition]bool) []string {
	for _, used := range c.uses {
		if used == target {
			return []string{c.name, used.name}
		}
		if passed[used] {
			continue
		}
		passed[used] = true
		if rest := used.pathTo(target, passed); rest != nil {
			return append([]string{c.name}, rest...)
		}
	}
	return nil
}

// inherit takes over what the used conditions ask of variables that can be null.
func (c *condition) inherit(done map[*condition]bool) {
	if done[c] {
		return
	}
	done[c] = true
	for _, used := range c.uses {
		used.inherit(done)
		for variable, field := range used.asks {
			if _, told := c.asks[variable]; !told {
				c.asks[variable] = field
			}
		}
	}
}
