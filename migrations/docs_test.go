package migrations_test

import (
	_ "embed"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pawl/internal/pgtest"
	"pawl/schemas"
)

// stateTables are those that docs/state.md explains.
var stateTables = []string{
	"pull_request", "pull_request_review", "review_thread", "comment", "commit_check", "commit_rollup", "issue_link", "repository",
	"status_component", "status_incident",
}

// stateDoc is docs/state.md.
func stateDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/state.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// section returns what stands under a heading of level two.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("docs/state.md has no heading %q", heading)
	}
	under, _, _ := strings.Cut(rest, "\n## ")
	return under
}

func TestState_NamesEveryColumn(t *testing.T) {
	t.Parallel()
	schema, err := os.ReadFile("schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range stateTables {
		_, body, ok := strings.Cut(string(schema), "\nCREATE TABLE pawl."+table+" (\n")
		if !ok {
			t.Errorf("schema.sql has no table %s", table)
			continue
		}
		body, _, _ = strings.Cut(body, "\n)")
		columns := regexp.MustCompile(`(?m)^    "?([a-z_]+)"? `).FindAllStringSubmatch(body, -1)
		if len(columns) < 4 {
			t.Errorf("%d columns of %s found", len(columns), table)
		}
		under := section(t, stateDoc(t), "`"+table+"`")
		for _, column := range columns {
			if !regexp.MustCompile("(?m)^\\| [^|]*`" + column[1] + "`[^|]* \\|").MatchString(under) {
				t.Errorf("docs/state.md has no line for %s.%s", table, column[1])
			}
		}
	}
}

func TestState_NamesEveryKindOfTransition(t *testing.T) {
	t.Parallel()
	under := section(t, stateDoc(t), "Transitions")
	for _, kind := range schemas.Kinds() {
		if !regexp.MustCompile("(?m)^\\| [^|]*`" + string(kind) + "`[^|]* \\|").MatchString(under) {
			t.Errorf("docs/state.md has no line for %s", kind)
		}
	}
}

// question is a heading of the queries, with the indexes that it names.
type question struct {
	heading string
	indexes []string
	queries []string
}

func questions(t *testing.T) []question {
	t.Helper()
	var found []question
	for _, part := range strings.Split(section(t, stateDoc(t), "Queries"), "\n### ")[1:] {
		heading, rest, _ := strings.Cut(part, "\n")
		said, _, _ := strings.Cut(rest, "```sql")
		asked := question{heading: heading}
		if _, named, ok := strings.Cut(said, "Index"); ok {
			named, _, _ = strings.Cut(named, ".")
			for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(named, -1) {
				asked.indexes = append(asked.indexes, name[1])
			}
		}
		for _, query := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(rest, -1) {
			asked.queries = append(asked.queries, query[1])
		}
		found = append(found, asked)
	}
	return found
}

//go:embed testdata/many_rows.sql
var manyRows string

// TestState_ItsQueriesAreServed runs the queries on tables that have so many rows
// that the planner would not read them whole by choice, and holds their plans to
// the indexes that the page names.
func TestState_ItsQueriesAreServed(t *testing.T) {
	t.Parallel()
	asked := questions(t)
	if len(asked) < 10 {
		t.Fatalf("%d queries", len(asked))
	}
	conn, err := pgx.Connect(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), manyRows); err != nil {
		t.Fatal(err)
	}
	for _, q := range asked {
		used := make(map[string]bool)
		for _, query := range q.queries {
			if rows := run(t, conn, query); rows == 0 {
				t.Errorf("%s: finds nothing", q.heading)
			}
			explain(t, conn, query).walk(func(n planNode) {
				switch {
				case n.Type == "Seq Scan" && slices.Contains(stateTables, n.Relation):
					t.Errorf("%s: reads %s whole", q.heading, n.Relation)
				case n.Index != "":
					used[n.Index] = true
				}
			})
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(used)), sorted(q.indexes)); diff != "" {
			t.Errorf("%s: indexes (-used +named):\n%s", q.heading, diff)
		}
	}
}

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }

// run returns how many rows a query finds.
func run(t *testing.T, conn *pgx.Conn, query string) int64 {
	t.Helper()
	tag, err := conn.Exec(t.Context(), query)
	if err != nil {
		t.Fatalf("%v:\n%s", err, query)
	}
	return tag.RowsAffected()
}

// planNode is a step of a plan of PostgreSQL.
type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Index    string     `json:"Index Name"`
	Below    []planNode `json:"Plans"`
}

func (n planNode) walk(see func(planNode)) {
	see(n)
	for _, below := range n.Below {
		below.walk(see)
	}
}

func explain(t *testing.T, conn *pgx.Conn, query string) planNode {
	t.Helper()
	var text []byte
	if err := conn.QueryRow(t.Context(), "explain (format json) "+query).Scan(&text); err != nil {
		t.Fatal(err)
	}
	var plans []struct {
		Plan planNode `json:"Plan"`
	}
	if err := json.Unmarshal(text, &plans); err != nil || len(plans) != 1 {
		t.Fatalf("%d plans, %v:\n%s", len(plans), err, text)
	}
	return plans[0].Plan
}
