package rules_test

import (
	"maps"
	"strings"
	"testing"

	"pawl/actuator/rules"
)

func TestLimits_Refuse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		limits  rules.Limits
		counted map[string]int
		want    string // "" is that it is counted
	}{
		{"none", rules.Limits{}, map[string]int{"r": 99}, ""},
		{"first", rules.Limits{PerRule: 1, PerEntity: 1}, map[string]int{}, ""},
		{"last of the rule", rules.Limits{PerRule: 3}, map[string]int{"r": 2, "other": 9}, ""},
		{"beyond the rule's", rules.Limits{PerRule: 3}, map[string]int{"r": 3}, "rule r has made 3 mutations of github.com:101#7 within an hour"},
		{"last of the entity", rules.Limits{PerEntity: 3}, map[string]int{"r": 1, "other": 1}, ""},
		{"beyond the entity's", rules.Limits{PerEntity: 3}, map[string]int{"r": 1, "other": 2}, "the rules have made 3 mutations of github.com:101#7"},
		{"beyond both", rules.Limits{PerRule: 1, PerEntity: 1}, map[string]int{"r": 1}, "rule r has made 1 mutations"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := maps.Clone(tt.counted)
			got := tt.limits.Refuse(tt.counted, "r", "github.com:101#7")
			if (got == "") != (tt.want == "") || !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if tt.want == "" {
				before["r"]++
			}
			if !maps.Equal(tt.counted, before) {
				t.Errorf("counted: got %v, want %v", tt.counted, before)
			}
		})
	}
}
