package payload_test

import (
	"errors"
	"strings"
	"testing"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
)

func TestWithout_CutsTheMembersAndNothingElse(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, want string }{
		{"first", `{"secret":"s3cr3t","a":1}`, `{"a":1}`},
		{"last", `{"a":1,"secret":"s3cr3t"}`, `{"a":1}`},
		{"between", `{"a":1,"secret":"s3cr3t","b":2}`, `{"a":1,"b":2}`},
		{"alone", `{"secret":"s3cr3t"}`, `{}`},
		{"as old versions indent", "{\n  \"secret\": \"s3cr3t\",\n  \"ref\": \"x\"\n}", "{\n  \"ref\": \"x\"\n}"},
		{"last, indented", "{\n  \"ref\": \"x\",\n  \"secret\": \"s3cr3t\"\n}", "{\n  \"ref\": \"x\"\n}"},
		{"twice in a row", `{"a":1,"secret":"s3cr3t","secret":"s3cr3t"}`, `{"a":1}`},
		{"twice apart", `{"secret":"s3cr3t","a":1,"secret":"s3cr3t"}`, `{"a":1}`},
		{"three times and nothing else", `{"secret":"s3cr3t" , "secret":"s3cr3t", "secret":"s3cr3t"}`, `{}`},
		{"empty", `{"a":1,"secret":""}`, `{"a":1}`},
		{"null", `{"secret":null,"a":1}`, `{"a":1}`},
		{"an object", `{"secret":{"is":["s3cr3t",{"a":"s3cr3t"}]},"a":1}`, `{"a":1}`},
		{"an array", `{"a":1,"secret":["s3cr3t",[]]}`, `{"a":1}`},
		{"one in one", `{"secret":{"secret":"s3cr3t"},"a":1}`, `{"a":1}`},
		{"nested", `{"hook":{"config":{"url":"u","secret":"s3cr3t"}},"a":1}`, `{"hook":{"config":{"url":"u"}},"a":1}`},
		{"in an array", `{"hooks":[{"secret":"s3cr3t"},{"id":1}]}`, `{"hooks":[{},{"id":1}]}`},
		{"nested and at the top", `{"hook":{"secret":"s3cr3t","id":1},"secret":"s3cr3t"}`, `{"hook":{"id":1}}`},
		{"name escaped in part", `{"\u0073ecret":"s3cr3t","a":1}`, `{"a":1}`},
		{"name escaped whole", `{"\u0073\u0065\u0063\u0072\u0065\u0074":"s3cr3t","a":1}`, `{"a":1}`},
		{"value escaped", `{"secret":"s3cr\u0033t","a":1}`, `{"a":1}`},
		{"value with a quote and a brace", `{"secret":"s3cr3t\"},","a":1}`, `{"a":1}`},
		{"blanks everywhere", "{ \"a\" : 1 ,\t\"secret\"\r\n:\n\"s3cr3t\" , \"b\" : 2 }", "{ \"a\" : 1 ,\t\"b\" : 2 }"},
		{"number beyond any float", `{"secret":1e999,"a":1e999}`, `{"a":1e999}`},
		{"the name as a value stays", `{"a":"secret","b":["secret"]}`, `{"a":"secret","b":["secret"]}`},
		{"a longer name stays", `{"secrets":1,"\u0061":2}`, `{"secrets":1,"\u0061":2}`},
		{"the name in a text stays", `{"body":"{\"secret\":1}"}`, `{"body":"{\"secret\":1}"}`},
		{"in an array at the top", ` [{"secret":"s3cr3t"}] `, ` [{}] `},
		{"a text at the top", `"secret"`, `"secret"`},
	}
	for _, test := range tests {
		got, err := payload.Without([]byte(test.body), "secret")
		if err != nil || string(got) != test.want {
			t.Errorf("%s: Without() = %s, %v, want %s", test.name, got, err, test.want)
		}
	}
}

func TestWithout_CutsSeveralNames(t *testing.T) {
	t.Parallel()
	const body = `{"secret":1,"a":{"unsubscribe":"u","b":2},"unsubscribe":3}`
	got, err := payload.Without([]byte(body), "secret", "unsubscribe")
	if want := `{"a":{"b":2}}`; err != nil || string(got) != want {
		t.Errorf("Without() = %s, %v, want %s", got, err, want)
	}
}

func TestWithout_ABodyWithoutTheNamesIsTheSameByteForByte(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		` { "b" : 1.50 , "a" : [ ] , "b" : 1e2 } `,
		"{\"title\":\"\xff\\ud800 \\u003c\\/\",\"a\":\"\\u0061\"}",
		`{"title":"the \"secret\" of \u0073","secretly":{}}`,
		`[]`,
	} {
		if got, err := payload.Without([]byte(body), "secret"); err != nil || string(got) != body {
			t.Errorf("Without() = %q, %v, want %q", got, err, body)
		}
	}
}

func TestWithout_ABodyThatEndsEarlyIsRefused(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"secret":"s3cr3t`, `{"secret":1]`, strings.Repeat(`{"secret":`, 1_000)} {
		if _, err := payload.Without([]byte(body), "secret"); !errors.Is(err, webhook.ErrBody) {
			t.Errorf("Without(%.20s) = %v, want ErrBody", body, err)
		}
	}
}
