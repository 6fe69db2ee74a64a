package github

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Headers of a delivery.
const (
	headerEvent          = "X-GitHub-Event"
	headerDelivery       = "X-GitHub-Delivery"
	headerEnterpriseHost = "X-GitHub-Enterprise-Host"
)

// keptHeaders are the provider's own headers that go into the record. None of
// them is a secret or a signature.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var keptHeaders = [...]string{
	headerEvent,
	"X-GitHub-Hook-ID",
	"X-GitHub-Hook-Installation-Target-Type",
	"X-GitHub-Hook-Installation-Target-ID",
	headerEnterpriseHost,
}

// seal makes the record of a delivery. The order of its checks is the order in
// which a person would mend them: the headers, then the body.
func seal(in webhook.Delivery) (schemas.Record, error) {
	if err := webhook.CheckSender(in, Name); err != nil {
		return schemas.Record{}, err
	}
	event, id, err := identify(in.Header)
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
	key, subject := routed.key(instance, event)
	return schemas.Record{
		Key:             key,
		ID:              schemas.DeliveryID(id),
		Source:          in.Source,
		Provider:        Name,
		Event:           event,
		Action:          payload.Clean(routed.Action),
		Subject:         payload.Clean(subject),
		ReceivedAt:      in.ReceivedAt,
		ContentType:     schemas.ContentTypeJSON,
		TraceParent:     in.TraceParent,
		ProviderHeaders: webhook.Kept(in.Header, keptHeaders[:]),
		Body:            body,
	}, nil
}

func identify(header http.Header) (event, id string, err error) {
	event = strings.TrimSpace(header.Get(headerEvent))
	id, err = webhook.StatedID(header, headerDelivery)
	switch {
	case event == "":
		return "", "", fmt.Errorf("%w: %s is missing, GitHub sends it with each delivery", webhook.ErrHeader, headerEvent)
	case !webhook.IsEvent(event):
		return "", "", fmt.Errorf("%w: %s is not the name of an event", webhook.ErrHeader, headerEvent)
	case err != nil:
		return "", "", err
	case id == "":
		return "", "", fmt.Errorf("%w: %s is missing, GitHub sends it with each delivery", webhook.ErrHeader, headerDelivery)
	}
	return event, id, nil
}

// checkHost refuses a delivery of another instance than the source's: its
// repository ids would collide with those of this one.
func checkHost(header http.Header, instance, source string) error {
	host := header.Get(headerEnterpriseHost)
	if host == "" || strings.EqualFold(host, instance) {
		return nil
	}
	return fmt.Errorf("%w: %s is %q, but source %s is configured for instance %q",
		webhook.ErrHeader, headerEnterpriseHost, host, source, instance)
}
