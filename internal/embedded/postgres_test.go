package embedded_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/internal/embedded"
)

// openDir returns a directory whose parents the server's user can enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func dataDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(openDir(t), "postgres")
}

// config keeps what must be fetched where package pgtest does: once a machine.
func config(dir string) embedded.PostgresConfig {
	return embedded.PostgresConfig{
		Dir: dir, Binaries: filepath.Join(os.TempDir(), "pawl-pgtest-binaries-"+strconv.Itoa(os.Getuid())),
	}
}

func startPostgres(t *testing.T, dir string) *embedded.Postgres {
	t.Helper()
	server, err := embedded.StartPostgres(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

func execute(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func query(t *testing.T, url, sql string) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var n int
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

const (
	makeRows  = `create table kept as select generate_series(1, 10) as n`
	countRows = `select count(*) from kept`
)

func TestPostgres_RowsOutliveStopAndKill(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := startPostgres(t, dir)
	execute(t, server.URL(), makeRows)
	server.Stop()

	server = startPostgres(t, dir)
	if got := query(t, server.URL(), countRows); got != 10 {
		t.Errorf("after a stop: %d rows, want 10", got)
	}
	if err := syscall.Kill(server.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-server.Exited()

	server = startPostgres(t, dir)
	if got := query(t, server.URL(), countRows); got != 10 {
		t.Errorf("after a kill: %d rows, want 10", got)
	}
}

// TestPostgres_StartsAgainAtOnceAfterItsParentIsKilled starts the server from
// another process, kills that one, and does not wait for the server to notice.
func TestPostgres_StartsAgainAtOnceAfterItsParentIsKilled(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestParentOfAServer$")
	parent.Env = append(os.Environ(), parentDir+"="+dir)
	output, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatalf("the other process said %q: %v", line, err)
	}
	execute(t, strings.TrimSpace(line), makeRows)
	_ = parent.Process.Kill()
	_ = parent.Wait()

	server := startPostgres(t, dir)
	if got := query(t, server.URL(), countRows); got != 10 {
		t.Errorf("%d rows, want 10", got)
	}
}

const parentDir = "PAWL_TEST_PARENT_DIR"

// TestParentOfAServer is the other process of the test above: it starts a
// server, says where, and waits to be killed.
func TestParentOfAServer(t *testing.T) {
	dir := os.Getenv(parentDir)
	if dir == "" {
		t.Skip("runs in a process of its own, for another test")
	}
	server, err := embedded.StartPostgres(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(server.URL())
	select {
	case <-server.Exited():
	case <-time.After(time.Minute):
	}
}

// TestPostgres_PIDThatIsAnothersByNowIsNoServer leaves the file of a killed
// server whose pid the machine has given to something else.
func TestPostgres_PIDThatIsAnothersByNowIsNoServer(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := startPostgres(t, dir)
	text, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	server.Stop()
	other := exec.CommandContext(t.Context(), "sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	_, rest, _ := strings.Cut(string(text), "\n")
	stale := strconv.Itoa(other.Process.Pid) + "\n" + rest
	if err := os.WriteFile(filepath.Join(dir, "postmaster.pid"), []byte(stale), 0o600); err != nil {
		t.Fatal(err)
	}

	startPostgres(t, dir)
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the other process was ended: %v", err)
	}
}

func TestPostgres_SecondServerOnAClusterIsRefused(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := startPostgres(t, dir)
	second, err := embedded.StartPostgres(t.Context(), config(dir))
	if !errors.Is(err, embedded.ErrInUse) {
		t.Errorf("got %v, want ErrInUse", err)
	}
	if err == nil {
		second.Stop()
	}
	if got := query(t, server.URL(), `select 1`); got != 1 {
		t.Error("the first server is gone")
	}
	server.Stop()
	startPostgres(t, dir)
}

func TestPostgres_ClusterWithoutItsPasswordOrVersionIsNotReplaced(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(dir string) error
		want  string
	}{
		{
			name:  "password lost",
			spoil: func(dir string) error { return os.Remove(dir + ".password") },
			want:  "password was taken away",
		},
		{
			name:  "made by a version that is not here",
			spoil: func(dir string) error { return os.WriteFile(filepath.Join(dir, "PG_VERSION"), []byte("9\n"), 0o600) },
			want:  "of version 9",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := dataDir(t)
			startPostgres(t, dir).Stop()
			if err := test.spoil(dir); err != nil {
				t.Fatal(err)
			}
			_, err := embedded.StartPostgres(t.Context(), config(dir))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "base")); err != nil {
				t.Errorf("the cluster is gone: %v", err)
			}
		})
	}
}

func TestPostgres_NeverRunsAsRootNorWithoutPassword(t *testing.T) {
	t.Parallel()
	server := startPostgres(t, dataDir(t))
	uid, err := exec.CommandContext(t.Context(), "ps", "-o", "uid=", "-p", strconv.Itoa(server.PID())).Output()
	if err == nil && strings.TrimSpace(string(uid)) == "0" {
		t.Error("the server runs as root")
	}
	for _, password := range []string{"", "wrong"} {
		wrong, err := pgx.ParseConfig(server.URL())
		if err != nil {
			t.Fatal(err)
		}
		wrong.Password = password
		if conn, err := pgx.ConnectConfig(t.Context(), wrong); err == nil {
			conn.Close(t.Context())
			t.Errorf("password %q was let in", password)
		}
	}
}
