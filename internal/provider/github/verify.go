package github

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"pawl/internal/provider/webhook"
)

// Headers of the signature.
const (
	headerSignature     = "X-Hub-Signature-256"
	headerSignatureSHA1 = "X-Hub-Signature"
)

const signaturePrefix = "sha256="

// Verify checks X-Hub-Signature-256: the HMAC-SHA256 of the raw body under the
// secret, compared in constant time. SHA-1 alone is not accepted, however right
// it is, and an empty secret verifies nothing. The errors say nothing of the
// signature that was wanted.
func (Provider) Verify(header http.Header, raw, secret []byte) error {
	if len(secret) == 0 {
		return webhook.ErrNoSecret
	}
	given := header.Values(headerSignature)
	if len(given) == 0 || given[0] == "" {
		return missing(header)
	}
	if len(given) > 1 {
		return fmt.Errorf("%w: %s is there %d times", webhook.ErrSignature, headerSignature, len(given))
	}
	digest, ok := strings.CutPrefix(given[0], signaturePrefix)
	if !ok {
		return fmt.Errorf("%w: %s does not begin with %s", webhook.ErrSignature, headerSignature, signaturePrefix)
	}
	sum, err := hex.DecodeString(digest)
	if err != nil || len(sum) != sha256.Size {
		return fmt.Errorf("%w: %s is not %d hexadecimal digits", webhook.ErrSignature, headerSignature, 2*sha256.Size)
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(raw)
	if !hmac.Equal(sum, mac.Sum(nil)) {
		return webhook.ErrSignature
	}
	return nil
}

func missing(header http.Header) error {
	if header.Get(headerSignatureSHA1) != "" {
		return fmt.Errorf("%w: %s (SHA-1) is not accepted, send %s",
			webhook.ErrNoSignature, headerSignatureSHA1, headerSignature)
	}
	return fmt.Errorf("%w: set a secret on the webhook, so that it sends %s", webhook.ErrNoSignature, headerSignature)
}
