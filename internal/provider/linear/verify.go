package linear

import (
	"fmt"
	"time"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
)

const (
	headerSignature = "Linear-Signature"
	headerTimestamp = "Linear-Timestamp"
)

// Verify checks Linear-Signature: the HMAC-SHA256 of the raw body in hexadecimal,
// without a prefix, under one of the secrets, compared in constant time.
func (Provider) Verify(in webhook.Delivery, secrets [][]byte) (int, error) {
	digest, there, err := webhook.Digest(in.Header, headerSignature, "")
	switch {
	case err != nil:
		return 0, err
	case !there:
		return 0, fmt.Errorf("%w: Linear sends %s with each delivery; its secret stands on the webhook's page", webhook.ErrNoSignature, headerSignature)
	}
	return webhook.VerifyHMAC(headerSignature, digest, in.Raw, secrets)
}

// SentAt returns when a verified delivery says it was sent, in milliseconds:
// webhookTimestamp of the body, else Linear-Timestamp, which is not signed (the SDK's
// webhook client reads both). Linear asks that one which is more than a minute away be
// refused. It is not documented whether a retry, which comes up to six hours later,
// has a new stamp, and to refuse one loses a comment: so Pawl counts these, and the
// delivery's id keeps replays away.
func (Provider) SentAt(in webhook.Delivery) (time.Time, bool) {
	var stamped struct {
		At payload.Moment `json:"webhookTimestamp"`
	}
	if payload.ReadRouting(in.Raw, &stamped) == nil && !stamped.At.At.IsZero() {
		return stamped.At.At, true
	}
	at := payload.ParseTime([]byte(in.Header.Get(headerTimestamp)))
	return at, !at.IsZero()
}
