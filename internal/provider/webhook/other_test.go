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
		{"X-BetterUptime-Event", "statuspage", "betterstack"},
		{"X-BetterUptime-Event", "betterstack", ""},
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

func TestCheckSender(t *testing.T) {
	t.Parallel()
	in := webhook.Delivery{Source: "forge", Header: http.Header{}}
	in.Header.Set("X-GitHub-Event", "push")
	if err := webhook.CheckSender(in, "github"); err != nil {
		t.Errorf("a delivery of the source's own provider = %v", err)
	}
	in.Header.Set("X-Gitea-Event", "push")
	err := webhook.CheckSender(in, "github")
	got, ok := errors.AsType[*webhook.SenderError](err)
	if !ok || *got != (webhook.SenderError{Source: "forge", Provider: "github", Other: "gitea"}) {
		t.Errorf("a delivery of another provider = %v", err)
	}
	if !errors.Is(err, webhook.ErrProvider) {
		t.Errorf("%v must be an ErrProvider", err)
	}
}
