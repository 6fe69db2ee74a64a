package github_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/schemas"
)

func TestDecode_Review(t *testing.T) {
	t.Parallel()
	got := decodeEvent(t, "pull_request_review", `{"action":"submitted","review":{"id":14030131450,"state":"changes_requested",
		"user":{"login":"ann","type":"User"},"body":"Not yet.","commit_id":"aaaa","submitted_at":"2026-01-01T10:30:00Z",
		"html_url":"https://github.com/acme/api/pull/7#pullrequestreview-14030131450"},
		"pull_request":{"number":7,"state":"open","title":"t","merged_at":null,"updated_at":"2026-01-01T10:30:01Z"},
		"repository":{"id":101,"full_name":"acme/api"},"sender":{"login":"ann"}}`)
	want := schemas.Event{
		Entity: "github.com:101#7", Source: "github", DeliveryID: "d-1", Provider: "github", Name: "pull_request_review",
		Action: "submitted", Sender: schemas.Actor{Login: "ann"},
		Review: &schemas.ReviewSnapshot{
			ID: "14030131450", Author: schemas.Actor{Login: "ann"}, State: schemas.ReviewChangesRequested, HeadSHA: "aaaa",
			Body: schemas.Say("Not yet."), URL: "https://github.com/acme/api/pull/7#pullrequestreview-14030131450",
			SubmittedAt: schemas.Say(at("2026-01-01T10:30:00Z")), UpdatedAt: schemas.Say(at("2026-01-01T10:30:01Z")),
		},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

func TestDecode_ReviewFields(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, action, review, pullRequest string
		want                              schemas.ReviewSnapshot
	}{
		{"approved", "submitted", `"state":"approved"`, ``, schemas.ReviewSnapshot{State: schemas.ReviewApproved}},
		{"commented", "submitted", `"state":"commented"`, ``, schemas.ReviewSnapshot{State: schemas.ReviewCommented}},
		{"upper case of the REST API", "submitted", `"state":"CHANGES_REQUESTED"`, ``, schemas.ReviewSnapshot{State: schemas.ReviewChangesRequested}},
		{"dismissed", "dismissed", `"state":"dismissed"`, ``, schemas.ReviewSnapshot{State: schemas.ReviewDismissed}},
		{"dismissed, the field says otherwise", "dismissed", `"state":"approved"`, ``, schemas.ReviewSnapshot{State: schemas.ReviewDismissed}},
		{"dismissed, the field is absent", "dismissed", `"user":null`, ``, schemas.ReviewSnapshot{State: schemas.ReviewDismissed}},
		{"edited", "edited", `"state":"approved","body":"b"`, ``, schemas.ReviewSnapshot{State: schemas.ReviewApproved, Edited: true, Body: schemas.Say("b")}},
		{"no text", "submitted", `"state":"approved","body":null`, ``, schemas.ReviewSnapshot{State: schemas.ReviewApproved, Body: schemas.Say("")}},
		{"commit gone", "submitted", `"state":"approved","commit_id":null`, ``, schemas.ReviewSnapshot{State: schemas.ReviewApproved}},
		{"bot", "submitted", `"state":"approved","user":{"login":"ci","type":"Bot"}`, ``, schemas.ReviewSnapshot{State: schemas.ReviewApproved, Author: schemas.Actor{Login: "ci", IsBot: true}}},
		{"own clock first", "edited", `"state":"approved","updated_at":"2026-01-01T10:00:00Z"`, `,"updated_at":"2026-01-01T11:00:00Z"`, schemas.ReviewSnapshot{State: schemas.ReviewApproved, Edited: true, UpdatedAt: schemas.Say(at("2026-01-01T10:00:00Z"))}},
		{"own clock null", "edited", `"state":"approved","updated_at":null`, `,"updated_at":"2026-01-01T11:00:00Z"`, schemas.ReviewSnapshot{State: schemas.ReviewApproved, Edited: true, UpdatedAt: schemas.Say(at("2026-01-01T11:00:00Z"))}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			event := decodeEvent(t, "pull_request_review", `{"action":"`+test.action+`","review":{"id":1,`+test.review+`},"pull_request":{"number":7`+test.pullRequest+`},"repository":{"id":101}}`)
			test.want.ID = "1"
			if diff := cmp.Diff(event.Review, &test.want); diff != "" {
				t.Errorf("review (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecode_Thread(t *testing.T) {
	t.Parallel()
	got := decodeEvent(t, "pull_request_review_thread", `{"action":"resolved","updated_at":"2026-01-01T10:30:00Z",
		"thread":{"node_id":"PRRT_1","comments":[{"id":22,"in_reply_to_id":21},{"id":21}]},
		"pull_request":{"number":7,"updated_at":"2026-01-01T10:00:00Z"},
		"repository":{"id":101,"full_name":"acme/api"},"sender":{"login":"ann"}}`)
	want := schemas.Event{
		Entity: "github.com:101#7", Source: "github", DeliveryID: "d-1", Provider: "github", Name: "pull_request_review_thread",
		Action: "resolved", Sender: schemas.Actor{Login: "ann"},
		Thread: &schemas.ThreadSnapshot{ID: "21", Resolved: true, UpdatedAt: schemas.Say(at("2026-01-01T10:30:00Z"))},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

func TestDecode_ThreadFields(t *testing.T) {
	t.Parallel()
	const pullRequest = `"pull_request":{"number":7,"updated_at":"2026-01-01T10:00:00Z"},"repository":{"id":101}}`
	clock := schemas.Say(at("2026-01-01T10:00:00Z"))
	tests := []struct {
		name, body string
		want       schemas.ThreadSnapshot
	}{
		{"unresolved", `{"action":"unresolved","thread":{"comments":[{"id":21}]},` + pullRequest, schemas.ThreadSnapshot{ID: "21", UpdatedAt: clock}},
		{"clock null", `{"action":"resolved","updated_at":null,"thread":{"comments":[{"id":21}]},` + pullRequest, schemas.ThreadSnapshot{ID: "21", Resolved: true, UpdatedAt: clock}},
		{"no comments", `{"action":"resolved","thread":{"node_id":"PRRT_1","comments":[]},` + pullRequest, schemas.ThreadSnapshot{ID: "PRRT_1", Resolved: true, UpdatedAt: clock}},
		{"comments without ids", `{"action":"resolved","thread":{"node_id":"PRRT_1","comments":[null,{}]},` + pullRequest, schemas.ThreadSnapshot{ID: "PRRT_1", Resolved: true, UpdatedAt: clock}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(decodeEvent(t, "pull_request_review_thread", test.body).Thread, &test.want); diff != "" {
				t.Errorf("thread (-got +want):\n%s", diff)
			}
		})
	}
}
