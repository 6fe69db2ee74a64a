package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// The events, told by what a body has.
const (
	eventComponent   = "component_update"
	eventIncident    = "incident"
	eventMaintenance = "maintenance"
	eventOther       = "other"
)

// unsubscribe is the member whose URL ends the subscription for whoever opens it.
// It must not reach the log.
const unsubscribe = "unsubscribe"

// seal makes the record of a delivery of a provider, with the key under the source's
// instance, or under the provider's own. The error wraps those of package webhook.
func seal(in webhook.Delivery, provider, instance string) (schemas.Record, error) {
	if err := webhook.CheckSender(in, provider); err != nil {
		return schemas.Record{}, err
	}
	body, err := webhook.BodyOf(in)
	if err != nil {
		return schemas.Record{}, err
	}
	var routed routing
	if err := payload.ReadRouting(body, &routed); err != nil {
		return schemas.Record{}, err
	}
	page := routed.Page.Value.ID
	if len(in.Pages) > 0 && !slices.Contains(in.Pages, page) {
		return schemas.Record{}, fmt.Errorf("%w: page.id is %.100q", webhook.ErrPage, payload.Clean(page))
	}
	key, subject, err := routed.key(cmp.Or(in.Instance, instance))
	if err != nil {
		return schemas.Record{}, err
	}
	if body, err = payload.Without(body, unsubscribe); err != nil {
		return schemas.Record{}, err
	}
	return schemas.Record{
		Key:         key,
		ID:          DeliveryID(routed.naturalID(), body),
		Source:      in.Source,
		Provider:    provider,
		Event:       routed.event(),
		Subject:     payload.Clean(subject),
		ReceivedAt:  in.ReceivedAt,
		ContentType: schemas.ContentTypeJSON,
		TraceParent: in.TraceParent,
		Body:        body,
	}, nil
}

// digestDigits is how much of a body's digest stands in an id.
const digestDigits = 16

// DeliveryID makes the id that deliveries do not have: the same body has the same
// one, and an update that was edited another.
func DeliveryID(natural string, body []byte) schemas.DeliveryID {
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])[:digestDigits]
	if natural == "" || !webhook.IsPrintable(natural) || len(natural) > webhook.MaxDelivery-digestDigits-1 {
		return schemas.DeliveryID(digest)
	}
	return schemas.DeliveryID(natural + "-" + digest)
}

// lenient is a part of a body of which is read what is of the right type: what is
// not is for Decode to name.
type lenient[T any] struct {
	There bool
	Value T
}

// UnmarshalJSON never fails. A part that is there twice is read as Decode reads
// it: the second over the first.
func (l *lenient[T]) UnmarshalJSON(data []byte) error {
	l.There = string(data) != "null"
	_ = payload.Unmarshal(data, &l.Value)
	return nil
}

// checkIDs names the id, of a page or of what stands at the path, that can be in no
// key. The error wraps webhook.ErrBody.
func checkIDs(page, path, id string) error {
	for _, part := range [...]struct{ path, id string }{{"page.id", page}, {path, id}} {
		if !schemas.IsPageID(part.id) {
			return fmt.Errorf("%w: %s is %.100q, which is not an id of a status page", webhook.ErrBody, part.path, part.id)
		}
	}
	return nil
}
