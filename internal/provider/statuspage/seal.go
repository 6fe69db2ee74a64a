package statuspage

import (
	"cmp"
	"fmt"
	"slices"

	shared "pawl/internal/provider/page"
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
		ID:          shared.DeliveryID(routed.naturalID(), body),
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

// routing is the few fields that make a key.
type routing struct {
	Page            shared.Lenient[named] `json:"page"`
	Component       shared.Lenient[named] `json:"component"`
	ComponentUpdate shared.Lenient[struct {
		ID          string `json:"id"`
		ComponentID string `json:"component_id"`
	}] `json:"component_update"`
	Incident shared.Lenient[struct {
		ID      string                     `json:"id"`
		Name    string                     `json:"name"`
		Updates shared.Lenient[[]*natural] `json:"incident_updates"`
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
		return schemas.ComponentKey(instance, page, id), subject, shared.CheckIDs(page, "component.id", id)
	case eventIncident:
		id := r.Incident.Value.ID
		subject := page + "!" + cmp.Or(r.Incident.Value.Name, id)
		return schemas.IncidentKey(instance, page, id), subject, shared.CheckIDs(page, "incident.id", id)
	}
	return schemas.InstanceKey(instance), "", nil
}

// naturalID is the page's own id of what changed, or empty.
func (r *routing) naturalID() string {
	switch r.event() {
	case eventComponent:
		return r.ComponentUpdate.Value.ID
	case eventIncident:
		if newest := shared.NewestOf(r.Incident.Value.Updates.Value, (*natural).createdAt); newest != nil {
			return newest.ID
		}
	}
	return ""
}

func (n *natural) createdAt() payload.Moment { return n.CreatedAt }
