package payloads_test

import (
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pawl/internal/payloads"
	"pawl/internal/provider"
)

// sample is a payload of one's own, read as the real ones are.
func sample(t *testing.T, name, body string) payloads.Sample {
	t.Helper()
	samples, err := payloads.Read(fstest.MapFS{name: {Data: []byte(body)}})
	if err != nil || len(samples) != 1 {
		t.Fatalf("Read = %v, %v, want one sample", samples, err)
	}
	return samples[0]
}

func TestDelivery_EventIsDerived(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, header, want string }{
		{"github/a/x.json", `{"pull_request":{},"comment":{}}`, "X-GitHub-Event", "pull_request_review_comment"},
		{"github/a/x.json", `{"pull_request":{},"review":null}`, "X-GitHub-Event", "pull_request"},
		{"github/a/x.json", `{"installation":{},"repository":{}}`, "X-GitHub-Event", "repository"},
		{"github/a/x.json", `{"ref_type":"tag","pusher_type":"user","master_branch":"main"}`, "X-GitHub-Event", "create"},
		{"gitlab/a/x.json", `{"object_kind":"merge_request","event_type":"merge_request"}`, "X-Gitlab-Event", "Merge Request Hook"},
		{"gitlab/a/x.json", `{"object_kind":"note","event_type":"confidential_note"}`, "X-Gitlab-Event", "Confidential Note Hook"},
		{"gitlab/a/x.json", `{"event_name":"user_add_to_group"}`, "X-Gitlab-Event", "Member Hook"},
		{"gitlab/go-gitlab-system/x.json", `{"event_name":"project_rename"}`, "X-Gitlab-Event", "System Hook"},
		{"gitea/a/x.json", `{"action":"label_cleared","pull_request":{}}`, "X-Gitea-Event-Type", "pull_request_label"},
		{"gitea/a/x.json", `{"action":"label_cleared","pull_request":{}}`, "X-Gitea-Event", "pull_request"},
		{"gitea/a/x.json", `{"action":"assigned","issue":{}}`, "X-Gitea-Event-Type", "issue_assign"},
		{"gitea/a/x.json", `{"issue":{"pull_request":{}},"comment":{}}`, "X-Gitea-Event-Type", "pull_request_comment"},
		{"gitea/a/x.json", `{"issue":{"pull_request":null},"comment":{}}`, "X-Gitea-Event-Type", "issue_comment"},
		{"gitea/a/x.json", `{"pull_request":{},"review":{"type":"pull_request_review_rejected"}}`, "X-GitHub-Event", "pull_request_rejected"},
		{"bitbucket/a/pr_fulfilled.json", `{}`, "X-Event-Key", "pullrequest:fulfilled"},
		{"bitbucket/a/pull-request-comment-updated.json", `{}`, "X-Event-Key", "pullrequest:comment_updated"},
		{"bitbucket/a/pull-request-approval-removed.json", `{}`, "X-Event-Key", "pullrequest:unapproved"},
		{"bitbucket/a/push_tag_create.json", `{}`, "X-Event-Key", "repo:push"},
		{"bitbucket-server/a/x.json", `{"eventKey":"pr:opened"}`, "X-Event-Key", "pr:opened"},
		{"linear/a/x.json", `{"type":"Comment"}`, "Linear-Event", "Comment"},
		{"statuspage/a/x.json", `{"page":{},"component_update":{}}`, "User-Agent", "Statuspage"},
	} {
		delivery, err := sample(t, test.name, test.body).Delivery("d-1", "here.example")
		if err != nil {
			t.Errorf("%s %s: %v", test.name, test.body, err)
			continue
		}
		if got := delivery.Header.Get(test.header); got != test.want {
			t.Errorf("%s %s: %s is %q, want %q", test.name, test.body, test.header, got, test.want)
		}
	}
}

// TestDelivery_GuessesNothing: what no rule knows is an error, and not an event
// that is ignored.
func TestDelivery_GuessesNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"github/a/x.json", "gitlab/a/x.json", "gitea/a/x.json", "bitbucket/a/x.json", "bitbucket-server/a/x.json", "linear/a/x.json", "statuspage/a/x.json", "other/a/x.json"} {
		if delivery, err := sample(t, name, `{"other":1}`).Delivery("d-1", "here.example"); err == nil {
			t.Errorf("%s: %v, want an error", name, delivery.Header)
		}
	}
}

// TestDelivery_OfRealPayloads: the names of octokit's files tell the event, so
// what is derived from the bodies can be held against them; and each event is one
// that its provider is known to send.
func TestDelivery_OfRealPayloads(t *testing.T) {
	t.Parallel()
	samples, _ := read(t)
	named := 0
	for _, sample := range samples {
		of, _ := provider.ByName(sample.Forge().Provider())
		delivery, err := sample.Delivery("d-1", "here.example")
		if err != nil {
			t.Error(err)
			continue
		}
		record, err := of.Seal(delivery)
		if err != nil {
			t.Errorf("seal %s: %v", sample.Name, err)
			continue
		}
		if !slices.Contains(of.Events(), record.Event) {
			t.Errorf("%s is of event %s, which %s is not known to send", sample.Name, record.Event, of.Name())
		}
		if strings.HasPrefix(sample.Name, "github/octokit/") {
			named++
			if want, _, _ := strings.Cut(path.Base(sample.Name), "."); record.Event != want {
				t.Errorf("%s is of event %s, want %s", sample.Name, record.Event, want)
			}
		}
	}
	if named < 90 || len(samples) < 350 {
		t.Errorf("%d samples, %d with their event in the name: too few to mean something", len(samples), named)
	}
}
