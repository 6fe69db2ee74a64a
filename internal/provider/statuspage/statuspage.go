// Package statuspage reads the webhooks of Atlassian Statuspage: the outline of
// package page as it stands there. It signs nothing, so a delivery is proven by the
// path it is sent to, and it takes each 2xx for a success
// (support.atlassian.com, "Enable webhook notifications").
package statuspage

import (
	"net/http"

	"pawl/internal/provider/page"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Name is the provider's name.
const Name = "statuspage"

// Provider reads the deliveries of status pages at Atlassian Statuspage. The zero value is ready.
type Provider struct{}

// Name returns "statuspage".
func (Provider) Name() string { return Name }

// DefaultInstance returns "statuspage.io".
func (Provider) DefaultInstance() string { return "statuspage.io" }

// SuccessStatus returns 200.
func (Provider) SuccessStatus() int { return http.StatusOK }

// Events returns the shapes of deliveries.
func (Provider) Events() []string {
	return []string{page.EventComponent, page.EventIncident, page.EventMaintenance}
}

// TakesToken returns true: a delivery is proven by the path it is sent to.
func (Provider) TakesToken() bool { return true }

// Verify compares the token of the path with each secret.
func (Provider) Verify(in webhook.Delivery, secrets [][]byte) (int, error) {
	return page.VerifyToken(in, secrets)
}

// Seal makes the record of a delivery.
func (p Provider) Seal(in webhook.Delivery) (schemas.Record, error) {
	return page.Seal(in, Name, p.DefaultInstance())
}

// Decode reads a record into an event.
func (Provider) Decode(record schemas.Record) (schemas.Event, error) { return page.Decode(record) }
