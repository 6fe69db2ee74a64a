package payloads_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"pawl/internal/kafkatest"
	"pawl/internal/payloads"
	"pawl/schemas"
)

// logged is a record as it stands in the log.
type logged struct {
	key     string
	headers []schemas.Header
	body    []byte
}

// text is all of the record.
func (l logged) text() string {
	text := l.key + "\n"
	for _, header := range l.headers {
		text += header.Name + ": " + header.Value + "\n"
	}
	return text + string(l.body)
}

// header returns the value of a header.
func (l logged) header(name string) string {
	for _, header := range l.headers {
		if header.Name == name {
			return header.Value
		}
	}
	return ""
}

// readLog returns all records of the deliveries.
func (w *world) readLog() []logged {
	w.t.Helper()
	var all []logged
	client := w.broker.Client()
	for partition := range kafkatest.Partitions {
		for next, end := int64(0), int64(1); next < end; {
			response, err := client.Fetch(w.t.Context(), &kafka.FetchRequest{
				Topic: w.broker.Topics().Deliveries, Partition: partition, Offset: next,
				MinBytes: 1, MaxBytes: schemas.MaxRecord, MaxWait: time.Second,
			})
			if err != nil {
				w.t.Fatal(err)
			}
			end = response.HighWatermark
			for {
				record, err := response.Records.ReadRecord()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					w.t.Fatal(err)
				}
				if record.Offset >= next { // a batch comes whole
					all, next = append(all, parse(w.t, record)), record.Offset+1
				}
			}
		}
	}
	return all
}

func parse(t *testing.T, record *kafka.Record) logged {
	t.Helper()
	key, err := kafka.ReadAll(record.Key)
	if err != nil {
		t.Fatal(err)
	}
	body, err := kafka.ReadAll(record.Value)
	if err != nil {
		t.Fatal(err)
	}
	made := logged{key: string(key), body: body}
	for _, header := range record.Headers {
		made.headers = append(made.headers, schemas.Header{Name: header.Key, Value: string(header.Value)})
	}
	return made
}

// checkLog holds the log against what was sent: as many records, and each body
// byte for byte, but for the secrets of old versions of Gitea and for what
// unsubscribes from a status page.
func (w *world) checkLog() {
	w.t.Helper()
	samples := make(map[string]payloads.Sample)
	for _, sample := range w.samples {
		samples[sample.Name] = sample
	}
	records, cut := w.readLog(), 0
	if len(records) != w.posted {
		w.t.Errorf("%d records in the log, want %d", len(records), w.posted)
	}
	for _, record := range records {
		sample, ok := samples[w.nameOf(strings.TrimPrefix(record.header(schemas.HeaderSource), "/sources/"), record.header(schemas.HeaderID))]
		switch {
		case !ok:
			w.t.Errorf("the log has a record of nobody: %s", record.header(schemas.HeaderID))
		case len(bodySecrets(w.t, sample.Body)) > 0 && cutsSecrets(sample):
			cut++
			if found := bodySecrets(w.t, record.body); len(found) > 0 {
				w.t.Errorf("%s: the record has the secrets %q", sample.Name, found)
			}
		case !bytes.Equal(record.body, sample.Body):
			w.t.Errorf("%s: the record's body is not the one that was sent", sample.Name)
		}
		for _, leak := range w.leaks(record.text()) {
			w.t.Errorf("%s: the record has %q", sample.Name, leak)
		}
	}
	if cut < 10 {
		w.t.Errorf("%d records of bodies with a secret: too few to mean something", cut)
	}
}
