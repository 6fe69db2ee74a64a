package rules

import (
	"fmt"
	"strings"
	"time"

	"pawl/schemas"
)

// consent says how far the mutations reach: once within what, under which keys.
func (r *rule) consent(scope string, mutations []Mutation) string {
	var b strings.Builder
	b.WriteString("the condition holds")
	if len(r.clauses) == 0 {
		b.Reset()
		b.WriteString("there is no condition")
	}
	if r.after > 0 {
		fmt.Fprintf(&b, "; waits %s", span(r.after))
	}
	fmt.Fprintf(&b, "; once per %s %s", cut(string(r.once), conditionWidth), cut(scope, valueWidth))
	for _, m := range mutations {
		fmt.Fprintf(&b, ", %s under key %s", m.Kind, m.Key)
	}
	return b.String()
}

// span writes a duration as people write it: 336h, and not 336h0m0s.
func span(d time.Duration) string {
	text := d.String()
	if trimmed, ok := strings.CutSuffix(text, "m0s"); ok {
		text = trimmed + "m"
	}
	if trimmed, ok := strings.CutSuffix(text, "h0m"); ok {
		text = trimmed + "h"
	}
	return text
}

// short writes the value of a scope of a transition for people.
func (s scope) short(t schemas.Transition) string {
	if s.once == OnceEntity {
		return string(actedOn(t))
	}
	return s.value
}
