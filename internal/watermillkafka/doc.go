// Package watermillkafka is watermill's Publisher and Subscriber over kafka-go.
// It carries the edges of Pawl: the relay publishes with it, the actuator's
// router reads with it. The projector reads kafka-go itself, because partitions,
// offsets and batches are its domain.
//
// # Publisher
//
//	Publish ─▶ partition by murmur2(partition_key) ─▶ batches ─▶ produce, acks=all ─▶ return
//
// Publish returns nil once every in-sync replica has every message. Within one
// call the messages of a partition keep their order, and calls that follow each
// other keep theirs; calls at the same time have none among them. A batch whose
// request failed is sent again, until the call's time is up. So everything is at
// least once: a batch can be in the log twice, and after an error any number of
// the messages may be, but the first sight of each is in order. There is no
// idempotent producer in kafka-go; readers know a ce_id that they have seen.
//
// Each call sends its own requests at once. kafka-go's Writer would hold them
// back for a timer, a second by default.
//
// # Subscriber
//
//	join ─▶ generation ─▶ a lane a partition: fetch ─▶ hand out ─▶ wait ─┬─ Ack ──▶ next, mark offset ─▶ commit
//	 ▲                        │                         ▲               └─ Nack ─▶ pause ─┐
//	 └──── generation ends ───┘                         └──────────────────────────────────┘
//
// A lane hands out one message and waits for its Ack, so a partition keeps its
// order. A Nack hands the same message out again after a pause that grows.
//
// Offsets are committed behind the acks: one request for all partitions, one in
// flight, and at most one in CommitEvery. A round trip an Ack would bound the
// rate, and buys nothing: delivery is at least once anyway. What was acked and
// not committed when the process dies is delivered again. At the end of a
// generation, and on Close, the rest is committed.
//
// Everything belongs to one generation of the consumer group: lanes, messages
// and commits. When it ends the contexts of the messages that are out are
// cancelled, an Ack that comes later changes nothing, and whoever owns the
// partition next starts from the committed offset. That is why it is not built
// on kafka.Reader: its CommitMessages commits the message of a lost partition
// under the new generation, and rewinds the group.
//
// What heals itself is waited for and logged: a broker that is away, a moved
// leader, a topic that is not there yet, io.EOF from a coordinator. Offsets that
// the log no longer has are passed over with a warning, to the first it has. A
// handler that never answers holds its partition; the router's Timeout bounds it.
package watermillkafka
