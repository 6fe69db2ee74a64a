package payload_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

type named struct {
	Name string `json:"name"`
}

// fields has one of each type of field.
type fields struct {
	Present  payload.Present  `json:"present"`
	Presence payload.Presence `json:"presence"`
	Nullable payload.Nullable `json:"nullable"`
	Count    *int64           `json:"count"`
	Text     *string          `json:"text"`
	Names    []*named         `json:"names"`
}

func read(t *testing.T, body string) fields {
	t.Helper()
	var made fields
	if err := payload.Unmarshal([]byte(body), &made); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return made
}

func TestPresent(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{}`: false, `{"present":null}`: false, `{"present":{}}`: true, `{"present":false}`: true, `{"present":[1]}`: true, `{"present":""}`: true,
	} {
		if got := bool(read(t, body).Present); got != want {
			t.Errorf("%s: %t, want %t", body, got, want)
		}
	}
}

func TestPresence_TellsNullFromAbsent(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]schemas.Stated[bool]{
		`{}`: {}, `{"presence":null}`: schemas.Say(false), `{"presence":{}}`: schemas.Say(true), `{"presence":false}`: schemas.Say(true),
	} {
		if got := schemas.Stated[bool](read(t, body).Presence); got != want {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
}

func TestNullable_TellsNullFromAbsentAndKeepsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]schemas.Stated[string]{
		`{}`: {}, `{"nullable":null}`: schemas.Say(""), `{"nullable":""}`: schemas.Say(""), `{"nullable":"a\u0000b"}`: schemas.Say("ab"),
	} {
		got := read(t, body).Nullable
		if got.Stated() != want || got.Wrong != nil {
			t.Errorf("%s: %v, %v, want %v", body, got.Stated(), got.Wrong, want)
		}
	}
	for _, body := range []string{`{"nullable":7}`, `{"nullable":{"a":1}}`, `{"nullable":[]}`, `{"nullable":true}`} {
		if got := read(t, body).Nullable; !got.There || got.Wrong == nil {
			t.Errorf("%s: there %t, wrong %v", body, got.There, got.Wrong)
		}
	}
}

func TestScalarTextNonEmpty(t *testing.T) {
	t.Parallel()
	type stated struct {
		Count          schemas.Stated[int64]
		Text, NonEmpty schemas.Stated[string]
	}
	for body, want := range map[string]stated{
		`{}`:                           {},
		`{"count":null,"text":null}`:   {},
		`{"count":0,"text":""}`:        {Count: schemas.Say(int64(0)), Text: schemas.Say("")},
		`{"count":7,"text":"a\u0000"}`: {schemas.Say(int64(7)), schemas.Say("a"), schemas.Say("a")},
	} {
		made := read(t, body)
		got := stated{payload.Scalar(made.Count), payload.Text(made.Text), payload.NonEmpty(made.Text)}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", body, diff)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]schemas.Stated[[]string]{
		`{}`:             {},
		`{"names":null}`: {},
		`{"names":[]}`:   schemas.Say([]string{}),
		`{"names":[{"name":"b"},null,{"name":"a"},{},{"name":"b"},{"name":"\u0000"},{"name":"a\u0000"}]}`: schemas.Say([]string{"a", "b"}),
	} {
		got := payload.Names(read(t, body).Names, func(n *named) string { return n.Name })
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", body, diff)
		}
	}
}
