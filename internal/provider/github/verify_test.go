package github_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"pawl/internal/provider/github"
	"pawl/internal/provider/webhook"
)

// The test vector of docs.github.com, "Validating webhook deliveries".
const (
	vectorSecret    = "It's a Secret to Everybody"
	vectorBody      = "Hello, World!"
	vectorSignature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	const sha1OfVector = "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59"
	tests := []struct {
		name   string
		header map[string]string
		body   string
		secret string
		want   error
	}{
		{"GitHub's vector", map[string]string{"X-Hub-Signature-256": vectorSignature}, vectorBody, vectorSecret, nil},
		{"hexadecimal in upper case", map[string]string{"X-Hub-Signature-256": "sha256=" + strings.ToUpper(vectorSignature[7:])}, vectorBody, vectorSecret, nil},
		{"empty body", map[string]string{"X-Hub-Signature-256": sign(nil, "s")}, "", "s", nil},
		{"one byte of the body changed", map[string]string{"X-Hub-Signature-256": vectorSignature}, "Hello, World?", vectorSecret, webhook.ErrSignature},
		{"other secret", map[string]string{"X-Hub-Signature-256": vectorSignature}, vectorBody, "other", webhook.ErrSignature},
		{"no signature", nil, vectorBody, vectorSecret, webhook.ErrNoSignature},
		{"empty signature", map[string]string{"X-Hub-Signature-256": ""}, vectorBody, vectorSecret, webhook.ErrNoSignature},
		{"SHA-1 only", map[string]string{"X-Hub-Signature": sha1OfVector}, vectorBody, vectorSecret, webhook.ErrNoSignature},
		{"SHA-1 under the name of SHA-256", map[string]string{"X-Hub-Signature-256": sha1OfVector}, vectorBody, vectorSecret, webhook.ErrSignature},
		{"no prefix", map[string]string{"X-Hub-Signature-256": vectorSignature[7:]}, vectorBody, vectorSecret, webhook.ErrSignature},
		{"cut short", map[string]string{"X-Hub-Signature-256": vectorSignature[:40]}, vectorBody, vectorSecret, webhook.ErrSignature},
		{"prefix alone", map[string]string{"X-Hub-Signature-256": "sha256="}, vectorBody, vectorSecret, webhook.ErrSignature},
		{"not hexadecimal", map[string]string{"X-Hub-Signature-256": "sha256=" + strings.Repeat("zz", 32)}, vectorBody, vectorSecret, webhook.ErrSignature},
		{"empty secret, right signature", map[string]string{"X-Hub-Signature-256": sign([]byte("x"), "")}, "x", "", webhook.ErrNoSecret},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			header := make(http.Header)
			for name, value := range test.header {
				header.Set(name, value)
			}
			got := verify(header, test.body, test.secret)
			if !errors.Is(got, test.want) {
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
	_, err := github.Provider{}.Verify(webhook.Delivery{Header: header, Raw: []byte(body)}, values)
	return err
}

func TestVerify_AnyOfTheSecrets(t *testing.T) {
	t.Parallel()
	in := webhook.Delivery{Header: http.Header{"X-Hub-Signature-256": {vectorSignature}}, Raw: []byte(vectorBody)}
	place, err := github.Provider{}.Verify(in, [][]byte{[]byte("old"), nil, []byte(vectorSecret)})
	if place != 2 || err != nil {
		t.Errorf("Verify() = %d, %v, want the third secret", place, err)
	}
	if _, err := (github.Provider{}).Verify(in, nil); !errors.Is(err, webhook.ErrNoSecret) {
		t.Errorf("Verify() without secrets = %v, want %v", err, webhook.ErrNoSecret)
	}
}

func TestVerify_TwoSignaturesAreRefused(t *testing.T) {
	t.Parallel()
	header := http.Header{"X-Hub-Signature-256": {vectorSignature, vectorSignature}}
	if err := verify(header, vectorBody, vectorSecret); !errors.Is(err, webhook.ErrSignature) {
		t.Errorf("Verify() = %v, want %v", err, webhook.ErrSignature)
	}
}

// The answer must not help to guess: no error contains the right signature.
func TestVerify_ErrorDoesNotGiveTheSignatureAway(t *testing.T) {
	t.Parallel()
	header := http.Header{"X-Hub-Signature-256": {sign([]byte(vectorBody), "guess")}}
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
		header := http.Header{"X-Hub-Signature-256": {signature}}
		err := verify(header, string(body), string(secret))
		right := len(secret) > 0 && strings.HasPrefix(signature, "sha256=") &&
			strings.EqualFold(signature[7:], sign(body, string(secret))[7:]) && isASCII(signature)
		if (err == nil) != right {
			t.Errorf("Verify(%q) = %v, but the signature is right: %t", signature, err, right)
		}
	})
}

// isASCII keeps strings.EqualFold from folding letters such as K (Kelvin).
func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 127 })
}
