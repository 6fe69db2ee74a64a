package rules_test

import (
	"testing"
	"time"

	"pawl/actuator/rules"
	"pawl/schemas"
)

func TestTemplate_WritesEachTypeAsText(t *testing.T) {
	t.Parallel()
	templates, err := rules.NewTemplates()
	if err != nil {
		t.Fatal(err)
	}
	on := transition(func(t *schemas.Transition) {
		t.PullRequest.Labels = []string{"a", "b"}
		t.PullRequest.CreatedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	})
	for _, test := range []struct{ name, text, want string }{
		{"no expression", "as it is }} {", "as it is }} {"},
		{"string", "{{pr.title}}", "Add a pawl"},
		{"int", "#{{ pr.number }}", "#7"},
		{"bool", "{{pr.draft}}", "false"},
		{"list", "{{pr.labels}}", "a, b"},
		{"list of numbers", "{{[1, 2]}}", "1, 2"},
		{"empty list", "[{{[]}}]", "[]"},
		{"time", "{{pr.created_at}}", "2026-01-02T02:04:05Z"},
		{"unknown time", "[{{pr.merged_at}}]", "[]"},
		{"null", "[{{null}}]", "[]"},
		{"either text or list", "{{transition.to}}", "automerge"},
		{"duration", "{{duration('90s')}}", "90s"},
		{"double", "{{1.5}} {{2u}}", "1.5 2"},
		{"several", "{{pr.number}}{{pr.number}} é{{pr.number}}", "77 é7"},
		{"braces in a string", `{{"}}"}} {{'{{'}} {{"""}}"}}"""}}`, `}} {{ }}"}}`},
		{"a quote in a string", `{{"\"}}"}} {{r"\"}}`, `"}} \`},
		{"braces of a map", `{{{"a":{"b":"c"}}["a"]["b"]}}`, "c"},
		{"lines within", "{{\n pr.number\n}}", "7"},
		{"extension", `{{ pr.labels.join("+") }} {{ "%s-%d".format([pr.title, pr.number]) }}`, "a+b Add a pawl-7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := templates.Render(test.text, on)
			if err != nil || got != test.want {
				t.Errorf("%q, %v, want %q", got, err, test.want)
			}
		})
	}
}
