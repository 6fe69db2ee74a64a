// Package monitor reads deliveries of home-made monitors: the outline of package page,
// as small as schemas/monitor.v1.schema.json says. Whoever sends them keeps a clock for
// each component and each incident, updated_at, and proves itself by the token in the
// path.
package monitor

import (
	"net/http"

	"pawl/internal/provider/page"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Name is the provider's name.
const Name = "monitor"

// Provider reads the deliveries of home-made monitors. The zero value is ready.
type Provider struct{}

// Name returns "monitor".
func (Provider) Name() string { return Name }

// DefaultInstance returns "monitor".
func (Provider) DefaultInstance() string { return "monitor" }

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
