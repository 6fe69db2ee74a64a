package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// TestChecks_AbsentIsNoSuccess is case 17: a named check that has not reported.
func TestChecks_AbsentIsNoSuccess(t *testing.T) {
	t.Parallel()
	check := func(app, name string, state schemas.ChecksState) schemas.PullRequestCheck {
		return schemas.PullRequestCheck{App: app, Name: name, State: state}
	}
	on := transition(func(t *schemas.Transition) {
		t.PullRequest.Checks = []schemas.PullRequestCheck{
			check("a", "build", schemas.ChecksSuccess), check("a", "both", schemas.ChecksSuccess), check("b", "both", schemas.ChecksFailure),
			check("a", "late", schemas.ChecksPending), check("b", "late", schemas.ChecksSuccess), check("a", "odd", schemas.ChecksSuccess),
			check("b", "odd", ""), check("a", "worst", schemas.ChecksFailure), check("b", "worst", schemas.ChecksPending),
		}
	})
	for condition, want := range map[string]rules.Outcome{
		`checks["build"] == "success"`:             rules.OutcomeMutate,
		`checks.build == "success"`:                rules.OutcomeMutate,
		`checks["lint"] == "success"`:              rules.OutcomeNo,
		`checks["lint"] == "none"`:                 rules.OutcomeMutate,
		`checks["both"] == "failure"`:              rules.OutcomeMutate,
		`checks["late"] == "pending"`:              rules.OutcomeMutate,
		`checks["odd"] == "success"`:               rules.OutcomeNo,
		`checks["worst"] == "failure"`:             rules.OutcomeMutate,
		`"build" in checks && !("lint" in checks)`: rules.OutcomeMutate,
		`checks.size() == 5`:                       rules.OutcomeMutate,
		`checks.exists(name, name.startsWith("wo") && checks[name] == "failure")`: rules.OutcomeMutate,
		`checks.map(n, n) == ["both", "build", "late", "odd", "worst"]`:           rules.OutcomeMutate,
		`checks[pr.title] == "none"`:                                              rules.OutcomeMutate,
		`checks[dyn(1)] == "none"`:                                                rules.OutcomeError,
		`checks == {"build": "success"}`:                                          rules.OutcomeNo,
		`type(checks) == type({"a": "b"})`:                                        rules.OutcomeMutate,
		`checks["build"].startsWith("succ")`:                                      rules.OutcomeMutate,
	} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			if got := one(t, condition, on); got.Outcome != want {
				t.Errorf("%s: %s, want %s", got.Outcome, got.Reason, want)
			}
		})
	}
}

func TestVariables_ReasonsShowThemShort(t *testing.T) {
	t.Parallel()
	on := transition(func(t *schemas.Transition) {
		t.PullRequest.Links = []string{"acme/api#12"}
		t.PullRequest.Reviews = append(t.PullRequest.Reviews, schemas.PullRequestReview{Author: "carol", State: schemas.ReviewApproved, HeadSHA: "old"})
	})
	for condition, want := range map[string]string{
		`checks["lint"] == "success"`: `checks["lint"] = "none"`,
		`checks.lint == "success"`:    `checks["lint"] = "none"`,
		`checks.size() > 1`:           `checks = {"build": "success"}`,
		`checks[pr.title] == "x"`:     `checks = {"build": "success"}, pr.title = "Add a pawl"`,
		`reviews.size() > 1`:          `reviews = ["bob" "approved"]`,
		`pr.reviews.size() > 2`:       `pr.reviews = ["bob" "approved", "carol" "approved"]`,
		`pr.checks.size() > 1`:        `pr.checks = ["build" "success"]`,
		`links.size() > 1`:            `links = ["acme/api#12"]`,
		`actor.login != "alice"`:      `actor.login = "alice"`,
		`actor == null`:               `actor = "alice"`,
		`actor.is_bot`:                `actor.is_bot = false`,
		`[1, 2].exists(pr, pr > 2)`:   ``,
	} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			got := one(t, condition, on)
			_, values, _ := strings.Cut(got.Reason, " is false")
			if strings.TrimPrefix(values, ": ") != want {
				t.Errorf("%s, want %s", got.Reason, want)
			}
		})
	}
}

// TestVariables_AreOfTheRowThatIsAsked: asked again, they are those of now.
func TestVariables_AreOfTheRowThatIsAsked(t *testing.T) {
	t.Parallel()
	set := parse(t, "rules: [{name: x, on: [labels_changed], mutate: {close: true}, when: '"+
		`checks["build"] == "success" && reviews.exists(r, r.author == "bob") && links == [] && actor.login == "alice"`+"'}]\n")
	on := transition(nil)
	if got := set.Decide(on)[0]; got.Outcome != rules.OutcomeMutate {
		t.Fatal(got.Reason)
	}
	for _, test := range []struct {
		change func(*schemas.PullRequest)
		want   string
	}{
		{func(pr *schemas.PullRequest) { pr.Checks = nil }, `checks["build"] == "success" is false: checks["build"] = "none" (was "success")`},
		{
			func(pr *schemas.PullRequest) { pr.HeadSHA = "another" },
			`reviews.exists(r, r.author == "bob") is false: reviews = [] (was ["bob" "approved"])`,
		},
		{func(pr *schemas.PullRequest) { pr.Links = []string{"a/b#1"} }, `links == [] is false: links = ["a/b#1"] (was [])`},
	} {
		now := *on.PullRequest
		test.change(&now)
		if holds, reason := set.Again("x", on, rules.Now{PullRequest: &now}); holds || reason != test.want {
			t.Errorf("%t: %s, want %s", holds, reason, test.want)
		}
	}
}

// TestI3_ChecksAreMetInOrder: Go's maps are not, and a text made of one would
// differ each time.
func TestI3_ChecksAreMetInOrder(t *testing.T) {
	t.Parallel()
	set := parse(t, "rules: [{name: x, on: [labels_changed], mutate: {comment: {body: '{{ checks.map(k, k) }}'}}}]\n")
	on := transition(func(t *schemas.Transition) {
		t.PullRequest.Checks = nil
		for i := range 30 {
			t.PullRequest.Checks = append(t.PullRequest.Checks, schemas.PullRequestCheck{Name: fmt.Sprintf("c%02d", 29-i)})
		}
	})
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("c%02d", i))
	}
	want := `{"body":"` + strings.Join(names, ", ") + `"}`
	for range 20 {
		if got := string(set.Decide(on)[0].Mutations[0].Params); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

func TestChecks_CostIsBounded(t *testing.T) {
	t.Parallel()
	many := func(count int) schemas.Transition {
		return transition(func(t *schemas.Transition) {
			t.PullRequest.Checks = nil
			for i := range count {
				t.PullRequest.Checks = append(t.PullRequest.Checks, schemas.PullRequestCheck{Name: fmt.Sprintf("check %d", i), State: schemas.ChecksSuccess})
			}
		})
	}
	for _, test := range []struct {
		condition string
		count     int
		want      rules.Outcome
	}{
		{`checks["check 999"] == "success"`, 1000, rules.OutcomeMutate},
		{`checks.all(name, checks[name] == "success")`, 1000, rules.OutcomeMutate},
		{`checks.exists(a, checks.exists(b, a != b && checks[a] == "failure"))`, 1000, rules.OutcomeError},
		{`checks.exists(a, checks.exists(b, a != b && checks[a] == "failure"))`, 30, rules.OutcomeNo},
		{`checks["check 9"] == "success"`, 100_000, rules.OutcomeMutate},
		{`checks.exists(a, checks.exists(b, a != b && checks[a] == "failure"))`, 100_000, rules.OutcomeError},
	} {
		got := one(t, test.condition, many(test.count))
		if got.Outcome != test.want {
			t.Errorf("%s with %d checks: %s: %.200s, want %s", test.condition, test.count, got.Outcome, got.Reason, test.want)
		}
		if got.Outcome == rules.OutcomeError && !strings.Contains(got.Reason, "cost limit exceeded") {
			t.Errorf("%.200s", got.Reason)
		}
		if len(got.Reason) > 1000 || len(got.Values) > 4096 {
			t.Errorf("a reason of %d bytes, values of %d", len(got.Reason), len(got.Values))
		}
	}
}
