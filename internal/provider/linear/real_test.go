package linear_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDecode_RealPayloads: those at hand are comments, and the one on a document is
// kept and not folded.
func TestDecode_RealPayloads(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../shared/payloads/linear/*/*.json")
	if err != nil || len(files) == 0 {
		t.Skip("no real payloads beside the project")
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		event, err := decoded(t, string(body))
		onDocument := strings.Contains(file, "on_document")
		if err != nil || (event.Comment == nil) != onDocument || (event.Ignored != "") != onDocument {
			t.Errorf("%s: %+v, %v", file, event, err)
			continue
		}
		if !onDocument && (!event.Comment.Body.Known || !event.Comment.UpdatedAt.Known || event.Comment.Author.Login == "" && !strings.Contains(file, "docs")) {
			t.Errorf("%s: %+v", file, event.Comment)
		}
	}
}
