// Package bitbucket reads the webhooks of Bitbucket Cloud and of Bitbucket Data
// Center (formerly Server). The two share a name, two headers and nothing else:
// their payloads are other structs, their clocks other clocks. X-Event-Key tells
// them apart.
//
//	verify.go        X-Hub-Signature, HMAC-SHA256 over the raw bytes; of both
//	seal.go          delivery → record: the key, and nothing that can fail on a body
//	decode.go        record → event: which of the two, and what they share
//	cloud_*.go       pullrequest:*, repo:commit_status_*, repo:updated, …
//	datacenter_*.go  pr:*, repo:modified
//
// Sealing is tolerant and decoding is not. A field of a wrong type leaves the
// record under a wider key, and makes it a dead letter later, with the name of
// the field.
//
// The facts are of Atlassian's pages "Event payloads" (Cloud) and "Event
// payload" (Data Center), and of real payloads where the pages say nothing.
package bitbucket

import (
	"net/http"
	"slices"

	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Name is the provider's name.
const Name = "bitbucket"

// Provider reads the deliveries of Bitbucket. The zero value is ready.
type Provider struct{}

// Name returns "bitbucket".
func (Provider) Name() string { return Name }

// DefaultInstance returns "bitbucket.org". A source of a Data Center must be
// configured with its own host: repository ids are numbers of that host alone.
func (Provider) DefaultInstance() string { return "bitbucket.org" }

// SuccessStatus returns 200.
func (Provider) SuccessStatus() int { return http.StatusOK }

// Events returns the part of the event keys before the first colon.
func (Provider) Events() []string { return slices.Clone(events[:]) }

// events are of Cloud's REST API (hook_event) and of what a Data Center lets
// webhooks subscribe to.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var events = [...]string{
	eventDiagnostics, "issue", eventMirror, "pipeline", eventPR, eventProject, eventPullRequest, eventRepo,
}

// Seal makes the record of a delivery.
func (Provider) Seal(in webhook.Delivery) (schemas.Record, error) { return seal(in) }

// Decode reads a record into an event.
func (Provider) Decode(record schemas.Record) (schemas.Event, error) { return decode(record) }
