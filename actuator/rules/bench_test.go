package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"pawl/schemas"
)

// BenchmarkDecide asks 50 rules that all listen: most say no at once, some late,
// a few want a mutation.
func BenchmarkDecide(b *testing.B) {
	var text strings.Builder
	text.WriteString("rules:\n")
	for i := range 50 {
		fmt.Fprintf(&text, "  - name: rule-%d\n    on: [labels_changed]\n", i)
		fmt.Fprintf(&text, "    when: pr.state == \"open\" && !pr.draft && %q in pr.labels && pr.approvals >= 1\n", fmt.Sprintf("label-%d", i%10))
		text.WriteString("    mutate: {comment: {body: \"{{pr.title}} (#{{pr.number}})\"}}\n")
	}
	set := parse(b, text.String())
	on := transition(func(t *schemas.Transition) { t.PullRequest.Labels = []string{"label-3", "size/XS"} })
	b.ReportAllocs()
	for b.Loop() {
		if got := len(set.Decide(on)); got != 50 {
			b.Fatalf("%d decisions", got)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/50, "ns/rule")
}

// BenchmarkParse reads a file with one rule, most of which is making the
// environment of CEL.
func BenchmarkParse(b *testing.B) {
	text := []byte("rules:\n" + strings.Repeat("  - {on: [merged], when: 'pr.draft && pr.approvals > 1', mutate: {comment: {body: '{{pr.title}}'}}, name: x}\n", 1))
	b.ReportAllocs()
	for b.Loop() {
		parse(b, string(text))
	}
}
