package page

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// digestDigits is how much of a body's digest stands in an id.
const digestDigits = 16

// DeliveryID makes the id that deliveries do not have: the same body has the same
// one, and an update that was edited another.
func DeliveryID(natural string, body []byte) schemas.DeliveryID {
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])[:digestDigits]
	if natural == "" || !webhook.IsPrintable(natural) || len(natural) > webhook.MaxDelivery-digestDigits-1 {
		return schemas.DeliveryID(digest)
	}
	return schemas.DeliveryID(natural + "-" + digest)
}

// Lenient is a part of a body of which is read what is of the right type: what is
// not is for Decode to name.
type Lenient[T any] struct {
	There bool
	Value T
}

// UnmarshalJSON never fails. A part that is there twice is read as Decode reads
// it: the second over the first.
func (l *Lenient[T]) UnmarshalJSON(data []byte) error {
	l.There = string(data) != "null"
	_ = payload.Unmarshal(data, &l.Value)
	return nil
}

// CheckIDs names the id, of a page or of what stands at the path, that can be in no
// key. The error wraps webhook.ErrBody.
func CheckIDs(page, path, id string) error {
	for _, part := range [...]struct{ path, id string }{{"page.id", page}, {path, id}} {
		if !schemas.IsPageID(part.id) {
			return fmt.Errorf("%w: %s is %.100q, which is not an id of a status page", webhook.ErrBody, part.path, part.id)
		}
	}
	return nil
}
