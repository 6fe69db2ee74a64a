// Package webhook holds what every provider's reading of a delivery shares: the
// delivery itself, the media types it may come in, and the errors the edge
// tells apart. It is a leaf, so that the providers and the registry over them
// can both import it.
package webhook

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"
)

// Delivery is one HTTP request of a provider, its body read whole.
type Delivery struct {
	Header http.Header
	// Raw is the body as it came over the wire. The signature is over these
	// bytes.
	Raw []byte
	// ContentType is the request's Content-Type. Empty is taken as JSON, for
	// deliveries that come from a file.
	ContentType string
	// Instance is the provider's host that the source is configured for. Empty
	// is the provider's default.
	Instance    string
	Source      string
	ReceivedAt  time.Time
	TraceParent string
	// Token is what the URL's path has behind the source, for providers whose
	// deliveries carry no other proof. It is a secret.
	Token string
	// Pages are the ids of the status pages that the source takes. Empty takes
	// every page.
	Pages []string
}

// The errors of Verify. Each means that the delivery is refused (401).
var (
	// ErrNoSignature: the delivery carries no signature that is accepted.
	ErrNoSignature = errors.New("signature is missing")
	// ErrSignature: the signature is not the one the secret makes.
	ErrSignature = errors.New("signature is wrong")
	// ErrNoSecret: the secret is empty, and an empty secret signs nothing.
	ErrNoSecret = errors.New("secret is empty")
)

// The errors of Seal.
var (
	// ErrBody: the body is not what its content type says (400).
	ErrBody = errors.New("body cannot be read")
	// ErrHeader: a header that is required is missing or contradicts the
	// source's configuration (400).
	ErrHeader = errors.New("headers are not those of a delivery")
	// ErrMedia: the content type is not one that deliveries come in (415).
	ErrMedia = errors.New("content type is not supported")
	// ErrPage: the delivery is of a status page that the source does not take
	// (403).
	ErrPage = errors.New("status page is not one of the source's")
)

// Media is the form of a body.
type Media string

// The media types that deliveries come in.
const (
	JSON Media = "application/json"
	Form Media = "application/x-www-form-urlencoded"
)

// MediaOf reads a Content-Type header. The error wraps ErrMedia.
func MediaOf(contentType string) (Media, error) {
	if contentType == string(JSON) {
		return JSON, nil
	}
	if contentType == "" {
		return "", fmt.Errorf("%w: there is none, send %s or %s", ErrMedia, JSON, Form)
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return "", fmt.Errorf("%w: %q cannot be read: %w", ErrMedia, contentType, err)
	}
	switch Media(media) {
	case JSON, Form:
		return Media(media), nil
	}
	return "", fmt.Errorf("%w: %q, send %s or %s", ErrMedia, media, JSON, Form)
}
