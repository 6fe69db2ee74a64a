package bitbucket_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pawl/internal/provider/bitbucket"
	"pawl/internal/provider/webhook"
)

// The test vector of Atlassian's page "Manage webhooks", section "Secure
// webhooks".
const (
	vectorSecret    = "It's a Secret to Everybody"
	vectorBody      = "Hello World!"
	vectorSignature = "sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		header map[string]string
		body   string
		secret string
		want   error
	}{
		{"Atlassian's vector", map[string]string{"X-Hub-Signature": vectorSignature}, vectorBody, vectorSecret, nil},
		{"hexadecimal in upper case", map[string]string{"X-Hub-Signature": "sha256=" + strings.ToUpper(vectorSignature[7:])}, vectorBody, vectorSecret, nil},
		{"empty body", map[string]string{"X-Hub-Signature": sign(nil, "s")}, "", "s", nil},
		{"one byte of the body changed", map[string]string{"X-Hub-Signature": vectorSignature}, "Hello World?", vectorSecret, webhook.ErrSignature},
		{"other secret", map[string]string{"X-Hub-Signature": vectorSignature}, vectorBody, "other", webhook.ErrSignature},
		{"no signature", nil, vectorBody, vectorSecret, webhook.ErrNoSignature},
		{"empty signature", map[string]string{"X-Hub-Signature": ""}, vectorBody, vectorSecret, webhook.ErrNoSignature},
		{"GitHub's header", map[string]string{"X-Hub-Signature-256": vectorSignature}, vectorBody, vectorSecret, webhook.ErrNoSignature},
		{"SHA-1", map[string]string{"X-Hub-Signature": "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59"}, vectorBody, vectorSecret, webhook.ErrSignature},
		{"no prefix", map[string]string{"X-Hub-Signature": vectorSignature[7:]}, vectorBody, vectorSecret, webhook.ErrSignature},
		{"cut short", map[string]string{"X-Hub-Signature": vectorSignature[:40]}, vectorBody, vectorSecret, webhook.ErrSignature},
		{"not hexadecimal", map[string]string{"X-Hub-Signature": "sha256=" + strings.Repeat("zz", 32)}, vectorBody, vectorSecret, webhook.ErrSignature},
		{"empty secret, right signature", map[string]string{"X-Hub-Signature": sign([]byte("x"), "")}, "x", "", webhook.ErrNoSecret},
		{"signed ping", map[string]string{"X-Event-Key": "diagnostics:ping", "X-Hub-Signature": sign([]byte(`{"test":true}`), "s")}, `{"test":true}`, "s", nil},
		{"ping without a signature", map[string]string{"X-Event-Key": "diagnostics:ping"}, `{"test":true}`, "s", webhook.ErrNoSignature},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			header := make(http.Header)
			for name, value := range test.header {
				header.Set(name, value)
			}
			if got := verify(header, test.body, test.secret); !errors.Is(got, test.want) {
				t.Errorf("Verify() = %v, want %v", got, test.want)
			}
		})
	}
}

func verify(header http.Header, body string, secrets ...string) error {
	values := make([][]byte, len(secrets))
	for i, secret := range secrets {
		values[i] = []byte(secret)
	}
	_, err := bitbucket.Provider{}.Verify(webhook.Delivery{Header: header, Raw: []byte(body)}, values)
	return err
}

// A missing signature says what to do, and the unsigned connection test of Data
// Center that nothing is broken.
func TestVerify_MissingSignatureSaysWhatToDo(t *testing.T) {
	t.Parallel()
	if err := verify(http.Header{}, "{}", "s"); !strings.Contains(fmt.Sprint(err), "set a secret on the webhook") {
		t.Errorf("Verify() = %v, want what to do", err)
	}
	ping := http.Header{"X-Event-Key": {"diagnostics:ping"}}
	if err := verify(ping, "{}", "s"); !strings.Contains(fmt.Sprint(err), "connection test") {
		t.Errorf("Verify() = %v, want that pings are not signed", err)
	}
}

func TestVerify_AnyOfTheSecrets(t *testing.T) {
	t.Parallel()
	in := webhook.Delivery{Header: http.Header{"X-Hub-Signature": {vectorSignature}}, Raw: []byte(vectorBody)}
	place, err := bitbucket.Provider{}.Verify(in, [][]byte{[]byte("old"), nil, []byte(vectorSecret)})
	if place != 2 || err != nil {
		t.Errorf("Verify() = %d, %v, want the third secret", place, err)
	}
}

func TestVerify_TwoSignaturesAreRefused(t *testing.T) {
	t.Parallel()
	header := http.Header{"X-Hub-Signature": {vectorSignature, vectorSignature}}
	if err := verify(header, vectorBody, vectorSecret); !errors.Is(err, webhook.ErrSignature) {
		t.Errorf("Verify() = %v, want %v", err, webhook.ErrSignature)
	}
}

// The answer must not help to guess: no error contains the right signature.
func TestVerify_ErrorDoesNotGiveTheSignatureAway(t *testing.T) {
	t.Parallel()
	header := http.Header{"X-Hub-Signature": {sign([]byte(vectorBody), "guess")}}
	err := verify(header, vectorBody, vectorSecret)
	if err == nil || strings.Contains(err.Error(), vectorSignature[7:]) || strings.Contains(err.Error(), vectorSecret) {
		t.Errorf("Verify() = %v, want an error without the signature and the secret", err)
	}
}

func FuzzVerify(f *testing.F) {
	f.Add(vectorSignature, []byte(vectorBody), []byte(vectorSecret))
	f.Add("sha1=00", []byte(""), []byte(""))
	f.Add("sha256=", []byte("{}"), []byte("s"))
	f.Fuzz(func(t *testing.T, signature string, body, secret []byte) {
		err := verify(http.Header{"X-Hub-Signature": {signature}}, string(body), string(secret))
		right := len(secret) > 0 && isASCII(signature) && strings.HasPrefix(signature, "sha256=") &&
			strings.EqualFold(signature[7:], sign(body, string(secret))[7:])
		if (err == nil) != right {
			t.Errorf("Verify(%q) = %v, but the signature is right: %t", signature, err, right)
		}
	})
}

// isASCII keeps strings.EqualFold from folding letters such as K (Kelvin).
func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 127 })
}
