package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator/rules"
	"pawl/schemas"
)

func TestSupported_EveryMutationThatAProviderLacksIsAFault(t *testing.T) {
	t.Parallel()
	set := parse(t, `rules:
  - name: everywhere
    on: [opened]
    mutate:
      - close: true
      - update_branch: true
        notify: {url: env:URL, text: x}
  - name: there
    on: [opened]
    repositories: ["github.com:**"]
    mutate: {update_branch: true}
  - name: but-there
    on: [opened]
    except: ["gitlab.com:**", "gitea.example.com:acme/*"]
    mutate: {check_run: {name: x, status: queued}}
`)
	all := func(schemas.MutationKind) bool { return true }
	some := func(kind schemas.MutationKind) bool { return kind == schemas.MutateClose }
	got := set.Supported(map[string]func(schemas.MutationKind) bool{"github.com": all, "gitlab.com": some, "gitea.example.com": some})
	want := []rules.Fault{
		{"pawl.yaml", 6, 9, `rule "everywhere": update_branch cannot be done at gitea.example.com, gitlab.com: take it out, or keep the rule away by repositories or except`},
		{"pawl.yaml", 15, 14, `rule "but-there": check_run cannot be done at gitea.example.com: take it out, or keep the rule away by repositories or except`},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	if got := set.Supported(map[string]func(schemas.MutationKind) bool{"github.com": all}); got != nil {
		t.Errorf("faults %v of a provider that can do it all", got)
	}
	if got := set.Supported(nil); got != nil {
		t.Errorf("faults %v of no provider", got)
	}
}
