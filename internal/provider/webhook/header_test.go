package webhook_test

import (
	"strings"
	"testing"

	"pawl/internal/provider/webhook"
)

func TestIsEvent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"pull_request": true, "note2": true, strings.Repeat("a", 100): true,
		"": false, strings.Repeat("a", 101): false, "Push": false, "push hook": false, "pr:opened": false, "a\x00": false, "é": false, "a.b": false,
	} {
		if got := webhook.IsEvent(text); got != want {
			t.Errorf("IsEvent(%q) = %t, want %t", text, got, want)
		}
	}
}
