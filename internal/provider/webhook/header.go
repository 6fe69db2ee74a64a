package webhook

import (
	"net/http"

	"pawl/schemas"
)

// MaxDelivery bounds a delivery id, in bytes.
const MaxDelivery = 255

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
