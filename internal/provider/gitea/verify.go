package gitea

import (
	"fmt"
	"net/http"
	"strings"

	"pawl/internal/provider/webhook"
)

// The signature that is GitHub's by its name; Gitea sends it too.
const (
	headerHub     = "X-Hub-Signature-256"
	headerHubSHA1 = "X-Hub-Signature"

	hubPrefix     = "sha256="
	hubPrefixSHA1 = "sha1="
)

// signatures hold one digest, each under another name. The first that is there
// counts: without a secret, Gitea sends the headers and leaves the digest empty.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var signatures = [...]struct{ header, prefix string }{
	{"X-Forgejo-Signature", ""},
	{"X-Gitea-Signature", ""},
	{"X-Gogs-Signature", ""},
	{headerHub, hubPrefix},
}

// Verify checks the HMAC-SHA256 of the JSON under one of the secrets, compared
// in constant time. It is over the JSON in a form too, and not over the form as
// at GitHub: Gitea and Forgejo sign the payload before they encode it
// (services/webhook). SHA-1 alone is not accepted, however right it is.
func (Provider) Verify(in webhook.Delivery, secrets [][]byte) (int, error) {
	for _, signature := range signatures {
		digest, _, err := webhook.Digest(in.Header, signature.header, signature.prefix)
		if err != nil {
			return 0, err
		}
		if digest != "" {
			return webhook.VerifyHMAC(signature.header, digest, signedText(in), secrets)
		}
	}
	return 0, missing(in.Header)
}

// signedText is the JSON. A body that has none is taken as it is, for Seal to
// say what is wrong with it.
func signedText(in webhook.Delivery) []byte {
	body, err := webhook.BodyOf(in)
	if err != nil {
		return in.Raw
	}
	return body
}

func missing(header http.Header) error {
	if strings.TrimPrefix(header.Get(headerHubSHA1), hubPrefixSHA1) != "" {
		return fmt.Errorf("%w: %s (SHA-1) is not accepted, send X-Gitea-Signature or %s",
			webhook.ErrNoSignature, headerHubSHA1, headerHub)
	}
	return fmt.Errorf("%w: set a secret on the webhook, without one its signature headers are empty", webhook.ErrNoSignature)
}
