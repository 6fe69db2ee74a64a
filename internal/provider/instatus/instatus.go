// Package instatus reads the webhooks of Instatus (instatus.com/help/webhooks): the
// outline of package page, in a dialect of its own. Words of statuses are in capitals
// without underscores. A component has no clock: its own delivery has that of the
// change (component_update.created_at), and an incident that shows it the incident's. A
// maintenance stands under a member of its own, and one that has not started yet is
// scheduled.
//
// A delivery is proven by the token in the path. Where Instatus signs it, the signature
// counts, and a wrong one is refused beside a right token. Instatus documents the
// signature as one of the body made JSON anew by the receiver. Here it is over the body
// as it came, which differs where that has blanks, escapes or numbers that a JSON writer
// would write otherwise. It was not tried against the service.
package instatus

import (
	"pawl/internal/provider/page"
	"pawl/internal/provider/webhook"
)

// Name is the provider's name.
const Name = "instatus"

// Provider reads the deliveries of status pages at Instatus.
type Provider struct{ page.Provider }

// New returns the provider.
func New() Provider { return Provider{page.New(Name, "instatus.com")} }

const headerSignature = "X-Instatus-Webhook-Signature"

// Verify checks the signature where there is one: the HMAC-SHA256 of the raw body in
// hexadecimal. Otherwise it compares the token of the path with each secret.
func (p Provider) Verify(in webhook.Delivery, secrets [][]byte) (int, error) {
	digest, signed, err := webhook.Digest(in.Header, headerSignature, "")
	switch {
	case err != nil:
		return 0, err
	case signed:
		return webhook.VerifyHMAC(headerSignature, digest, in.Raw, secrets)
	}
	return p.Provider.Verify(in, secrets)
}
