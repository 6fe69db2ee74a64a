package rules

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"pawl/schemas"
)

// Widths of what a reason quotes, in characters.
const (
	conditionWidth = 160
	valueWidth     = 80
)

// verdict is the answer of a condition: the part that is false, or the part
// that cannot be evaluated, or neither.
type verdict struct {
	failed *expression
	err    error
}

var errNotBool = errors.New("it is neither true nor false")

// ask evaluates the parts of the condition. One that is false decides, even
// after one that cannot be evaluated, as && does in CEL.
func (r *rule) ask(v *variables) verdict {
	var broken verdict
	for i := range r.conditions {
		value, err := r.conditions[i].evaluate(v)
		switch {
		case err == nil && value == types.False:
			return verdict{failed: &r.conditions[i]}
		case err == nil && value != types.True: // unreachable unless a checked bool is none
			err = errNotBool
		}
		if err != nil && broken.err == nil {
			broken = verdict{failed: &r.conditions[i], err: err}
		}
	}
	return broken
}

// denial says which part is false and by which values; with the variables of an
// earlier time also what they were.
func (f verdict) denial(v, before *variables) string {
	return cut(f.failed.text, conditionWidth) + " is false" + f.values(v, before)
}

// failure says which part cannot be evaluated, why, and on which values.
func (f verdict) failure(v *variables) string {
	return fmt.Sprintf("%s cannot be evaluated: %v%s", cut(f.failed.text, conditionWidth), f.err, f.values(v, nil))
}

func (f verdict) values(v, before *variables) string {
	var texts []string
	for _, path := range f.failed.fields {
		now := v.show(path)
		text := strings.Join(path, ".") + " = " + now
		if before != nil {
			if was := before.show(path); was != now {
				text += " (was " + was + ")"
			}
		}
		texts = append(texts, text)
	}
	if texts == nil {
		return ""
	}
	return ": " + strings.Join(texts, ", ")
}

// show writes the value under a path for people.
func (v *variables) show(path []string) string {
	value, ok := v.at(path)
	if !ok {
		return "null"
	}
	return cut(show(value), valueWidth)
}

func show(value ref.Val) string {
	switch value := value.(type) {
	case types.String:
		return strconv.Quote(string(value))
	case types.Timestamp:
		return value.UTC().Format(time.RFC3339)
	case types.Null:
		return "null"
	case *object:
		return showObject(value)
	case traits.Lister:
		var texts []string
		for it := value.Iterator(); it.HasNext() == types.True; {
			texts = append(texts, show(it.Next()))
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return fmt.Sprint(value.Value())
}

func showObject(o *object) string {
	for _, name := range []string{"entity_key", "id", "delivery_id", "login"} {
		if value, ok := o.field(name); ok {
			return show(value)
		}
	}
	return strings.ToLower(o.declared.name)
}

// consent says how far the mutations reach: once within what, under which keys.
func (r *rule) consent(t schemas.Transition, mutations []Mutation) string {
	var b strings.Builder
	b.WriteString("the condition holds")
	if len(r.conditions) == 0 {
		b.Reset()
		b.WriteString("there is no condition")
	}
	fmt.Fprintf(&b, "; once per %s %s", r.once, r.scopeValue(t))
	for _, m := range mutations {
		fmt.Fprintf(&b, ", %s under key %s", m.Kind, m.Key)
	}
	return b.String()
}

func (r *rule) scopeValue(t schemas.Transition) string {
	switch r.once {
	case OnceTransition:
		return string(t.ID)
	case OnceHead:
		return cut(t.PullRequest.HeadSHA, valueWidth)
	case OnceEntity:
		return cut(string(actedOn(t)), valueWidth)
	}
	return ""
}

// cut shortens a text to a number of characters.
func cut(text string, width int) string {
	if len(text) <= width {
		return text
	}
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(slices.Concat(runes[:width-1], []rune("…")))
}
