package linear_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/linear"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

const secret = "a secret"

func digest(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func delivery(body string, headers ...string) webhook.Delivery {
	in := webhook.Delivery{Header: http.Header{}, Raw: []byte(body), Source: "linear", ReceivedAt: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	in.Header.Set("Linear-Delivery", "d-1")
	in.Header.Set("Linear-Event", "Comment")
	for at := 0; at < len(headers); at += 2 {
		if in.Header.Set(headers[at], headers[at+1]); headers[at+1] == "" {
			in.Header.Del(headers[at])
		}
	}
	return in
}

func TestVerify(t *testing.T) {
	t.Parallel()
	const body = `{"type":"Comment"}`
	for _, test := range []struct {
		name, signature string
		place           int
		err             error
	}{
		{"right", digest(secret, body), 0, nil},
		{"in capitals", strings.ToUpper(digest(secret, body)), 0, nil},
		{"of the older secret", digest("older", body), 1, nil},
		{"of another secret", digest("other", body), 0, webhook.ErrSignature},
		{"of another body", digest(secret, body+" "), 0, webhook.ErrSignature},
		{"with a prefix", "sha256=" + digest(secret, body), 0, webhook.ErrSignature},
		{"too short", digest(secret, body)[:62], 0, webhook.ErrSignature},
		{"missing", "", 0, webhook.ErrNoSignature},
	} {
		place, err := linear.Provider{}.Verify(delivery(body, "Linear-Signature", test.signature), [][]byte{[]byte(secret), []byte("older")})
		if !errors.Is(err, test.err) || err == nil && place != test.place {
			t.Errorf("%s: %d, %v", test.name, place, err)
		}
	}
}

func TestSentAt(t *testing.T) {
	t.Parallel()
	sent := time.UnixMilli(1681208494995).UTC()
	for _, test := range []struct {
		name, body, header string
		want               time.Time
	}{
		{"in the body", `{"webhookTimestamp":1681208494995}`, "", sent},
		{"the body is signed, the header is not", `{"webhookTimestamp":1681208494995}`, "1700000000000", sent},
		{"in the header alone", `{}`, "1681208494995", sent},
		{"a text", `{"webhookTimestamp":"soon"}`, "", time.Time{}},
		{"null", `{"webhookTimestamp":null}`, "", time.Time{}},
		{"before 1970", `{"webhookTimestamp":-5}`, "", time.Time{}},
		{"a header that is no number", `{}`, "soon", time.Time{}},
		{"nowhere", `{}`, "", time.Time{}},
		{"no JSON", `hello`, "", time.Time{}},
	} {
		got, known := linear.Provider{}.SentAt(delivery(test.body, "Linear-Timestamp", test.header))
		if !got.Equal(test.want) || known == test.want.IsZero() {
			t.Errorf("%s: %s, %t", test.name, got, known)
		}
	}
}

func TestSeal(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		in    webhook.Delivery
		key   schemas.EntityKey
		event string
		id    schemas.DeliveryID
		err   error
	}{
		{"a comment", delivery(`{"type":"Comment","action":"create","data":{"id":"c1"}}`), "linear.app:comment/c1", "comment", "d-1", nil},
		{"another type", delivery(`{"type":"IssueLabel","action":"create","data":{"id":"l1"}}`), "linear.app", "issue_label", "d-1", nil},
		{"a type with capitals at its end", delivery(`{"type":"IssueSLA","action":"breached"}`), "linear.app", "issue_sla", "d-1", nil},
		{"a type of three words", delivery(`{"type":"AgentSessionEvent","action":"created"}`), "linear.app", "agent_session_event", "d-1", nil},
		{"an app", delivery(`{"type":"OAuthApp","action":"revoked"}`), "linear.app", "oauth_app", "d-1", nil},
		{"the type is in the header", delivery(`{"action":"create","data":{"id":"c1"}}`), "linear.app:comment/c1", "comment", "d-1", nil},
		{"an id that can be in no key", delivery(`{"type":"Comment","data":{"id":"c 1"}}`), "linear.app", "comment", "d-1", nil},
		{"an id of another type", delivery(`{"type":"Comment","data":{"id":7}}`), "linear.app", "comment", "d-1", nil},
		{
			"no delivery id", delivery(`{"type":"Issue"}`, "Linear-Delivery", ""), "linear.app", "issue",
			"", nil,
		},
		{"a delivery id with blanks", delivery(`{"type":"Comment"}`, "Linear-Delivery", "d 1"), "", "", "", webhook.ErrHeader},
		{"of GitHub", delivery(`{}`, "Linear-Event", "", "X-GitHub-Event", "push"), "", "", "", webhook.ErrHeader},
		{"no event", delivery(`{}`, "Linear-Event", ""), "", "", "", webhook.ErrBody},
		{"an event that is none", delivery(`{"type":"a b"}`), "", "", "", webhook.ErrBody},
		{"no JSON", delivery(`hello`), "", "", "", webhook.ErrBody},
	} {
		record, err := linear.Provider{}.Seal(test.in)
		if !errors.Is(err, test.err) || record.Key != test.key || record.Event != test.event {
			t.Errorf("%s: %s %s, %v", test.name, record.Key, record.Event, err)
		}
		if test.name == "no delivery id" {
			again, _ := linear.Provider{}.Seal(test.in)
			if record.ID == "" || record.ID != again.ID {
				t.Errorf("%s: ids %q and %q", test.name, record.ID, again.ID)
			}
			continue
		}
		if record.ID != test.id {
			t.Errorf("%s: id %q", test.name, record.ID)
		}
	}
}

// decoded seals and decodes a comment.
func decoded(t *testing.T, body string) (schemas.Event, error) {
	t.Helper()
	record, err := linear.Provider{}.Seal(delivery(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return linear.Provider{}.Decode(record)
}

func at(text string) schemas.Stated[time.Time] {
	parsed, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return schemas.Say(parsed.UTC())
}

func TestDecode_Comment(t *testing.T) {
	t.Parallel()
	const url = "https://linear.app/acme/issue/ENG-5/a-title#comment-c1"
	for _, test := range []struct {
		name, body string
		want       schemas.CommentSnapshot
	}{
		{
			"a creation whose text is older than itself",
			`{"type":"Comment","action":"create","createdAt":"2026-01-01T00:00:00.956Z","url":"` + url + `",
			  "data":{"id":"c1","body":"hi","issueId":"i1","createdAt":"2026-01-01T00:00:00.956Z","updatedAt":"2026-01-01T00:00:00.927Z","user":{"name":"Ada"}}}`,
			schemas.CommentSnapshot{
				Change: schemas.CommentCreated, Issue: "ENG-5", URL: url, Author: schemas.Actor{Login: "Ada"}, Body: schemas.Say("hi"),
				CreatedAt: at("2026-01-01T00:00:00.956Z"), UpdatedAt: at("2026-01-01T00:00:00.927Z"),
			},
		},
		{
			"an edit says what was before",
			`{"type":"Comment","action":"update","createdAt":"2026-01-01T00:00:02Z","url":"https://linear.app/issue/eng-5#c",
			  "data":{"id":"c1","body":"hi all","issue":{"id":"i1"},"updatedAt":"2026-01-01T00:00:02Z"},
			  "updatedFrom":{"updatedAt":"2026-01-01T00:00:01Z","body":"hi"}}`,
			schemas.CommentSnapshot{
				Change: schemas.CommentEdited, Issue: "ENG-5", URL: "https://linear.app/issue/eng-5#c", Body: schemas.Say("hi all"),
				UpdatedAt: at("2026-01-01T00:00:02Z"), PreviousAt: at("2026-01-01T00:00:01Z"),
			},
		},
		{
			"a removal has the old time and no address",
			`{"type":"Comment","action":"remove","createdAt":"2026-01-01T00:00:09Z",
			  "data":{"id":"c1","body":"hi","issueId":"i1","issue":{"id":"i1","identifier":"ENG-5"},"updatedAt":"2026-01-01T00:00:01Z"}}`,
			schemas.CommentSnapshot{
				Change: schemas.CommentDeleted, Issue: "ENG-5", Body: schemas.Say("hi"),
				UpdatedAt: at("2026-01-01T00:00:01Z"), RemovedAt: at("2026-01-01T00:00:09Z"),
			},
		},
		{
			"what is not stated is not known",
			`{"type":"Comment","action":"update","data":{"id":"c1","issueId":"i1"}}`,
			schemas.CommentSnapshot{Change: schemas.CommentEdited},
		},
		{
			"an app",
			`{"type":"Comment","action":"create","data":{"id":"c1","issueId":"i1","user":null,"botActor":{"name":"Robot","type":"github"}}}`,
			schemas.CommentSnapshot{Change: schemas.CommentCreated, Author: schemas.Actor{Login: "Robot", IsBot: true}},
		},
		{
			"a person by way of an app",
			`{"type":"Comment","action":"create","data":{"id":"c1","issueId":"i1","user":{"name":"Ada"},"botActor":{"name":"Robot"}}}`,
			schemas.CommentSnapshot{Change: schemas.CommentCreated, Author: schemas.Actor{Login: "Ada"}},
		},
		{
			"somebody from outside",
			`{"type":"Comment","action":"create","data":{"id":"c1","issueId":"i1","externalUser":{"name":"Eve"},"botActor":{"name":"Slack"}}}`,
			schemas.CommentSnapshot{Change: schemas.CommentCreated, Author: schemas.Actor{Login: "Eve"}},
		},
	} {
		event, err := decoded(t, test.body)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		test.want.Key, test.want.Kind, test.want.Parent = "linear.app:comment/c1", schemas.CommentIssue, "linear.app:issue/i1"
		if diff := cmp.Diff(event.Comment, &test.want); diff != "" || event.Entity != test.want.Key {
			t.Errorf("%s: entity %s, -got +want:\n%s", test.name, event.Entity, diff)
		}
	}
}

func TestDecode_IgnoredSaysWhy(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"type":"Comment","action":"create","data":{"id":"c1","issueId":null,"documentContentId":"d1"}}`: "the comment is on a document and not on an issue",
		`{"type":"Comment","action":"create","data":{"id":"c1","projectUpdateId":"p1"}}`:                  "the comment is on a project update and not on an issue",
		`{"type":"Comment","action":"create","data":{"id":"c1","initiativeUpdateId":"p1"}}`:               "the comment is on an initiative update and not on an issue",
		`{"type":"Comment","action":"create","data":{"id":"c1","postId":"p1"}}`:                           "the comment is on a post and not on an issue",
		`{"type":"Comment","action":"create","data":{"id":"c1","projectId":"p1"}}`:                        "the comment is on a project and not on an issue",
		`{"type":"Comment","action":"create","data":{"id":"c1","initiativeId":"p1"}}`:                     "the comment is on an initiative and not on an issue",
		`{"type":"Comment","action":"create","data":{"id":"c1"}}`:                                         "the comment is on something that it does not name and not on an issue",
		`{"type":"Comment","action":"archive","data":{"id":"c1","issueId":"i1"}}`:                         `action "archive" of a comment is not folded`,
		`{"type":"Issue","action":"update","data":{"id":"i1"}}`:                                           "event issue is not folded",
		`{"type":"OAuthApp","action":"revoked"}`:                                                          "event oauth_app is not folded",
		`{"type":"Reaction","action":"create","data":{"id":"r1","commentId":"c1","comment":{"id":"c1"}}}`: "event reaction is not folded",
	} {
		event, err := decoded(t, body)
		if err != nil || event.Ignored != want || event.Comment != nil {
			t.Errorf("%s: %q, %v", body, event.Ignored, err)
		}
	}
}

func TestDecode_FaultsNameTheField(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"type":"Comment","action":"create","data":{"issueId":"i1"}}`:                                    "data.id is missing",
		`{"type":"Comment","action":"create","data":{"id":null,"issueId":"i1"}}`:                          "data.id is missing",
		`{"type":"Comment","action":"create","data":null}`:                                                "data.id is missing",
		`{"type":"Comment","action":"create","data":{"id":"c 1","issueId":"i1"}}`:                         `data.id is "c 1", which is not an id`,
		`{"type":"Comment","action":"create","data":{"id":"c1","issueId":"i 1"}}`:                         `data.issueId is "i 1", which is not an id`,
		`{"type":"Comment","action":"create","data":{"id":"c1","body":7,"issueId":"i1"}}`:                 "data.body is a number, want a string",
		`{"type":"Comment","action":"create","data":{"id":7,"body":"hi","issueId":"i1"}}`:                 "data.id is a number, want a string",
		`{"type":"Comment","action":"create","data":{"id":"c1","issueId":7}}`:                             "data.issueId is a number, want a string",
		`{"type":"Comment","action":"create","data":{"id":"c1","issueId":"i1","issue":{"identifier":5}}}`: "data.issue.identifier is a number, want a string",
		`{"type":"Comment","action":"create","data":{"id":"c1","issueId":"i1","user":{"name":7}}}`:        "data.user.name is a number, want a string",
		`{"type":"Comment","action":"create","url":7,"data":{"id":"c1","issueId":"i1"}}`:                  "url is a number, want a string",
		`{"type":"Comment","action":7,"data":{"id":"c1","issueId":"i1"}}`:                                 "action is a number, want a string",
		`{"type":"Comment","action":"create","data":{"id":"c1","issue":"ENG-5","body":"x"}}`:              "want an object",
	} {
		if _, err := decoded(t, body); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

// TestDecode_NamesTheIssue as the payload does, else as the address does, else not.
func TestDecode_NamesTheIssue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, identifier, url, want string }{
		{"said", "ENG-5", "https://linear.app/acme/issue/ABC-1/x", "ENG-5"},
		{"in the address, with a title", "", "https://linear.app/acme/issue/ENG-5/a-title#comment-1", "ENG-5"},
		{"in the address, without", "", "https://linear.app/acme/issue/eng-5#comment-1", "ENG-5"},
		{"at the end of the address", "", "https://linear.app/acme/issue/E2_B-5", "E2_B-5"},
		{"what is said is no name", "5", "https://linear.app/acme/issue/ENG-5", "ENG-5"},
		{"more than a name", "", "https://linear.app/acme/issue/ENG-5x/a-title", ""},
		{"a title alone", "", "https://linear.app/acme/document/ENG-5", ""},
		{"begins with a digit", "", "https://linear.app/acme/issue/2ENG-5", ""},
		{"no address", "", "", ""},
	} {
		event, err := decoded(t, `{"type":"Comment","action":"update","url":"`+test.url+`","data":{"id":"c1","issueId":"i1","issue":{"identifier":"`+test.identifier+`"}}}`)
		if err != nil || event.Comment == nil || event.Comment.Issue != test.want {
			t.Errorf("%s: %+v, %v, want %q", test.name, event.Comment, err, test.want)
		}
	}
}

// TestSeal_Record: what the log has of a comment.
func TestSeal_Record(t *testing.T) {
	t.Parallel()
	const body = `{"type":"Comment","action":"update","url":"https://linear.app/acme/issue/ENG-5#c","data":{"id":"c1"}}`
	in := delivery(body, "X-Other", "secret", "Linear-Signature", "00")
	in.Instance, in.TraceParent = "tracker.acme.com", "00-1-2-3"
	got, err := linear.Provider{}.Seal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := schemas.Record{
		Key: "tracker.acme.com:comment/c1", ID: "d-1", Source: "linear", Provider: "linear", Event: "comment", Action: "update",
		Subject: "ENG-5", ReceivedAt: in.ReceivedAt, ContentType: schemas.ContentTypeJSON, TraceParent: in.TraceParent,
		ProviderHeaders: []schemas.Header{{Name: "Linear-Event", Value: "Comment"}}, Body: []byte(body),
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("record (-got +want):\n%s", diff)
	}
}

// FuzzDecode: whatever is signed is sealed and decoded without a panic, under a key
// that can be read, and what is folded has that key.
func FuzzDecode(f *testing.F) {
	f.Add(`{"type":"Comment","action":"create","data":{"id":"c1","issueId":"i1","body":"\u0000"}}`)
	f.Add(`{"type":"Comment","action":"remove","data":{"id":"c:1/#@!","issueId":"i#1"}}`)
	f.Fuzz(func(t *testing.T, body string) {
		record, err := linear.Provider{}.Seal(delivery(body))
		if err != nil {
			return
		}
		if _, err := schemas.ParseKey(record.Key); err != nil {
			t.Fatalf("key %q: %v", record.Key, err)
		}
		event, err := linear.Provider{}.Decode(record)
		if err == nil && event.Comment != nil && event.Entity != record.Key {
			t.Fatalf("key %s, entity %s", record.Key, event.Entity)
		}
	})
}
