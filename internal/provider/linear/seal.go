package linear

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

const (
	headerEvent    = "Linear-Event"
	headerDelivery = "Linear-Delivery"
)

// seal makes the record of a delivery. The order of its checks is the order in
// which a person would mend them: the headers, then the body.
func seal(in webhook.Delivery) (schemas.Record, error) {
	if err := webhook.CheckSender(in, Name); err != nil {
		return schemas.Record{}, err
	}
	id, err := webhook.StatedID(in.Header, headerDelivery)
	if err != nil {
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
	event := snake(cmp.Or(routed.Type, in.Header.Get(headerEvent)))
	if !webhook.IsEvent(event) {
		return schemas.Record{}, fmt.Errorf("%w: neither type nor %s names an event", webhook.ErrBody, headerEvent)
	}
	key, subject := routed.key(cmp.Or(in.Instance, Provider{}.DefaultInstance()), event)
	return schemas.Record{
		Key:             key,
		ID:              schemas.DeliveryID(cmp.Or(id, digestOf(body))),
		Source:          in.Source,
		Provider:        Name,
		Event:           event,
		Action:          payload.Clean(routed.Action),
		Subject:         payload.Clean(subject),
		ReceivedAt:      in.ReceivedAt,
		ContentType:     schemas.ContentTypeJSON,
		TraceParent:     in.TraceParent,
		ProviderHeaders: webhook.Kept(in.Header, []string{headerEvent}),
		Body:            body,
	}, nil
}

// digestOf is the id of a delivery that has none: the same body has the same one.
func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16])
}

// snake spells a type of Linear as events are spelled here: IssueLabel is
// issue_label, IssueSLA is issue_sla, OAuthApp is oauth_app.
func snake(name string) string {
	letters := []rune(strings.ReplaceAll(name, "OAuth", "Oauth"))
	var b strings.Builder
	for at, c := range letters {
		if at > 0 && unicode.IsUpper(c) && (!unicode.IsUpper(letters[at-1]) || at+1 < len(letters) && unicode.IsLower(letters[at+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// routing is the few fields that make a key.
type routing struct {
	Type   string `json:"type"`
	Action string `json:"action"`
	URL    string `json:"url"`
	Data   struct {
		ID    string `json:"id"`
		Issue issue  `json:"issue"`
	} `json:"data"`
}

// key returns the partition key and what people call the entity.
func (r *routing) key(instance, event string) (schemas.EntityKey, string) {
	if event != eventComment || !isID(r.Data.ID) {
		return schemas.InstanceKey(instance), ""
	}
	return schemas.CommentKey(instance, r.Data.ID), r.Data.Issue.identifier(r.URL)
}

// isID reports whether a text can be an id in a key: Linear's are UUIDs.
func isID(text string) bool {
	return text != "" && len(text) <= maxID && webhook.IsPrintable(text) && !strings.ContainsAny(text, ":/#@!")
}

const maxID = 100
