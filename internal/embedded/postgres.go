package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// PostgresConfig says how to run the cluster.
type PostgresConfig struct {
	// Dir holds the cluster; its parents must be open to the user that the
	// server runs as.
	Dir string
	// Binaries is where a fetched PostgreSQL is kept, if the machine has none.
	// Default: postgres-binaries beside Dir.
	Binaries string
	// Settings are added to the server's: name to value.
	Settings map[string]string
	// Log is told when PostgreSQL must be fetched. Default: nobody is.
	Log *slog.Logger
}

const (
	loopback = "127.0.0.1"
	// startWithin is how long the server may take until it answers: recovery
	// after a crash is part of it.
	startWithin = 60 * time.Second
	// wrongPassword is PostgreSQL's code.
	wrongPassword = "28P01"
)

// errPassing marks a failed start that another attempt may not meet: the port
// was taken meanwhile, or a killed server's last backends still have its memory.
var errPassing = errors.New("postgres cannot start yet")

// Postgres is a PostgreSQL server, a child of this process.
type Postgres struct {
	command *exec.Cmd
	output  tail
	// ended is closed when the process is gone, exited when the cluster is free
	// again too.
	ended, exited chan struct{}
	url           string
}

// StartPostgres starts the server on its directory, and makes the cluster there
// the first time. It returns when the server answers. The error wraps ErrInUse
// while another process has the cluster.
func StartPostgres(ctx context.Context, config PostgresConfig) (*Postgres, error) {
	held, err := holdCluster(config.Dir)
	if err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	p, err := held.start(ctx, config)
	if err != nil {
		held.release()
		return nil, err
	}
	return p, nil
}

func (c *cluster) start(ctx context.Context, config PostgresConfig) (*Postgres, error) {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.Binaries == "" {
		config.Binaries = filepath.Join(filepath.Dir(c.dir), "postgres-binaries")
	}
	bin, err := findBinaries(ctx, c, config.Binaries, config.Log)
	if err != nil {
		return nil, err
	}
	password, err := c.open(ctx, bin)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startWithin, errors.New("postgres did not answer in time"))
	defer cancel()
	for {
		p, err := c.launch(ctx, bin, password, config.Settings)
		if !errors.Is(err, errPassing) {
			return p, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// launch starts the server and waits until it answers. From here on the cluster
// is held until the server has ended.
func (c *cluster) launch(ctx context.Context, bin, password string, settings map[string]string) (*Postgres, error) {
	port, err := FreePort(ctx)
	if err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	p := &Postgres{ended: make(chan struct{}), exited: make(chan struct{}), url: serverURL(port, password)}
	// Not bound to ctx: the server outlives the call and ends by Stop.
	p.command = exec.Command(filepath.Join(bin, "postgres"), c.arguments(port, settings)...) //nolint:noctx // see above
	p.command.SysProcAttr = childAttributes(c.owner)
	p.command.Dir = "/"
	p.command.Stdout, p.command.Stderr = &p.output, &p.output
	p.command.WaitDelay = 5 * time.Second // for backends that outlive a killed server and hold its output
	if err := p.run(); err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	if err := p.waitReady(ctx); err != nil {
		p.end(p.ended)
		return nil, err
	}
	go func() {
		<-p.ended
		c.release()
		close(p.exited)
	}()
	return p, nil
}

func (c *cluster) arguments(port int, settings map[string]string) []string {
	arguments := []string{
		"-D", c.dir,
		"-c", "listen_addresses=" + loopback, "-c", "port=" + strconv.Itoa(port), "-c", "unix_socket_directories=",
		"-c", "max_wal_size=4GB", "-c", "shared_buffers=256MB",
	}
	for name, value := range settings {
		arguments = append(arguments, "-c", name+"="+value)
	}
	return arguments
}

func serverURL(port int, password string) string {
	return (&url.URL{
		Scheme: "postgres", User: url.UserPassword("pawl", password),
		Host: net.JoinHostPort(loopback, strconv.Itoa(port)), Path: "/postgres", RawQuery: "sslmode=disable",
	}).String()
}

// run starts the server and watches for its end. Linux signals the child when
// the thread that made it ends, not the process: that thread is kept until then.
func (p *Postgres) run() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.command.Start()
		started <- err
		if err != nil {
			return
		}
		_ = p.command.Wait()
		close(p.ended)
	}()
	return <-started
}

// waitReady asks until the server answers.
func (p *Postgres) waitReady(ctx context.Context) error {
	for {
		conn, err := pgx.Connect(ctx, p.url)
		if err == nil {
			return conn.Close(ctx)
		}
		if refused := new(pgconn.PgError); errors.As(err, &refused) && refused.Code == wrongPassword {
			return fmt.Errorf("start postgres: the cluster has another password than its file: %w", err)
		}
		select {
		case <-p.ended:
			return p.whyEnded()
		case <-ctx.Done():
			return fmt.Errorf("start postgres: %w: %w", context.Cause(ctx), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *Postgres) whyEnded() error {
	said := strings.TrimSpace(p.output.String())
	if strings.Contains(said, "Address already in use") || strings.Contains(said, "is still in use") {
		return fmt.Errorf("%w: %s", errPassing, said)
	}
	return fmt.Errorf("postgres ended as it started: %s", said)
}

// URL returns the address of the server's default database, password included.
func (p *Postgres) URL() string { return p.url }

// PID returns the server's process id.
func (p *Postgres) PID() int { return p.command.Process.Pid }

// Exited is closed when the server has ended, asked or not.
func (p *Postgres) Exited() <-chan struct{} { return p.exited }

// Stop ends the server fast: open transactions are rolled back, the rest is
// written out. It returns when the server has ended. One that does not end is
// quit, and the next start recovers.
func (p *Postgres) Stop() { p.end(p.exited) }

func (p *Postgres) end(done <-chan struct{}) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		_ = p.command.Process.Signal(signal)
		select {
		case <-done:
			return
		case <-time.After(stopWithin):
		}
	}
}
