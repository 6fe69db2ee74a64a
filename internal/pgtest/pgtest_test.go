package pgtest_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"pawl/internal/pgtest"
)

func databases(t *testing.T, url string) (count int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), `select count(*) from pg_database where datname like 'pawl_test_%'`).Scan(&count); err != nil {
		t.Fatal(err)
	}
	return count
}

func TestNew_IsMigratedAndApartFromOthersAndDroppedAtTheEnd(t *testing.T) {
	one := pgtest.New(t)
	t.Run("another", func(t *testing.T) {
		pool := pgtest.NewPool(t)
		if _, err := pool.Exec(t.Context(), `delete from pawl.checkpoint`); err != nil {
			t.Errorf("a table that the migrations make: %v", err)
		}
		if _, err := pool.Exec(t.Context(), `create table pawl.mine ()`); err != nil {
			t.Fatal(err)
		}
		if got := databases(t, one); got != 2 {
			t.Errorf("%d databases, want 2", got)
		}
	})
	if got := databases(t, one); got != 1 {
		t.Errorf("%d databases after the inner test, want 1", got)
	}
	conn, err := pgx.Connect(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var mine *string
	if err := conn.QueryRow(t.Context(), `select to_regclass('pawl.mine')::text`).Scan(&mine); err != nil || mine != nil {
		t.Errorf("another test's table is here: %v, %v", mine, err)
	}
}

func TestNewEmpty_HasNoTablesOfOurs(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.NewEmpty(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var there bool
	if err := conn.QueryRow(t.Context(), `select exists (select from pg_namespace where nspname = 'pawl')`).Scan(&there); err != nil || there {
		t.Errorf("schema pawl is there: %t, %v", there, err)
	}
}
