package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/internal/fakegithub"
	"pawl/internal/pgtest"
)

func TestUp_DurableAndExclusive(t *testing.T) {
	t.Parallel()
	pgtest.New(t) // skips where there is no PostgreSQL to embed
	hooks := make(chan fakegithub.Webhook, 10)
	github := fakegithub.New(fakegithub.Config{Webhook: func(hook fakegithub.Webhook) { hooks <- hook }})
	github.AddRepository(101, repository)
	number := github.Open(repository, fakegithub.PullRequest{Author: "ann"})

	dir, webhooks := dataDir(t), freeAddr(t)
	env := append(environment(writeConfig(t, fmt.Sprintf(configFormat, "", "http://127.0.0.1:1/", login, "", noRules.yaml))), "PAWL_LISTEN_WEBHOOKS="+webhooks)
	first := start(t, "up", env, "up", "--data-dir", dir)
	posts := newPoster("http://" + webhooks + "/webhooks/github")
	if err := posts.once(t.Context(), <-hooks); err != nil {
		t.Fatal(err)
	}
	want := shownBy(github.PullRequest(repository, number))
	stored := func() error {
		got, err := embeddedRow(t.Context(), dir, number)
		if err == nil && got != want {
			return fmt.Errorf("the row says %v, want %v", got, want)
		}
		return err
	}
	eventually(t, 20*time.Second, "the row is there", stored)

	refused := exec.CommandContext(t.Context(), binary, "up", "--data-dir", dir)
	refused.Env = append(append(os.Environ(), env...), "PAWL_LISTEN_OPERATIONS="+freeAddr(t))
	output, err := refused.CombinedOutput()
	if err == nil || !strings.Contains(string(output), strconv.Itoa(first.command.Process.Pid)) {
		t.Errorf("a second up on the data directory: %v, want a refusal that names pid %d:\n%s", err, first.command.Process.Pid, output)
	}

	first.kill()
	second := start(t, "up again", env, "up", "--data-dir", dir)
	eventually(t, 20*time.Second, "the row is there after kill -9", stored)
	second.stopped()
}

// dataDir returns a directory that the database's own user may enter.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, open := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(open, 0o755); err != nil { //nolint:gosec // see above
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "data")
}

// embeddedRow reads a pull request from the embedded database: its port stands
// in the server's own file, its password in the data directory.
func embeddedRow(ctx context.Context, dir string, number int) (row, error) {
	state, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	if err != nil {
		return row{}, err
	}
	password, err := os.ReadFile(filepath.Join(dir, "postgres.password"))
	if err != nil {
		return row{}, err
	}
	lines := strings.Split(string(state), "\n")
	if len(lines) < 4 {
		return row{}, errors.New("postmaster.pid is not written yet")
	}
	conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://pawl:%s@127.0.0.1:%s/postgres?sslmode=disable",
		strings.TrimSpace(string(password)), lines[3]))
	if err != nil {
		return row{}, err
	}
	defer conn.Close(ctx)
	var found row
	err = conn.QueryRow(ctx, `select state, head_sha from pawl.pull_request where number = $1`, number).Scan(&found.State, &found.Head)
	return found, err
}
