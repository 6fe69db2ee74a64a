package github

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-json"

	"pawl/schemas"
)

// typeError tells a field of a wrong type from text that is not JSON.
type typeError = json.UnmarshalTypeError

// unmarshal is the only way JSON is read in this package. goccy/go-json reads a
// payload of 24 KB about ten times as fast as encoding/json, and is held against
// it in a differential and a fuzz test: both accept the same texts and yield
// the same values.
func unmarshal(data []byte, into any) error { return json.Unmarshal(data, into) }

// isNull reports whether data is the JSON null.
func isNull(data []byte) bool { return string(data) == "null" }

// present is true where a field is there and is not null, whatever it holds.
type present bool

// UnmarshalJSON never fails.
func (p *present) UnmarshalJSON(data []byte) error {
	*p = present(!isNull(data))
	return nil
}

// presence is whether a field holds something, where null means that it does
// not, and absence means nothing.
type presence schemas.Stated[bool]

// UnmarshalJSON never fails.
func (p *presence) UnmarshalJSON(data []byte) error {
	*p = presence(schemas.Say(!isNull(data)))
	return nil
}

// nullable is a text whose null means something else than its absence.
type nullable struct {
	value string
	there bool // the field is there
	wrong error
}

// UnmarshalJSON keeps the text or the error.
func (n *nullable) UnmarshalJSON(data []byte) error {
	*n = nullable{there: true}
	if !isNull(data) {
		n.wrong = unmarshal(data, &n.value)
	}
	return nil
}

// moment is a time in any of the shapes GitHub uses. A text that is no time is
// unknown and not an error: one odd time must not cost the whole snapshot.
type moment struct {
	at   time.Time
	set  bool // the field is there and is not null
	null bool
}

// UnmarshalJSON never fails.
func (m *moment) UnmarshalJSON(data []byte) error {
	*m = moment{null: isNull(data)}
	if m.null {
		return nil
	}
	m.set = true
	m.at = parseTime(data)
	return nil
}

// parseTime returns the time of a JSON string or number, or zero. Shapes seen
// in payloads: RFC 3339 with and without a fraction and with any offset, whole
// seconds since 1970 (push), and a time without a zone, which is UTC.
func parseTime(data []byte) time.Time {
	if len(data) > 0 && data[0] != '"' {
		return parseEpoch(data)
	}
	text := string(bytes.Trim(data, `"`))
	if strings.Contains(text, `\`) && unmarshal(data, &text) != nil {
		return time.Time{}
	}
	for _, layout := range []string{time.RFC3339, time.DateTime} {
		if at, err := time.Parse(layout, text); err == nil {
			return withinYears(at.UTC())
		}
	}
	return time.Time{}
}

// withinYears returns a time that JSON can hold (RFC 3339: years 0 to 9999), and
// any other as unknown: an offset can carry one over the end.
func withinYears(at time.Time) time.Time {
	if at.Year() < 1 || at.Year() > 9999 {
		return time.Time{}
	}
	return at
}

// maxEpoch is the last second of the year 9999.
const maxEpoch = 253402300799

func parseEpoch(data []byte) time.Time {
	var seconds int64
	if unmarshal(data, &seconds) != nil || seconds <= 0 || seconds > maxEpoch {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// clean returns a copy of text that PostgreSQL takes: without NUL, and with
// U+FFFD for each byte that is not UTF-8. The copy keeps the payload that the
// text was cut from out of memory.
func clean(text string) string {
	if utf8.ValidString(text) && !strings.Contains(text, "\x00") {
		return strings.Clone(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if r != 0 {
			b.WriteRune(r)
		}
	}
	return b.String()
}
