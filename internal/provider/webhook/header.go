package webhook

import (
	"fmt"
	"net/http"
	"strings"

	"pawl/schemas"
)

// MaxDelivery bounds a delivery id, in bytes.
const MaxDelivery = 255

// maxEvent bounds the name of an event, which becomes part of ce_type.
const maxEvent = 100

// IsEvent reports whether a text can be the name of an event or of an action:
// a-z, digits and underscores.
func IsEvent(text string) bool {
	return text != "" && len(text) <= maxEvent && !strings.ContainsFunc(text, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_'
	})
}

// IsPrintable reports whether a header's value is printable ASCII without
// blanks, as ids are.
func IsPrintable(text string) bool {
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}

// StatedID returns the delivery's id in the first of the headers that is there, or "".
// The error is an ErrHeader.
func StatedID(header http.Header, names ...string) (string, error) {
	for _, name := range names {
		id := strings.TrimSpace(header.Get(name))
		switch {
		case id == "":
			continue
		case !IsPrintable(id) || len(id) > MaxDelivery:
			return "", fmt.Errorf("%w: %s is not a delivery id, want at most %d printable characters", ErrHeader, name, MaxDelivery)
		}
		return id, nil
	}
	return "", nil
}

// Kept returns those of the provider's own headers that go into the record. None
// of them may be a secret or a signature.
func Kept(header http.Header, names []string) []schemas.Header {
	headers := make([]schemas.Header, 0, len(names))
	for _, name := range names {
		if value := header.Get(name); value != "" {
			headers = append(headers, schemas.Header{Name: name, Value: value})
		}
	}
	return headers
}
