package payload_test

import (
	"encoding/json"
	"testing"
	"time"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// Times as providers send them; a bad one is unknown, and costs no event.
func TestParseTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ from, text, want string }{
		{"GitHub", `"2019-05-15T15:20:33Z"`, "2019-05-15T15:20:33Z"},
		{"GitHub, status", `"2019-05-15T15:20:55+00:00"`, "2019-05-15T15:20:55Z"},
		{"GitHub, installation", `"2021-04-28T22:32:21.000-04:00"`, "2021-04-29T02:32:21Z"},
		{"GitHub, push", `1557933565`, "2019-05-15T15:19:25Z"},
		{"GitHub, check_suite.app", `"2018-04-25 20:42:10"`, "2018-04-25T20:42:10Z"},
		{"GitLab", `"2013-12-03 17:23:34 UTC"`, "2013-12-03T17:23:34Z"},
		{"GitLab, deployment", `"2021-04-28 21:50:00 +0200"`, "2021-04-28T19:50:00Z"},
		{"GitLab, system hook", `"2017-09-28T12:23:42.365Z"`, "2017-09-28T12:23:42.365Z"},
		{"Bitbucket Cloud", `"2015-04-06T15:23:38.205705+00:00"`, "2015-04-06T15:23:38.205705Z"},
		{"Bitbucket Data Center, date", `"2019-03-01T10:08:35+0100"`, "2019-03-01T09:08:35Z"},
		{"Bitbucket Data Center, updatedDate", `1551366080055`, "2019-02-28T15:01:20.055Z"},
		{"escaped", `"2019\u002d05-15T15:20:33Z"`, "2019-05-15T15:20:33Z"},
		{"finer than PostgreSQL", `"2019-05-15T15:20:33.123456789Z"`, "2019-05-15T15:20:33.123456Z"},
		{"first millisecond", `100000000000`, "1973-03-03T09:46:40Z"},
		{"last second", `99999999999`, "5138-11-16T09:46:39Z"},
		{"last millisecond", `253402300799999`, "9999-12-31T23:59:59.999Z"},

		{"GitLab's documentation, last_commit", `"2015-04-08T21: 00:25-07:00"`, ""},
		{"an abbreviation that is not UTC", `"2013-12-03 17:23:34 CET"`, ""},
		{"an abbreviation in lower case", `"2013-12-03 17:23:34 utc"`, ""},
		{"a date", `"2013-12-03"`, ""},
		{"empty", `""`, ""},
		{"words", `"yesterday"`, ""},
		{"a broken escape", `"2019\u00"`, ""},
		{"zero", `0`, ""},
		{"less than zero", `-1`, ""},
		{"behind the last millisecond", `253402300800000`, ""},
		{"too many digits", `99999999999999999999`, ""},
		{"a fraction", `1.5`, ""},
		{"year 0", `"0000-01-01T00:00:00Z"`, ""},
		{"carried over the end by its offset", `"9999-12-31T23:59:59-01:00"`, ""},
		{"true", `true`, ""},
		{"an object", `{"at":1}`, ""},
		{"a list", `[1]`, ""},
		{"nothing", ``, ""},
	} {
		got := payload.ParseTime([]byte(test.text))
		told := ""
		if !got.IsZero() {
			told = got.Format(time.RFC3339Nano)
		}
		if told != test.want {
			t.Errorf("%s: ParseTime(%s) = %q, want %q", test.from, test.text, told, test.want)
		}
		if got.Location() != time.UTC {
			t.Errorf("%s: ParseTime(%s) is in %s, want UTC", test.from, test.text, got.Location())
		}
	}
}

func TestMoment_AbsentNullAndUnreadable(t *testing.T) {
	t.Parallel()
	at := time.Date(2019, 5, 15, 15, 20, 33, 0, time.UTC)
	for _, test := range []struct {
		body                 string
		stated, statedOrNull schemas.Stated[time.Time]
		set, null            bool
	}{
		{`{}`, schemas.Stated[time.Time]{}, schemas.Stated[time.Time]{}, false, false},
		{`{"at":null}`, schemas.Stated[time.Time]{}, schemas.Say(time.Time{}), false, true},
		{`{"at":"2019-05-15T15:20:33Z"}`, schemas.Say(at), schemas.Say(at), true, false},
		{`{"at":"soon"}`, schemas.Stated[time.Time]{}, schemas.Stated[time.Time]{}, true, false},
		{`{"at":""}`, schemas.Stated[time.Time]{}, schemas.Stated[time.Time]{}, false, false},
		{`{"at":0}`, schemas.Stated[time.Time]{}, schemas.Say(time.Time{}), false, true},
		{`{"at":"0001-01-01T00:00:00Z"}`, schemas.Stated[time.Time]{}, schemas.Say(time.Time{}), false, true},
		{`{"at":[]}`, schemas.Stated[time.Time]{}, schemas.Stated[time.Time]{}, true, false},
	} {
		var fields struct {
			At payload.Moment `json:"at"`
		}
		if err := payload.Unmarshal([]byte(test.body), &fields); err != nil {
			t.Errorf("%s: %v", test.body, err)
			continue
		}
		if got := fields.At.Stated(); got != test.stated {
			t.Errorf("%s: Stated() = %v, want %v", test.body, got, test.stated)
		}
		if got := fields.At.StatedOrNull(); got != test.statedOrNull {
			t.Errorf("%s: StatedOrNull() = %v, want %v", test.body, got, test.statedOrNull)
		}
		if fields.At.Set != test.set || fields.At.Null != test.null {
			t.Errorf("%s: set %t, null %t, want %t, %t", test.body, fields.At.Set, fields.At.Null, test.set, test.null)
		}
	}
}

// FuzzParseTime: what is read as a time is one that JSON and PostgreSQL hold, and
// reads back as itself.
func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{`"2019-05-15T15:20:33Z"`, `"2013-12-03 17:23:34 UTC"`, `1551366080055`, `"9999-12-31T23:59:59-01:00"`, `null`, `"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		at := payload.ParseTime(data)
		if at.IsZero() {
			return
		}
		text, err := json.Marshal(at)
		if err != nil {
			t.Fatalf("%s is read as %s, which JSON does not hold: %v", data, at, err)
		}
		if again := payload.ParseTime(text); !again.Equal(at) || at.Truncate(time.Microsecond) != at {
			t.Errorf("%s is read as %s, and that as %s", data, at, again)
		}
	})
}
