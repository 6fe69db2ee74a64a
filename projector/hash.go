package projector

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// HashBody returns the hash of a record's body. It is no signature: that was
// checked at the edge, and all this one tells is whether two bodies that came
// under one delivery id are the same.
func HashBody(body []byte) BodyHash {
	var hash BodyHash
	binary.BigEndian.PutUint64(hash[:], xxhash.Sum64(body))
	return hash
}
