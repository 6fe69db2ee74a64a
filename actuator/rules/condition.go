package rules

import (
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// condition is a shared condition, which rules and other conditions ask for by
// its name.
type condition struct {
	name    string
	text    string // as written
	at      position
	clauses []clause
	uses    []*condition
	// asks is, of each variable that can be null and that it asks for, a field; empty
	// where it asks whether there is one.
	asks map[string]string
}

// clause is one part of a condition: what stands between two &&.
type clause struct {
	expression
	named *condition // of a part that is the name of a condition and no more
	id    int
	json  string // text, as the beginning of an object
}

// answer is what became of one clause.
type answer struct {
	is    ref.Val // true, false, unknown, or nil
	err   error
	asked bool
}

// verdict is the answer of a condition: the clause that is false, or the clause
// that cannot be evaluated, or the one that depends on what is not known, or
// none of these.
type verdict struct {
	clauses []clause
	answers []answer
	outcome ref.Val // true, false, unknown, or nil where err is set
	failed  *clause
	err     error
}

var errNotBool = errors.New("it is neither true nor false")

// ask evaluates the clauses. One that is false decides, even after one that
// cannot be evaluated, as && does in CEL. Those after it are asked too if they
// are cheap: people want to know everything that is missing, not the first.
func (v *variables) ask(clauses []clause) *verdict {
	f := &verdict{clauses: clauses, answers: make([]answer, len(clauses)), outcome: types.True}
	for i := range clauses {
		c := &clauses[i]
		decided := f.outcome == types.False
		if decided && !c.cheap && !v.everything {
			continue
		}
		a := v.evaluate(c)
		f.answers[i] = a
		if decided {
			continue
		}
		v.cover.saw(c, a)
		switch {
		case a.is == types.False:
			f.outcome, f.failed, f.err = types.False, c, nil
		case a.is == types.True:
		case f.outcome == types.True, f.err != nil && a.err == nil: // unknown wins over an error, as in CEL
			f.outcome, f.failed, f.err = a.is, c, a.err
		}
	}
	return f
}

func (v *variables) evaluate(c *clause) answer {
	value, err := c.evaluate(v)
	switch {
	case err != nil:
		return answer{err: err, asked: true}
	case value == types.True, value == types.False, types.IsUnknown(value):
		return answer{is: value, asked: true}
	}
	return answer{err: errNotBool, asked: true} // unreachable unless a checked bool is none
}

// answer asks a shared condition, once for all who use it.
func (v *variables) answer(c *condition) *verdict {
	if held, ok := v.answers[c]; ok {
		return held
	}
	if v.answers == nil {
		v.answers = make(map[*condition]*verdict, len(v.conditions))
	}
	v.answers[c] = v.ask(c.clauses)
	return v.answers[c]
}

// value is the verdict as the value of a variable.
func (f *verdict) value() ref.Val {
	if f.err != nil {
		return types.WrapErr(f.err)
	}
	return f.outcome
}

// show writes the verdict as the value of a variable.
func (f *verdict) show() string {
	switch {
	case f.err != nil:
		return fmt.Sprintf("error (%s: %v)", f.failed.text, f.err)
	case f.outcome == types.True:
		return "true"
	case f.outcome == types.False:
		return "false (" + f.failed.text + " is false)"
	}
	return "unknown"
}

// denial says which part is false and by which values; with the variables of an
// earlier time also what they were.
func (f *verdict) denial(v, before *variables) string {
	text := cut(f.failed.text, conditionWidth) + " is false"
	if f.failed.named != nil {
		return text + ": " + v.answer(f.failed.named).denial(v, before)
	}
	return text + f.values(v, before)
}

// failure says which part cannot be evaluated, why, and on which values.
func (f *verdict) failure(v *variables) string {
	text := cut(f.failed.text, conditionWidth) + " cannot be evaluated: "
	if f.failed.named != nil {
		return text + v.answer(f.failed.named).failure(v)
	}
	return text + f.err.Error() + f.values(v, nil)
}

func (f *verdict) values(v, before *variables) string {
	var texts []string
	for _, m := range f.failed.mentions {
		now := v.show(m)
		text := m.name + " = " + now
		if before != nil {
			if was := before.show(m); was != now {
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
