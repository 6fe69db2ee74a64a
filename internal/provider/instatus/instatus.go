// Package instatus reads the webhooks of Instatus (instatus.com/help/webhooks): the
// outline of package page, in a dialect of its own. Words of statuses are in capitals
// without underscores. A component has no clock: its own delivery has that of the
// change (component_update.created_at), and an incident that shows it the incident's. A
// maintenance stands under a member of its own, and one that has not started yet is
// scheduled.
//
// A delivery is proven by the token in the path. Where Instatus signs it, the signature
// counts, and a wrong one is refused beside a right token. Instatus documents the
// signature as one of the body made JSON anew; over the body as it came is the same as
// long as Instatus sends its JSON without blanks, which its samples do.
package instatus

import (
	"net/http"

	"pawl/internal/provider/page"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Name is the provider's name.
const Name = "instatus"

// Provider reads the deliveries of status pages at Instatus. The zero value is ready.
type Provider struct{}

// Name returns "instatus".
func (Provider) Name() string { return Name }

// DefaultInstance returns "instatus.com".
func (Provider) DefaultInstance() string { return "instatus.com" }

// SuccessStatus returns 200.
func (Provider) SuccessStatus() int { return http.StatusOK }

// Events returns the shapes of deliveries.
func (Provider) Events() []string {
	return []string{page.EventComponent, page.EventIncident, page.EventMaintenance}
}

// TakesToken returns true: a delivery is proven by the path it is sent to.
func (Provider) TakesToken() bool { return true }

const headerSignature = "X-Instatus-Webhook-Signature"

// Verify checks the signature where there is one: the HMAC-SHA256 of the raw body in
// hexadecimal. Otherwise it compares the token of the path with each secret.
func (Provider) Verify(in webhook.Delivery, secrets [][]byte) (int, error) {
	digest, signed, err := webhook.Digest(in.Header, headerSignature, "")
	switch {
	case err != nil:
		return 0, err
	case signed:
		return webhook.VerifyHMAC(headerSignature, digest, in.Raw, secrets)
	}
	return page.VerifyToken(in, secrets)
}

// Seal makes the record of a delivery.
func (p Provider) Seal(in webhook.Delivery) (schemas.Record, error) {
	return page.Seal(in, Name, p.DefaultInstance())
}

// Decode reads a record into an event.
func (Provider) Decode(record schemas.Record) (schemas.Event, error) { return page.Decode(record) }
