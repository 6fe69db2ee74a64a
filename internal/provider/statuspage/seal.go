package statuspage

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

// unsubscribe is the member whose URL ends the subscription for whoever opens it.
// It must not reach the log.
const unsubscribe = "unsubscribe"

// seal makes the record of a delivery.
func seal(in webhook.Delivery) (schemas.Record, error) {
	if err := webhook.CheckSender(in, Name); err != nil {
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
	key, subject, err := routed.key(cmp.Or(in.Instance, Provider{}.DefaultInstance()))
	if err != nil {
		return schemas.Record{}, err
	}
	if body, err = payload.Without(body, unsubscribe); err != nil {
		return schemas.Record{}, err
	}
	return schemas.Record{
		Key:         key,
		ID:          deliveryID(routed.naturalID(), body),
		Source:      in.Source,
		Provider:    Name,
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

// deliveryID makes the id that deliveries do not have: the same body has the same
// one, and an update that was edited another.
func deliveryID(natural string, body []byte) schemas.DeliveryID {
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

// routing is the few fields that make a key.
type routing struct {
	Page            lenient[named] `json:"page"`
	Component       lenient[named] `json:"component"`
	ComponentUpdate lenient[struct {
		ID          string `json:"id"`
		ComponentID string `json:"component_id"`
	}] `json:"component_update"`
	Incident lenient[struct {
		ID      string              `json:"id"`
		Name    string              `json:"name"`
		Updates lenient[[]*natural] `json:"incident_updates"`
	}] `json:"incident"`
}

type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// natural is what tells the updates of an incident apart.
type natural struct {
	ID        string         `json:"id"`
	CreatedAt payload.Moment `json:"created_at"`
}

// event is told by what is there: Statuspage sends no name.
func (r *routing) event() string {
	switch {
	case r.ComponentUpdate.There:
		return eventComponent
	case r.Incident.There:
		return eventIncident
	case r.Component.There:
		return eventComponent
	}
	return eventOther
}

// key returns the partition key and what people call the entity. The error names
// the id that can be in no key.
func (r *routing) key(instance string) (schemas.EntityKey, string, error) {
	page := r.Page.Value.ID
	switch r.event() {
	case eventComponent:
		id := cmp.Or(r.Component.Value.ID, r.ComponentUpdate.Value.ComponentID)
		subject := page + "/" + cmp.Or(r.Component.Value.Name, id)
		return schemas.ComponentKey(instance, page, id), subject, checkIDs(page, "component.id", id)
	case eventIncident:
		id := r.Incident.Value.ID
		subject := page + "!" + cmp.Or(r.Incident.Value.Name, id)
		return schemas.IncidentKey(instance, page, id), subject, checkIDs(page, "incident.id", id)
	}
	return schemas.InstanceKey(instance), "", nil
}

func checkIDs(page, path, id string) error {
	for _, part := range [...]struct{ path, id string }{{"page.id", page}, {path, id}} {
		if !schemas.IsPageID(part.id) {
			return fmt.Errorf("%w: %s is %.100q, which is not an id of a status page", webhook.ErrBody, part.path, part.id)
		}
	}
	return nil
}

// naturalID is the page's own id of what changed, or empty.
func (r *routing) naturalID() string {
	switch r.event() {
	case eventComponent:
		return r.ComponentUpdate.Value.ID
	case eventIncident:
		if newest := newestOf(r.Incident.Value.Updates.Value, (*natural).createdAt); newest != nil {
			return newest.ID
		}
	}
	return ""
}

func (n *natural) createdAt() payload.Moment { return n.CreatedAt }
