package gitea_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/schemas"
)

// reviewBody returns the payload of a review of a whole pull request.
func reviewBody(review string) string {
	return `{"action":"reviewed","number":7,"pull_request":{"number":7,"state":"open","head":{"sha":"` + sha + `"},` +
		`"updated_at":"2026-01-01T19:30:00+09:00"},` + review + repo + `,"sender":{"login":"bob"}}`
}

func TestDecode_Review(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, event, review string
		id                  string
		want                schemas.ReviewState
	}{
		{"approved", "pull_request_review_approved", `"review":{"type":"pull_request_review_approved","content":"Yes."},`, "user/bob", schemas.ReviewApproved},
		{"rejected", "pull_request_review_rejected", `"review":{"type":"pull_request_review_rejected","content":"Yes."},`, "user/bob", schemas.ReviewChangesRequested},
		{"commented", "pull_request_review_comment", `"review":{"type":"pull_request_review_comment","content":"Yes."},`, "user/bob/comment", schemas.ReviewCommented},
		{"approved, old type", "pull_request_approved", `"review":{"type":"pull_request_approved","content":"Yes."},`, "user/bob", schemas.ReviewApproved},
		{"commented, old type", "pull_request_comment", `"review":{"type":"pull_request_comment","content":"Yes."},`, "user/bob/comment", schemas.ReviewCommented},
		{"the type goes before the event", "pull_request_comment", `"review":{"type":"pull_request_rejected","content":"Yes."},`, "user/bob", schemas.ReviewChangesRequested},
		{"the event where there is no type", "pull_request_rejected", `"review":{"content":"Yes."},`, "user/bob", schemas.ReviewChangesRequested},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			updated := schemas.Say(at("2026-01-01T10:30:00Z"))
			bob := schemas.Actor{Login: "bob"}
			want := schemas.Event{
				Entity: "git.acme.com:101#7", Source: "gitea", DeliveryID: "d-1", Provider: "gitea", Name: test.event,
				Action: "reviewed", Sender: bob,
				PullRequest: &schemas.PullRequestSnapshot{
					Instance: "git.acme.com", RepositoryID: "101", Repository: "acme/api", Number: 7, UpdatedAt: updated,
					State: schemas.Say("open"), HeadSHA: schemas.Say(sha),
					HeadCommit: schemas.Say(schemas.EntityKey("git.acme.com:101@" + sha)), Change: schemas.ChangeUnknown,
				},
				Review: &schemas.ReviewSnapshot{
					ID: test.id, Author: bob, State: test.want, HeadSHA: sha, Body: schemas.Say("Yes."),
					SubmittedAt: updated, UpdatedAt: updated,
				},
			}
			if diff := cmp.Diff(decoded(t, test.event, reviewBody(test.review)), want); diff != "" {
				t.Errorf("Decode() (-got +want):\n%s", diff)
			}
		})
	}
}

// A pull request without its state or its time is not whole, and is not folded.
func TestDecode_ReviewOfAPartialPullRequest(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{``, `,"state":"open"`, `,"updated_at":"2026-01-01T00:00:00Z"`} {
		body := `{"action":"reviewed","pull_request":{"number":7` + fields + `},"review":{"type":"pull_request_review_approved"},` +
			repo + `,"sender":{"login":"bob"}}`
		got := decoded(t, "pull_request_review_approved", body)
		if got.PullRequest != nil || got.Review == nil || got.Ignored != "" {
			t.Errorf("Decode(%s) = %+v, want the review alone", body, got)
		}
	}
}

func TestDecode_ReviewThatSaysNothing(t *testing.T) {
	t.Parallel()
	const ann = `,"sender":{"login":"ann"}}`
	for _, test := range []struct{ name, body string }{
		{"without a sender", `{"action":"reviewed","pull_request":{"number":7},"review":{"type":"pull_request_review_approved"},` + repo + `}`},
		{"by a ghost", `{"action":"reviewed","pull_request":{"number":7},"review":{"type":"pull_request_review_approved"},` + repo + `,"sender":{"id":-1,"login":"Ghost"}}`},
		{"of an unknown type", `{"action":"reviewed","pull_request":{"number":7},"review":{"type":"pull_request_review_shrugged"},` + repo + ann},
		{"without a review", `{"action":"reviewed","pull_request":{"number":7},"review":null,` + repo + ann},
	} {
		got := decoded(t, "pull_request_review", test.body)
		if got.Review != nil || got.PullRequest != nil || !strings.Contains(got.Ignored, "neither who made it nor what") {
			t.Errorf("review %s = %+v, want ignored", test.name, got)
		}
	}
	whole := decoded(t, "pull_request_review", reviewBody(`"review":{"type":"pull_request_review_shrugged"},`))
	if whole.Review != nil || whole.PullRequest == nil || whole.Ignored != "" {
		t.Errorf("Decode() = %+v, want the pull request alone", whole)
	}
}
