package bitbucket

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Headers of a delivery.
const (
	headerEvent        = "X-Event-Key"
	headerDelivery     = "X-Request-UUID" // Cloud
	headerDataCenterID = "X-Request-Id"
)

// keptHeaders are the provider's own headers that go into the record. None of
// them is a secret or a signature.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var keptHeaders = [...]string{headerEvent, "X-Hook-UUID", "X-Attempt-Number"}

// seal makes the record of a delivery. The order of its checks is the order in
// which a person would mend them: the headers, then the body.
func seal(in webhook.Delivery) (schemas.Record, error) {
	if err := webhook.CheckSender(in, Name); err != nil {
		return schemas.Record{}, err
	}
	event, action, err := eventOf(in.Header)
	if err != nil {
		return schemas.Record{}, err
	}
	id, err := webhook.StatedID(in.Header, headerDelivery, headerDataCenterID)
	if err != nil {
		return schemas.Record{}, err
	}
	instance := cmp.Or(in.Instance, Provider{}.DefaultInstance())
	body, err := webhook.BodyOf(in)
	if err != nil {
		return schemas.Record{}, err
	}
	if id == "" {
		id = derivedDelivery(event, action, body)
	}
	key, subject, err := route(instance, event, action, body)
	if err != nil {
		return schemas.Record{}, err
	}
	return schemas.Record{
		Key:             key,
		ID:              schemas.DeliveryID(id),
		Source:          in.Source,
		Provider:        Name,
		Event:           event,
		Action:          action,
		Subject:         payload.Clean(subject),
		ReceivedAt:      in.ReceivedAt,
		ContentType:     schemas.ContentTypeJSON,
		TraceParent:     in.TraceParent,
		ProviderHeaders: webhook.Kept(in.Header, keptHeaders[:]),
		Body:            body,
	}, nil
}

// eventOf splits X-Event-Key at its first colon: "pr:reviewer:approved" is the
// event "pr" with the action "reviewer:approved".
func eventOf(header http.Header) (event, action string, err error) {
	key := strings.TrimSpace(header.Get(headerEvent))
	if key == "" {
		return "", "", fmt.Errorf("%w: %s is missing, Bitbucket sends it with each delivery", webhook.ErrHeader, headerEvent)
	}
	event, action, _ = strings.Cut(key, ":")
	if event == "" || !webhook.IsEvent(strings.ReplaceAll(key, ":", "_")) {
		return "", "", fmt.Errorf("%w: %s is not the key of an event", webhook.ErrHeader, headerEvent)
	}
	return event, action, nil
}

// derivedDelivery is the id of a delivery that states none: two with one event
// key and one body are the same.
func derivedDelivery(event, action string, body []byte) string {
	sum := sha256.New()
	sum.Write([]byte(event + ":" + action + "\n"))
	sum.Write(body)
	return "body-" + hex.EncodeToString(sum.Sum(nil))
}

// route returns the partition key and what people call the entity.
func route(instance, event, action string, body []byte) (schemas.EntityKey, string, error) {
	if isDataCenter(event, action) {
		return routeDataCenter(instance, event, action, body)
	}
	return routeCloud(instance, event, action, body)
}
