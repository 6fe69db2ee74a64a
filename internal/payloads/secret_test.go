package payloads_test

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pawl/internal/payloads"
)

// cutsSecrets reports whether the provider of a sample cuts the secrets out of it.
func cutsSecrets(sample payloads.Sample) bool {
	return sample.Forge() == payloads.Gitea || sample.Forge() == payloads.Statuspage
}

// bodySecrets returns the values of all members named secret or unsubscribe, at
// whatever depth.
func bodySecrets(t *testing.T, body []byte) []string {
	t.Helper()
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		t.Fatal(err)
	}
	var found []string
	walk(value, func(name, text string) {
		if name == "secret" || name == "unsubscribe" {
			found = append(found, text)
		}
	})
	return found
}

// walk visits each text of a JSON value, with the name of the member it stands in.
func walk(value any, visit func(name, text string)) { walkNamed("", value, visit) }

func walkNamed(name string, value any, visit func(name, text string)) {
	switch value := value.(type) {
	case string:
		visit(name, value)
	case []any:
		for _, element := range value {
			walkNamed(name, element, visit)
		}
	case map[string]any:
		for member, element := range value {
			visit("", member)
			walkNamed(member, element, visit)
		}
	}
}

// leaks returns the secrets, signatures and tokens in a text.
func (w *world) leaks(text string) []string {
	var found []string
	for _, proof := range w.proofs {
		if strings.Contains(text, proof) {
			found = append(found, proof)
		}
	}
	for _, secret := range w.secrets {
		if strings.Contains(text, secret) {
			found = append(found, secret)
		}
	}
	return found
}

// checkRowsKeepNoSecret looks for them in each column of each row of the
// database, also where they stand inside JSON or as bytes.
func (w *world) checkRowsKeepNoSecret() {
	w.t.Helper()
	if len(w.leaks("X-Gitlab-Token: "+w.secrets["gitlab"])) == 0 {
		w.t.Error("a secret in a text is not found: this proves nothing")
	}
	inBodies := make(map[string]bool)
	for _, sample := range w.samples {
		if cutsSecrets(sample) {
			for _, secret := range bodySecrets(w.t, sample.Body) {
				inBodies[secret] = true
			}
		}
	}
	if len(inBodies) == 0 {
		w.t.Error("no body has a secret: this proves nothing")
	}
	seen := 0
	for _, table := range w.tables() {
		for _, row := range w.values(table) {
			walk(row, func(name, text string) {
				seen++
				if raw, err := hex.DecodeString(strings.TrimPrefix(text, `\x`)); err == nil {
					text += string(raw)
				}
				if name == "secret" || inBodies[text] || len(w.leaks(text)) > 0 {
					w.t.Errorf("table %s has a secret in %s: %q", table, name, text)
				}
			})
		}
	}
	if seen < 1000 {
		w.t.Errorf("%d texts seen: too few to mean something", seen)
	}
}

// tables returns the names of all tables.
func (w *world) tables() []string {
	w.t.Helper()
	rows, err := w.pool.Query(w.t.Context(), `select tablename::text from pg_tables where schemaname = 'pawl' order by 1`)
	if err != nil {
		w.t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.t.Fatal(err)
	}
	return names
}

// values returns the rows of a table as JSON values, in one order.
func (w *world) values(table string) []any {
	w.t.Helper()
	rows, err := w.pool.Query(w.t.Context(), `select to_jsonb(t) from pawl.`+pgx.Identifier{table}.Sanitize()+` t order by 1`)
	if err != nil {
		w.t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[any])
	if err != nil {
		w.t.Fatal(err)
	}
	return values
}
