package statuspage

import (
	shared "pawl/internal/provider/page"
	"pawl/internal/provider/webhook"
)

// Verify compares the token of the path with each secret.
func (Provider) Verify(in webhook.Delivery, secrets [][]byte) (int, error) {
	return shared.VerifyToken(in, secrets)
}
