package e2e_test

import (
	"os/exec"
	"strings"
	"testing"
)

func TestHelp_EveryCommandShowsAnExample(t *testing.T) {
	t.Parallel()
	if seen := checkHelp(t, nil); seen < 10 {
		t.Errorf("%d commands found in the help, want all of them", seen)
	}
}

// checkHelp reads the help of a command and of all below it, and returns how
// many there are.
func checkHelp(t *testing.T, command []string) int {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), binary, append(command[:len(command):len(command)], "--help")...).Output()
	if err != nil {
		t.Fatalf("pawl %s --help: %v", strings.Join(command, " "), err)
	}
	help := string(output)
	if !strings.Contains(help, "\nExamples:\n") {
		t.Errorf("pawl %s --help shows no example", strings.Join(command, " "))
	}
	seen := 1
	_, below, _ := strings.Cut(help, "\nAvailable Commands:\n")
	below, _, _ = strings.Cut(below, "\n\n")
	for line := range strings.Lines(below) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "" && name != "help" && name != "completion" {
			seen += checkHelp(t, append(command[:len(command):len(command)], name))
		}
	}
	return seen
}
