package rules_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// FuzzParse: no text makes Parse panic; what is wrong is a list of faults
// within the file, and what is right decides without panic.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/faults/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	f.Add([]byte(everyScope))
	f.Add([]byte(ownRules))
	f.Add([]byte(shared))
	f.Add([]byte(explained))
	f.Fuzz(func(t *testing.T, data []byte) {
		defer ends(data)()
		set, err := rules.Parse("pawl.yaml", data)
		if err != nil {
			checkFaults(t, err, data)
			return
		}
		cover := set.Cover()
		decisions := append(cover.Decide(transition(nil)), cover.Decide(commentTransition(nil))...)
		cover.Missing()
		for _, d := range decisions {
			if len(d.Values) > 4096 || len(partsOf(t, d)) > len(data) {
				t.Errorf("values of %d bytes: %s", len(d.Values), d.Values)
			}
			if _, err := set.Explain(d.Rule, rules.Now{PullRequest: transition(nil).PullRequest}); err != nil {
				t.Error(err)
			}
		}
		set.Supported(map[string]func(schemas.MutationKind) bool{"github.com": func(schemas.MutationKind) bool { return false }})
	})
}

// ends panics if what follows does not end, which the fuzzer would not notice.
func ends(input []byte) (ended func()) {
	timer := time.AfterFunc(10*time.Second, func() { panic(fmt.Sprintf("no end of %q", input)) })
	return func() { timer.Stop() }
}

func checkFaults(t *testing.T, err error, data []byte) {
	t.Helper()
	var faults *rules.FaultsError
	if !errors.As(err, &faults) || len(faults.Faults) == 0 {
		t.Fatalf("error %v, want faults", err)
	}
	lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + 2
	for _, fault := range faults.Faults {
		if fault.Line < 1 || fault.Line > lines || fault.Column < 1 || fault.Message == "" || strings.Contains(fault.Message, "\n") {
			t.Errorf("a fault %+v in %d lines", fault, lines)
		}
	}
}

// FuzzTemplate: splitting loses no character, and what compiles renders or
// fails without panic.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{
		"", "text", "{{pr.title}}", "a {{ pr.labels }} b {{pr.number}}", "{{", "}}", "{{}}", "{{ '}}' }}", `{{ "\"}}" }}`,
		`{{ r"\"}}`, `{{checks["build"]}} {{checks.map(c, c)}} {{reviews.size()}} {{links}} {{actor.login}}`, `{{ """a"}}""" }}`, `{{ {"a":{"b":1}} }}`, "{{{{}}}}", "{{ br'}}' }}", "{{ comment.body }}", "{{ pr.labels[0] }}",
	} {
		f.Add(text)
	}
	templates, err := rules.NewTemplates()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer ends([]byte(text))()
		joined, err := rules.Join(text)
		if err == nil && utf8.ValidString(text) && joined != text {
			t.Errorf("%q, want %q", joined, text)
		}
		for _, on := range []func() (string, error){
			func() (string, error) { return templates.Render(text, transition(nil)) },
			func() (string, error) { return templates.Render(text, commentTransition(nil)) },
		} {
			got, err := on()
			if err == nil && !strings.Contains(text, "{{") && utf8.ValidString(text) && got != text {
				t.Errorf("%q, want %q", got, text)
			}
		}
	})
}
