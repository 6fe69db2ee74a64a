package watermillkafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"pawl/schemas"
)

// PartitionKey is the metadata that is a record's key. It is not a header.
const PartitionKey = "partition_key"

// headerUUID carries a message's UUID where no ce_id does. The name is the one
// of watermill's own Kafka adapter.
const headerUUID = "_watermill_message_uuid"

// record is a message as Kafka takes it.
type record struct {
	key     []byte // nil where there is none
	value   []byte
	headers []kafka.Header
}

// toRecord maps a message: partition_key to the key, each other metadata to the
// header of that name, in the order of names, and the UUID to a header of its
// own unless ce_id says it already.
func toRecord(m *message.Message) record {
	r := record{value: m.Payload}
	for _, name := range slices.Sorted(maps.Keys(m.Metadata)) {
		value := []byte(m.Metadata[name])
		if name == PartitionKey {
			r.key = value
			continue
		}
		if name != headerUUID {
			r.headers = append(r.headers, kafka.Header{Key: name, Value: value})
		}
	}
	if m.UUID != "" && m.UUID != m.Metadata[schemas.HeaderID] {
		r.headers = append(r.headers, kafka.Header{Key: headerUUID, Value: []byte(m.UUID)})
	}
	return r
}

// size is about what a record costs in a batch.
func (r record) size() int {
	const frame = 64
	size := frame + len(r.key) + len(r.value)
	for _, header := range r.headers {
		size += len(header.Key) + len(header.Value)
	}
	return size
}

// Place is where a message stands in the log.
type Place struct {
	Topic      string
	Partition  int
	Offset     int64
	AppendedAt time.Time
}

// String returns topic/partition/offset.
func (p Place) String() string { return fmt.Sprintf("%s/%d/%d", p.Topic, p.Partition, p.Offset) }

type placeKey struct{}

// PlaceOf returns where the message that a context belongs to stands in the
// log. It reports false for a context that is not of a message of this package.
func PlaceOf(ctx context.Context) (Place, bool) {
	place, ok := ctx.Value(placeKey{}).(Place)
	return place, ok
}

// fetched is a record as it came from the log.
type fetched struct {
	record
	place Place
}

// readAll takes the records from offset want on. The broker answers with whole
// batches, and the first may begin before it. An error after the first record
// is left for the next fetch to meet.
func readAll(records protocol.RecordReader, place Place, want int64) ([]fetched, error) {
	var all []fetched
	for {
		r, err := records.ReadRecord()
		if errors.Is(err, io.EOF) || err != nil && len(all) > 0 {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read records: %w", err)
		}
		key, value, err := contents(r)
		if err != nil {
			return all, err
		}
		if r.Offset < want {
			continue
		}
		place.Offset, place.AppendedAt = r.Offset, r.Time
		all = append(all, fetched{record{key: key, value: value, headers: slices.Clone(r.Headers)}, place})
	}
}

// contents copies key and value, and gives their pages back.
func contents(r *protocol.Record) (key, value []byte, err error) {
	key, err = take(r.Key)
	value, valueErr := take(r.Value)
	if err := errors.Join(err, valueErr); err != nil {
		return nil, nil, fmt.Errorf("read record at %d: %w", r.Offset, err)
	}
	return key, value, nil
}

func take(b protocol.Bytes) ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	defer b.Close()
	return protocol.ReadAll(b)
}

// message makes a new message of a record: each redelivery needs one of its own.
// The UUID is the header's, or ce_id, or the place in the log, which is the same
// each time.
func (f fetched) message(ctx context.Context) *message.Message {
	metadata := make(message.Metadata, len(f.headers)+1)
	var uuid string
	for _, header := range f.headers {
		if header.Key == headerUUID {
			uuid = string(header.Value)
			continue
		}
		metadata[header.Key] = string(header.Value)
	}
	if f.key != nil {
		metadata[PartitionKey] = string(f.key)
	}
	m := message.NewMessage(cmp.Or(uuid, metadata[schemas.HeaderID], f.place.String()), slices.Clone(f.value))
	m.Metadata = metadata
	m.SetContext(context.WithValue(ctx, placeKey{}, f.place))
	return m
}
