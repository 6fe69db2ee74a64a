package page

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"

	"pawl/internal/provider/webhook"
)

// verifyToken compares the token of the path with each secret, in constant time
// whatever their lengths. The errors say nothing of either.
func verifyToken(in webhook.Delivery, secrets [][]byte) (int, error) {
	if in.Token == "" {
		return 0, fmt.Errorf("%w: put the token into the path of the webhook's URL, /webhooks/{source}/{token}",
			webhook.ErrNoSignature)
	}
	given := sha256.Sum256([]byte(in.Token))
	return webhook.FirstSecret(secrets, func(secret []byte) error {
		wanted := sha256.Sum256(secret)
		if subtle.ConstantTimeCompare(given[:], wanted[:]) != 1 {
			return fmt.Errorf("%w: the token in the path is not a secret of this source", webhook.ErrSignature)
		}
		return nil
	})
}
