package embedded

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// PostgresConfig says how to run the cluster.
type PostgresConfig struct {
	// Dir holds the cluster; its parents must be open to the user that the
	// server runs as.
	Dir string
	// Settings are added to the server's: name to value.
	Settings map[string]string
}

// startWithin is how long the server may take until it answers: recovery after
// a crash is part of it.
const startWithin = 60 * time.Second

// Postgres is a PostgreSQL server, a child of this process.
type Postgres struct {
	command *exec.Cmd
	output  *bytes.Buffer
	exited  chan struct{}
	url     string
}

// StartPostgres starts the server on its directory, and makes the cluster there
// the first time. It returns when the server answers.
func StartPostgres(ctx context.Context, config PostgresConfig) (*Postgres, error) {
	bin, err := findBinaries(ctx, config.Dir)
	if err != nil {
		return nil, err
	}
	owner, err := unprivileged()
	if err != nil {
		return nil, err
	}
	password, err := prepare(ctx, bin, owner, config.Dir)
	if err != nil {
		return nil, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	return launch(ctx, bin, owner, config, port, password)
}

// prepare makes the cluster where there is none. The commit point is the
// rename: a crash before it leaves a directory that the next start replaces.
func prepare(ctx context.Context, bin string, owner *account, dir string) (password string, err error) {
	passwordFile := dir + ".password"
	if _, err := os.Stat(filepath.Join(dir, "PG_VERSION")); err == nil {
		text, err := os.ReadFile(passwordFile)
		if err != nil {
			return "", fmt.Errorf("start postgres: the cluster's password: %w", err)
		}
		return strings.TrimSpace(string(text)), nil
	}
	password = rand.Text()
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", fmt.Errorf("make cluster: %w", err)
	}
	if err := os.WriteFile(passwordFile, []byte(password+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("make cluster: %w", err)
	}
	fresh := dir + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(fresh, 0o700), owner.own(fresh), owner.own(passwordFile)); err != nil {
		return "", fmt.Errorf("make cluster: %w", err)
	}
	if err := initdb(ctx, bin, owner, fresh, passwordFile); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return "", fmt.Errorf("make cluster: %w", err)
	}
	return password, nil
}

func initdb(ctx context.Context, bin string, owner *account, dir, passwordFile string) error {
	command := exec.CommandContext(ctx, filepath.Join(bin, "initdb"),
		"-D", dir, "-U", "pawl", "-E", "UTF8", "--locale=C", "--auth=scram-sha-256", "--pwfile="+passwordFile)
	command.SysProcAttr = childAttributes(owner)
	command.Dir = "/"
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("make cluster in %s as user %s (can that user reach it? a data_dir below /root cannot be): %w: %s",
			dir, owner, err, bytes.TrimSpace(output))
	}
	return nil
}

func launch(ctx context.Context, bin string, owner *account, config PostgresConfig, port int, password string) (*Postgres, error) {
	arguments := []string{
		"-D", config.Dir,
		"-c", "listen_addresses=127.0.0.1", "-c", "port=" + strconv.Itoa(port), "-c", "unix_socket_directories=",
		"-c", "max_wal_size=4GB", "-c", "shared_buffers=256MB",
	}
	for name, value := range config.Settings {
		arguments = append(arguments, "-c", name+"="+value)
	}
	p := &Postgres{output: new(bytes.Buffer), exited: make(chan struct{})}
	// Not bound to ctx: the server outlives the call and ends by Stop.
	p.command = exec.Command(filepath.Join(bin, "postgres"), arguments...) //nolint:noctx // see above
	p.command.SysProcAttr = childAttributes(owner)
	p.command.Dir = "/"
	p.command.Stdout, p.command.Stderr = p.output, p.output
	p.url = (&url.URL{
		Scheme: "postgres", User: url.UserPassword("pawl", password),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Path: "/postgres", RawQuery: "sslmode=disable",
	}).String()
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	go func() {
		_ = p.command.Wait()
		close(p.exited)
	}()
	if err := p.waitReady(ctx); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// waitReady asks until the server answers.
func (p *Postgres) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startWithin, errors.New("postgres did not answer in time"))
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, p.url)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-p.exited:
			return fmt.Errorf("postgres ended as it started: %s", bytes.TrimSpace(p.output.Bytes()))
		case <-ctx.Done():
			return fmt.Errorf("start postgres: %w: %w", context.Cause(ctx), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// URL returns the address of the server's default database, password included.
func (p *Postgres) URL() string { return p.url }

// PID returns the server's process id.
func (p *Postgres) PID() int { return p.command.Process.Pid }

// Exited is closed when the server has ended, asked or not.
func (p *Postgres) Exited() <-chan struct{} { return p.exited }

// Stop ends the server fast: open transactions are rolled back, the rest is
// written out. It returns when the server has ended.
func (p *Postgres) Stop() {
	_ = p.command.Process.Signal(syscall.SIGINT)
	select {
	case <-p.exited:
	case <-time.After(30 * time.Second):
		_ = p.command.Process.Kill()
		<-p.exited
	}
}

func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
