package schemas_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"pawl/schemas"
)

// recordV1 is the record in testdata/record.v1.json.
func recordV1() schemas.Record {
	return schemas.Record{
		Key:         "github.com:101#7",
		ID:          "72d3162e-cc78-11e3-81ab-4c9367dc0958",
		Source:      "github",
		Provider:    "github",
		Event:       "pull_request",
		Action:      "labeled",
		Subject:     "acme/api#7",
		ReceivedAt:  time.Date(2026, 1, 2, 3, 4, 5, 678900000, time.UTC),
		ContentType: schemas.ContentTypeJSON,
		TraceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		ProviderHeaders: []schemas.Header{
			{Name: "X-GitHub-Event", Value: "pull_request"},
			{Name: "X-GitHub-Hook-ID", Value: "292430182"},
		},
		Body: []byte(`{"action":"labeled","number":7,"repository":{"id":101,"full_name":"acme/api"}}`),
	}
}

// goldenRecord is a record as a file: headers in their order, as [name, value].
type goldenRecord struct {
	Key     string      `json:"key"`
	Headers [][2]string `json:"headers"`
	Value   string      `json:"value"`
}

func toGolden(record schemas.Record) goldenRecord {
	golden := goldenRecord{Key: string(record.Key), Value: string(record.Body)}
	for _, header := range record.Headers() {
		golden.Headers = append(golden.Headers, [2]string{header.Name, header.Value})
	}
	return golden
}

func (g goldenRecord) parse() (schemas.Record, error) {
	headers := make([]schemas.Header, 0, len(g.Headers))
	for _, header := range g.Headers {
		headers = append(headers, schemas.Header{Name: header[0], Value: header[1]})
	}
	return schemas.ParseRecord([]byte(g.Key), headers, []byte(g.Value))
}

func TestRecord_VersionOneIsWrittenAndReadAsEver(t *testing.T) {
	t.Parallel()
	var stored goldenRecord
	if err := json.Unmarshal(golden(t, "record.v1.json", toGolden(recordV1())), &stored); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(toGolden(recordV1()), stored); diff != "" {
		t.Errorf("headers that Pawl writes, -got +want:\n%s", diff)
	}
	got, err := stored.parse()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, recordV1()); diff != "" {
		t.Errorf("record read from version 1, -got +want:\n%s", diff)
	}
}

func TestParseRecord_TakesWhatTheContractRequiresAndNoMore(t *testing.T) {
	t.Parallel()
	required := []schemas.Header{
		{Name: schemas.HeaderID, Value: "d-1"},
		{Name: schemas.HeaderSource, Value: "/sources/github"},
		{Name: schemas.HeaderType, Value: "github.ping"},
	}
	got, err := schemas.ParseRecord([]byte("github.com:101"), required, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := schemas.Record{Key: "github.com:101", ID: "d-1", Source: "github", Provider: "github", Event: "ping"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	for i, header := range required {
		t.Run("without "+header.Name, func(t *testing.T) {
			t.Parallel()
			rest := append(append([]schemas.Header{}, required[:i]...), required[i+1:]...)
			_, err := schemas.ParseRecord([]byte("github.com:101"), rest, nil)
			if !errors.Is(err, schemas.ErrRecord) || !strings.Contains(err.Error(), header.Name) {
				t.Errorf("got %v, want ErrRecord that names %s", err, header.Name)
			}
		})
	}
}

func TestParseRecord_NamesEveryFaultAtOnce(t *testing.T) {
	t.Parallel()
	_, err := schemas.ParseRecord([]byte("acme/api#7"), []schemas.Header{
		{Name: schemas.HeaderType, Value: "ping"},
		{Name: schemas.HeaderTime, Value: "yesterday"},
	}, nil)
	if !errors.Is(err, schemas.ErrRecord) {
		t.Fatalf("got %v, want ErrRecord", err)
	}
	for _, part := range []string{"key", schemas.HeaderID, schemas.HeaderSource, schemas.HeaderType, schemas.HeaderTime} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want it to name %s", err, part)
		}
	}
}

func TestParseRecord_RefusesBrokenHeaders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, header, value string }{
		{"type without event", schemas.HeaderType, "github"},
		{"type with an empty event", schemas.HeaderType, "github..opened"},
		{"type without provider", schemas.HeaderType, ".ping"},
		{"source that is the prefix", schemas.HeaderSource, "/sources/"},
		{"time that is none", schemas.HeaderTime, "1700000000"},
		{"time before year one", schemas.HeaderTime, "0000-01-01T00:00:00+01:00"},
		{"time past year 9999", schemas.HeaderTime, "9999-12-31T23:59:59-01:00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			headers := recordV1().Headers()
			for i := range headers {
				if headers[i].Name == test.header {
					headers[i].Value = test.value
				}
			}
			_, err := schemas.ParseRecord([]byte("github.com:101"), headers, nil)
			if !errors.Is(err, schemas.ErrRecord) || !strings.Contains(err.Error(), test.header) {
				t.Errorf("got %v, want ErrRecord that names %s", err, test.header)
			}
		})
	}
}

func TestRecord_HeadersRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawRecord(t)
		got, err := schemas.ParseRecord([]byte(want.Key), want.Headers(), want.Body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, want, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("-got +want:\n%s", diff)
		}
	})
}

func TestRecord_HeadersConformToTheSchema(t *testing.T) {
	t.Parallel()
	schema := compile(t, schemas.FileRecord, closed)
	rapid.Check(t, func(t *rapid.T) {
		validate(t, schema, asObject(drawRecord(t)))
	})
}

func TestRecord_SchemaRefusesWhatParseRefuses(t *testing.T) {
	t.Parallel()
	schema := compile(t, schemas.FileRecord, asIs)
	for _, name := range []string{schemas.HeaderID, schemas.HeaderSource, schemas.HeaderType} {
		object := asObject(recordV1())
		delete(object["headers"].(map[string]any), name)
		if err := schema.Validate(object); err == nil {
			t.Errorf("the schema takes a record without %s", name)
		}
	}
}

// asObject is a record in the form of its JSON Schema.
func asObject(record schemas.Record) map[string]any {
	headers := make(map[string]any)
	for _, header := range record.Headers() {
		headers[header.Name] = header.Value
	}
	return map[string]any{"key": string(record.Key), "headers": headers}
}

// FuzzParseRecord: no headers panic, and a record that is taken is written and
// read again as the same record.
func FuzzParseRecord(f *testing.F) {
	whole := toGolden(recordV1())
	f.Add(whole.Key, lines(whole.Headers), []byte(whole.Value))
	f.Add("github.com", "ce_id\td\nce_source\tgithub\nce_type\tgithub.ping", []byte(nil))
	f.Add("github.com:1#2", "ce_id\td\nce_id\te\nce_source\t/sources//sources/x\nce_type\ta.b.c.d\nce_time\t0001-01-01T00:00:00Z", []byte("{}"))
	f.Add("", "ce_time\tx\n\t\nce_type\t..", []byte{0xff, 0})
	f.Fuzz(func(t *testing.T, key, text string, body []byte) {
		var headers []schemas.Header
		for line := range strings.SplitSeq(text, "\n") {
			name, value, _ := strings.Cut(line, "\t")
			headers = append(headers, schemas.Header{Name: name, Value: value})
		}
		first, err := schemas.ParseRecord([]byte(key), headers, body)
		if err != nil {
			if !errors.Is(err, schemas.ErrRecord) {
				t.Errorf("%v is not ErrRecord", err)
			}
			return
		}
		second, err := schemas.ParseRecord([]byte(first.Key), first.Headers(), first.Body)
		if err != nil {
			t.Fatalf("a record that was taken is refused when written again: %v", err)
		}
		if diff := cmp.Diff(second, first, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("read again, -got +want:\n%s", diff)
		}
	})
}

func lines(headers [][2]string) string {
	text := make([]string, 0, len(headers))
	for _, header := range headers {
		text = append(text, header[0]+"\t"+header[1])
	}
	return strings.Join(text, "\n")
}
