package gitlab_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"pawl/internal/provider/gitlab"
	"pawl/internal/provider/webhook"
)

const (
	signingKey   = "0123456789abcdef0123456789abcdef"
	signedAt     = 1767225600 // 2026-01-01T00:00:00Z
	signedBody   = `{"object_kind":"push"}`
	plainSecret  = "a plain secret"
	otherKey     = "fedcba9876543210fedcba9876543210"
	headerToken  = "X-Gitlab-Token"
	signatureKey = "webhook-signature"
)

func signingToken(key string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(key))
}

// signature returns the v1 entry of webhook-signature.
func signature(key, id, timestamp, body string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(id + "." + timestamp + "." + body))
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func headers(pairs ...string) http.Header {
	header := make(http.Header)
	for i := 0; i < len(pairs); i += 2 {
		header.Add(pairs[i], pairs[i+1])
	}
	return header
}

// signedBy returns the headers of a delivery signed with the key, which also
// carries the plain secret.
func signedBy(key string) http.Header {
	timestamp := strconv.Itoa(signedAt)
	return headers("webhook-id", "m-1", "webhook-timestamp", timestamp, headerToken, plainSecret,
		signatureKey, signature(key, "m-1", timestamp, signedBody))
}

func verify(in webhook.Delivery, secrets ...string) (int, error) {
	values := make([][]byte, len(secrets))
	for i, secret := range secrets {
		values[i] = []byte(secret)
	}
	return gitlab.Provider{}.Verify(in, values)
}

func TestVerify_Token(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		header  http.Header
		secrets []string
		place   int
		want    error
	}{
		{"right", headers(headerToken, plainSecret), []string{plainSecret}, 0, nil},
		{"the second secret", headers(headerToken, plainSecret), []string{"old", plainSecret}, 1, nil},
		{"wrong", headers(headerToken, "guess"), []string{plainSecret}, 0, webhook.ErrSignature},
		{"a prefix of it", headers(headerToken, plainSecret[:5]), []string{plainSecret}, 0, webhook.ErrSignature},
		{"missing", nil, []string{plainSecret}, 0, webhook.ErrNoSignature},
		{"empty", headers(headerToken, ""), []string{plainSecret}, 0, webhook.ErrNoSignature},
		{"twice", headers(headerToken, plainSecret, headerToken, "x"), []string{plainSecret}, 0, webhook.ErrSignature},
		{"empty secret", headers(headerToken, "x"), []string{""}, 0, webhook.ErrNoSecret},
		{"no secret", headers(headerToken, "x"), nil, 0, webhook.ErrNoSecret},
		{"a signature nobody can check", signedBy(signingKey), []string{plainSecret}, 0, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			place, err := verify(webhook.Delivery{Header: test.header, Raw: []byte(signedBody)}, test.secrets...)
			if !errors.Is(err, test.want) || place != test.place {
				t.Errorf("Verify() = %d, %v, want %d, %v", place, err, test.place, test.want)
			}
		})
	}
}

func TestVerify_Signature(t *testing.T) {
	t.Parallel()
	token := signingToken(signingKey)
	tests := []struct {
		name    string
		change  func(header http.Header)
		secrets []string
		place   int
		want    error
		says    string
	}{
		{"right", nil, []string{token}, 0, nil, ""},
		{"beside a plain secret", nil, []string{plainSecret, token}, 1, nil, ""},
		{"the second token", nil, []string{signingToken(otherKey), token}, 1, nil, ""},
		{"one of several signatures", func(h http.Header) {
			h.Set(signatureKey, "v1,AAAA v2,x  v1 "+signature(otherKey, "m-1", "1", "")+" "+h.Get(signatureKey))
		}, []string{token}, 0, nil, ""},
		{"of another token", nil, []string{signingToken(otherKey)}, 0, webhook.ErrSignature, "v1"},
		{"a version we do not know", func(h http.Header) {
			h.Set(signatureKey, "v1a"+strings.TrimPrefix(h.Get(signatureKey), "v1"))
		}, []string{token}, 0, webhook.ErrSignature, "v1"},
		{"not base64", func(h http.Header) { h.Set(signatureKey, "v1,$$") }, []string{token}, 0, webhook.ErrSignature, "v1"},
		{"another id", func(h http.Header) { h.Set("webhook-id", "m-2") }, []string{token}, 0, webhook.ErrSignature, "v1"},
		{"another time", func(h http.Header) { h.Set("webhook-timestamp", strconv.Itoa(signedAt+1)) }, []string{token}, 0, webhook.ErrSignature, "v1"},
		{"a time that is none", func(h http.Header) { h.Set("webhook-timestamp", "today") }, []string{token}, 0, webhook.ErrSignature, "seconds"},
		{"no id", func(h http.Header) { h.Del("webhook-id") }, []string{token}, 0, webhook.ErrNoSignature, "webhook-id"},
		{"no time", func(h http.Header) { h.Del("webhook-timestamp") }, []string{token}, 0, webhook.ErrNoSignature, "webhook-timestamp"},
		{"the plain secret alone", func(h http.Header) { h.Del(signatureKey) }, []string{plainSecret, token}, 0, webhook.ErrNoSignature, headerToken},
		{"the token in clear text", func(h http.Header) {
			h.Del(signatureKey)
			h.Set(headerToken, token)
		}, []string{token}, 0, webhook.ErrNoSignature, headerToken},
		{"wrong signature, right plain secret", func(h http.Header) { h.Set(signatureKey, "v1,AAAA") }, []string{token, plainSecret}, 0, webhook.ErrSignature, ""},
		{"two signature headers", func(h http.Header) { h.Add(signatureKey, "v1,AAAA") }, []string{token}, 0, webhook.ErrSignature, "2 times"},
		{"a token that is not base64", nil, []string{"whsec_$"}, 0, webhook.ErrNoSecret, "base64"},
		{"a token without a key", nil, []string{"whsec_"}, 0, webhook.ErrNoSecret, "whsec_"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			header := signedBy(signingKey)
			if test.change != nil {
				test.change(header)
			}
			place, err := verify(webhook.Delivery{Header: header, Raw: []byte(signedBody)}, test.secrets...)
			if !errors.Is(err, test.want) || place != test.place {
				t.Fatalf("Verify() = %d, %v, want %d, %v", place, err, test.place, test.want)
			}
			if err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("Verify() = %v, want it to say %q", err, test.says)
			}
		})
	}
}

func TestVerify_OldSignatureIsRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		late time.Duration
		want error
	}{
		{"at once", 0, nil},
		{"five minutes after", 5 * time.Minute, nil},
		{"five minutes before", -5 * time.Minute, nil},
		{"a second more", 5*time.Minute + time.Second, webhook.ErrSignature},
		{"a second less", -5*time.Minute - time.Second, webhook.ErrSignature},
	} {
		in := webhook.Delivery{Header: signedBy(signingKey), Raw: []byte(signedBody), ReceivedAt: time.Unix(signedAt, 0).Add(test.late)}
		if _, err := verify(in, signingToken(signingKey)); !errors.Is(err, test.want) {
			t.Errorf("%s: Verify() = %v, want %v", test.name, err, test.want)
		}
	}
}

// The answer must not help to guess: no error contains a secret.
func TestVerify_ErrorGivesNothingAway(t *testing.T) {
	t.Parallel()
	token := signingToken(signingKey)
	for _, header := range []http.Header{headers(headerToken, "guess"), signedBy(otherKey)} {
		for _, secret := range []string{plainSecret + "!", token} {
			_, err := verify(webhook.Delivery{Header: header, Raw: []byte(signedBody)}, secret)
			if err == nil || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), token[6:]) {
				t.Errorf("Verify() = %v, want an error without the secret", err)
			}
			right := signature(signingKey, "m-1", strconv.Itoa(signedAt), signedBody)
			if err != nil && strings.Contains(err.Error(), right[3:]) {
				t.Errorf("Verify() = %v, want an error without the signature", err)
			}
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add(plainSecret, "", "", "", []byte("{}"), plainSecret)
	f.Add("", "m-1", "1", signature(signingKey, "m-1", "1", "{}"), []byte("{}"), signingToken(signingKey))
	f.Add("", "", "-1", "v1, v1", []byte(""), "whsec_")
	f.Fuzz(func(t *testing.T, token, id, timestamp, signatures string, body []byte, secret string) {
		header := headers(headerToken, token, "webhook-id", id, "webhook-timestamp", timestamp, signatureKey, signatures)
		_, err := verify(webhook.Delivery{Header: header, Raw: body}, secret)
		if err != nil {
			return
		}
		key, signs := strings.CutPrefix(secret, "whsec_")
		if !signs && (token != secret || secret == "") {
			t.Errorf("Verify() took token %q for secret %q", token, secret)
		}
		raw, _ := base64.StdEncoding.DecodeString(key)
		mac := signature(string(raw), id, timestamp, string(body))
		if signs && (len(raw) == 0 || !anyEntryIs(signatures, mac)) {
			t.Errorf("Verify() took signature %q for %q", signatures, mac)
		}
	})
}

// anyEntryIs compares digests: base64 may be written in more than one way.
func anyEntryIs(signatures, want string) bool {
	digest, _ := base64.StdEncoding.DecodeString(want[3:])
	for entry := range strings.FieldsSeq(signatures) {
		text, ok := strings.CutPrefix(entry, "v1,")
		given, err := base64.StdEncoding.DecodeString(text)
		if ok && err == nil && hmac.Equal(given, digest) {
			return true
		}
	}
	return false
}
