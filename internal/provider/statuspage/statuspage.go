// Package statuspage reads the webhooks of Atlassian Statuspage.
//
//	verify.go           the token in the path: there is no signature
//	seal.go             delivery → record: the key, and no capability URL
//	decode.go           record → event: which of the two shapes it is
//	decode_component.go a component, alone or in an incident
//	decode_incident.go  an incident or a scheduled maintenance
//
// A delivery has no header that names its event, and no id of its own. Both are
// made of the body.
package statuspage

import (
	"net/http"

	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Name is the provider's name.
const Name = "statuspage"

// The events, told by what a body has.
const (
	eventComponent = "component_update"
	eventIncident  = "incident"
	eventOther     = "other"
)

// Provider reads the deliveries of status pages. The zero value is ready.
type Provider struct{}

// Name returns "statuspage".
func (Provider) Name() string { return Name }

// DefaultInstance returns "statuspage.io".
func (Provider) DefaultInstance() string { return "statuspage.io" }

// SuccessStatus returns 200. Statuspage takes each 2xx for a success.
func (Provider) SuccessStatus() int { return http.StatusOK }

// Events returns the two shapes of deliveries.
func (Provider) Events() []string { return []string{eventComponent, eventIncident} }

// TakesToken returns true: a delivery is proven by the path it is sent to.
func (Provider) TakesToken() bool { return true }

// Seal makes the record of a delivery.
func (Provider) Seal(in webhook.Delivery) (schemas.Record, error) { return seal(in) }

// Decode reads a record into an event.
func (Provider) Decode(record schemas.Record) (schemas.Event, error) { return decode(record) }
