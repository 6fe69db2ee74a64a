package bitbucket

import (
	"fmt"
	"net/http"

	"pawl/internal/provider/webhook"
)

const (
	// headerSignature carries a SHA-256, though GitHub's header of that name
	// carries a SHA-1.
	headerSignature = "X-Hub-Signature"
	signaturePrefix = "sha256="
)

// Verify checks X-Hub-Signature: the HMAC-SHA256 of the raw body under one of
// the secrets, compared in constant time. An empty secret verifies nothing.
//
// The connection test of a Data Center (diagnostics:ping) is refused where it
// comes without a signature, as old versions send it: what stands in a header is
// said by anybody, and only a signature lets a stranger's bytes into the log.
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
	if header.Get(headerEvent) == eventDiagnostics+":ping" {
		return fmt.Errorf("%w: some versions of Bitbucket Data Center do not sign the connection test; deliveries are signed once the webhook has a secret",
			webhook.ErrNoSignature)
	}
	return fmt.Errorf("%w: set a secret on the webhook, so that it sends %s", webhook.ErrNoSignature, headerSignature)
}
