package bitbucket_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/bitbucket"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

func TestSeal_Key(t *testing.T) {
	t.Parallel()
	const (
		key = "bitbucket.org:" + uuid
		sha = "bdf6fac0519ffd1562461eb82e018ff62efffbc9"
	)
	tests := []struct {
		name    string
		event   string
		body    string
		key     schemas.EntityKey
		subject string
	}{
		{"cloud: pull request", "pullrequest:created", cloud(``), key + "#7", "acme/api#7"},
		{"cloud: no name of the repository", "pullrequest:created", `{"pullrequest":{"id":7},"repository":{"uuid":"{` + uuid + `}"}}`, key + "#7", ""},
		{"cloud: comment", "pullrequest:comment_created", cloudWith(``, `,"comment":{"id":1}`), key + "#7", "acme/api#7"},
		{"cloud: event from the future", "pullrequest:blessed", cloud(``), key + "#7", "acme/api#7"},
		{"cloud: status, 40 digits", "repo:commit_status_created", `{"commit_status":{"commit":{"hash":"` + sha + `"}},` + repo + `}`, key + "@bdf6fac0519f", "acme/api@bdf6fac0519f"},
		{"cloud: status, by its address", "repo:commit_status_updated", `{"commit_status":{"links":{"commit":{"href":"https://api.bitbucket.org/2.0/repositories/acme/api/commit/` + sha + `"}}},` + repo + `}`, key + "@bdf6fac0519f", "acme/api@bdf6fac0519f"},
		{"cloud: status without a commit", "repo:commit_status_created", `{"commit_status":{},` + repo + `}`, key, "acme/api"},
		{"cloud: status whose commit is none", "repo:commit_status_created", `{"commit_status":{"commit":{"hash":"a b"}},` + repo + `}`, key, "acme/api"},
		{"cloud: push", "repo:push", `{"push":{},` + repo + `}`, key, "acme/api"},
		{"cloud: issue of the number of a pull request", "issue:created", `{"issue":{"id":7},` + repo + `}`, key, "acme/api"},
		{"cloud: no repository", "project:updated", `{}`, "bitbucket.org", ""},
		{"cloud: uuid without braces", "repo:push", `{"repository":{"uuid":"` + uuid + `"}}`, key, ""},
		{"cloud: uuid that would be another key", "pullrequest:created", `{"pullrequest":{"id":7},"repository":{"uuid":"{a#1}"}}`, "bitbucket.org", ""},
		{"cloud: id is a string", "pullrequest:created", `{"pullrequest":{"id":"7"},` + repo + `}`, key, "acme/api"},
		{"cloud: fields after a wrong one count", "pullrequest:created", `{"repository":{"uuid":7},` + repo + `,"pullrequest":{"id":7}}`, key + "#7", "acme/api#7"},
		{"data center: pull request", "pr:opened", dataCenter(``), "bitbucket.org:101#7", "ACME/api#7"},
		{"data center: verdict", "pr:reviewer:approved", dataCenter(``), "bitbucket.org:101#7", "ACME/api#7"},
		{"data center: of a fork", "pr:opened", dataCenter(`,"fromRef":{"repository":{"id":202}}`), "bitbucket.org:101#7", "ACME/api#7"},
		{"data center: number is negative", "pr:opened", `{"pullRequest":{"id":-7,` + toRef + `}}`, "bitbucket.org:101", "ACME/api"},
		{"data center: push", "repo:refs_changed", `{` + dcRepo + `}`, "bitbucket.org:101", "ACME/api"},
		{"data center: comment on a commit", "repo:comment:added", `{` + dcRepo + `,"comment":{"id":1}}`, "bitbucket.org:101", "ACME/api"},
		{"data center: renamed", "repo:modified", `{"old":{"id":101,"slug":"api"},"new":{"id":101,"slug":"api2","project":{"key":"ACME"}}}`, "bitbucket.org:101", "ACME/api2"},
		{"data center: a project is no repository", "project:modified", `{"new":{"id":101,"key":"ACME"}}`, "bitbucket.org", ""},
		{"data center: ping", "diagnostics:ping", `{"test":true}`, "bitbucket.org", ""},
		{"data center: no name of the repository", "repo:refs_changed", `{"repository":{"id":101}}`, "bitbucket.org:101", ""},
		{"an array", "pullrequest:created", `[]`, "bitbucket.org", ""},
		{"null", "pr:opened", `null`, "bitbucket.org", ""},
		{"key without a colon", "from_the_future", `{` + repo + `}`, key, "acme/api"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			record := sealed(t, test.event, test.body)
			got := [2]string{string(record.Key), record.Subject}
			if diff := cmp.Diff(got, [2]string{string(test.key), test.subject}); diff != "" {
				t.Errorf("Seal() key and subject (-got +want):\n%s", diff)
			}
			checkSealed(t, record)
		})
	}
}

func TestSeal_Record(t *testing.T) {
	t.Parallel()
	const body = ` {"pullrequest":{"id":7},` + repo + `} `
	in := delivery("pullrequest:approved", body)
	in.TraceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	in.ReceivedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, value := range map[string]string{
		"X-Hook-UUID":      "h-1",
		"X-Attempt-Number": "2",
		"X-Request-Id":     "of-a-proxy",
		"X-Hub-Signature":  vectorSignature,
		"Authorization":    "Basic c2VjcmV0",
	} {
		in.Header.Set(name, value)
	}
	got, err := bitbucket.Provider{}.Seal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := schemas.Record{
		Key: "bitbucket.org:" + uuid + "#7", ID: "d-1", Source: "bitbucket", Provider: "bitbucket",
		Event: "pullrequest", Action: "approved", Subject: "acme/api#7", ReceivedAt: in.ReceivedAt,
		ContentType: "application/json", TraceParent: in.TraceParent,
		ProviderHeaders: []schemas.Header{
			{Name: "X-Event-Key", Value: "pullrequest:approved"},
			{Name: "X-Hook-UUID", Value: "h-1"},
			{Name: "X-Attempt-Number", Value: "2"},
		},
		Body: []byte(body),
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Seal() (-got +want):\n%s", diff)
	}
}

func TestSeal_EventKeyBecomesEventAndAction(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, event, action, ceType string }{
		{"pullrequest:created", "pullrequest", "created", "bitbucket.pullrequest.created"},
		{"repo:commit_status_created", "repo", "commit_status_created", "bitbucket.repo.commit_status_created"},
		{"pr:from_ref_updated", "pr", "from_ref_updated", "bitbucket.pr.from_ref_updated"},
		{"pr:reviewer:approved", "pr", "reviewer:approved", "bitbucket.pr.reviewer:approved"},
		{"diagnostics:ping", "diagnostics", "ping", "bitbucket.diagnostics.ping"},
	} {
		record := sealed(t, test.key, `{}`)
		got := [3]string{record.Event, record.Action, record.Type()}
		if diff := cmp.Diff(got, [3]string{test.event, test.action, test.ceType}); diff != "" {
			t.Errorf("Seal(%s) (-got +want):\n%s", test.key, diff)
		}
		checkSealed(t, record)
	}
}

func TestSeal_DeliveryID(t *testing.T) {
	t.Parallel()
	seal := func(key, body string, header map[string]string) schemas.DeliveryID {
		in := delivery(key, body)
		in.Header.Del("X-Request-UUID")
		for name, value := range header {
			in.Header.Set(name, value)
		}
		record, err := bitbucket.Provider{}.Seal(in)
		if err != nil {
			t.Fatal(err)
		}
		return record.ID
	}
	if got := seal("pr:opened", "{}", map[string]string{"X-Request-Id": "r-1"}); got != "r-1" {
		t.Errorf("id = %q, want Data Center's", got)
	}
	derived := seal("pr:opened", "{}", nil)
	if !strings.HasPrefix(string(derived), "body-") || len(derived) != len("body-")+64 {
		t.Errorf("id = %q, want one of the content", derived)
	}
	if again := seal("pr:opened", "{}", nil); again != derived {
		t.Errorf("the same delivery has id %q and then %q", derived, again)
	}
	if other := seal("pr:merged", "{}", nil); other == derived {
		t.Error("another event has the same id")
	}
	if other := seal("pr:opened", "{} ", nil); other == derived {
		t.Error("another body has the same id")
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
		{"no event key", func(in *webhook.Delivery) { in.Header.Del("X-Event-Key") }, webhook.ErrHeader, "X-Event-Key"},
		{"GitHub's delivery", func(in *webhook.Delivery) { onlyHeader(in, "X-GitHub-Event") }, webhook.ErrHeader, "provider github"},
		{"GitLab's delivery", func(in *webhook.Delivery) { onlyHeader(in, "X-Gitlab-Event") }, webhook.ErrHeader, "provider gitlab"},
		{"Gitea's delivery", func(in *webhook.Delivery) { onlyHeader(in, "X-GitHub-Event", "X-Gitea-Event") }, webhook.ErrHeader, "provider gitea"},
		{"Linear's delivery", func(in *webhook.Delivery) { onlyHeader(in, "Linear-Event") }, webhook.ErrHeader, "provider linear"},
		{"odd event key", func(in *webhook.Delivery) { in.Header.Set("X-Event-Key", "pr:a.b") }, webhook.ErrHeader, "X-Event-Key"},
		{"event key that begins with a colon", func(in *webhook.Delivery) { in.Header.Set("X-Event-Key", ":opened") }, webhook.ErrHeader, "X-Event-Key"},
		{"long event key", func(in *webhook.Delivery) { in.Header.Set("X-Event-Key", strings.Repeat("a", 101)) }, webhook.ErrHeader, "X-Event-Key"},
		{"blank in the delivery id", func(in *webhook.Delivery) { in.Header.Set("X-Request-UUID", "a b") }, webhook.ErrHeader, "X-Request-UUID"},
		{"long delivery id", func(in *webhook.Delivery) { in.Header.Set("X-Request-UUID", strings.Repeat("d", 256)) }, webhook.ErrHeader, "X-Request-UUID"},
		{"not JSON", func(in *webhook.Delivery) { in.Raw = []byte("hello") }, webhook.ErrBody, "not JSON"},
		{"empty", func(in *webhook.Delivery) { in.Raw = nil }, webhook.ErrBody, "not JSON"},
		{"cut short", func(in *webhook.Delivery) { in.Raw = in.Raw[:20] }, webhook.ErrBody, "not JSON"},
		{"not JSON, of Data Center", func(in *webhook.Delivery) { in.Header.Set("X-Event-Key", "pr:opened"); in.Raw = []byte("{") }, webhook.ErrBody, "not JSON"},
		{"multipart", func(in *webhook.Delivery) { in.ContentType = "multipart/form-data; boundary=x" }, webhook.ErrMedia, "multipart/form-data"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := delivery("pullrequest:created", cloud(``))
			test.change(&in)
			_, err := bitbucket.Provider{}.Seal(in)
			if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("Seal() = %v, want %v that says %q", err, test.want, test.says)
			}
		})
	}
}

func onlyHeader(in *webhook.Delivery, names ...string) {
	in.Header = make(http.Header)
	for _, name := range names {
		in.Header.Set(name, "push")
	}
}

func TestSeal_InstanceOfTheSource(t *testing.T) {
	t.Parallel()
	in := delivery("pr:opened", dataCenter(``))
	in.Instance = "bitbucket.acme.com"
	in.ContentType = "application/json; charset=utf-8"
	record, err := bitbucket.Provider{}.Seal(in)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := record.Key, schemas.EntityKey("bitbucket.acme.com:101#7"); got != want {
		t.Errorf("key = %q, want %q", got, want)
	}
}

// A source that states no instance is of Bitbucket Cloud.
func TestSeal_InstanceByDefault(t *testing.T) {
	t.Parallel()
	in := delivery("pullrequest:created", cloud(``))
	in.Instance = ""
	record, err := bitbucket.Provider{}.Seal(in)
	if want := schemas.EntityKey("bitbucket.org:" + uuid + "#7"); err != nil || record.Key != want {
		t.Errorf("key = %q, %v, want %q", record.Key, err, want)
	}
}

// Each event that is folded may become the label of a metric.
func TestEvents_NamesWhatIsFolded(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"pullrequest:created", "repo:commit_status_created", "pr:opened", "diagnostics:ping"} {
		record := sealed(t, key, `{}`)
		if record.Provider != (bitbucket.Provider{}).Name() || !slices.Contains(bitbucket.Provider{}.Events(), record.Event) {
			t.Errorf("event %s of provider %s is not in Events()", record.Event, record.Provider)
		}
	}
}

func FuzzSeal(f *testing.F) {
	f.Add("pullrequest:created", []byte(cloud(``)))
	f.Add("pullrequest:comment_deleted", []byte(cloudWith(``, `,"comment":{"id":1}`)))
	f.Add("repo:commit_status_created", []byte(`{"commit_status":{"key":"k","commit":{"hash":"bdf6fac0519ffd15"}},`+repo+`}`))
	f.Add("repo:updated", []byte(`{`+repo+`}`))
	f.Add("pr:opened", []byte(dataCenter(``)))
	f.Add("pr:comment:added", []byte(dataCenterWith(``, `,"comment":{"id":1}`)))
	f.Add("repo:modified", []byte(`{"new":{"id":101,"slug":"api","project":{"key":"ACME"}}}`))
	f.Fuzz(func(t *testing.T, key string, body []byte) {
		record, err := bitbucket.Provider{}.Seal(delivery(key, string(body)))
		if err != nil {
			return
		}
		checkSealed(t, record)
		event, err := bitbucket.Provider{}.Decode(record)
		if err == nil && event.Entity != record.Key {
			t.Errorf("sealed under %q, decoded as %q: %q", record.Key, event.Entity, record.Body)
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
		if strings.EqualFold(header.Name, "X-Hub-Signature") || strings.EqualFold(header.Name, "Authorization") {
			t.Errorf("the record carries %s", header.Name)
		}
	}
}
