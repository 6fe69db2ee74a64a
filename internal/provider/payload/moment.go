package payload

import (
	"bytes"
	"strings"
	"time"

	"pawl/schemas"
)

// Moment is a time in any of the shapes that providers use. A text that is no
// time is unknown and not an error: one odd time must not cost the whole
// snapshot.
type Moment struct {
	At   time.Time
	Set  bool // the field is there and holds something, if not a time that we can read
	Null bool
}

// UnmarshalJSON never fails. An empty text says nothing, as if the field were
// absent; Go's zero time and the number 0 say that there is no time, as null does.
func (m *Moment) UnmarshalJSON(data []byte) error {
	*m = Moment{}
	switch string(data) {
	case `""`:
		return nil
	case `null`, `0`, `"0001-01-01T00:00:00Z"`:
		m.Null = true
		return nil
	}
	m.Set = true
	m.At = ParseTime(data)
	return nil
}

// Stated is unknown for null and for what is no time.
func (m Moment) Stated() schemas.Stated[time.Time] {
	return schemas.Stated[time.Time]{Value: m.At, Known: !m.At.IsZero()}
}

// StatedOrNull states the zero time for null: it did not happen.
func (m Moment) StatedOrNull() schemas.Stated[time.Time] {
	return schemas.Stated[time.Time]{Value: m.At, Known: m.Null || !m.At.IsZero()}
}

// layouts are the shapes in which providers write times:
//
//	2019-05-15T15:20:33Z, …55+00:00, …21.000-04:00, 15:23:38.205705+00:00  GitHub, Bitbucket Cloud, Gitea, GitLab system hooks
//	2013-12-03 17:23:34 UTC                                                GitLab
//	2021-04-28 21:50:00 +0200                                              GitLab, deployments
//	2019-03-01T10:08:35+0100                                               Bitbucket Data Center
//	2018-04-25 20:42:10                                                    GitHub, check_suite.app; it is UTC
//
// UTC stands for itself: Go's MST would take any abbreviation, CET for example,
// and give it the offset 0.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var layouts = [...]string{
	time.RFC3339, "2006-01-02 15:04:05 UTC", "2006-01-02 15:04:05 -0700", "2006-01-02T15:04:05-0700", time.DateTime,
}

// ParseTime returns the time of a JSON string or number in UTC, or zero. Numbers
// are seconds since 1970 (GitHub, push), or milliseconds (Bitbucket Data Center).
func ParseTime(data []byte) time.Time {
	if len(data) > 0 && data[0] != '"' {
		return parseEpoch(data)
	}
	text := string(bytes.Trim(data, `"`))
	if strings.Contains(text, `\`) && Unmarshal(data, &text) != nil {
		return time.Time{}
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return withinYears(at.UTC())
		}
	}
	return time.Time{}
}

// withinYears returns a time that JSON can hold (RFC 3339: years 0 to 9999), and
// any other as unknown: an offset can carry one over the end. It is cut to the
// microseconds that PostgreSQL holds, so that a stored time equals itself.
func withinYears(at time.Time) time.Time {
	if at.Year() < 1 || at.Year() > 9999 {
		return time.Time{}
	}
	return at.Truncate(time.Microsecond)
}

const (
	// firstMillisecond is where numbers count milliseconds: as seconds, it is in
	// the year 5138; as milliseconds, in 1973.
	firstMillisecond = 100_000_000_000
	// lastMillisecond ends the year 9999.
	lastMillisecond = 253402300799_999
)

func parseEpoch(data []byte) time.Time {
	var count int64
	switch err := Unmarshal(data, &count); {
	case err != nil || count <= 0 || count > lastMillisecond:
		return time.Time{}
	case count >= firstMillisecond:
		return time.UnixMilli(count).UTC()
	}
	return time.Unix(count, 0).UTC()
}
