package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// VerifyHMAC checks the HMAC-SHA256 of text against a digest in hexadecimal, in
// constant time, under each secret in turn. It returns the place of the secret
// that made it. header names where the digest was found. The errors say nothing
// of the digest that was wanted.
func VerifyHMAC(header, digest string, text []byte, secrets [][]byte) (int, error) {
	sum, err := hex.DecodeString(digest)
	if err != nil || len(sum) != sha256.Size {
		return 0, fmt.Errorf("%w: %s is not %d hexadecimal digits", ErrSignature, header, 2*sha256.Size)
	}
	return FirstSecret(secrets, func(secret []byte) error {
		mac := hmac.New(sha256.New, secret)
		mac.Write(text)
		if !hmac.Equal(sum, mac.Sum(nil)) {
			return ErrSignature
		}
		return nil
	})
}

// Digest returns the digest that a header carries behind a prefix, and whether the
// header says anything. One that is there twice, or has another prefix, is an
// ErrSignature.
func Digest(header http.Header, name, prefix string) (digest string, there bool, err error) {
	given := header.Values(name)
	switch {
	case len(given) == 0 || len(given) == 1 && given[0] == "":
		return "", false, nil
	case len(given) > 1:
		return "", true, fmt.Errorf("%w: %s is there %d times", ErrSignature, name, len(given))
	}
	digest, ok := strings.CutPrefix(given[0], prefix)
	if !ok {
		return "", true, fmt.Errorf("%w: %s does not begin with %s", ErrSignature, name, prefix)
	}
	return digest, true, nil
}

// FirstSecret returns the place of the first secret that check takes, or the
// error of the last. An empty secret is never asked: it proves nothing.
func FirstSecret(secrets [][]byte, check func(secret []byte) error) (int, error) {
	var last error
	for place, secret := range secrets {
		if len(secret) == 0 {
			last = ErrNoSecret
			continue
		}
		if last = check(secret); last == nil {
			return place, nil
		}
	}
	if last == nil {
		last = errors.Join(ErrNoSecret, errors.New("none is configured"))
	}
	return 0, last
}
