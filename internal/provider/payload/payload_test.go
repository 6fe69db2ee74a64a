package payload_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

func TestRead_ErrorsNameTheFieldAndWhatItIs(t *testing.T) {
	t.Parallel()
	var into struct {
		Number int64 `json:"number"`
		Pull   struct {
			Title  string   `json:"title"`
			Draft  bool     `json:"draft"`
			Labels []string `json:"labels"`
			Head   struct{} `json:"head"`
		} `json:"pull"`
	}
	for body, says := range map[string][]string{
		`{"number":"7"}`:          {"number", "string", "want a whole number"},
		`{"pull":{"title":7}}`:    {"title", "number", "want a string"},
		`{"pull":{"draft":"no"}}`: {"draft", "string", "want true or false"},
		`{"pull":{"labels":{}}}`:  {"labels", "object", "want an array"},
		`{"pull":{"head":[]}}`:    {"head", "array", "want an object"},
		`[]`:                      {"array", "want an object"},
		`"text"`:                  {"string", "want an object"},
		`{"number":`:              {"not JSON"},
		``:                        {"not JSON"},
		`<html>`:                  {"not JSON"},
	} {
		err := payload.Read(schemas.Record{Event: "pull_\x00request", Body: []byte(body)}, &into)
		if !errors.Is(err, payload.ErrPayload) {
			t.Errorf("%s: %v, want an ErrPayload", body, err)
			continue
		}
		for _, want := range append(says, "pull_request") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", body, err, want)
			}
		}
	}
	if err := payload.Read(schemas.Record{Body: []byte(`{"number":7,"more":{}}`)}, &into); err != nil || into.Number != 7 {
		t.Errorf("a good body: %d, %v", into.Number, err)
	}
}

func TestIsTypeError(t *testing.T) {
	t.Parallel()
	var into struct {
		Number int64 `json:"number"`
	}
	for body, want := range map[string]bool{`{"number":"7"}`: true, `[]`: true, `{`: false, `hello`: false} {
		if got := payload.IsTypeError(payload.Unmarshal([]byte(body), &into)); got != want {
			t.Errorf("%s: %t, want %t", body, got, want)
		}
	}
	if payload.IsTypeError(nil) {
		t.Error("no error is a type error")
	}
}

// A field of a wrong type is for decoding to refuse, which loses nothing.
func TestReadRouting_RefusesOnlyWhatIsNotJSON(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]error{
		`{"number":7}`: nil, `{"number":"7"}`: nil, `[]`: nil, `{`: webhook.ErrBody, `hello`: webhook.ErrBody, ``: webhook.ErrBody,
	} {
		var into struct {
			Number int64 `json:"number"`
		}
		if err := payload.ReadRouting([]byte(body), &into); !errors.Is(err, want) {
			t.Errorf("ReadRouting(%s) = %v, want %v", body, err, want)
		}
	}
}

func TestSubject(t *testing.T) {
	t.Parallel()
	if got := payload.Subject("acme/api", "#7"); got != "acme/api#7" {
		t.Errorf("Subject() = %q", got)
	}
	if got := payload.Subject("", "#7"); got != "" {
		t.Errorf("Subject() without a repository's name = %q", got)
	}
}

func TestAction(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ stated, record, want string }{
		{"opened", "closed", "opened"}, {"", "closed", "closed"}, {"", "", ""}, {"a\x00b", "", "ab"}, {"", "a\x00b", "ab"},
	} {
		if got := payload.Action(test.stated, schemas.Record{Action: test.record}); got != test.want {
			t.Errorf("Action(%q, %q) = %q, want %q", test.stated, test.record, got, test.want)
		}
	}
}

func TestCheckPositive(t *testing.T) {
	t.Parallel()
	for number, want := range map[int64]string{7: "", 0: "pull_request.number is missing", -7: "pull_request.number is -7, want a positive number"} {
		err := payload.CheckPositive("pull_request", number, "pull_request.number")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("CheckPositive(%d) = %v, want %q", number, err, want)
		}
	}
}

func TestNewEvent_IsThatOfTheRecord(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	got := payload.NewEvent(schemas.Record{
		Key: "github.com:101#7", ID: "d-1", Source: "s", Provider: "github", Event: "pull_request", Action: "opened",
		Subject: "acme/api#7", ReceivedAt: at, TraceParent: "00-1", Body: []byte("{}"),
	})
	want := schemas.Event{
		Entity: "github.com:101#7", Source: "s", DeliveryID: "d-1", Provider: "github", Name: "pull_request", Action: "opened",
		ReceivedAt: at, TraceParent: "00-1",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestInstance(t *testing.T) {
	t.Parallel()
	for key, want := range map[schemas.EntityKey]string{
		"github.com:101#7": "github.com", "ghe.acme.com:8443:101@abc": "ghe.acme.com:8443", "github.com": "github.com", "": "",
		"github.com:comment/17": "github.com",
	} {
		if got := payload.Instance(key); got != want {
			t.Errorf("Instance(%s) = %q, want %q", key, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "plain": "plain", "a\x00b": "ab", "\x00": "", "a\xffb": "a\uFFFDb", "\x00\xff\x00": "\uFFFD", "修复 ✓": "修复 ✓",
		"a\xe4\xbf": "a\uFFFD\uFFFD", "\uFFFD": "\uFFFD",
	} {
		if got := payload.Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
}

// A text that is a part of a payload must not keep the whole payload in memory.
func TestClean_IsACopy(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 1<<20)
	part := large[10:20]
	if unsafe.StringData(payload.Clean(part)) == unsafe.StringData(part) {
		t.Error("the text is still a part of the payload")
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x00\xffb")
	f.Fuzz(func(t *testing.T, text string) {
		got := payload.Clean(text)
		if !utf8.ValidString(got) || strings.Contains(got, "\x00") || payload.Clean(got) != got {
			t.Errorf("Clean(%q) = %q", text, got)
		}
	})
}

func TestIsSHA(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"6dcb09b5b57875f334f61aebed695e2e4193db5e": true, "6dcb09b": true, strings.Repeat("a", 64): true, "HEAD": true,
		"": false, strings.Repeat("a", 65): false, "6dcb 9b": false, "6dcb#9b": false, "a/b": false, "a\x00": false, "é": false,
	} {
		if got := payload.IsSHA(text); got != want {
			t.Errorf("IsSHA(%q) = %t, want %t", text, got, want)
		}
	}
}
