package gitea_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"pawl/internal/provider/gitea"
	"pawl/internal/provider/webhook"
)

const (
	body   = `{"action":"opened","number":7}`
	secret = "It's a secret"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	good := sign([]byte(body), secret)
	tests := []struct {
		name   string
		header map[string]string
		body   string
		want   error
	}{
		{"Gitea's name", map[string]string{"X-Gitea-Signature": good}, body, nil},
		{"Forgejo's name", map[string]string{"X-Forgejo-Signature": good}, body, nil},
		{"Gogs' name", map[string]string{"X-Gogs-Signature": good}, body, nil},
		{"GitHub's name", map[string]string{"X-Hub-Signature-256": "sha256=" + good}, body, nil},
		{"all names", map[string]string{"X-Forgejo-Signature": good, "X-Gitea-Signature": good, "X-Gogs-Signature": good, "X-Hub-Signature-256": "sha256=" + good, "X-Hub-Signature": "sha1=00"}, body, nil},
		{"an empty one is passed over", map[string]string{"X-Gitea-Signature": "", "X-Hub-Signature-256": "sha256=" + good}, body, nil},
		{"hexadecimal in upper case", map[string]string{"X-Gitea-Signature": strings.ToUpper(good)}, body, nil},
		{"the first that is there counts", map[string]string{"X-Gitea-Signature": sign(nil, secret), "X-Hub-Signature-256": "sha256=" + good}, body, webhook.ErrSignature},
		{"one byte of the body changed", map[string]string{"X-Gitea-Signature": good}, body + " ", webhook.ErrSignature},
		{"other secret", map[string]string{"X-Gitea-Signature": sign([]byte(body), "other")}, body, webhook.ErrSignature},
		{"no signature", nil, body, webhook.ErrNoSignature},
		{"hook without a secret", map[string]string{"X-Gitea-Signature": "", "X-Gogs-Signature": "", "X-Hub-Signature": "sha1=", "X-Hub-Signature-256": "sha256="}, body, webhook.ErrNoSignature},
		{"SHA-1 only", map[string]string{"X-Hub-Signature": "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59"}, body, webhook.ErrNoSignature},
		{"prefix where there is none", map[string]string{"X-Gitea-Signature": "sha256=" + good}, body, webhook.ErrSignature},
		{"no prefix where there is one", map[string]string{"X-Hub-Signature-256": good}, body, webhook.ErrSignature},
		{"not hexadecimal", map[string]string{"X-Gitea-Signature": strings.Repeat("z", 64)}, body, webhook.ErrSignature},
		{"too short", map[string]string{"X-Gitea-Signature": good[:62]}, body, webhook.ErrSignature},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := webhook.Delivery{Header: make(http.Header), Raw: []byte(test.body), ContentType: "application/json"}
			for name, value := range test.header {
				in.Header.Set(name, value)
			}
			if err := verify(in, secret); !errors.Is(err, test.want) {
				t.Errorf("Verify() = %v, want %v", err, test.want)
			}
		})
	}
}

func verify(in webhook.Delivery, secrets ...string) error {
	values := make([][]byte, len(secrets))
	for i, secret := range secrets {
		values[i] = []byte(secret)
	}
	_, err := gitea.Provider{}.Verify(in, values)
	return err
}

func TestVerify_SaysWhatToDo(t *testing.T) {
	t.Parallel()
	in := delivery("push", body)
	if err := verify(in, secret); err == nil || !strings.Contains(err.Error(), "set a secret on the webhook") {
		t.Errorf("Verify() = %v, want what to do", err)
	}
	in.Header.Set("X-Hub-Signature", "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59")
	if err := verify(in, secret); err == nil || !strings.Contains(err.Error(), "SHA-1") {
		t.Errorf("Verify() = %v, want why not", err)
	}
}

func TestVerify_AnyOfTheSecrets(t *testing.T) {
	t.Parallel()
	in := delivery("push", body)
	in.Header.Set("X-Gitea-Signature", sign([]byte(body), secret))
	place, err := gitea.Provider{}.Verify(in, [][]byte{[]byte("old"), nil, []byte(secret)})
	if place != 2 || err != nil {
		t.Errorf("Verify() = %d, %v, want the third secret", place, err)
	}
	for _, none := range [][][]byte{nil, {nil}, {{}}} {
		if _, err := (gitea.Provider{}).Verify(in, none); !errors.Is(err, webhook.ErrNoSecret) {
			t.Errorf("Verify() without a secret = %v, want %v", err, webhook.ErrNoSecret)
		}
	}
}

// An empty secret must not make the empty digest right.
func TestVerify_EmptySecretAndDigestProveNothing(t *testing.T) {
	t.Parallel()
	in := delivery("push", body)
	in.Header.Set("X-Gitea-Signature", sign([]byte(body), ""))
	if err := verify(in, ""); !errors.Is(err, webhook.ErrNoSecret) {
		t.Errorf("Verify() = %v, want %v", err, webhook.ErrNoSecret)
	}
}

func TestVerify_TwoSignaturesAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"X-Forgejo-Signature", "X-Gitea-Signature", "X-Gogs-Signature", "X-Hub-Signature-256"} {
		in := delivery("push", body)
		in.Header[http.CanonicalHeaderKey(name)] = []string{"", sign([]byte(body), secret)}
		if err := verify(in, secret); !errors.Is(err, webhook.ErrSignature) {
			t.Errorf("Verify() with two of %s = %v, want %v", name, err, webhook.ErrSignature)
		}
	}
}

func TestTrap22_TheSignatureOfAFormIsOverItsJSON(t *testing.T) {
	t.Parallel()
	const body = `{"title":"50% + 1 & a=b"}`
	in := formDelivery("push", body)
	in.Header.Set("X-Gitea-Signature", sign([]byte(body), secret))
	if err := verify(in, secret); err != nil {
		t.Errorf("Verify() of a signature over the JSON = %v", err)
	}
	in.Header.Set("X-Gitea-Signature", sign(in.Raw, secret))
	if err := verify(in, secret); !errors.Is(err, webhook.ErrSignature) {
		t.Errorf("Verify() of a signature over the form = %v, want %v", err, webhook.ErrSignature)
	}
}

// The answer must not help to guess: no error contains the right signature.
func TestVerify_ErrorDoesNotGiveTheSignatureAway(t *testing.T) {
	t.Parallel()
	in := delivery("push", body)
	in.Header.Set("X-Gitea-Signature", sign([]byte(body), "guess"))
	err := verify(in, secret)
	if err == nil || strings.Contains(err.Error(), sign([]byte(body), secret)) || strings.Contains(err.Error(), secret) {
		t.Errorf("Verify() = %v, want an error without the signature and the secret", err)
	}
}

func FuzzVerify(f *testing.F) {
	f.Add(sign([]byte(body), secret), []byte(body), []byte(secret))
	f.Add("", []byte(""), []byte(""))
	f.Add("sha256=", []byte("{}"), []byte("s"))
	f.Fuzz(func(t *testing.T, signature string, body, secret []byte) {
		in := delivery("push", string(body))
		in.Header["X-Gitea-Signature"] = []string{signature}
		err := verify(in, string(secret))
		right := len(secret) > 0 && strings.ToLower(signature) == sign(body, string(secret))
		if (err == nil) != right {
			t.Errorf("Verify(%q) = %v, but the signature is right: %t", signature, err, right)
		}
	})
}
