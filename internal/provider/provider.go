// Package provider names the providers whose webhooks Pawl reads, and what each
// must be able to do. A provider is a pure reader: it verifies a signature,
// seals a delivery into a record, and decodes a record into a typed event. It
// calls nobody and keeps nothing.
//
//	HTTP ──Verify──▶ ──Seal──▶ Record ══ the log ══▶ Record ──Decode──▶ Event
//	       (the edge)                                       (the projector)
//
// Seal runs before anything is durable, so it reads the few fields that make
// the key and refuses only what is not a delivery at all. Decode runs after,
// so what it cannot read is a dead letter and not a lost delivery (I14).
//
// The set of providers is closed: a provider is added here and nowhere else.
package provider

import (
	"fmt"
	"time"

	"pawl/internal/provider/betterstack"
	"pawl/internal/provider/bitbucket"
	"pawl/internal/provider/gitea"
	"pawl/internal/provider/github"
	"pawl/internal/provider/gitlab"
	"pawl/internal/provider/instatus"
	"pawl/internal/provider/linear"
	"pawl/internal/provider/monitor"
	"pawl/internal/provider/own"
	"pawl/internal/provider/payload"
	"pawl/internal/provider/statuspage"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Delivery is one HTTP request of a provider, its body read whole.
type Delivery = webhook.Delivery

// The errors that a provider returns; see package webhook.
var (
	ErrNoSignature = webhook.ErrNoSignature
	ErrSignature   = webhook.ErrSignature
	ErrNoSecret    = webhook.ErrNoSecret
	ErrBody        = webhook.ErrBody
	ErrHeader      = webhook.ErrHeader
	ErrMedia       = webhook.ErrMedia
	ErrPage        = webhook.ErrPage
)

// Provider reads the deliveries of one kind of provider. Its methods are pure
// and safe for concurrent use.
type Provider interface {
	// Name is the provider's name in the configuration and in ce_type.
	Name() string
	// DefaultInstance is the host of the provider's own service.
	DefaultInstance() string
	// SuccessStatus is the status that the provider wants for a delivery that
	// was taken.
	SuccessStatus() int
	// Events are the events the provider is known to send: those that may
	// become the label of a metric.
	Events() []string
	// Verify checks that the delivery was made by who knows one of the secrets,
	// and returns the place of that secret. A nil error is the only proof; it
	// returns ErrNoSignature, ErrSignature or ErrNoSecret. It sees all secrets at
	// once, because a strong one of them can forbid a weak proof.
	Verify(in Delivery, secrets [][]byte) (int, error)
	// Seal makes the record of a verified delivery. The record shares memory
	// with the delivery's body. The error wraps ErrBody, ErrHeader, ErrMedia
	// or ErrPage.
	Seal(in Delivery) (schemas.Record, error)
	// Decode reads a record's body. An event that is not folded is no error:
	// Event.Ignored says why. An error means that the body cannot be decoded,
	// now or later, and names the field.
	Decode(record schemas.Record) (schemas.Event, error)
}

// ByName returns the provider of that name.
func ByName(name string) (Provider, bool) {
	switch name {
	case github.Name:
		return github.Provider{}, true
	case gitlab.Name:
		return gitlab.Provider{}, true
	case gitea.Name:
		return gitea.Provider{}, true
	case bitbucket.Name:
		return bitbucket.Provider{}, true
	case statuspage.Name:
		return statuspage.New(), true
	case instatus.Name:
		return instatus.New(), true
	case betterstack.Name:
		return betterstack.New(), true
	case monitor.Name:
		return monitor.New(), true
	case linear.Name:
		return linear.Provider{}, true
	}
	return nil, false
}

// Names returns the names that ByName knows.
func Names() []string {
	return []string{
		github.Name, gitlab.Name, gitea.Name, bitbucket.Name,
		statuspage.Name, instatus.Name, betterstack.Name, monitor.Name, linear.Name,
	}
}

// TakesToken reports whether a provider's deliveries are proven by a token in the
// path of their URL. Only a provider that has a method TakesToken says so.
func TakesToken(of Provider) bool {
	taker, ok := of.(interface{ TakesToken() bool })
	return ok && taker.TakesToken()
}

// AnswerWithin returns how long a provider waits for an answer, less some: the
// shorter of what it says and otherwise. Only a provider that has a method
// AnswerWithin says so.
func AnswerWithin(of Provider, otherwise time.Duration) time.Duration {
	if waiter, ok := of.(interface{ AnswerWithin() time.Duration }); ok {
		return min(waiter.AnswerWithin(), otherwise)
	}
	return otherwise
}

// SentAt returns when a verified delivery says it was sent. Only a provider that has
// a method SentAt knows.
func SentAt(of Provider, in Delivery) (at time.Time, known bool) {
	if stamper, ok := of.(interface {
		SentAt(in Delivery) (time.Time, bool)
	}); ok {
		return stamper.SentAt(in)
	}
	return time.Time{}, false
}

// Decode reads a record by its provider: one that the edge made of its own
// refusals likewise. A record of a provider that this program does not know is
// kept and ignored.
func Decode(record schemas.Record) (schemas.Event, error) {
	if record.Provider == own.Name {
		return own.DecodeRefusals(record)
	}
	known, ok := ByName(record.Provider)
	if !ok {
		event := payload.NewEvent(record)
		event.Ignored = fmt.Sprintf("provider %s is not known", record.Provider)
		return event, nil
	}
	return known.Decode(record)
}
