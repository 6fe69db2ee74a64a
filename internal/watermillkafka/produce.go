package watermillkafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/produce"
)

// target is a partition of a topic.
type target struct {
	topic     string
	partition int
}

// String returns topic/partition.
func (t target) String() string { return fmt.Sprintf("%s/%d", t.topic, t.partition) }

// produce sends one batch with acks=all. It asks by the protocol's own message:
// kafka-go's Client.Produce would give the replicas half a second only.
func (p *Publisher) produce(ctx context.Context, to target, batch []record) error {
	attempt, cancel := context.WithTimeoutCause(ctx, p.cfg.AttemptTimeout, errPublishTimeout)
	defer cancel()
	answer, err := transportOf(p.client).RoundTrip(attempt, p.client.Addr, &produce.Request{
		Acks:    int16(kafka.RequireAll),
		Timeout: int32(p.cfg.AttemptTimeout.Milliseconds()),
		Topics: []produce.RequestTopic{{
			Topic: to.topic,
			Partitions: []produce.RequestPartition{{
				Partition: int32(to.partition),
				RecordSet: protocol.RecordSet{
					Attributes: protocol.Attributes(p.cfg.Compression),
					Records:    protocol.NewRecordReader(protocolRecords(batch)...),
				},
			}},
		}},
	})
	if err != nil {
		return err
	}
	return errorOf(answer)
}

func transportOf(client *kafka.Client) kafka.RoundTripper {
	if client.Transport != nil {
		return client.Transport
	}
	return kafka.DefaultTransport
}

// protocolRecords is made anew for each attempt: sending consumes it.
func protocolRecords(batch []record) []protocol.Record {
	records := make([]protocol.Record, len(batch))
	for i, r := range batch {
		records[i] = protocol.Record{Value: protocol.NewBytes(r.value), Headers: r.headers}
		if r.key != nil {
			records[i].Key = protocol.NewBytes(r.key)
		}
	}
	return records
}

// errNoAnswer is for an answer that does not speak of the partition.
var errNoAnswer = errors.New("the broker's answer does not name the partition")

func errorOf(answer kafka.Response) error {
	response, ok := answer.(*produce.Response)
	if !ok || len(response.Topics) == 0 || len(response.Topics[0].Partitions) == 0 {
		return errNoAnswer
	}
	partition := &response.Topics[0].Partitions[0]
	if partition.ErrorCode != 0 {
		return fmt.Errorf("%w (%s)", kafka.Error(partition.ErrorCode), partition.ErrorMessage)
	}
	return nil
}

func isTooLarge(err error) bool {
	return errors.Is(err, kafka.MessageSizeTooLarge) || errors.Is(err, kafka.RecordListTooLarge)
}

// mayRetry reports whether the same request may succeed later. What is not known
// to be final may: a batch that is in the log twice does no harm.
func mayRetry(err error) bool {
	var code kafka.Error
	if !errors.As(err, &code) {
		var address *net.AddrError
		return !errors.As(err, &address)
	}
	switch code { //nolint:exhaustive // the codes that are final; all others, and those to come, may pass
	case kafka.MessageSizeTooLarge, kafka.RecordListTooLarge, kafka.InvalidMessageSize, kafka.InvalidTopic,
		kafka.InvalidRequiredAcks, kafka.TopicAuthorizationFailed, kafka.ClusterAuthorizationFailed,
		kafka.UnsupportedSASLMechanism, kafka.SASLAuthenticationFailed, kafka.UnsupportedVersion,
		kafka.UnsupportedForMessageFormat, kafka.UnsupportedCompressionType, kafka.InvalidRecord,
		kafka.PolicyViolation, kafka.InvalidRequest, kafka.InvalidTimestamp:
		return false
	}
	return true
}

// Pauses between attempts.
const (
	firstPause = 20 * time.Millisecond
	maxPause   = 500 * time.Millisecond
)

func longer(pause time.Duration) time.Duration { return min(2*pause, maxPause) }

// sleep waits, and reports false when ctx ended first.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// because adds why there was no further attempt.
func because(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", context.Cause(ctx), err)
}
