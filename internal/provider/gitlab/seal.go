package gitlab

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Headers of a delivery.
//
// X-Gitlab-Event-UUID and X-Gitlab-Webhook-UUID are no identities, whatever their
// names say. The first is one for all webhooks that a chain of webhooks sets off
// (Gitlab::WebHooks::RecursionDetection); the second is made anew for each
// request (WebHookService#build_headers). Idempotency-Key is made once for a
// delivery, and is kept when it is sent again.
const (
	headerEvent       = "X-Gitlab-Event"
	headerInstance    = "X-Gitlab-Instance"
	headerIdempotency = "Idempotency-Key"
)

// keptHeaders are the provider's own headers that go into the record. None of
// them is a secret or a signature.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var keptHeaders = [...]string{headerEvent, headerInstance}

const (
	// bodyPrefix begins a delivery id that is made from the content.
	bodyPrefix = "body-"
)

// seal makes the record of a delivery. The order of its checks is the order in
// which a person would mend them: the headers, then the body.
func seal(in webhook.Delivery) (schemas.Record, error) {
	if err := webhook.CheckSender(in, Name); err != nil {
		return schemas.Record{}, err
	}
	headerName, err := eventHeader(in.Header)
	if err != nil {
		return schemas.Record{}, err
	}
	id, err := webhook.StatedID(in.Header, headerIdempotency, headerID)
	if err != nil {
		return schemas.Record{}, err
	}
	instance := cmp.Or(in.Instance, Provider{}.DefaultInstance())
	if err := checkHost(in.Header, instance, in.Source); err != nil {
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
	if id == "" {
		id = contentID(body)
	}
	event := routed.event(headerName)
	key, subject := routed.key(instance, event)
	return schemas.Record{
		Key:             key,
		ID:              schemas.DeliveryID(id),
		Source:          in.Source,
		Provider:        Name,
		Event:           event,
		Action:          routed.action(),
		Subject:         payload.Clean(subject),
		ReceivedAt:      in.ReceivedAt,
		ContentType:     schemas.ContentTypeJSON,
		TraceParent:     in.TraceParent,
		ProviderHeaders: webhook.Kept(in.Header, keptHeaders[:]),
		Body:            body,
	}, nil
}

// eventHeader returns the event that X-Gitlab-Event names, as a word: merge_request
// for "Merge Request Hook".
func eventHeader(header http.Header) (string, error) {
	value := strings.TrimSpace(header.Get(headerEvent))
	if value == "" {
		return "", fmt.Errorf("%w: %s is missing, GitLab sends it with each delivery: check that no proxy drops it", webhook.ErrHeader, headerEvent)
	}
	word := strings.ReplaceAll(strings.ToLower(value), " ", "_")
	if !webhook.IsEvent(word) {
		return "", fmt.Errorf("%w: %s is not the name of an event", webhook.ErrHeader, headerEvent)
	}
	if word == "system_hook" {
		return word, nil
	}
	return cmp.Or(strings.TrimSuffix(word, "_hook"), word), nil
}

// contentID makes the id of a delivery that came without one, as those of older
// versions of GitLab do: two deliveries of one content are then duplicates.
func contentID(body []byte) string {
	sum := sha256.Sum256(body)
	return bodyPrefix + hex.EncodeToString(sum[:])
}

// checkHost refuses a delivery of another instance than the source's: its
// project ids would collide with those of this one. The header is an address.
func checkHost(header http.Header, instance, source string) error {
	base := strings.TrimSpace(header.Get(headerInstance))
	if base == "" {
		return nil
	}
	address, err := url.Parse(base)
	if err == nil && (strings.EqualFold(address.Host, instance) || strings.EqualFold(address.Hostname(), instance)) {
		return nil
	}
	return fmt.Errorf("%w: %s is %q, but source %s is configured for instance %q",
		webhook.ErrHeader, headerInstance, base, source, instance)
}

// event names the event by what the body says it is. The header is coarser: it
// is "System Hook" for all events of a system hook, and "Confidential Note Hook"
// for a note. It names the event where a custom template left the kind out.
func (r *routing) event(headerName string) string {
	for _, name := range []string{r.ObjectKind, r.EventName} {
		if webhook.IsEvent(name) {
			return name
		}
	}
	return headerName
}

// action returns the action where it can be part of ce_type.
func (r *routing) action() string {
	for _, action := range []string{r.Attributes.Action, r.Action} {
		if webhook.IsEvent(action) {
			return action
		}
	}
	return ""
}
