package linear_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pawl/schemas"
)

// TestDecode_RealPayloads: those at hand are comments of an issue that is named where
// they have an address, and the one on a document is kept and not folded.
func TestDecode_RealPayloads(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../shared/payloads/linear/*/*.json")
	if err != nil || len(files) == 0 {
		t.Skip("no real payloads beside the project")
	}
	want := map[string]schemas.CommentSnapshot{
		"linear-docs/comment_create": {Change: schemas.CommentCreated, Issue: "LIN-1778"},
		"zulip/comment_create":       {Change: schemas.CommentCreated, Issue: "WEB-46"},
		"zulip/comment_update":       {Change: schemas.CommentEdited, Issue: "WEB-46", PreviousAt: at("2023-04-11T10:21:34.858Z")},
		"zulip/comment_remove":       {Change: schemas.CommentDeleted, RemovedAt: at("2023-04-11T10:22:42.436Z")},
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".json")
		event, err := decoded(t, string(body))
		expected, folded := want[name]
		switch got := event.Comment; {
		case err != nil || (got == nil) == folded || (event.Ignored == "") != folded:
			t.Errorf("%s: %+v, %v", name, event, err)
		case !folded:
		case got.Change != expected.Change || got.Issue != expected.Issue || got.PreviousAt != expected.PreviousAt || got.RemovedAt != expected.RemovedAt:
			t.Errorf("%s: got %+v, want %+v", name, got, expected)
		case !got.Body.Known || !got.UpdatedAt.Known || !got.CreatedAt.Known || (got.URL == "") != (got.Change == schemas.CommentDeleted):
			t.Errorf("%s: %+v", name, got)
		}
	}
}
