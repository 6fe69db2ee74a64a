//nolint:misspell // noteable is GitLab's word
package gitlab_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/gitlab"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

func TestSeal_Key(t *testing.T) {
	t.Parallel()
	const project = `"project":{"id":101,"path_with_namespace":"acme/api"}`
	tests := []struct {
		name    string
		event   string
		body    string
		kind    string // of ce_type
		key     schemas.EntityKey
		subject string
	}{
		{"merge request", "Merge Request Hook", `{"object_kind":"merge_request",` + project + `,"object_attributes":{"iid":7,"target_project_id":101,"action":"open"}}`, "merge_request.open", "gitlab.com:101#7", "acme/api#7"},
		{"target project alone", "Merge Request Hook", `{"object_kind":"merge_request","object_attributes":{"iid":7,"target_project_id":101}}`, "merge_request", "gitlab.com:101#7", ""},
		{"the target project goes before the project", "Merge Request Hook", `{"object_kind":"merge_request","project":{"id":1},"object_attributes":{"iid":7,"target_project_id":101}}`, "merge_request", "gitlab.com:101#7", ""},
		{"no kind in the body", "Merge Request Hook", `{` + project + `,"object_attributes":{"iid":7}}`, "merge_request", "gitlab.com:101#7", "acme/api#7"},
		{"system hook of a merge request", "System Hook", `{"object_kind":"merge_request",` + project + `,"object_attributes":{"iid":7}}`, "merge_request", "gitlab.com:101#7", "acme/api#7"},
		{"no iid", "Merge Request Hook", `{"object_kind":"merge_request",` + project + `,"object_attributes":{"id":99}}`, "merge_request", "gitlab.com:101", "acme/api"},
		{"no project", "Merge Request Hook", `{"object_kind":"merge_request","object_attributes":{"iid":7}}`, "merge_request", "gitlab.com", ""},
		{"iid is a string", "Merge Request Hook", `{"object_kind":"merge_request","object_attributes":{"iid":"7"},` + project + `}`, "merge_request", "gitlab.com:101", "acme/api"},
		{"iid is negative", "Merge Request Hook", `{"object_kind":"merge_request","object_attributes":{"iid":-7},` + project + `}`, "merge_request", "gitlab.com:101", "acme/api"},
		{"id beyond 2^31", "Merge Request Hook", `{"project":{"id":4294967297},"object_attributes":{"iid":7}}`, "merge_request", "gitlab.com:4294967297#7", ""},
		{"fields after a wrong one count", "Merge Request Hook", `{"object_kind":5,"object_attributes":{"action":[],"iid":7},` + project + `}`, "merge_request", "gitlab.com:101#7", "acme/api#7"},
		{"note on a merge request", "Note Hook", `{"object_kind":"note","object_attributes":{"noteable_id":99,"action":"create"},"merge_request":{"id":99,"iid":7,"target_project_id":101},` + project + `}`, "note.create", "gitlab.com:101#7", "acme/api#7"},
		{"confidential note", "Confidential Note Hook", `{"object_kind":"note","merge_request":{"iid":7},"project_id":101}`, "note", "gitlab.com:101#7", ""},
		{"note on an issue", "Note Hook", `{"object_kind":"note","issue":{"iid":7},` + project + `}`, "note", "gitlab.com:101", "acme/api"},
		{"pipeline", "Pipeline Hook", `{"object_kind":"pipeline","object_attributes":{"id":31,"sha":"6dcb09b"},"merge_request":null,` + project + `}`, "pipeline", "gitlab.com:101@6dcb09b", "acme/api@6dcb09b"},
		{"pipeline for a fork's merge request", "Pipeline Hook", `{"object_kind":"pipeline","object_attributes":{"sha":"6dcb09b"},"merge_request":{"source_project_id":202},` + project + `}`, "pipeline", "gitlab.com:202@6dcb09b", "acme/api@6dcb09b"},
		{"sha that is none", "Pipeline Hook", `{"object_kind":"pipeline","object_attributes":{"sha":"a b"},` + project + `}`, "pipeline", "gitlab.com:101", "acme/api"},
		{"job", "Job Hook", `{"object_kind":"build","sha":"6dcb09b","project_id":101}`, "build", "gitlab.com:101", ""},
		{"push", "Push Hook", `{"object_kind":"push","event_name":"push","project_id":101,` + project + `}`, "push", "gitlab.com:101", "acme/api"},
		{"emoji", "Emoji Hook", `{"object_kind":"emoji","object_attributes":{"action":"award"},` + project + `}`, "emoji.award", "gitlab.com:101", "acme/api"},
		{"release", "Release Hook", `{"object_kind":"release","action":"create",` + project + `}`, "release.create", "gitlab.com:101", "acme/api"},
		{"project renamed", "System Hook", `{"event_name":"project_rename","project_id":101,"path_with_namespace":"acme/api"}`, "project_rename", "gitlab.com:101", "acme/api"},
		{"user created", "System Hook", `{"event_name":"user_create"}`, "user_create", "gitlab.com", ""},
		{"system hook that does not say", "System Hook", `{}`, "system_hook", "gitlab.com", ""},
		{"a kind that is no word", "Push Hook", `{"object_kind":"a.b"}`, "push", "gitlab.com", ""},
		{"an action that is no word", "Push Hook", `{"object_attributes":{"action":"a.b"}}`, "push", "gitlab.com", ""},
		{"an array", "Push Hook", `[]`, "push", "gitlab.com", ""},
		{"null", "Hook", `null`, "hook", "gitlab.com", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			record := sealed(t, test.event, test.body)
			got := [3]string{record.Type(), string(record.Key), record.Subject}
			want := [3]string{"gitlab." + test.kind, string(test.key), test.subject}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("Seal() type, key and subject (-got +want):\n%s", diff)
			}
			if _, err := schemas.ParseKey(record.Key); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSeal_Record(t *testing.T) {
	t.Parallel()
	body := " " + mergeRequest(`,"action":"open"`, "") + " "
	in := hook("Merge Request Hook", body)
	in.TraceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	in.ReceivedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, value := range map[string]string{
		"X-Gitlab-Instance": "https://gitlab.com", "X-Gitlab-Webhook-UUID": "w", "X-Gitlab-Event-UUID": "e",
		"X-Gitlab-Token": plainSecret, "webhook-id": "m-1", "webhook-signature": "v1,x", "Authorization": "Bearer secret",
	} {
		in.Header.Set(name, value)
	}
	got, err := gitlab.Provider{}.Seal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := schemas.Record{
		Key: "gitlab.com:101#7", ID: "d-1", Source: "gitlab", Provider: "gitlab", Event: "merge_request", Action: "open",
		Subject: "acme/api#7", ReceivedAt: in.ReceivedAt, ContentType: "application/json", TraceParent: in.TraceParent,
		ProviderHeaders: []schemas.Header{
			{Name: "X-Gitlab-Event", Value: "Merge Request Hook"},
			{Name: "X-Gitlab-Instance", Value: "https://gitlab.com"},
		},
		Body: []byte(body),
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Seal() (-got +want):\n%s", diff)
	}
}

// The two UUIDs of a delivery differ between equal deliveries, or are equal in
// different ones: neither may become its id.
func TestSeal_DeliveryID(t *testing.T) {
	t.Parallel()
	// sha256 of {}
	const hashed = "body-44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
	for _, test := range []struct {
		name, key, id string
		want          schemas.DeliveryID
	}{
		{"Idempotency-Key", "k-1", "m-1", "k-1"},
		{"webhook-id", "", "m-1", "m-1"},
		{"blank key", " ", "m-1", "m-1"},
		{"neither", "", "", hashed},
	} {
		in := hook("Push Hook", "{}")
		in.Header.Set("Idempotency-Key", test.key)
		in.Header.Set("webhook-id", test.id)
		in.Header.Set("X-Gitlab-Event-UUID", "e-"+test.name)
		in.Header.Set("X-Gitlab-Webhook-UUID", "w-"+test.name)
		record, err := gitlab.Provider{}.Seal(in)
		if err != nil || record.ID != test.want {
			t.Errorf("%s: Seal() id = %q, %v, want %q", test.name, record.ID, err, test.want)
		}
	}
}

func TestSeal_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(in *webhook.Delivery)
		want   error
		says   string
	}{
		{"no event", func(in *webhook.Delivery) { in.Header.Del("X-Gitlab-Event") }, webhook.ErrHeader, "GitLab sends it"},
		{"event with a dot", func(in *webhook.Delivery) { in.Header.Set("X-Gitlab-Event", "a.b") }, webhook.ErrHeader, "X-Gitlab-Event"},
		{"long event", func(in *webhook.Delivery) { in.Header.Set("X-Gitlab-Event", strings.Repeat("e", 101)) }, webhook.ErrHeader, "X-Gitlab-Event"},
		{"a delivery of GitHub", func(in *webhook.Delivery) { another(in, "X-GitHub-Event") }, webhook.ErrProvider, "github"},
		{"a delivery of Gitea", func(in *webhook.Delivery) { another(in, "X-GitHub-Event", "X-Gitea-Event") }, webhook.ErrProvider, "gitea"},
		{"a delivery of Forgejo", func(in *webhook.Delivery) { another(in, "X-Gitea-Event", "X-Forgejo-Event") }, webhook.ErrProvider, "gitea"},
		{"a delivery of Bitbucket", func(in *webhook.Delivery) { another(in, "X-Event-Key") }, webhook.ErrProvider, "bitbucket"},
		{"a delivery of Linear", func(in *webhook.Delivery) { another(in, "Linear-Event") }, webhook.ErrProvider, "linear"},
		{"long delivery id", func(in *webhook.Delivery) { in.Header.Set("Idempotency-Key", strings.Repeat("d", 256)) }, webhook.ErrHeader, "Idempotency-Key"},
		{"delivery id with a blank", func(in *webhook.Delivery) { in.Header.Set("Idempotency-Key", "a b") }, webhook.ErrHeader, "Idempotency-Key"},
		{"another instance", func(in *webhook.Delivery) { in.Header.Set("X-Gitlab-Instance", "https://git.acme.com") }, webhook.ErrHeader, "git.acme.com"},
		{"an instance without a scheme", func(in *webhook.Delivery) { in.Header.Set("X-Gitlab-Instance", "gitlab.com") }, webhook.ErrHeader, "X-Gitlab-Instance"},
		{"an instance that is none", func(in *webhook.Delivery) { in.Header.Set("X-Gitlab-Instance", "http://[") }, webhook.ErrHeader, "X-Gitlab-Instance"},
		{"not JSON", func(in *webhook.Delivery) { in.Raw = []byte("hello") }, webhook.ErrBody, "not JSON"},
		{"empty", func(in *webhook.Delivery) { in.Raw = nil }, webhook.ErrBody, "not JSON"},
		{"cut short", func(in *webhook.Delivery) { in.Raw = in.Raw[:10] }, webhook.ErrBody, "not JSON"},
		{"multipart", func(in *webhook.Delivery) { in.ContentType = "multipart/form-data; boundary=x" }, webhook.ErrMedia, "multipart/form-data"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := hook("Merge Request Hook", mergeRequest("", ""))
			test.change(&in)
			_, err := gitlab.Provider{}.Seal(in)
			if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("Seal() = %v, want %v that says %q", err, test.want, test.says)
			}
		})
	}
}

// another makes a delivery one of another provider.
func another(in *webhook.Delivery, names ...string) {
	in.Header.Del("X-Gitlab-Event")
	for _, name := range names {
		in.Header.Set(name, "push")
	}
}

func TestSeal_InstanceOfTheSource(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ instance, header string }{
		{"", "https://gitlab.com"},
		{"", ""},
		{"git.acme.com", "https://GIT.acme.com/gitlab"},
		{"git.acme.com", "http://git.acme.com:8080"},
		{"git.acme.com:8080", "http://git.acme.com:8080"},
	} {
		in := hook("Merge Request Hook", mergeRequest("", ""))
		in.Instance = test.instance
		in.Header.Set("X-Gitlab-Instance", test.header)
		record, err := gitlab.Provider{}.Seal(in)
		want := "gitlab.com:101#7"
		if test.instance != "" {
			want = test.instance + ":101#7"
		}
		if err != nil || string(record.Key) != want {
			t.Errorf("Seal() of %v = %q, %v, want %q", test, record.Key, err, want)
		}
	}
}

func TestProvider(t *testing.T) {
	t.Parallel()
	var provider gitlab.Provider
	got := [3]any{provider.Name(), provider.DefaultInstance(), provider.SuccessStatus()}
	if diff := cmp.Diff(got, [3]any{"gitlab", "gitlab.com", 200}); diff != "" {
		t.Errorf("name, instance and status (-got +want):\n%s", diff)
	}
	for _, event := range provider.Events() {
		if record := sealed(t, "System Hook", `{"event_name":"`+event+`"}`); record.Event != event {
			t.Errorf("event %q is sealed as %q", event, record.Event)
		}
	}
}

func FuzzSeal(f *testing.F) {
	f.Add("Merge Request Hook", "https://gitlab.com", []byte(mergeRequest(`,"action":"update"`, "")))
	f.Add("Note Hook", "", []byte(`{"object_kind":"note","merge_request":{"iid":7},"project_id":101,"object_attributes":{"id":1,"note":"x"}}`))
	f.Add("Pipeline Hook", "", []byte(`{"object_kind":"pipeline","project":{"id":101},"object_attributes":{"id":1,"sha":"6dcb09b"},"merge_request":{"source_project_id":-1}}`))
	f.Add("System Hook", "", []byte(`{"event_name":"project_rename","project_id":101,"path_with_namespace":"acme/api"}`))
	f.Fuzz(func(t *testing.T, event, instance string, body []byte) {
		in := hook(event, string(body))
		in.Header.Set("X-Gitlab-Instance", instance)
		record, err := gitlab.Provider{}.Seal(in)
		if err != nil {
			return
		}
		read, err := schemas.ParseRecord([]byte(record.Key), record.Headers(), record.Body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(read, record); diff != "" {
			t.Errorf("record after the log (-got +want):\n%s", diff)
		}
		got, err := gitlab.Provider{}.Decode(record)
		if err == nil && got.Entity != record.Key {
			t.Errorf("sealed under %q, decoded as %q: %q", record.Key, got.Entity, record.Body)
		}
	})
}
