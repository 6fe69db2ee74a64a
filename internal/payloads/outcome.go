package payloads

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pawl/schemas"
)

// Outcome is what became of one sample.
type Outcome struct {
	Name    string
	Event   string
	Action  string
	Verdict schemas.Verdict
	Reason  string
	// Into is what it was folded into, sorted.
	Into []string
}

// Forge returns the forge that the sample is of.
func (o Outcome) Forge() Forge { return Sample{Name: o.Name}.Forge() }

// end is how a delivery ended, as a person wants to know it.
func (o Outcome) end() string {
	switch o.Verdict {
	case schemas.Applied:
		return strings.Join(o.Into, ", ")
	case schemas.Ignored, schemas.Unchanged, schemas.Stale, schemas.Duplicate, schemas.Dead:
	}
	return string(o.Verdict) + ": " + o.Reason
}

// line is a line of the table: the samples of one event that ended the same way.
type line struct {
	event   string
	verdict schemas.Verdict
	end     string
}

func compareLines(a, b line) int {
	return cmp.Or(cmp.Compare(a.event, b.event), cmp.Compare(a.verdict, b.verdict), cmp.Compare(a.end, b.end))
}

// tally is what stands in a line beside its name.
type tally struct {
	actions map[string]bool
	files   int
}

// Table returns the table of a forge: event by verdict by what it was folded
// into. Dead ones have one line an event; Dead tells of each.
func Table(of Forge, outcomes []Outcome) string {
	lines := make(map[line]*tally)
	for _, outcome := range outcomes {
		if outcome.Forge() != of {
			continue
		}
		key := line{outcome.Event, outcome.Verdict, outcome.end()}
		if outcome.Verdict == schemas.Dead {
			key.end = "dead letter, see below"
		}
		if lines[key] == nil {
			lines[key] = &tally{actions: make(map[string]bool)}
		}
		lines[key].files++
		if outcome.Action != "" {
			lines[key].actions[outcome.Action] = true
		}
	}
	var text strings.Builder
	text.WriteString("| event | actions | verdict | folded into | files |\n|---|---|---|---|---|\n")
	for _, key := range slices.SortedFunc(maps.Keys(lines), compareLines) {
		actions := strings.Join(slices.Sorted(maps.Keys(lines[key].actions)), ", ")
		fmt.Fprintf(&text, "| `%s` | %s | %s | %s | %d |\n", key.event, cell(actions), key.verdict, cell(key.end), lines[key].files)
	}
	return text.String()
}

// cell keeps a text inside one cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
