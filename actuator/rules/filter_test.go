package rules_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator/rules"
	"pawl/schemas"
)

func TestFilter_SaysWhichRepositoriesARuleIsFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		filter, instance, repository string
		want                         bool
	}{
		{`repositories: [acme/*]`, "github.com", "acme/api", true},
		{`repositories: [acme/*]`, "github.com", "Acme/API", true},
		{`repositories: [Acme/*]`, "github.com", "acme/api", true},
		{`repositories: [acme/*]`, "github.com", "acme2/api", false},
		{`repositories: [acme/*]`, "gitlab.com", "acme/tools/api", false},
		{`repositories: [acme/**]`, "gitlab.com", "acme/tools/api", true},
		{`repositories: ["**/api"]`, "gitlab.com", "acme/tools/api", true},
		{`repositories: ["**/tools/**/api"]`, "gitlab.com", "acme/tools/api", true},
		{`repositories: ["**/tools/**/api"]`, "gitlab.com", "acme/tool/api", false},
		{`repositories: ["**"]`, "github.com", "acme/api", true},
		{`repositories: ["*/*"]`, "github.com", "acme/api", true},
		{`repositories: ["acme/a[a-p]?"]`, "github.com", "acme/api", true},
		{`repositories: ["acme/a[^p]?"]`, "github.com", "acme/api", false},
		{`repositories: [acme/web, acme/api]`, "github.com", "acme/api", true},
		{`repositories: ["gitlab.com:acme/**"]`, "gitlab.com", "acme/api", true},
		{`repositories: ["gitlab.com:acme/**"]`, "github.com", "acme/api", false},
		{`repositories: ["ghe.example.com:8443:acme/*"]`, "ghe.example.com:8443", "acme/api", true},
		{`except: [acme/api]`, "github.com", "acme/api", false},
		{`except: [acme/api]`, "github.com", "acme/web", true},
		{`except: ["github.com:**"]`, "github.com", "acme/web", false},
		{`{repositories: [acme/*], except: [acme/*-internal]}`, "github.com", "acme/api-internal", false},
		{`{repositories: [acme/*], except: [acme/*-internal]}`, "github.com", "acme/api", true},
	} {
		t.Run(test.filter+" "+test.instance+" "+test.repository, func(t *testing.T) {
			t.Parallel()
			text := test.filter
			if text[0] == '{' {
				text = text[1 : len(text)-1]
			}
			set := parse(t, "rules: [{name: x, on: [labels_changed], "+text+", mutate: {close: true}}]\n")
			on := transition(func(t *schemas.Transition) {
				t.PullRequest.Instance, t.PullRequest.Repository = test.instance, test.repository
			})
			if got := len(set.Decide(on)) == 1; got != test.want {
				t.Errorf("a decision: %t, want %t", got, test.want)
			}
			holds, reason := set.Again("x", on, rules.Now{PullRequest: on.PullRequest})
			if holds != test.want || holds == (reason != "") {
				t.Errorf("again: %t: %s, want %t", holds, reason, test.want)
			}
		})
	}
}

func TestFilter_AnUnknownNameIsAnError(t *testing.T) {
	t.Parallel()
	set := parse(t, "rules: [{name: x, on: [labels_changed], except: [acme/web], mutate: {close: true}}, {name: y, on: [labels_changed], mutate: {close: true}}]\n")
	on := transition(func(t *schemas.Transition) { t.PullRequest.Repository = "" })
	got := set.Decide(on)
	want := "the repository's name is unknown, so it cannot be said whether the rule is for it"
	if len(got) != 2 || got[0].Outcome != rules.OutcomeError || got[0].Reason != want || got[1].Outcome != rules.OutcomeMutate {
		t.Errorf("%+v, want an error: %s", got, want)
	}
	if holds, reason := set.Again("x", on, rules.Now{PullRequest: on.PullRequest}); holds || reason != want {
		t.Errorf("again: %t: %s", holds, reason)
	}
	named := transition(nil)
	if holds, reason := set.Again("x", named, rules.Now{PullRequest: on.PullRequest}); !holds {
		t.Errorf("again, named by the transition: %s", reason)
	}
}

// TestFilter_AMovedRepositoryIsAskedByItsNewName: what waits is not done where
// the rule would not act.
func TestFilter_AMovedRepositoryIsAskedByItsNewName(t *testing.T) {
	t.Parallel()
	set := parse(t, "rules: [{name: x, on: [labels_changed], repositories: [acme/*], mutate: {close: true}}]\n")
	on := transition(nil)
	moved := *on.PullRequest
	moved.Repository = "other/api"
	holds, reason := set.Again("x", on, rules.Now{PullRequest: &moved})
	if want := "the rule is not for other/api: no pattern of repositories matches"; holds || reason != want {
		t.Errorf("%t: %s, want %s", holds, reason, want)
	}
}

func TestSet_TellsWhatARuleSays(t *testing.T) {
	t.Parallel()
	set := parse(t, `
limits: {per_rule: 3}
rules:
  - name: nag
    on: [converted_to_draft]
    after: 336h
    once: pr.milestone
    repositories: [acme/*]
    except: [acme/web]
    on_refusal: go_on
    mutate: {comment: {body: x}}
  - {name: plain, on: [opened], mutate: {close: true}}
`)
	got, ok := set.Rule("nag")
	want := rules.Info{
		Name: "nag", On: []schemas.Kind{schemas.KindConvertedToDraft}, Once: "pr.milestone", After: 336 * time.Hour,
		Repositories: []string{"acme/*"}, Except: []string{"acme/web"}, OnRefusal: rules.RefusalGoesOn,
		Mutations: []schemas.MutationKind{schemas.MutateComment},
	}
	if diff := cmp.Diff(got, want); diff != "" || !ok {
		t.Errorf("%t, -got +want:\n%s", ok, diff)
	}
	if _, ok := set.Rule("nog"); ok {
		t.Error("a rule that is not there")
	}
	if plain, ok := set.Rule("plain"); plain.After != 0 || !ok {
		t.Errorf("plain waits %s, %t", plain.After, ok)
	}
	if !set.AnyWaits() || parse(t, "rules: [{name: plain, on: [opened], mutate: {close: true}}]").AnyWaits() {
		t.Error("the first set has a rule that waits, the second has none")
	}
	if diff := cmp.Diff(set.Limits(), rules.Limits{PerRule: 3, PerEntity: 60}); diff != "" {
		t.Errorf("limits, -got +want:\n%s", diff)
	}
	if diff := cmp.Diff(parse(t, "limits: {per_rule: 0, per_entity: 0}\n").Limits(), rules.Limits{}); diff != "" {
		t.Errorf("no limits, -got +want:\n%s", diff)
	}
	if diff := cmp.Diff(parse(t, "limits:\n").Limits(), rules.Limits{PerRule: 20, PerEntity: 60}); diff != "" {
		t.Errorf("default limits, -got +want:\n%s", diff)
	}
}

func TestDecide_AfterIsHowLongItWaits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		after  time.Duration
		reason string
	}{
		"336h": {336 * time.Hour, "waits 336h; "}, "90m": {90 * time.Minute, "waits 1h30m; "}, "45s": {45 * time.Second, "waits 45s; "},
		"10m": {10 * time.Minute, "waits 10m; "}, "1h0m5s": {time.Hour + 5*time.Second, "waits 1h0m5s; "},
	} {
		set := parse(t, "rules: [{name: x, on: [labels_changed], after: "+text+", mutate: {close: true}}, {name: no, on: [labels_changed], after: 1h, when: pr.draft, mutate: {close: true}}]\n")
		got := set.Decide(transition(nil))
		if got[0].After != want.after || got[0].Outcome != rules.OutcomeMutate {
			t.Errorf("%s: after %s: %s", text, got[0].After, got[0].Reason)
		}
		if reason := "there is no condition; " + want.reason; len(got[0].Reason) < len(reason) || got[0].Reason[:len(reason)] != reason {
			t.Errorf("%s: %s, want %s", text, got[0].Reason, reason)
		}
		if got[1].After != 0 {
			t.Errorf("what is not wanted waits %s", got[1].After)
		}
	}
}
