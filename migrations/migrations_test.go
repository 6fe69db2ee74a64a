package migrations_test

import (
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pawl/internal/pgtest"
	"pawl/migrations"
)

var update = flag.Bool("update", false, "write schema.sql anew")

func TestFiles_NumbersAreUniqueAndWithoutGaps(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.Files(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		number, err := strconv.Atoi(name[:5])
		if err != nil || number != i+1 {
			t.Errorf("%s stands at place %d", name, i+1)
		}
	}
}

func TestMigrations_UpDownUp(t *testing.T) {
	t.Parallel()
	url := pgtest.NewEmpty(t)
	applied, err := migrations.Up(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	for range applied {
		if _, err := migrations.Down(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
	if left := texts(t, url, `select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where nspname = 'pawl' and relname not like 'migration%'`); len(left) > 0 {
		t.Errorf("after all the way down there are left: %v", left)
	}
	again, err := migrations.Up(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(again, applied); diff != "" {
		t.Errorf("up again (-got +want):\n%s", diff)
	}
	list, err := migrations.List(t.Context(), url)
	if err != nil || len(list) != len(applied) || !list[0].Applied {
		t.Errorf("list %v, %v", list, err)
	}
}

func TestSchema_EveryTableAndColumnIsExplained(t *testing.T) {
	t.Parallel()
	missing := texts(t, pgtest.New(t), `
		select c.relname || coalesce('.' || a.attname, '')
		  from pg_class c
		  join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'pawl'
		  left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and c.relkind = 'r'
		 where c.relkind in ('r', 'v') and c.relname <> 'migration'
		   and (obj_description(c.oid) is null or (a.attnum is not null and col_description(c.oid, a.attnum) is null))`)
	if len(missing) > 0 {
		t.Errorf("without a comment: %v", missing)
	}
}

// TestSchema_EveryConstraintIsNamedByUs asks the files for each name that the
// database holds: one that PostgreSQL made up would be what an error shows.
func TestSchema_EveryConstraintIsNamedByUs(t *testing.T) {
	t.Parallel()
	held := texts(t, pgtest.New(t), `
		select k.conname
		  from pg_constraint k
		  join pg_class c on c.oid = k.conrelid
		  join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'pawl'
		 where c.relname <> 'migration' and k.contype <> 'n'`) // not null is a constraint since version 18
	if len(held) == 0 {
		t.Error("no constraints at all")
	}
	written := contents(t)
	for _, name := range held {
		if !strings.Contains(written, "constraint "+name+" ") {
			t.Errorf("constraint %s has no name in the migrations", name)
		}
	}
}

// contents returns all numbered files, one after another.
func contents(t *testing.T) string {
	t.Helper()
	names, err := fs.Glob(migrations.Files(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := fs.ReadFile(migrations.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// TestSchema_DumpIsTrue holds the reviewed dump to what the migrations make.
func TestSchema_DumpIsTrue(t *testing.T) {
	t.Parallel()
	got := dump(t, pgtest.New(t))
	if *update {
		if err := os.WriteFile("schema.sql", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(want)); diff != "" {
		t.Errorf("schema.sql is not what the migrations make; run make generate (-got +want):\n%s", diff)
	}
}

// dump returns the schema as pg_dump writes it, less what depends on its
// version.
func dump(t *testing.T, url string) []byte {
	t.Helper()
	path, err := exec.LookPath("pg_dump")
	if err != nil {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
		if len(found) == 0 && os.Getenv("CI") != "" {
			t.Fatal("CI must not skip: needs pg_dump")
		}
		if len(found) == 0 {
			t.Skip("needs pg_dump")
		}
		path = found[len(found)-1]
	}
	command := exec.CommandContext(t.Context(), path, "--schema-only", "--no-owner", "--no-privileges", "--schema=pawl", "--exclude-table=pawl.migration*", "--dbname="+url)
	output, err := command.Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	output = regexp.MustCompile(`(?m)^(--.*|SET .*|SELECT pg_catalog.*|\\(un)?restrict .*)?\n`).ReplaceAll(output, nil)
	output = regexp.MustCompile(`(?m)^(CREATE|ALTER|COMMENT)`).ReplaceAll(output, []byte("\n$1"))
	output = regexp.MustCompile(`(?m)^\n(COMMENT)`).ReplaceAll(output, []byte("$1"))
	head := "-- The schema after all migrations, for reading. Made by: make generate\n\n"
	return []byte(head + strings.TrimSpace(string(output)) + "\n")
}

func texts(t *testing.T, url, sql string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return found
}
