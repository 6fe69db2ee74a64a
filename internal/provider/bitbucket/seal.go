package bitbucket

import (
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

// maxEvent bounds an event key, in bytes.
const maxEvent = 100

// seal makes the record of a delivery. The order of its checks is the order in
// which a person would mend them: the headers, then the body.
func seal(in webhook.Delivery) (schemas.Record, error) {
	event, action, err := eventOf(in.Header)
	if err != nil {
		return schemas.Record{}, err
	}
	id, err := statedDelivery(in.Header)
	if err != nil {
		return schemas.Record{}, err
	}
	instance := in.Instance
	if instance == "" {
		instance = Provider{}.DefaultInstance()
	}
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
		return "", "", fmt.Errorf("%w: %s is missing, Bitbucket sends it with each delivery%s", webhook.ErrHeader, headerEvent, looksLike(header))
	}
	event, action, _ = strings.Cut(key, ":")
	if len(key) > maxEvent || event == "" || !isEvent(event) || !isEvent(strings.ReplaceAll(action, ":", "")) {
		return "", "", fmt.Errorf("%w: %s is not the key of an event", webhook.ErrHeader, headerEvent)
	}
	return event, action, nil
}

func isEvent(text string) bool {
	for _, c := range []byte(text) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// looksLike names the provider whose headers a delivery has. Gitea sends
// GitHub's headers too, so it is asked for first.
func looksLike(header http.Header) string {
	for _, other := range []struct{ header, provider string }{
		{"X-Gitea-Event", "gitea"},
		{"X-Forgejo-Event", "gitea"},
		{"X-GitHub-Event", "github"},
		{"X-Gitlab-Event", "gitlab"},
		{"Linear-Event", "linear"},
	} {
		if header.Get(other.header) != "" {
			return fmt.Sprintf("; with %s it looks like a delivery of provider %s", other.header, other.provider)
		}
	}
	return ""
}

// statedDelivery returns the id that a delivery states, or "".
func statedDelivery(header http.Header) (string, error) {
	for _, name := range []string{headerDelivery, headerDataCenterID} {
		id := strings.TrimSpace(header.Get(name))
		if id == "" {
			continue
		}
		if !webhook.IsPrintable(id) || len(id) > webhook.MaxDelivery {
			return "", fmt.Errorf("%w: %s is not a delivery id, want at most %d printable characters", webhook.ErrHeader, name, webhook.MaxDelivery)
		}
		return id, nil
	}
	return "", nil
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

// readRouting reads the fields of a key, as far as they are of the right type.
// Only text that is not JSON is an error.
func readRouting(body []byte, into any) error {
	err := payload.Unmarshal(body, into)
	if err == nil || payload.IsTypeError(err) {
		return nil
	}
	return fmt.Errorf("%w: it is not JSON: %w", webhook.ErrBody, err)
}

func subjectOf(repository, rest string) string {
	if repository == "" {
		return ""
	}
	return repository + rest
}
