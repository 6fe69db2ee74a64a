package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"testing"

	"pawl/internal/provider/webhook"
)

func digest(secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

func secrets(texts ...string) [][]byte {
	var made [][]byte
	for _, text := range texts {
		made = append(made, []byte(text))
	}
	return made
}

func TestVerifyHMAC(t *testing.T) {
	t.Parallel()
	const text = "the text"
	for _, test := range []struct {
		name, digest string
		secrets      [][]byte
		place        int
		want         error
	}{
		{"first", digest("a", text), secrets("a", "b"), 0, nil},
		{"second", digest("b", text), secrets("a", "b"), 1, nil},
		{"second, the first empty", digest("b", text), secrets("", "b"), 1, nil},
		{"in upper case", strings.ToUpper(digest("a", text)), secrets("a"), 0, nil},
		{"wrong secret", digest("c", text), secrets("a", "b"), 0, webhook.ErrSignature},
		{"other text", digest("a", "other"), secrets("a"), 0, webhook.ErrSignature},
		{"under the empty secret", digest("", text), secrets(""), 0, webhook.ErrNoSecret},
		{"no secret", digest("a", text), nil, 0, webhook.ErrNoSecret},
		{"no digest", "", secrets("a"), 0, webhook.ErrSignature},
		{"too short", digest("a", text)[:62], secrets("a"), 0, webhook.ErrSignature},
		{"too long", digest("a", text) + "00", secrets("a"), 0, webhook.ErrSignature},
		{"odd", digest("a", text)[:63], secrets("a"), 0, webhook.ErrSignature},
		{"not hexadecimal", strings.Repeat("g", 64), secrets("a"), 0, webhook.ErrSignature},
	} {
		place, err := webhook.VerifyHMAC("X-Signature", test.digest, []byte(text), test.secrets)
		if place != test.place || !errors.Is(err, test.want) {
			t.Errorf("%s: %d, %v, want %d, %v", test.name, place, err, test.place, test.want)
		}
		if err != nil && strings.Contains(err.Error(), digest("a", text)) {
			t.Errorf("%s: the error says what was wanted: %v", test.name, err)
		}
	}
}

func TestVerifyHMAC_SaysWhichHeaderIsWrong(t *testing.T) {
	t.Parallel()
	if _, err := webhook.VerifyHMAC("X-Signature", "zz", nil, secrets("a")); err == nil || !strings.Contains(err.Error(), "X-Signature is not 64 hexadecimal digits") {
		t.Errorf("%v", err)
	}
}

func TestFirstSecret_NeverAsksAnEmptyOne(t *testing.T) {
	t.Parallel()
	asked := 0
	place, err := webhook.FirstSecret(secrets("", "a", "b", "c"), func(secret []byte) error {
		asked++
		if string(secret) == "b" {
			return nil
		}
		return webhook.ErrSignature
	})
	if place != 2 || err != nil || asked != 2 {
		t.Errorf("place %d, %v, %d asked, want 2, nil, 2", place, err, asked)
	}
}

func TestFirstSecret_ReturnsTheErrorOfTheLast(t *testing.T) {
	t.Parallel()
	last := errors.New("of the last")
	_, err := webhook.FirstSecret(secrets("a", "b"), func(secret []byte) error {
		if string(secret) == "b" {
			return last
		}
		return webhook.ErrSignature
	})
	if !errors.Is(err, last) {
		t.Errorf("%v", err)
	}
	if _, err := webhook.FirstSecret(nil, nil); !errors.Is(err, webhook.ErrNoSecret) {
		t.Errorf("without secrets: %v", err)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	const name = "X-Hub-Signature-256"
	for _, test := range []struct {
		values []string
		prefix string
		want   string
		there  bool
		err    error
	}{
		{nil, "sha256=", "", false, nil},
		{[]string{""}, "sha256=", "", false, nil},
		{[]string{"sha256=ab"}, "sha256=", "ab", true, nil},
		{[]string{"ab"}, "", "ab", true, nil},
		{[]string{"ab"}, "sha256=", "", true, webhook.ErrSignature},
		{[]string{"sha256=ab", "sha256=ab"}, "sha256=", "", true, webhook.ErrSignature},
		{[]string{"", "sha256=ab"}, "sha256=", "", true, webhook.ErrSignature},
	} {
		got, there, err := webhook.Digest(http.Header{name: test.values}, name, test.prefix)
		if got != test.want || there != test.there || !errors.Is(err, test.err) {
			t.Errorf("Digest(%q, %q) = %q, %t, %v, want %q, %t, %v", test.values, test.prefix, got, there, err, test.want, test.there, test.err)
		}
	}
}
