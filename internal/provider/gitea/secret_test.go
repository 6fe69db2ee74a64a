package gitea_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pawl/internal/provider/gitea"
)

func TestTrap36_TheSecretOfTheBodyIsNotInTheRecord(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, want string }{
		{"first", `{"secret":"s3cr3t","a":1}`, `{"a":1}`},
		{"as old versions indent", "{\n  \"secret\": \"s3cr3t\",\n  \"ref\": \"x\"\n}", "{\n  \"ref\": \"x\"\n}"},
		{"nested", `{"hook":{"config":{"url":"u","secret":"s3cr3t"}},"a":1}`, `{"hook":{"config":{"url":"u"}},"a":1}`},
		{"in an array", `{"hooks":[{"secret":"s3cr3t"},{"id":1}]}`, `{"hooks":[{},{"id":1}]}`},
		{"name escaped whole", `{"\u0073\u0065\u0063\u0072\u0065\u0074":"s3cr3t","a":1}`, `{"a":1}`},
		{"the name as a value stays", `{"a":"secret","b":["secret"]}`, `{"a":"secret","b":["secret"]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, in := range [...]string{"json", "form"} {
				given := delivery("push", test.body)
				if in == "form" {
					given = formDelivery("push", test.body)
				}
				given.Header.Set("X-Gitea-Signature", sign([]byte(test.body), "s3cr3t"))
				record, err := gitea.Provider{}.Seal(given)
				if err != nil {
					t.Fatal(err)
				}
				if got := string(record.Body); got != test.want {
					t.Errorf("body of %s = %s, want %s", in, got, test.want)
				}
				for _, header := range record.Headers() {
					if strings.Contains(header.Value, "s3cr3t") || strings.Contains(header.Name, "Signature") {
						t.Errorf("header %s carries the secret or its signature", header.Name)
					}
				}
			}
		})
	}
}

// Nothing but the secret is touched: not the order, the blanks, a repeated
// member, a number's digits or a byte that is not UTF-8.
func TestSeal_ABodyWithoutASecretIsTheSameByteForByte(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		` { "b" : 1.50 , "a" : [ ] , "b" : 1e2 } `,
		"{\"title\":\"\xff\\ud800 \\u003c\\/\",\"a\":\"\\u0061\"}",
		`{"title":"the \"secret\" of \u0073","secretly":{}}`,
		`[]`,
	} {
		if got := string(sealed(t, "push", body).Body); got != body {
			t.Errorf("body = %q, want %q", got, body)
		}
	}
}

// A body of nothing but brackets must not take memory out of proportion.
func TestSeal_DeepBodiesAreRefused(t *testing.T) {
	t.Parallel()
	const depth = 1_000_000
	body := strings.Repeat(`{"secret":`, depth) + "1" + strings.Repeat("}", depth)
	if _, err := (gitea.Provider{}).Seal(delivery("push", body)); err == nil {
		t.Error("Seal() took a body that is a million deep")
	}
}

func checkNoSecret(t *testing.T, value any) {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if name == "secret" {
				t.Error("the record carries a secret")
			}
			checkNoSecret(t, member)
		}
	case []any:
		for _, element := range value {
			checkNoSecret(t, element)
		}
	}
}

// readJSON reads a body as JavaScript would: the last of two members counts.
func readJSON(t *testing.T, body []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Errorf("the record's body is not JSON: %v: %q", err, body)
	}
	return value
}

// strip does what is wanted to the value that was read.
func strip(value any) any {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "secret")
		for name, member := range value {
			value[name] = strip(member)
		}
	case []any:
		for i, element := range value {
			value[i] = strip(element)
		}
	}
	return value
}
