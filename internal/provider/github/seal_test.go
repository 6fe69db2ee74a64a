package github_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/github"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

func TestSeal_Key(t *testing.T) {
	t.Parallel()
	const repo = `"repository":{"id":101,"full_name":"acme/api"}`
	tests := []struct {
		name    string
		event   string
		body    string
		key     schemas.EntityKey
		subject string
	}{
		{"pull request", "pull_request", `{"action":"opened","number":7,"pull_request":{"number":7},` + repo + `}`, "github.com:101#7", "acme/api#7"},
		{"number at the top alone", "pull_request", `{"number":7,` + repo + `}`, "github.com:101#7", "acme/api#7"},
		{"number of the pull request alone", "pull_request", `{"pull_request":{"number":7},` + repo + `}`, "github.com:101#7", "acme/api#7"},
		{"review", "pull_request_review", `{"pull_request":{"number":7},` + repo + `}`, "github.com:101#7", "acme/api#7"},
		{"comment on a pull request", "issue_comment", `{"issue":{"number":7,"pull_request":{"url":"u"}},` + repo + `}`, "github.com:101#7", "acme/api#7"},
		{"comment on an issue", "issue_comment", `{"issue":{"number":7},` + repo + `}`, "github.com:101", "acme/api"},
		{"issue whose pull_request is null", "issue_comment", `{"issue":{"number":7,"pull_request":null},` + repo + `}`, "github.com:101", "acme/api"},
		{"review comment", "pull_request_review_comment", `{"pull_request":{"number":7},"comment":{"id":1},` + repo + `}`, "github.com:101#7", "acme/api#7"},
		{"review thread", "pull_request_review_thread", `{"pull_request":{"number":7},"thread":{},` + repo + `}`, "github.com:101#7", "acme/api#7"},
		{"issue that is a pull request", "issues", `{"issue":{"number":7,"pull_request":{"url":"u"}},` + repo + `}`, "github.com:101#7", "acme/api#7"},
		{"comment beside a pull request", "issue_comment", `{"issue":{"number":7,"pull_request":{}},"pull_request":{"number":8},` + repo + `}`, "github.com:101#7", "acme/api#7"},
		{"check that names a pull request", "check_run", `{"check_run":{"head_sha":"6dcb09b","pull_requests":[{"number":7}]},"pull_request":{"number":7},` + repo + `}`, "github.com:101@6dcb09b", "acme/api@6dcb09b"},
		{"repository", "repository", `{"action":"renamed",` + repo + `}`, "github.com:101", "acme/api"},
		{"repository beside a pull request", "repository", `{"action":"renamed","pull_request":{"number":7},` + repo + `}`, "github.com:101", "acme/api"},
		{"installation", "installation", `{"action":"created","installation":{"id":5},"repositories":[{"id":101}]}`, "github.com", ""},
		{"check run", "check_run", `{"check_run":{"head_sha":"6dcb09b"},` + repo + `}`, "github.com:101@6dcb09b", "acme/api@6dcb09b"},
		{"check suite", "check_suite", `{"check_suite":{"head_sha":"6dcb09b"},` + repo + `}`, "github.com:101@6dcb09b", "acme/api@6dcb09b"},
		{"status", "status", `{"sha":"6dcb09b",` + repo + `}`, "github.com:101@6dcb09b", "acme/api@6dcb09b"},
		{"workflow run", "workflow_run", `{"workflow_run":{"head_sha":"6dcb09b"},` + repo + `}`, "github.com:101@6dcb09b", "acme/api@6dcb09b"},
		{"merge group", "merge_group", `{"merge_group":{"head_sha":"6dcb09b"},` + repo + `}`, "github.com:101@6dcb09b", "acme/api@6dcb09b"},
		{"sha of another event", "push", `{"sha":"6dcb09b",` + repo + `}`, "github.com:101", "acme/api"},
		{"sha that is none", "status", `{"sha":"a b",` + repo + `}`, "github.com:101", "acme/api"},
		{"ping of a repository", "ping", `{"zen":"Keep it.",` + repo + `}`, "github.com:101", "acme/api"},
		{"ping of an organization", "ping", `{"zen":"Keep it.","organization":{"login":"acme"}}`, "github.com", ""},
		{"no name of the repository", "pull_request", `{"number":7,"repository":{"id":101}}`, "github.com:101#7", ""},
		{"repository id beyond 2^31", "pull_request", `{"number":7,"repository":{"id":4294967297}}`, "github.com:4294967297#7", ""},
		{"number is a string", "pull_request", `{"number":"7",` + repo + `}`, "github.com:101", "acme/api"},
		{"number is negative", "pull_request", `{"number":-7,` + repo + `}`, "github.com:101", "acme/api"},
		{"repository is a string", "pull_request", `{"number":7,"repository":"acme/api"}`, "github.com", ""},
		{"fields after a wrong one count", "pull_request", `{"action":5,"number":7,` + repo + `}`, "github.com:101#7", "acme/api#7"},
		{"an array", "pull_request", `[]`, "github.com", ""},
		{"null", "pull_request", `null`, "github.com", ""},
		{"unknown event", "from_the_future", `{"number":7,` + repo + `}`, "github.com:101", "acme/api"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			record, err := github.Provider{}.Seal(delivery(test.event, test.body))
			if err != nil {
				t.Fatal(err)
			}
			got := [2]string{string(record.Key), record.Subject}
			if diff := cmp.Diff(got, [2]string{string(test.key), test.subject}); diff != "" {
				t.Errorf("Seal() key and subject (-got +want):\n%s", diff)
			}
			if _, err := schemas.ParseKey(record.Key); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSeal_Record(t *testing.T) {
	t.Parallel()
	const body = ` {"action":"opened","number":7,"repository":{"id":101,"full_name":"acme/api"}} `
	in := delivery("pull_request", body)
	in.TraceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	in.ReceivedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, value := range map[string]string{
		"X-GitHub-Hook-ID":                       "42",
		"X-GitHub-Hook-Installation-Target-Type": "repository",
		"X-GitHub-Hook-Installation-Target-ID":   "101",
		"X-Hub-Signature-256":                    vectorSignature,
		"Authorization":                          "Bearer secret",
	} {
		in.Header.Set(name, value)
	}
	got, err := github.Provider{}.Seal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := schemas.Record{
		Key: "github.com:101#7", ID: "d-1", Source: "github", Provider: "github", Event: "pull_request", Action: "opened",
		Subject: "acme/api#7", ReceivedAt: in.ReceivedAt, ContentType: "application/json", TraceParent: in.TraceParent,
		ProviderHeaders: []schemas.Header{
			{Name: "X-GitHub-Event", Value: "pull_request"},
			{Name: "X-GitHub-Hook-ID", Value: "42"},
			{Name: "X-GitHub-Hook-Installation-Target-Type", Value: "repository"},
			{Name: "X-GitHub-Hook-Installation-Target-ID", Value: "101"},
		},
		Body: []byte(body),
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Seal() (-got +want):\n%s", diff)
	}
}

func TestSeal_FormCarriesTheSameRecord(t *testing.T) {
	t.Parallel()
	body := string(fullBody(t)) + ` `
	plain, err := github.Provider{}.Seal(delivery("pull_request", body))
	if err != nil {
		t.Fatal(err)
	}
	form, err := github.Provider{}.Seal(formDelivery("pull_request", body))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(form, plain); diff != "" {
		t.Errorf("record of a form (-form +plain):\n%s", diff)
	}
}

func TestSeal_Refuses(t *testing.T) {
	t.Parallel()
	const good = `{"number":7,"repository":{"id":101}}`
	tests := []struct {
		name   string
		change func(in *webhook.Delivery)
		want   error
		says   string
	}{
		{"no event", func(in *webhook.Delivery) { in.Header.Del("X-GitHub-Event") }, webhook.ErrHeader, "X-GitHub-Event"},
		{"odd event", func(in *webhook.Delivery) { in.Header.Set("X-GitHub-Event", "a.b") }, webhook.ErrHeader, "X-GitHub-Event"},
		{"no delivery id", func(in *webhook.Delivery) { in.Header.Del("X-GitHub-Delivery") }, webhook.ErrHeader, "X-GitHub-Delivery"},
		{"blank delivery id", func(in *webhook.Delivery) { in.Header.Set("X-GitHub-Delivery", " ") }, webhook.ErrHeader, "X-GitHub-Delivery"},
		{"long delivery id", func(in *webhook.Delivery) { in.Header.Set("X-GitHub-Delivery", strings.Repeat("d", 256)) }, webhook.ErrHeader, "X-GitHub-Delivery"},
		{"another instance", func(in *webhook.Delivery) { in.Header.Set("X-GitHub-Enterprise-Host", "ghe.acme.com") }, webhook.ErrHeader, "ghe.acme.com"},
		{"not JSON", func(in *webhook.Delivery) { in.Raw = []byte("hello") }, webhook.ErrBody, "not JSON"},
		{"empty", func(in *webhook.Delivery) { in.Raw = nil }, webhook.ErrBody, "not JSON"},
		{"cut short", func(in *webhook.Delivery) { in.Raw = []byte(good[:20]) }, webhook.ErrBody, "not JSON"},
		{"two values", func(in *webhook.Delivery) { in.Raw = []byte(good + good) }, webhook.ErrBody, "not JSON"},
		{"broken in a part that is skipped", func(in *webhook.Delivery) { in.Raw = []byte(`{"x":{"y":[1,}},"number":7}`) }, webhook.ErrBody, "not JSON"},
		{"form that says it is JSON", func(in *webhook.Delivery) { in.Raw = []byte("payload=%7B%7D") }, webhook.ErrBody, "not JSON"},
		{"form without payload", func(in *webhook.Delivery) { asForm(in, "other=%7B%7D") }, webhook.ErrBody, "payload"},
		{"form with two payloads", func(in *webhook.Delivery) { asForm(in, "payload=%7B%7D&payload=%7B%7D") }, webhook.ErrBody, "payload"},
		{"broken form", func(in *webhook.Delivery) { asForm(in, "payload=%7") }, webhook.ErrBody, "form"},
		{"form whose payload is not JSON", func(in *webhook.Delivery) { asForm(in, "payload=hello") }, webhook.ErrBody, "not JSON"},
		{"multipart", func(in *webhook.Delivery) { in.ContentType = "multipart/form-data; boundary=x" }, webhook.ErrMedia, "multipart/form-data"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := delivery("pull_request", good)
			test.change(&in)
			_, err := github.Provider{}.Seal(in)
			if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("Seal() = %v, want %v that says %q", err, test.want, test.says)
			}
		})
	}
}

func asForm(in *webhook.Delivery, raw string) {
	in.Raw, in.ContentType = []byte(raw), "application/x-www-form-urlencoded"
}

func TestSeal_InstanceOfTheSource(t *testing.T) {
	t.Parallel()
	in := delivery("pull_request", `{"number":7,"repository":{"id":101}}`)
	in.Instance = "ghe.acme.com"
	in.Header.Set("X-GitHub-Enterprise-Host", "GHE.acme.com")
	record, err := github.Provider{}.Seal(in)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := record.Key, schemas.EntityKey("ghe.acme.com:101#7"); got != want {
		t.Errorf("key = %q, want %q", got, want)
	}
	if got, want := record.ProviderHeader("X-GitHub-Enterprise-Host"), "GHE.acme.com"; got != want {
		t.Errorf("kept host = %q, want %q", got, want)
	}
}

func TestSeal_RefusesAnotherProvider(t *testing.T) {
	t.Parallel()
	githubs := []string{"X-GitHub-Event", "X-GitHub-Delivery"}
	tests := []struct {
		name    string
		headers []string // that it sends, of those that matter
		says    string   // empty: it is GitHub's
	}{
		{"Gitea", append([]string{"X-Gitea-Event", "X-Gogs-Event"}, githubs...), "is of gitea, but source github is configured for provider github; configure it for provider gitea"},
		{"Forgejo", append([]string{"X-Forgejo-Event", "X-Gitea-Event", "X-Gogs-Event"}, githubs...), "is of gitea"},
		{"Gogs", append([]string{"X-Gogs-Event"}, githubs...), "is of gitea"},
		{"Gitea alone", []string{"X-Gitea-Event"}, "is of gitea"},
		{"GitLab", []string{"X-Gitlab-Event"}, "configure it for provider gitlab"},
		{"Bitbucket", []string{"X-Event-Key"}, "configure it for provider bitbucket"},
		{"GitHub through something that adds a header", append([]string{"X-Event-Key"}, githubs...), ""},
		{"GitHub", githubs, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := delivery("pull_request", `{"number":7,"repository":{"id":101}}`)
			in.Header = http.Header{}
			for _, name := range test.headers {
				in.Header.Set(name, "pull_request")
			}
			_, err := github.Provider{}.Seal(in)
			if test.says == "" && err != nil {
				t.Fatal(err)
			}
			if test.says != "" && (!errors.Is(err, webhook.ErrHeader) || !strings.Contains(err.Error(), test.says)) {
				t.Errorf("Seal() = %v, want %v that says %q", err, webhook.ErrHeader, test.says)
			}
		})
	}
}

func FuzzSeal(f *testing.F) {
	f.Add("pull_request", []byte(`{"action":"opened","number":7,"repository":{"id":101,"full_name":"acme/api"}}`), false)
	f.Add("issue_comment", []byte(`{"issue":{"number":7,"pull_request":{}},"repository":{"id":101}}`), false)
	f.Add("status", []byte(`{"sha":"6dcb09b","repository":{"id":101}}`), false)
	f.Add("pull_request", []byte(`payload=%7B%22number%22%3A7%7D`), true)
	for event, body := range github.SeedBodies() {
		f.Add(event, []byte(body), false)
	}
	f.Fuzz(func(t *testing.T, event string, body []byte, form bool) {
		in := delivery(event, string(body))
		if form {
			in.ContentType = "application/x-www-form-urlencoded"
		}
		record, err := github.Provider{}.Seal(in)
		if err != nil {
			return
		}
		checkSealed(t, record)
		decoded, err := github.Provider{}.Decode(record)
		if err == nil && decoded.Entity != record.Key {
			t.Errorf("sealed under %q, decoded as %q: %q", record.Key, decoded.Entity, record.Body)
		}
	})
}

// checkSealed checks that a record survives the log: its headers say all of it.
func checkSealed(t *testing.T, record schemas.Record) {
	t.Helper()
	read, err := schemas.ParseRecord([]byte(record.Key), record.Headers(), record.Body)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read, record); diff != "" {
		t.Errorf("record after the log (-got +want):\n%s", diff)
	}
	for _, header := range record.Headers() {
		if strings.EqualFold(header.Name, http.CanonicalHeaderKey("X-Hub-Signature-256")) {
			t.Error("the record carries the signature")
		}
	}
}
