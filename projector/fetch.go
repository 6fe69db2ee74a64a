package projector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"

	"pawl/schemas"
)

// fetcher reads one partition from an offset on and makes its records ready.
type fetcher struct {
	client    *kafka.Client
	topic     string
	partition int
	decode    Decode
	// maxRecords caps a batch, and with it a transaction.
	maxRecords int
	// fetched is told of each fetch that the log answered.
	fetched func(Batch)
}

const (
	// fetchWait is how long the broker may hold a fetch when there is nothing
	// new. It bounds how long a stop takes, not the latency: a record that
	// arrives answers the fetch at once.
	fetchWait = 500 * time.Millisecond
	// fetchBytes is how much one fetch may bring. A larger record comes whole
	// (KIP-74).
	fetchBytes = 4 << 20
)

// stopError says why a partition cannot be folded until a person acts.
type stopError struct {
	reason     string
	start, end int64 // of the log
}

// Error returns the reason.
func (e *stopError) Error() string { return e.reason }

// outsideLog says which way a checkpoint lies outside the log, and what a
// person may do.
func outsideLog(next, start, end int64) *stopError {
	reason := fmt.Sprintf("checkpoint %d lies past the end of the log %d: the topic was made anew; rebuild, or delete the partition's rows "+
		"of pawl.delivery and set the checkpoint by hand", next, end)
	if next <= end {
		reason = fmt.Sprintf("checkpoint %d lies before the start of the log %d: retention removed records that were never folded; "+
			"backfill them, then set the checkpoint by hand", next, start)
	}
	return &stopError{reason: reason, start: start, end: end}
}

// follow sends batches from an offset on until the context ends or a fetch
// fails. The channel is closed at the end and the error sent before.
func (f *fetcher) follow(ctx context.Context, from int64, batches chan<- Batch) error {
	empty := 0 // fetches in a row that brought nothing although there is more
	for ctx.Err() == nil {
		fetched, err := f.fetch(ctx, from)
		if err != nil {
			return err
		}
		f.fetched(fetched)
		if nothing := len(fetched.Records) == 0 && fetched.LogEnd > from; !nothing {
			empty = 0
		} else if empty++; empty > 1 {
			// Offsets without a record: the marker of a transaction. The broker
			// holds no such fetch back, so that we must.
			pause(ctx, fetchWait)
		}
		for chunk := range slices.Chunk(fetched.Records, f.maxRecords) {
			batch := Batch{Records: chunk, From: from, LogStart: fetched.LogStart, LogEnd: fetched.LogEnd}
			batch.Next = chunk[len(chunk)-1].Offset + 1
			select {
			case batches <- batch:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			from = batch.Next
		}
	}
	return context.Cause(ctx)
}

// fetch reads what there is at an offset, or waits fetchWait for something to
// come.
func (f *fetcher) fetch(ctx context.Context, from int64) (Batch, error) {
	response, err := f.client.Fetch(ctx, &kafka.FetchRequest{
		Topic: f.topic, Partition: f.partition, Offset: from,
		MinBytes: 1, MaxBytes: fetchBytes, MaxWait: fetchWait,
	})
	if err != nil {
		return Batch{}, fmt.Errorf("fetch %s/%d at %d: %w", f.topic, f.partition, from, err)
	}
	if errors.Is(response.Error, kafka.OffsetOutOfRange) {
		return Batch{}, f.outside(ctx, from)
	}
	if response.Error != nil {
		return Batch{}, fmt.Errorf("fetch %s/%d at %d: %w", f.topic, f.partition, from, response.Error)
	}
	fetched := Batch{From: from, LogStart: response.LogStartOffset, LogEnd: response.HighWatermark}
	fetched.Records, err = f.read(response.Records, from)
	if err != nil {
		return Batch{}, fmt.Errorf("fetch %s/%d at %d: %w", f.topic, f.partition, from, err)
	}
	return fetched, nil
}

// outside says how an offset lies outside the log. If the log disagrees with
// itself, the next fetch will tell.
func (f *fetcher) outside(ctx context.Context, from int64) error {
	response, err := f.client.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{
		f.topic: {kafka.FirstOffsetOf(f.partition), kafka.LastOffsetOf(f.partition)},
	}})
	if err != nil {
		return fmt.Errorf("list offsets of %s/%d: %w", f.topic, f.partition, err)
	}
	for _, offsets := range response.Topics[f.topic] {
		if offsets.Error != nil {
			return fmt.Errorf("list offsets of %s/%d: %w", f.topic, f.partition, offsets.Error)
		}
		if from < offsets.FirstOffset || from > offsets.LastOffset {
			return outsideLog(from, offsets.FirstOffset, offsets.LastOffset)
		}
	}
	return fmt.Errorf("fetch %s/%d at %d: %w", f.topic, f.partition, from, kafka.OffsetOutOfRange)
}

// read makes the records ready. A batch of the log comes whole, so it may begin
// before the offset that was asked for; and a broker may cut the last one off.
func (f *fetcher) read(records kafka.RecordReader, from int64) ([]LogRecord, error) {
	var made []LogRecord
	for {
		record, err := records.ReadRecord()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF) && len(made) > 0:
			return made, nil
		case err != nil:
			return nil, fmt.Errorf("read record: %w", err)
		case record.Offset < from:
			continue
		}
		key, err := kafka.ReadAll(record.Key)
		if err != nil {
			return nil, fmt.Errorf("read key of %d: %w", record.Offset, err)
		}
		value, err := kafka.ReadAll(record.Value)
		if err != nil {
			return nil, fmt.Errorf("read value of %d: %w", record.Offset, err)
		}
		made = append(made, prepare(record.Offset, key, headersOf(record.Headers), value, record.Time, f.decode))
	}
}

func headersOf(headers []kafka.Header) []schemas.Header {
	made := make([]schemas.Header, len(headers))
	for i, header := range headers {
		made[i] = schemas.Header{Name: header.Key, Value: string(header.Value)}
	}
	return made
}
