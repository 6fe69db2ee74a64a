package projector

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"pawl/schemas"
)

// HashBody returns the hash of a record's body. It is no signature: that was
// checked at the edge, and all this one tells is whether two bodies that came
// under one delivery id are the same.
func HashBody(body []byte) BodyHash {
	var hash BodyHash
	binary.BigEndian.PutUint64(hash[:], xxhash.Sum64(body))
	return hash
}

// Shards is how many parts the outbox has; each is published in its own order.
const Shards = 16

// shardOf returns the outbox shard of a transition. It follows the key and not
// the record, because results of a commit change pull requests of any partition,
// and a pull request keeps one order.
func shardOf(key schemas.EntityKey) int32 {
	return int32(xxhash.Sum64String(string(key)) % Shards)
}
