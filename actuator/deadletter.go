package actuator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"

	"pawl/internal/watermillkafka"
	"pawl/schemas"
)

// deadLetters is the poison queue: a watermill publisher into pawl.dead_letter,
// where all dead letters are counted and looked for. A message that comes again
// from the same place in the log is there already.
type deadLetters struct {
	store *store
}

const maxReason = 2000 // bytes; a stack is no reason

// Publish implements message.Publisher. The topic is the table.
func (d deadLetters) Publish(_ string, messages ...*message.Message) error {
	for _, msg := range messages {
		if err := d.save(msg); err != nil {
			return err
		}
	}
	return nil
}

// Close implements message.Publisher.
func (d deadLetters) Close() error { return nil }

func (d deadLetters) save(msg *message.Message) error {
	ctx, cancel := unhurried(msg.Context())
	defer cancel()
	topic := cmp.Or(msg.Metadata.Get(middleware.PoisonedTopicKey), "unknown")
	var partition, offset *int64
	if place, ok := watermillkafka.PlaceOf(msg.Context()); ok {
		at := int64(place.Partition)
		topic, partition, offset = place.Topic, &at, &place.Offset
	}
	headers, err := json.Marshal(headersOf(msg))
	if err != nil {
		return fmt.Errorf("headers of %s: %w", msg.UUID, err) // unreachable: strings are JSON
	}
	entity := cmp.Or(msg.Metadata.Get(watermillkafka.PartitionKey), msg.Metadata.Get(schemas.HeaderPartitionKey), "unknown")
	_, err = d.store.pool.Exec(ctx, d.store.sql.saveUnreadable, topic, partition, offset, storable(entity),
		reasonOf(msg), headers, []byte(msg.Payload))
	if err != nil {
		return fmt.Errorf("set aside message %s of %s: %w", msg.UUID, topic, err)
	}
	return nil
}

// reasonOf is the first line of what went wrong: the rest is a stack.
func reasonOf(msg *message.Message) string {
	reason, _, _ := strings.Cut(msg.Metadata.Get(middleware.ReasonForPoisonedKey), "\n")
	return storable(reason[:min(len(reason), maxReason)])
}

// headersOf are the metadata that came with the message, as [name, value].
func headersOf(msg *message.Message) [][2]string {
	var headers [][2]string
	for _, name := range slices.Sorted(maps.Keys(msg.Metadata)) {
		if strings.HasSuffix(name, "_poisoned") || name == watermillkafka.PartitionKey {
			continue
		}
		headers = append(headers, [2]string{name, msg.Metadata[name]})
	}
	return headers
}
