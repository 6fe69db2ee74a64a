package projector

import (
	"fmt"
	"strings"
	"time"

	"pawl/schemas"
)

// LogRecord is one record as it was fetched, made ready for the fold.
type LogRecord struct {
	Offset  int64
	Headers []schemas.Header // as they stand in the log
	Decoded
}

// Batch is a run of records of one partition, in order, with where the log
// began and ended when they were fetched.
type Batch struct {
	Records  []LogRecord
	From     int64 // the checkpoint that the batch starts from
	Next     int64 // the checkpoint after it
	LogStart int64
	LogEnd   int64
}

// Decode turns a record into an event. It is pure, and an error means that the
// record becomes a dead letter.
type Decode func(schemas.Record) (schemas.Event, error)

// prepare parses, hashes and decodes one record. What cannot be done is in Err.
func prepare(offset int64, key []byte, headers []schemas.Header, value []byte, logTime time.Time, decode Decode) LogRecord {
	made := LogRecord{Offset: offset, Headers: headers}
	made.Record, made.Err = schemas.ParseRecord(key, headers, value)
	made.Hash = HashBody(value)
	if made.Err != nil {
		return made
	}
	if made.Err = tooLong(made.Record); made.Err != nil {
		return made
	}
	if made.Record.ReceivedAt.IsZero() {
		made.Record.ReceivedAt = logTime.UTC()
	}
	made.Event, made.Err = decodeSafely(decode, made.Record)
	return made
}

// decodeSafely keeps a panic of a decoder inside the one record.
func decodeSafely(decode Decode, record schemas.Record) (event schemas.Event, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = fmt.Errorf("decode %s: panic: %v", record.Type(), recovered)
		}
	}()
	return decode(record)
}

// maxIdentifier bounds what the tables index: two of them fit into one entry of
// an index, which takes a third of a page.
const maxIdentifier = 1000

// tooLong returns an error that names the identifier no index could hold.
func tooLong(record schemas.Record) error {
	for _, part := range []struct{ name, text string }{
		{"key", string(record.Key)}, {schemas.HeaderID, string(record.ID)}, {schemas.HeaderSource, record.Source},
	} {
		if len(part.text) > maxIdentifier {
			return fmt.Errorf("%w: %s has %d bytes, at most %d", schemas.ErrRecord, part.name, len(part.text), maxIdentifier)
		}
	}
	return nil
}

// identifier returns what of an identifier the tables keep: all of it, unless
// the record is dead for its length.
func identifier(text string) string {
	if len(text) > maxIdentifier {
		text = text[:maxIdentifier]
	}
	return storable(text)
}

// storable removes what PostgreSQL's text rejects: NUL, and bytes that are not
// UTF-8.
func storable(text string) string {
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "")
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
