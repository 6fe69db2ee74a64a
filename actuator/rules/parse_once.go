package rules

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
)

// parseOnce reads the scope of the keys: a word, or an expression.
func (c checker) parseOnce(r *rule, e entry) {
	text, ok := c.textOf(e, "once")
	if !ok {
		return
	}
	r.once = Once(strings.TrimSpace(text.text))
	if r.once.Valid() {
		return
	}
	if c.isWord(string(r.once)) {
		known := append(names([]Once{OnceTransition, OnceHead, OnceEntity}), slices.Sorted(maps.Keys(c.conditions))...)
		c.fault(text.at, "once: %s", unknown("value", text.text, known))
		return
	}
	env, err := c.environment()
	if err != nil {
		c.fault(text.at, "once: %v", err)
		return
	}
	over, issues := env.scope(text.text, r.absent())
	c.issues(text, "once", issues)
	r.onceOver = over
	if over != nil {
		r.noteReads(c.declarations, over.mentions)
	}
}

var wordPattern = regexp.MustCompile(`^[A-Za-z_-]*$`)

// isWord reports whether a scope is meant as a word.
func (c checker) isWord(text string) bool {
	return wordPattern.MatchString(text) && c.conditions[text] == nil
}

// scope compiles an expression whose value names a scope.
func (e *environment) scope(text string, absent []string) (*expression, []issue) {
	checked, issues := e.compile(text, absent)
	if issues != nil {
		return nil, issues
	}
	kinds := []types.Kind{types.StringKind, types.IntKind, types.BoolKind}
	if !slices.Contains(kinds, checked.OutputType().Kind()) {
		return nil, []issue{{inkAt(text), fmt.Sprintf("want a string, an int or a bool, is a %s", typeName(checked.OutputType()))}}
	}
	made, err := e.expression(oneLine(text), checked)
	if err != nil {
		return nil, []issue{{inkAt(text), err.Error()}}
	}
	return &made, nil
}

// parseAfter reads a duration.
func (c checker) parseAfter(e entry) time.Duration {
	text, ok := "", false
	if !c.isNull(e.value) && c.kindOf(e.value) == "a text" {
		var read scalar
		read, ok = c.text(e.value, "after")
		text = read.text
	}
	after, err := time.ParseDuration(strings.TrimSpace(text))
	switch {
	case !ok || err != nil:
		c.fault(c.place(e), "after: want a duration such as 30m or 336h; the largest unit is the hour")
	case after <= 0:
		c.fault(c.place(e), "after: want a duration above zero; without the key nothing waits")
	}
	return after
}
