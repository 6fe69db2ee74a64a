package rules_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// TestVariables_HaveEveryField: a field added to the schemas can be asked for.
func TestVariables_HaveEveryField(t *testing.T) {
	t.Parallel()
	templates, err := rules.NewTemplates()
	if err != nil {
		t.Fatal(err)
	}
	declared := templates.VariableNames()
	for variable, of := range map[string]reflect.Type{
		"pr": reflect.TypeFor[schemas.PullRequest](), "comment": reflect.TypeFor[schemas.Comment](),
		"transition": reflect.TypeFor[schemas.Transition](), "cause": reflect.TypeFor[schemas.Cause](),
		"sender": reflect.TypeFor[schemas.Actor](), "checks": reflect.TypeFor[schemas.PullRequestCheck](),
		"reviews":   reflect.TypeFor[schemas.PullRequestReview](),
		"component": reflect.TypeFor[schemas.StatusComponent](), "incident": reflect.TypeFor[schemas.StatusIncident](),
	} {
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if kind := of.Field(i).Type.Kind(); name == "-" || kind == reflect.Pointer || kind == reflect.Map {
				continue // variables of their own, and what status asks
			}
			if !slices.Contains(declared[variable], name) {
				t.Errorf("%s has no field %s", variable, name)
			}
		}
	}
}

// TestVariables_AreObjectsForCEL: equality, type, presence, and what a rule
// may not do with them.
func TestVariables_AreObjectsForCEL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, when string
		want       rules.Outcome
	}{
		{"equal to itself", `pr == pr && transition.cause == transition.cause`, rules.OutcomeMutate},
		{"in a list", `[pr, pr][1].title == "Add a pawl"`, rules.OutcomeMutate},
		{"as dyn", `dyn(pr).title == "Add a pawl" && has(dyn(pr).title)`, rules.OutcomeMutate},
		{"as dyn, unknown field", `dyn(pr).titel == "x"`, rules.OutcomeError},
		{"as dyn, presence of an unknown field", `has(dyn(pr).titel)`, rules.OutcomeError},
		{"as dyn, by number", `dyn(pr)[1] == "x"`, rules.OutcomeError},
		{"as dyn, another type", `dyn(pr) == dyn(transition)`, rules.OutcomeNo},
		{"presence", `has(pr.title) && has(pr.created_at) && has(transition.cause.sender.login)`, rules.OutcomeMutate},
		{"presence of an unknown time", `has(pr.merged_at) || has(dyn(pr).merged_at)`, rules.OutcomeNo},
		{"type", `type(pr) == type(pr) && type(pr) != type(transition)`, rules.OutcomeMutate},
		{"a list of objects", `pr.checks.exists(c, c.name == "build" && c.state == "success") && pr.reviews.all(r, r.state == "approved")`, rules.OutcomeMutate},
		{"a check that has not reported", `pr.checks.exists(c, c.name == "lint" && c.state == "success")`, rules.OutcomeNo},
		{"converted", `string(dyn(pr)) == "x"`, rules.OutcomeError},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := one(t, test.when, transition(nil)); got.Outcome != test.want {
				t.Errorf("%s: %s, want %s", got.Outcome, got.Reason, test.want)
			}
		})
	}
}
