package config_test

import (
	"strings"
	"testing"

	"pawl/internal/config"
)

// TestTracker_RulesOfPullRequestsAreNotHeldAgainstIt: nothing but mirrors is done
// at a tracker, and mirrors under issues need one.
func TestTracker_RulesOfPullRequestsAreNotHeldAgainstIt(t *testing.T) {
	t.Parallel()
	const rules = `
rules:
  - {name: merge, on: [opened], mutate: {merge: {}}}
  - {name: up, on: [comment_created], mutate: {bridge_comment: {to: issue}}}
  - {name: down, on: [comment_created], mutate: {bridge_comment: {to: pull_request}}}
`
	const github, linear = `  github.com: {token: "env:A"}` + "\n", `  linear.app: {token: "env:B"}` + "\n"
	for _, test := range []struct{ name, providers, fault string }{
		{"both", "providers:\n" + github + linear, ""},
		{"nobody acts", "", ""},
		{"no tracker", "providers:\n" + github, `rule "up": comments are mirrored to linear.app, and providers names no issue tracker of that name`},
		{"a tracker of another name", "providers:\n" + github + `  tracker.acme.com: {provider: linear, token: "env:B"}` + "\n", `rule "up": comments are mirrored to linear.app`},
		{"a tracker without a token", "providers:\n  linear.app: {}\n", "providers.linear.app has no token"},
		{"a tracker that is an App", "providers:\n" + `  linear.app: {app_id: 1, private_key: "env:B"}` + "\n", "which are for GitHub Apps"},
	} {
		_, err := config.Parse("pawl.yaml", []byte("version: 1\n"+test.providers+rules), func(string) (string, bool) { return "", false })
		switch {
		case test.fault == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)):
			t.Errorf("%s: %v, want %q", test.name, err, test.fault)
		}
	}
}
