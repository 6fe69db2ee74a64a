package github

import (
	"fmt"
	"net/http"

	"pawl/internal/provider/webhook"
)

// Headers of the signature.
const (
	headerSignature     = "X-Hub-Signature-256"
	headerSignatureSHA1 = "X-Hub-Signature"
)

const signaturePrefix = "sha256="

// Verify checks X-Hub-Signature-256: the HMAC-SHA256 of the raw body under one
// of the secrets, compared in constant time. SHA-1 alone is not accepted, however
// right it is, and an empty secret verifies nothing.
func (Provider) Verify(in webhook.Delivery, secrets [][]byte) (int, error) {
	digest, there, err := webhook.Digest(in.Header, headerSignature, signaturePrefix)
	switch {
	case err != nil:
		return 0, err
	case !there:
		return 0, missing(in.Header)
	}
	return webhook.VerifyHMAC(headerSignature, digest, in.Raw, secrets)
}

func missing(header http.Header) error {
	if header.Get(headerSignatureSHA1) != "" {
		return fmt.Errorf("%w: %s (SHA-1) is not accepted, send %s",
			webhook.ErrNoSignature, headerSignatureSHA1, headerSignature)
	}
	return fmt.Errorf("%w: set a secret on the webhook, so that it sends %s", webhook.ErrNoSignature, headerSignature)
}
