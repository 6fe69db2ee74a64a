package page

import (
	"net/http"

	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Provider reads the deliveries of one service, which proves them by the token in the
// path and differs from others in its name alone. What differs in more embeds it.
type Provider struct{ name, instance string }

// New returns the provider of that name, whose own service is at the instance.
func New(name, instance string) Provider { return Provider{name, instance} }

// Name returns the provider's name.
func (p Provider) Name() string { return p.name }

// DefaultInstance returns the instance of the provider's own service.
func (p Provider) DefaultInstance() string { return p.instance }

// SuccessStatus returns 200.
func (Provider) SuccessStatus() int { return http.StatusOK }

// Events returns the shapes of deliveries.
func (Provider) Events() []string { return []string{eventComponent, eventIncident, eventMaintenance} }

// TakesToken returns true: a delivery is proven by the path it is sent to.
func (Provider) TakesToken() bool { return true }

// Verify compares the token of the path with each secret.
func (Provider) Verify(in webhook.Delivery, secrets [][]byte) (int, error) {
	return verifyToken(in, secrets)
}

// Seal makes the record of a delivery.
func (p Provider) Seal(in webhook.Delivery) (schemas.Record, error) {
	return seal(in, p.name, p.instance)
}

// Decode reads a record into an event. It is pure. The error wraps
// payload.ErrPayload.
func (Provider) Decode(record schemas.Record) (schemas.Event, error) { return decode(record) }
