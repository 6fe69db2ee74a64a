package rules

import (
	"encoding/json"
	"strconv"

	"cel.dev/cel-go/common/types"
)

// valuesLimit bounds the values that a decision carries, in bytes.
const valuesLimit = 4096

// Part is one part of a condition, as it was found.
type Part struct {
	Text string `json:"text,omitempty"`
	// Value is nil where the part was not asked, cannot be evaluated, or depends
	// on the transition.
	Value *bool  `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
	// Depends: it depends on a transition, and none is there.
	Depends bool `json:"depends,omitempty"`
	// Variables are the values in it, as people read them: cut to 80 characters.
	Variables map[string]string `json:"variables,omitempty"`
	// Parts are those of the shared condition that this part names.
	Parts []Part `json:"parts,omitempty"`
	// More counts the parts that were left out to be short.
	More int `json:"more,omitempty"`
}

// values writes the parts of a condition as a list of Part. It is written by
// hand, because it is written for each decision: names and texts are JSON since
// the rules were loaded, values since they were first shown.
func (v *variables) values(f *verdict, limit int) json.RawMessage {
	if len(f.clauses) == 0 {
		return nil
	}
	return v.appendParts(make([]byte, 0, 128*len(f.clauses)), f, limit)
}

// spare is what ends a list of parts, at most.
const spare = len(`,{"more":999999}]`)

func (v *variables) appendParts(b []byte, f *verdict, limit int) []byte {
	b = append(b, '[')
	for i := range f.clauses {
		before := len(b)
		if i > 0 {
			b = append(b, ',')
		}
		b = v.appendPart(b, &f.clauses[i], f.answers[i], limit-spare)
		if len(b) > limit-spare {
			b = append(b[:before], comma(i)+`{"more":`...)
			b = append(strconv.AppendInt(b, int64(len(f.clauses)-i), 10), '}')
			break
		}
	}
	return append(b, ']')
}

func comma(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}

func (v *variables) appendPart(b []byte, c *clause, a answer, limit int) []byte {
	b = append(b, c.json...)
	switch {
	case a.err != nil:
		b = append(b, `,"error":`+jsonText(cut(a.err.Error(), conditionWidth))...)
	case a.is == types.True:
		b = append(b, `,"value":true`...)
	case a.is == types.False:
		b = append(b, `,"value":false`...)
	case a.asked:
		b = append(b, `,"depends":true`...)
	}
	if c.named != nil {
		if inner := v.answer(c.named); len(b)+128 < limit {
			b = v.appendParts(append(b, `,"parts":`...), inner, limit-1)
		}
		return append(b, '}')
	}
	return append(v.appendVariables(b, c.mentions, limit-1), '}')
}

// appendVariables writes as many as there is room for.
func (v *variables) appendVariables(b []byte, mentions []*mention, limit int) []byte {
	open := false
	for _, m := range mentions {
		s := v.showing(m)
		if len(b)+len(`,"variables":{}`)+len(m.json)+len(s.json) > limit {
			break
		}
		if open {
			b = append(b, ',')
		} else {
			b, open = append(b, `,"variables":{`...), true
		}
		b = append(append(b, m.json...), s.json...)
	}
	if open {
		b = append(b, '}')
	}
	return b
}
