package webhook_test

import (
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

func TestBodyOf(t *testing.T) {
	t.Parallel()
	const body = `{"a":"b+c%20&d=é"}`
	form := url.Values{"payload": {body}}.Encode()
	for _, test := range []struct {
		name, contentType, raw, want string
		err                          error
	}{
		{"JSON", "application/json", body, body, nil},
		{"JSON with a charset", "application/json; charset=utf-8", body, body, nil},
		{"from a file", "", body, body, nil},
		{"JSON that is none", "application/json", "hello", "hello", nil}, // Seal tells
		{"form", "application/x-www-form-urlencoded", form, body, nil},
		{"form with other fields", "application/x-www-form-urlencoded", "a=b&" + form, body, nil},
		{"form with + for a blank", "application/x-www-form-urlencoded", "payload=%7B%22a%22%3A+1%7D", `{"a": 1}`, nil},
		{"form without the field", "application/x-www-form-urlencoded", "a=b", "", webhook.ErrBody},
		{"form with an empty field", "application/x-www-form-urlencoded", "payload=", "", webhook.ErrBody},
		{"form with two fields", "application/x-www-form-urlencoded", form + "&" + form, "", webhook.ErrBody},
		{"broken form", "application/x-www-form-urlencoded", "payload=%zz", "", webhook.ErrBody},
		{"empty form", "application/x-www-form-urlencoded", "", "", webhook.ErrBody},
		{"other type", "text/plain", body, "", webhook.ErrMedia},
		{"multipart", "multipart/form-data; boundary=x", body, "", webhook.ErrMedia},
	} {
		got, err := webhook.BodyOf(webhook.Delivery{Raw: []byte(test.raw), ContentType: test.contentType})
		if string(got) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: %q, %v, want %q, %v", test.name, got, err, test.want, test.err)
		}
	}
}

func TestKept_InTheOrderOfTheNames(t *testing.T) {
	t.Parallel()
	header := http.Header{}
	header.Set("X-Second", "2")
	header.Set("x-first", "1")
	header.Set("X-Empty", "")
	header.Set("X-Secret", "s")
	got := webhook.Kept(header, []string{"X-First", "X-Second", "X-Empty", "X-Absent"})
	want := []schemas.Header{{Name: "X-First", Value: "1"}, {Name: "X-Second", Value: "2"}}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestIsPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"72d3162e-cc78-11e3-81ab-4c9367dc0958": true, "{a}!~": true, "": true,
		"a b": false, "a\tb": false, "a\x00": false, "a\x7f": false, "é": false,
	} {
		if got := webhook.IsPrintable(text); got != want {
			t.Errorf("IsPrintable(%q) = %t, want %t", text, got, want)
		}
	}
}
