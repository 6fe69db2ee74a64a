package projector

import "crypto/sha256"

// HashBody returns the hash of a record's body.
func HashBody(body []byte) BodyHash {
	sum := sha256.Sum256(body)
	return BodyHash(sum[:8])
}
