package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/config"
)

func TestProviderAt_BySettingHostSourceInThisOrder(t *testing.T) {
	t.Parallel()
	const text = `
sources:
  - {name: a, provider: gitlab, instance: git.acme.com, secrets: ["env:S"]}
  - {name: b, provider: gitea, instance: code.acme.com, secrets: ["env:S"]}
providers:
  gitlab.com: {token: "env:T"}
  gitea.com: {token: "env:T"}
  github.com: {app_id: 12345, private_key: "file:/run/secrets/app.pem", login: "pawl[bot]"}
  git.acme.com: {token: "env:T", base_url: "https://git.acme.com/api/v4/"}
  code.acme.com: {token: "env:T", provider: github}
  "ghe.acme.com": {token: "env:T"}
notify: {allow: [hooks.internal, 127.0.0.1, "10.0.0.0/8"]}
`
	made, err := config.Parse("p.yaml", []byte(text), nothing)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for instance := range made.Providers {
		got[instance] = made.ProviderAt(instance)
	}
	want := map[string]string{
		"gitlab.com": "gitlab", "gitea.com": "gitea", "github.com": "github",
		"git.acme.com": "gitlab", "code.acme.com": "github", "ghe.acme.com": "github",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("providers (-got +want):\n%s", diff)
	}
	if app := made.Providers["github.com"]; !app.IsApp() || app.AppID != 12345 || app.PrivateKey != "file:/run/secrets/app.pem" {
		t.Errorf("the App: got %+v", app)
	}
	if len(made.Notify.Allow) != 3 {
		t.Errorf("notify.allow: got %v", made.Notify.Allow)
	}
}

func TestParse_TellsWhatIsWrongWithAProvider(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"nothing", "providers:\n  github.com: {login: x}", "p.yaml:2:3: providers.github.com has no token: add token, or app_id and private_key"},
		{"quoted", "providers:\n  \"github.com\": {login: x}", "p.yaml:2:3: providers.github.com has no token"},
		{"both", `providers: {github.com: {token: "env:T", app_id: 1, private_key: "env:K"}}`, "p.yaml:1:13: providers.github.com has a token and app_id or private_key: keep one way"},
		{"no key", "providers: {github.com: {app_id: 1}}", "has an app_id and no private_key: an App needs both"},
		{"no id", `providers: {github.com: {private_key: "env:K"}}`, "has a private_key and no app_id: an App needs both"},
		{"below zero", `providers: {github.com: {app_id: -1, private_key: "env:K"}}`, "app_id below zero"},
		{"no number", `providers: {github.com: {app_id: "12", private_key: "env:K"}}`, "providers.github.com.app_id is \"12\", want a whole number"},
		{"key in the file", `providers: {github.com: {app_id: 1, private_key: "-----BEGIN"}}`, "must say where the secret is"},
		{"App at gitlab", `providers: {gitlab.com: {app_id: 1, private_key: "env:K"}}`, "are for GitHub Apps, and is a gitlab"},
		{"gitlab without", "providers: {gitlab.com: {login: x}}", "providers.gitlab.com has no token: add token"},
		{"unknown", "providers:\n  a.b: {provider: svn, token: \"env:T\"}", "p.yaml:2:9: providers.a.b: provider is \"svn\", want github, gitlab, gitea"},
		{"read only", "sources: [{name: a, provider: bitbucket, instance: a.b, secrets: [\"env:X\"]}]\nproviders: {a.b: {token: \"env:T\"}}", "p.yaml:2:13: providers.a.b: provider is \"bitbucket\", want github, gitlab, gitea"},
		{"no address", `providers: {a.b: {token: "env:T", base_url: a.b/api}}`, "p.yaml:1:35: providers.a.b.base_url is no address"},
		{"token in it", `providers: {a.b: {token: "env:T", base_url: "https://u:hunter2@a.b/"}}`, "must not hold a user"},
		{"allow", "notify:\n  allow: [ok.internal, 10.0.0.1/99]", "p.yaml:2:24: notify.allow[1]: \"10.0.0.1/99\" is not a range"},
		{"partitions", "kafka:\n  partitions: 0", "p.yaml:2:3: kafka.partitions is 0"},
		{"no secrets", "sources:\n  - {name: a, provider: github}", "p.yaml:2:6: source a has no secrets"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse("p.yaml", []byte(tt.text), nothing)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q in it", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("a secret is in: %v", err)
			}
		})
	}
}

// TestParse_RefusesWhatNoProviderOfAnInstanceHas: check runs are GitHub's alone.
func TestParse_RefusesWhatNoProviderOfAnInstanceHas(t *testing.T) {
	t.Parallel()
	const text = `providers:
  gitlab.com: {token: "env:T"}
  git.acme.com: {token: "env:T", provider: gitea}
  github.com: {token: "env:T"}
rules:
  - name: gate
    on: [opened]
    %s
    mutate:
      check_run: {name: gate, conclusion: success}
      notify: {url: "env:HOOK", text: hi}
`
	_, err := config.Parse("p.yaml", []byte(strings.Replace(text, "%s", "include_own: true", 1)), nothing)
	want := `p.yaml:10:7: rule "gate": check_run cannot be done at git.acme.com, gitlab.com`
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "notify cannot") {
		t.Errorf("got %v, want %q alone", err, want)
	}
	if _, err := config.Parse("p.yaml", []byte(strings.Replace(text, "%s", `repositories: ["github.com:**"]`, 1)), nothing); err != nil {
		t.Errorf("for github.com alone: %v", err)
	}
}
