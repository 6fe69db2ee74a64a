package gitea_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"pawl/internal/provider/gitea"
	"pawl/internal/provider/webhook"
)

func TestProvider(t *testing.T) {
	t.Parallel()
	var provider gitea.Provider
	if provider.Name() != "gitea" || provider.DefaultInstance() != "gitea.com" || provider.SuccessStatus() != http.StatusOK {
		t.Errorf("%s of %s answers %d", provider.Name(), provider.DefaultInstance(), provider.SuccessStatus())
	}
	events := provider.Events()
	for _, event := range []string{"pull_request", "pull_request_sync", "pull_request_review_approved", "issue_comment", "status", "workflow_run", "repository"} {
		if !slices.Contains(events, event) {
			t.Errorf("event %s is folded and not listed", event)
		}
	}
	clear(events)
	if slices.Contains(provider.Events(), "") {
		t.Error("a caller changed the list of events")
	}
}

// A body that has no JSON is verified as it is, so that Seal can say what is
// wrong with it.
func TestVerify_LeavesTheMediaTypeToSeal(t *testing.T) {
	t.Parallel()
	in := delivery("push", "hello")
	in.ContentType = "text/plain"
	in.Header.Set("X-Gitea-Signature", sign(in.Raw, secret))
	if err := verify(in, secret); err != nil {
		t.Errorf("Verify() = %v", err)
	}
	if _, err := (gitea.Provider{}).Seal(in); !errors.Is(err, webhook.ErrMedia) {
		t.Errorf("Seal() = %v, want %v", err, webhook.ErrMedia)
	}
}
