package compose_test

import (
	"strings"
	"testing"

	"pawl/actuator/rules"
)

func TestRules_OfTheMountedConfigurationAreGood(t *testing.T) {
	t.Parallel()
	if _, err := rules.Parse("deploy/pawl.yaml", []byte(read(t, "deploy/pawl.yaml"))); err != nil {
		t.Error(err)
	}
}

func TestRules_OfTheReadmeAreGood(t *testing.T) {
	t.Parallel()
	_, rest, ok := strings.Cut(read(t, "README.md"), "```yaml\n")
	if !ok {
		t.Fatal("the README has no rules file")
	}
	text, _, _ := strings.Cut(rest, "```")
	if _, err := rules.Parse("README.md", []byte(text)); err != nil {
		t.Error(err)
	}
}
