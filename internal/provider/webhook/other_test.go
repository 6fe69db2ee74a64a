package webhook_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"pawl/internal/provider/webhook"
)

func TestOtherProvider(t *testing.T) {
	t.Parallel()
	const giteas = "X-Gitea-Event X-Gogs-Event X-GitHub-Event"
	for _, test := range []struct{ headers, than, want string }{
		{"X-GitHub-Event", "github", ""},
		{"X-GitHub-Event", "gitlab", "github"},
		{"X-GitHub-Event", "gitea", "github"},
		{"X-Gitlab-Event", "github", "gitlab"},
		{"X-Gitlab-Event", "gitlab", ""},
		{"X-Event-Key", "github", "bitbucket"},
		{"X-Event-Key", "bitbucket", ""},
		{"Linear-Event", "github", "linear"},
		{"", "github", ""},
		{"X-Gitlab-Token X-Hub-Signature", "github", ""}, // neither names an event

		// Gitea, Forgejo and Gogs imitate.
		{giteas, "gitea", ""},
		{giteas, "github", "gitea"},
		{giteas, "gitlab", "gitea"},
		{"X-Forgejo-Event " + giteas, "gitea", ""},
		{"X-Forgejo-Event X-GitHub-Event", "github", "gitea"},
		{"X-Gogs-Event X-GitHub-Event", "github", "gitea"},
		{"X-Gogs-Event X-GitHub-Event", "gitea", ""},

		// What has the mark of the source's provider is its own.
		{"X-GitHub-Event X-Gitlab-Event", "github", ""},
		{"X-GitHub-Event X-Gitlab-Event", "gitlab", ""},
		{"X-Event-Key X-Gitea-Event", "bitbucket", ""},
	} {
		header := http.Header{}
		for name := range strings.FieldsSeq(test.headers) {
			header.Set(name, "x")
		}
		got, found := webhook.OtherProvider(header, test.than)
		if got != test.want || found != (test.want != "") {
			t.Errorf("OtherProvider(%s, than %s) = %q, %t, want %q", test.headers, test.than, got, found, test.want)
		}
	}
}

func TestErrProvider_IsAnErrHeader(t *testing.T) {
	t.Parallel()
	if !errors.Is(webhook.ErrProvider, webhook.ErrHeader) || errors.Is(webhook.ErrHeader, webhook.ErrProvider) {
		t.Error("every ErrProvider must be an ErrHeader, and not the other way round")
	}
}
