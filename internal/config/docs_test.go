package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pawl/internal/config"
)

// TestDocs_EveryConfigurationLoads: what the docs show as a whole pawl.yaml is one.
func TestDocs_EveryConfigurationLoads(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	example, found := regexp.MustCompile("(?s)```yaml\n(version: 1\n.*?)```"), 0
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range example.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(part[1], "sources:") {
				continue
			}
			found++
			if _, err := config.Parse("pawl.yaml", []byte(part[1]), func(string) (string, bool) { return "", false }); err != nil {
				t.Errorf("%s: %v", filepath.Base(file), err)
			}
		}
	}
	if found < 3 {
		t.Errorf("only %d configurations were found", found)
	}
}
