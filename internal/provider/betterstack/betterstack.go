// Package betterstack reads the webhooks that Better Stack sends to subscribers of a
// status page (betterstack.com/docs, "Webhook subscriptions"): the outline of package
// page, with event_type beside it, which says no more than the member that is there.
//
// An incident has no status, no impact, no components and no end in what is
// documented. Its status is unknown here and it is never over: page.status_indicator is
// the whole page's, and says nothing of one incident. A maintenance has starts_at and
// ends_at. A component is operational, degraded, in downtime, in maintenance, or not
// monitored (the words for what is on a page); its sample was not at hand.
//
// Times are in whole seconds, so two changes of one second are told apart by what each
// says was before it, or the worse one stands. A signature is not documented: a delivery
// is proven by the path it is sent to. The subscription is confirmed by a person, with
// the link that comes by mail.
package betterstack

import (
	"net/http"

	"pawl/internal/provider/page"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Name is the provider's name.
const Name = "betterstack"

// Provider reads the deliveries of status pages at Better Stack. The zero value is ready.
type Provider struct{}

// Name returns "betterstack".
func (Provider) Name() string { return Name }

// DefaultInstance returns "betterstack.com".
func (Provider) DefaultInstance() string { return "betterstack.com" }

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
