package gitea_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/gitea"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

func TestSeal_Key(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		event   string
		body    string
		key     schemas.EntityKey
		subject string
	}{
		{"pull request", "pull_request", `{"action":"opened","number":7,"pull_request":{"number":7},` + repo + `}`, "git.acme.com:101#7", "acme/api#7"},
		{"number at the top alone", "pull_request_sync", `{"number":7,` + repo + `}`, "git.acme.com:101#7", "acme/api#7"},
		{"number of the pull request alone", "pull_request_label", `{"pull_request":{"number":7},` + repo + `}`, "git.acme.com:101#7", "acme/api#7"},
		{"from a fork", "pull_request", `{"pull_request":{"number":7,"head":{"repo_id":202,"repo":{"id":202}}},` + repo + `}`, "git.acme.com:101#7", "acme/api#7"},
		{"review", "pull_request_review_approved", `{"pull_request":{"number":7},"review":{},` + repo + `}`, "git.acme.com:101#7", "acme/api#7"},
		{"review of a version without types", "pull_request_comment", `{"pull_request":{"number":7},"review":{},` + repo + `}`, "git.acme.com:101#7", "acme/api#7"},
		{"comment, is_pull", "pull_request_comment", `{"issue":{"number":7},"comment":{},"is_pull":true,` + repo + `}`, "git.acme.com:101#7", "acme/api#7"},
		{"comment, issue.pull_request", "issue_comment", `{"issue":{"number":7,"pull_request":{"merged":false}},"comment":{},` + repo + `}`, "git.acme.com:101#7", "acme/api#7"},
		{"comment, pull request beside the issue", "issue_comment", `{"issue":{"number":7},"pull_request":{"number":7},"comment":{},` + repo + `}`, "git.acme.com:101#7", "acme/api#7"},
		{"comment on an issue", "issue_comment", `{"issue":{"number":7,"pull_request":null},"comment":{},"is_pull":false,` + repo + `}`, "git.acme.com:101", "acme/api"},
		{"status", "status", `{"sha":"6dcb09b",` + repo + `}`, "git.acme.com:101@6dcb09b", "acme/api@6dcb09b"},
		{"workflow run", "workflow_run", `{"workflow_run":{"head_sha":"6dcb09b"},"pull_request":{"number":7},` + repo + `}`, "git.acme.com:101@6dcb09b", "acme/api@6dcb09b"},
		{"workflow job", "workflow_job", `{"workflow_job":{"head_sha":"6dcb09b"},"pull_request":{"number":7},` + repo + `}`, "git.acme.com:101", "acme/api"},
		{"sha of another event", "create", `{"sha":"6dcb09b",` + repo + `}`, "git.acme.com:101", "acme/api"},
		{"sha that is none", "status", `{"sha":"a b",` + repo + `}`, "git.acme.com:101", "acme/api"},
		{"number of an issue", "issues", `{"number":7,` + repo + `}`, "git.acme.com:101", "acme/api"},
		{"repository", "repository", `{"action":"created",` + repo + `}`, "git.acme.com:101", "acme/api"},
		{"no repository", "action_run_success", `{"run":{}}`, "git.acme.com", ""},
		{"no name of the repository", "pull_request", `{"number":7,"repository":{"id":101}}`, "git.acme.com:101#7", ""},
		{"number is a string", "pull_request", `{"number":"7",` + repo + `}`, "git.acme.com:101", "acme/api"},
		{"number is negative", "pull_request", `{"number":-7,` + repo + `}`, "git.acme.com:101", "acme/api"},
		{"repository is a string", "pull_request", `{"number":7,"repository":"acme/api"}`, "git.acme.com", ""},
		{"fields after a wrong one count", "pull_request", `{"action":5,"number":7,` + repo + `}`, "git.acme.com:101#7", "acme/api#7"},
		{"an array", "pull_request", `[]`, "git.acme.com", ""},
		{"null", "pull_request", `null`, "git.acme.com", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			record := sealed(t, test.event, test.body)
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
	in := delivery("pull_request_label", ` {"secret":"s","action":"label_updated","number":7,`+repo+`} `)
	in.TraceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	in.ReceivedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, value := range map[string]string{
		"X-Gitea-Event":       "pull_request",
		"X-Gitea-Signature":   strings.Repeat("0", 64),
		"X-Hub-Signature-256": "sha256=" + strings.Repeat("0", 64),
		"Authorization":       "Bearer secret",
	} {
		in.Header.Set(name, value)
	}
	got, err := gitea.Provider{}.Seal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := schemas.Record{
		Key: "git.acme.com:101#7", ID: "d-1", Source: "gitea", Provider: "gitea", Event: "pull_request_label",
		Action: "label_updated", Subject: "acme/api#7", ReceivedAt: in.ReceivedAt, ContentType: "application/json",
		TraceParent: in.TraceParent,
		ProviderHeaders: []schemas.Header{
			{Name: "X-Gitea-Event", Value: "pull_request"},
			{Name: "X-Gitea-Event-Type", Value: "pull_request_label"},
		},
		Body: []byte(` {"action":"label_updated","number":7,` + repo + `} `),
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Seal() (-got +want):\n%s", diff)
	}
}

// The type is the finer name; versions without it have the event alone.
func TestSeal_NameOfTheEvent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		header map[string]string
		want   string
	}{
		{"Gitea", map[string]string{"X-Gitea-Event": "pull_request", "X-Gitea-Event-Type": "pull_request_sync"}, "pull_request_sync"},
		{"without a type", map[string]string{"X-Gitea-Event": "pull_request_approved"}, "pull_request_approved"},
		{"Forgejo", map[string]string{"X-Forgejo-Event": "pull_request", "X-Forgejo-Event-Type": "pull_request_sync"}, "pull_request_sync"},
		{"Forgejo without a type", map[string]string{"X-Forgejo-Event": "push"}, "push"},
		{"Gogs", map[string]string{"X-Gogs-Event": "push"}, "push"},
		{"the type has no event", map[string]string{"X-Gitea-Event": "", "X-Gitea-Event-Type": "package"}, "package"},
		{"GitHub's copy is not looked at", map[string]string{"X-GitHub-Event-Type": "issues", "X-GitHub-Event": "issues", "X-Gitea-Event": "push"}, "push"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := webhook.Delivery{Header: make(http.Header), Raw: []byte(`{}`)}
			in.Header.Set("X-Gogs-Delivery", "d-1")
			for name, value := range test.header {
				in.Header.Set(name, value)
			}
			record, err := gitea.Provider{}.Seal(in)
			if err != nil {
				t.Fatal(err)
			}
			if record.Event != test.want || len(record.ProviderHeaders) == 0 {
				t.Errorf("event = %q with %v, want %q", record.Event, record.ProviderHeaders, test.want)
			}
		})
	}
}

func TestSeal_DeliveryID(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"X-Gitea-Delivery", "X-Forgejo-Delivery", "X-Gogs-Delivery"} {
		in := webhook.Delivery{Header: make(http.Header), Raw: []byte(`{}`)}
		in.Header.Set("X-Gitea-Event", "push")
		in.Header.Set(name, "d-9")
		record, err := gitea.Provider{}.Seal(in)
		if err != nil || record.ID != "d-9" {
			t.Errorf("id of %s = %q, %v", name, record.ID, err)
		}
	}
}

func TestSeal_FormCarriesTheSameRecord(t *testing.T) {
	t.Parallel()
	body := `{"title":"50% + 1","number":7,` + repo + `} `
	form, err := gitea.Provider{}.Seal(formDelivery("pull_request", body))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(form, sealed(t, "pull_request", body)); diff != "" {
		t.Errorf("record of a form (-form +plain):\n%s", diff)
	}
}

func TestSeal_DefaultInstance(t *testing.T) {
	t.Parallel()
	in := delivery("pull_request", `{"number":7,`+repo+`}`)
	in.Instance = ""
	record, err := gitea.Provider{}.Seal(in)
	if got, want := record.Key, schemas.EntityKey("gitea.com:101#7"); got != want || err != nil {
		t.Errorf("key = %q, %v, want %q", got, err, want)
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
		{"no headers", func(in *webhook.Delivery) { in.Header = http.Header{} }, webhook.ErrHeader, "X-Gitea-Event is missing"},
		{"no event", func(in *webhook.Delivery) { setOnly(in, "X-Gitea-Delivery") }, webhook.ErrHeader, "X-Gitea-Event is missing"},
		{"odd event", func(in *webhook.Delivery) { in.Header.Set("X-Gitea-Event-Type", "a.b") }, webhook.ErrHeader, "X-Gitea-Event"},
		{"long event", func(in *webhook.Delivery) { in.Header.Set("X-Gitea-Event-Type", strings.Repeat("a", 101)) }, webhook.ErrHeader, "X-Gitea-Event"},
		{"no delivery id", func(in *webhook.Delivery) { setOnly(in, "X-Gitea-Event") }, webhook.ErrHeader, "X-Gitea-Delivery"},
		{"blank in the delivery id", func(in *webhook.Delivery) { in.Header.Set("X-Gitea-Delivery", "d 1") }, webhook.ErrHeader, "X-Gitea-Delivery"},
		{"long delivery id", func(in *webhook.Delivery) { in.Header.Set("X-Gitea-Delivery", strings.Repeat("d", 256)) }, webhook.ErrHeader, "X-Gitea-Delivery"},
		{"not JSON", func(in *webhook.Delivery) { in.Raw = []byte("hello") }, webhook.ErrBody, "not JSON"},
		{"empty", func(in *webhook.Delivery) { in.Raw = nil }, webhook.ErrBody, "not JSON"},
		{"cut short", func(in *webhook.Delivery) { in.Raw = []byte(good[:20]) }, webhook.ErrBody, "not JSON"},
		{"two values", func(in *webhook.Delivery) { in.Raw = []byte(good + good) }, webhook.ErrBody, "not JSON"},
		{"a secret that does not end", func(in *webhook.Delivery) { in.Raw = []byte(`{"secret":"s`) }, webhook.ErrBody, "not JSON"},
		{"form that says it is JSON", func(in *webhook.Delivery) { in.Raw = []byte("payload=%7B%7D") }, webhook.ErrBody, "not JSON"},
		{"form without payload", func(in *webhook.Delivery) { asForm(in, "other=%7B%7D") }, webhook.ErrBody, "payload"},
		{"broken form", func(in *webhook.Delivery) { asForm(in, "payload=%7") }, webhook.ErrBody, "form"},
		{"multipart", func(in *webhook.Delivery) { in.ContentType = "multipart/form-data; boundary=x" }, webhook.ErrMedia, "multipart/form-data"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := delivery("pull_request", good)
			test.change(&in)
			_, err := gitea.Provider{}.Seal(in)
			if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("Seal() = %v, want %v that says %q", err, test.want, test.says)
			}
		})
	}
}

func asForm(in *webhook.Delivery, raw string) {
	in.Raw, in.ContentType = []byte(raw), "application/x-www-form-urlencoded"
}

func setOnly(in *webhook.Delivery, name string) {
	in.Header = make(http.Header)
	in.Header.Set(name, "push")
}

func TestTrap25_ADeliveryOfAnotherProviderIsNamed(t *testing.T) {
	t.Parallel()
	for header, name := range map[string]string{"X-GitHub-Event": "github", "X-Gitlab-Event": "gitlab", "X-Event-Key": "bitbucket"} {
		in := webhook.Delivery{Header: make(http.Header), Raw: []byte(`{}`), Source: "forge"}
		in.Header.Set(header, "push")
		in.Header.Set("X-GitHub-Delivery", "d-1")
		_, err := gitea.Provider{}.Seal(in)
		if !errors.Is(err, webhook.ErrHeader) || !strings.Contains(fmt.Sprint(err), "is of "+name) {
			t.Errorf("Seal() of a delivery with %s = %v, want that it is of %s", header, err, name)
		}
		in.Header.Set("X-Gitea-Event", "push")
		in.Header.Set("X-Gitea-Delivery", "d-1")
		if _, err := (gitea.Provider{}).Seal(in); err != nil {
			t.Errorf("Seal() of Gitea's delivery with a copy in %s = %v", header, err)
		}
	}
}

func FuzzSeal(f *testing.F) {
	f.Add("pull_request", []byte(`{"action":"opened","number":7,"repository":{"id":101,"full_name":"acme/api"}}`), false)
	f.Add("issue_comment", []byte(`{"issue":{"number":7,"pull_request":{}},"comment":{"id":1},"action":"created","repository":{"id":101}}`), false)
	f.Add("pull_request_comment", []byte(`{"issue":{"number":7},"is_pull":true,"comment":{"id":1},"action":"edited","repository":{"id":101}}`), false)
	f.Add("status", []byte(`{"sha":"6dcb09b","context":"c","repository":{"id":101}}`), false)
	f.Add("workflow_run", []byte(`{"workflow_run":{"head_sha":"6dcb09b"},"repository":{"id":101}}`), false)
	f.Add("push", []byte(`{"a":{"\u0073ecret":{"secret":1}},"secret":[1e999],"secret":2 }`), false)
	f.Add("pull_request", []byte(`payload=%7B%22secret%22%3A7%7D`), true)
	f.Fuzz(func(t *testing.T, event string, body []byte, form bool) {
		in := delivery(event, string(body))
		if form {
			in.ContentType = "application/x-www-form-urlencoded"
		}
		record, err := gitea.Provider{}.Seal(in)
		if err != nil {
			return
		}
		checkSealed(t, record)
		checkStripped(t, in, record)
		decoded, err := gitea.Provider{}.Decode(record)
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
}

// checkStripped checks that the record's body is the delivery's without its
// secrets, and otherwise says the same.
func checkStripped(t *testing.T, in webhook.Delivery, record schemas.Record) {
	t.Helper()
	body, err := webhook.BodyOf(in)
	if err != nil || bytes.Equal(body, record.Body) && !json.Valid(body) {
		return // goccy takes it, and the standard library would not
	}
	got := readJSON(t, record.Body)
	checkNoSecret(t, got)
	if diff := cmp.Diff(got, strip(readJSON(t, body))); diff != "" {
		t.Errorf("body without its secrets (-got +want):\n%s", diff)
	}
}
