package schemas

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// DeliveryID identifies a delivery within its source: X-GitHub-Delivery of a
// GitHub webhook. Two sources may report one event under one id, so the
// deduplication key is (source, delivery id).
type DeliveryID string

// Header is one Kafka record header.
type Header struct {
	Name  string
	Value string
}

// Record is one verified delivery as it stands in the log, sealed by ingest or
// by any other producer. Body is the payload as received, byte for byte.
type Record struct {
	Key         EntityKey
	ID          DeliveryID
	Source      string // name of the configured source, without the /sources/ prefix
	Provider    string // "github"
	Event       string // "pull_request"
	Action      string // GitHub's action field, empty where the event has none
	Subject     string // for people: acme/api#7; may be empty
	ReceivedAt  time.Time
	ContentType string
	TraceParent string
	// Provider headers that decoding needs, such as X-GitHub-Event. Never a
	// secret, never a signature.
	ProviderHeaders []Header
	Body            []byte
}

// ErrRecord is wrapped by ParseRecord when a required header is missing or
// cannot be read.
var ErrRecord = errors.New("record breaks the contract of pawl.deliveries")

// Type returns the CloudEvents type: provider.event or provider.event.action.
func (r Record) Type() string {
	if r.Action == "" {
		return r.Provider + "." + r.Event
	}
	return r.Provider + "." + r.Event + "." + r.Action
}

// Headers returns the record's Kafka headers in their fixed order.
func (r Record) Headers() []Header {
	headers := make([]Header, 0, 9+len(r.ProviderHeaders))
	headers = append(headers,
		Header{HeaderSpecVersion, SpecVersion},
		Header{HeaderID, string(r.ID)},
		Header{HeaderSource, sourcePrefix + r.Source},
		Header{HeaderType, r.Type()},
	)
	if r.Subject != "" {
		headers = append(headers, Header{HeaderSubject, r.Subject})
	}
	if !r.ReceivedAt.IsZero() {
		headers = append(headers, Header{HeaderTime, r.ReceivedAt.UTC().Format(time.RFC3339Nano)})
	}
	headers = append(headers, Header{HeaderPartitionKey, string(r.Key)})
	if r.ContentType != "" {
		headers = append(headers, Header{HeaderContentType, r.ContentType})
	}
	if r.TraceParent != "" {
		headers = append(headers, Header{HeaderTraceParent, r.TraceParent})
	}
	return append(headers, r.ProviderHeaders...)
}

// ParseRecord reads a record of pawl.deliveries. Required are the key and the
// headers ce_id, ce_source and ce_type; the rest may be missing. A missing
// ce_time leaves ReceivedAt zero: the caller may fill in the log's own time.
// The error wraps ErrRecord and names every fault.
func ParseRecord(key []byte, headers []Header, body []byte) (Record, error) {
	record := Record{Key: EntityKey(key), Body: body}
	var faults []error
	for _, header := range headers {
		if err := record.setHeader(header); err != nil {
			faults = append(faults, err)
		}
	}
	faults = append(faults, record.missing()...)
	if len(faults) > 0 {
		return record, fmt.Errorf("%w: %w", ErrRecord, errors.Join(faults...))
	}
	return record, nil
}

func (r *Record) setHeader(header Header) error {
	switch header.Name {
	case HeaderSpecVersion, HeaderPartitionKey:
	case HeaderID:
		r.ID = DeliveryID(header.Value)
	case HeaderSource:
		r.Source = strings.TrimPrefix(header.Value, sourcePrefix)
	case HeaderType:
		return r.setType(header.Value)
	case HeaderSubject:
		r.Subject = header.Value
	case HeaderTime:
		at, err := time.Parse(time.RFC3339Nano, header.Value)
		if err != nil || at.UTC().Year() < 1 || at.UTC().Year() > 9999 {
			return fmt.Errorf("header %s: %q is not an RFC 3339 time", HeaderTime, header.Value)
		}
		r.ReceivedAt = at.UTC()
	case HeaderContentType:
		r.ContentType = header.Value
	case HeaderTraceParent:
		r.TraceParent = header.Value
	default:
		r.ProviderHeaders = append(r.ProviderHeaders, header)
	}
	return nil
}

func (r *Record) setType(value string) error {
	provider, rest, ok := strings.Cut(value, ".")
	if !ok || provider == "" || rest == "" {
		return fmt.Errorf("header %s: %q, want <provider>.<event>[.<action>]", HeaderType, value)
	}
	r.Provider = provider
	r.Event, r.Action, _ = strings.Cut(rest, ".")
	return nil
}

func (r *Record) missing() []error {
	var faults []error
	if _, err := ParseKey(r.Key); err != nil {
		faults = append(faults, fmt.Errorf("key: %w", err))
	}
	if r.ID == "" {
		faults = append(faults, fmt.Errorf("header %s is missing", HeaderID))
	}
	if r.Source == "" {
		faults = append(faults, fmt.Errorf("header %s is missing", HeaderSource))
	}
	if r.Event == "" {
		faults = append(faults, fmt.Errorf("header %s is missing", HeaderType))
	}
	return faults
}

// ProviderHeader returns the value of a provider header, matched without
// regard to case, or "".
func (r Record) ProviderHeader(name string) string {
	for _, header := range r.ProviderHeaders {
		if strings.EqualFold(header.Name, name) {
			return header.Value
		}
	}
	return ""
}
