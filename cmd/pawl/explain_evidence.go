package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// print tells how a mutation stands, and below it on what evidence.
func (m toldMutation) print(out io.Writer, c palette, indent string) {
	fmt.Fprintf(out, "%s%s %s%s\n", indent, m.Kind, c.state(m.State), c.dim(because(m.Reason)))
	for _, f := range m.evidence() {
		if f.text != "" {
			fmt.Fprintf(out, "%s  %s\n", indent, c.dim(f.name+" "+oneLine(f.text, evidenceWidth)))
		}
	}
}

// evidenceWidth bounds a line of evidence, in characters.
const evidenceWidth = 200

// evidence is what an attempt saw, sent and was answered, and what is waited for.
func (m toldMutation) evidence() []fact {
	return []fact{
		{"seen:", text(m.Seen)},
		{"sent:", text(m.Sent)},
		{"answer:", text(m.Answer)},
		{"attempts:", m.attempts()},
		{"due:", m.due()},
	}
}

// attempts counts those that were begun, where one was not enough.
func (m toldMutation) attempts() string {
	if m.Attempt < 2 {
		return ""
	}
	return fmt.Sprint(m.Attempt)
}

// due says when it is tried, or that a person is waited for.
func (m toldMutation) due() string {
	switch schemas.MutationState(m.State) {
	case schemas.MutationWaiting, schemas.MutationPending:
		if m.DueAt == nil {
			return "when a person retries or drops the one before it: pawl dead-letters list"
		}
		return *m.DueAt
	case schemas.MutationPlanned, schemas.MutationClaimed, schemas.MutationDone, schemas.MutationSkipped,
		schemas.MutationCancelled, schemas.MutationDead:
	}
	return ""
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// valuesText writes the parts of a condition on a line.
func valuesText(values json.RawMessage) string {
	parts, _ := read[[]rules.Part](values)
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = partText(part)
	}
	return oneLine(strings.Join(texts, "; "), 2*evidenceWidth)
}

// partText writes one part, with its value and the values in it.
func partText(part rules.Part) string {
	if part.Text == "" {
		return fmt.Sprintf("and %d more", part.More)
	}
	text := part.Text + " " + standsFor(part)
	var values []string
	for _, name := range slices.Sorted(maps.Keys(part.Variables)) {
		values = append(values, name+" = "+part.Variables[name])
	}
	if values != nil {
		text += " (" + strings.Join(values, ", ") + ")"
	}
	return text
}

// standsFor says what a part came to.
func standsFor(part rules.Part) string {
	switch {
	case part.Error != "":
		return "cannot be evaluated: " + part.Error
	case part.Depends:
		return "depends on the transition"
	case part.Value == nil:
		return "was not asked"
	case *part.Value:
		return "is true"
	}
	return "is false"
}
