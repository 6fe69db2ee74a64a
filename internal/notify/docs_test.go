package notify_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"pawl/internal/notify"
)

// TestDocs_ExamplesWork: docs/notify.md shows the form of each service, as the
// errors do, and its examples pass Check.
func TestDocs_ExamplesWork(t *testing.T) {
	t.Parallel()
	read, err := os.ReadFile("../../docs/notify.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(read)
	for _, scheme := range notify.Schemes() {
		if !strings.Contains(text, scheme+"://") && scheme != "hangouts" {
			t.Errorf("%s is not there", scheme)
		}
	}
	examples := regexp.MustCompile(`(?m)^export \w+="(.*)"$`).FindAllStringSubmatch(text, -1)
	if len(examples) < 5 {
		t.Errorf("%d examples are there", len(examples))
	}
	for _, example := range examples {
		if err := notify.Check(example[1]); err != nil {
			t.Errorf("Check(%s) = %v", example[1], err)
		}
	}
}
