package rules

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// Widths of what a reason quotes, in characters.
const (
	conditionWidth = 160
	valueWidth     = 80
)

// shown is a value as people read it, and the same as JSON. They are kept,
// because the rules of a file ask for the same few values.
type shown struct{ text, json string }

// show writes what a mention stands for.
func (v *variables) show(m *mention) string {
	return v.showing(m).text
}

func (v *variables) showing(m *mention) *shown {
	if m.id >= len(v.shown) {
		v.shown = append(v.shown, make([]shown, len(v.mentions.byName)-len(v.shown))...)
	}
	s := &v.shown[m.id]
	if s.text == "" {
		text := v.write(m)
		s = &v.shown[m.id] // to write may have been to show others
		s.text, s.json = text, jsonText(text)
	}
	return s
}

func (v *variables) write(m *mention) string {
	if c := v.conditions[m.path[0]]; c != nil {
		return cut(v.answer(c).show(), valueWidth)
	}
	value, ok := v.at(m.path)
	if !ok {
		return "null"
	}
	return cut(show(value), valueWidth)
}

// show writes a value for people; of a long one no more than is quoted.
func show(value ref.Val) string {
	switch value := value.(type) {
	case types.String:
		return strconv.Quote(cutWithin(string(value)))
	case types.Timestamp:
		return value.UTC().Format(time.RFC3339)
	case types.Null:
		return "null"
	case *types.Unknown:
		return "unknown"
	case *object:
		return showObject(value)
	case traits.Mapper:
		return "{" + showEach(value, func(key ref.Val) string { return show(key) + ": " + show(value.Get(key)) }) + "}"
	case traits.Lister:
		return "[" + showEach(value, show) + "]"
	}
	return fmt.Sprint(value.Value())
}

func showEach(list traits.Iterable, write func(ref.Val) string) string {
	var b strings.Builder
	for it := list.Iterator(); it.HasNext() == types.True && b.Len() <= 4*valueWidth; {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(write(it.Next()))
	}
	return b.String()
}

// showObject names an object by what people know it by.
func showObject(o *object) string {
	for _, names := range [][]string{{"entity_key"}, {"delivery_id"}, {"id"}, {"name", "state"}, {"author", "state"}, {"login"}} {
		var texts []string
		for _, name := range names {
			if value, ok := o.field(name); ok {
				texts = append(texts, show(value))
			}
		}
		if len(texts) == len(names) {
			return strings.Join(texts, " ")
		}
	}
	return strings.ToLower(o.declared.name)
}

// cutWithin bounds a text that is quoted and cut afterwards.
func cutWithin(text string) string {
	if len(text) <= 4*valueWidth {
		return text
	}
	return cut(text, 2*valueWidth)
}

// cut shortens a text to a number of characters.
func cut(text string, width int) string {
	if len(text) <= width {
		return text
	}
	taken := 0
	for i := range text {
		if taken == width-1 {
			if _, size := utf8.DecodeRuneInString(text[i:]); i+size == len(text) {
				return text
			}
			return text[:i] + "…"
		}
		taken++
	}
	return text
}
