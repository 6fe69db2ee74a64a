// Package pgtest gives each test a migrated PostgreSQL database of its own.
//
// One server serves a test binary: started on first use by package embedded,
// never as root, with fsync off, for nothing in it outlives the test. Each
// database is a copy of a template that was migrated once, which takes some
// tens of milliseconds. However the binary ends, the kernel ends the server and
// a watcher removes its directory. PAWL_TEST_DATABASE_URL names a server to use
// instead, whose user may create databases.
//
// Not a schema per test: the tables live in the schema pawl, by contract.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/internal/embedded"
	"pawl/migrations"
)

// New returns the URL of a migrated database that is dropped when the test
// ends. The test skips where there is no PostgreSQL, and fails where CI is set.
func New(t testing.TB) string {
	t.Helper()
	s := need(t)
	return s.create(t, s.template)
}

// NewEmpty is New without the migrations.
func NewEmpty(t testing.TB) string {
	t.Helper()
	return need(t).create(t, "template1")
}

// need returns the server, or ends the test.
func need(t testing.TB) *server {
	t.Helper()
	s, err := shared()
	if err == nil {
		return s
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("CI must not skip: %v", err)
	}
	t.Skipf("needs PostgreSQL: %v", err)
	return nil
}

// NewPool returns a pool on a database of its own.
func NewPool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return Pool(t, New(t))
}

// Pool returns a pool on a database that New returned, closed when the test
// ends.
func Pool(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

type server struct {
	url      string
	template string
	next     atomic.Int64
	// alive is the pipe whose end is the watcher's sign; nil for a server that
	// is not ours.
	alive *os.File
}

// shared starts the server of this test binary, once.
var shared = sync.OnceValues(func() (*server, error) {
	ctx := context.Background()
	s := &server{url: os.Getenv("PAWL_TEST_DATABASE_URL"), template: fmt.Sprintf("pawl_template_%d", os.Getpid())}
	if s.url == "" {
		if err := s.start(ctx); err != nil {
			return nil, err
		}
	}
	// A server that is not ours may hold one of an earlier process with our pid.
	if err := s.exec(ctx, "drop database if exists "+s.template); err != nil {
		return nil, err
	}
	if err := s.exec(ctx, "create database "+s.template); err != nil {
		return nil, err
	}
	if _, err := migrations.Up(ctx, s.database(s.template)); err != nil {
		return nil, err
	}
	return s, nil
})

// start starts a server in a directory of its own, both of which end with this
// process.
func (s *server) start(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "pawl-test-server-")
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // the server's user passes through
		return err
	}
	postgres, err := embedded.StartPostgres(ctx, embedded.PostgresConfig{
		Dir:      filepath.Join(dir, "postgres"),
		Binaries: filepath.Join(os.TempDir(), "pawl-pgtest-binaries-"+strconv.Itoa(os.Getuid())),
		Settings: map[string]string{
			"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "300",
		},
	})
	if err != nil {
		_ = os.RemoveAll(dir)
		return err
	}
	s.url = postgres.URL()
	s.alive, err = watch(postgres.PID(), dir)
	return err
}

func (s *server) create(t testing.TB, template string) string {
	t.Helper()
	name := fmt.Sprintf("pawl_test_%d_%d", os.Getpid(), s.next.Add(1))
	if err := s.exec(t.Context(), "create database "+name+" template "+template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.exec(context.Background(), "drop database if exists "+name+" with (force)"); err != nil {
			t.Logf("drop test database: %v", err)
		}
	})
	return s.database(name)
}

// exec runs one statement on the server's default database.
func (s *server) exec(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return fmt.Errorf("connect to the test server: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// database returns the server's URL with another database.
func (s *server) database(name string) string {
	parsed, err := url.Parse(s.url)
	if err != nil {
		return s.url // unreachable unless the URL that we connected with is no URL
	}
	parsed.Path = "/" + name
	return parsed.String()
}
