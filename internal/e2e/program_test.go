package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary is the program under test, built once for the package.
var binary string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pawl-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "pawl")
	build := exec.Command("go", "build", "-o", binary, "pawl/cmd/pawl") //nolint:noctx // before any test has a context
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build pawl: %v\n%s", err, output)
		return 1
	}
	return m.Run()
}

// program is one running process of pawl.
type program struct {
	t          *testing.T
	name       string
	command    *exec.Cmd
	output     *lockedBuffer
	operations string
	exited     chan struct{}
}

// start runs pawl with arguments and its own operations port, and waits until
// it says that it is ready.
func start(t *testing.T, name string, env []string, args ...string) *program {
	t.Helper()
	p := &program{t: t, name: name, output: &lockedBuffer{}, operations: freeAddr(t), exited: make(chan struct{})}
	p.command = exec.Command(binary, args...) //nolint:noctx // killed by the test, on purpose without grace
	p.command.Env = append(append(os.Environ(), env...), "PAWL_LISTEN_OPERATIONS="+p.operations)
	p.command.Stdout, p.command.Stderr = p.output, p.output
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.command.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() {
		_ = p.command.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("output of %s:\n%s", name, p.output.tail(4000))
		}
	})
	p.waitReady()
	return p
}

func (p *program) waitReady() {
	p.t.Helper()
	eventually(p.t, 60*time.Second, p.name+" is ready", func() error {
		select {
		case <-p.exited:
			p.t.Fatalf("%s ended before it was ready:\n%s", p.name, p.output.tail(4000))
		default:
		}
		return getOK(p.t.Context(), "http://"+p.operations+"/readyz")
	})
}

// kill ends the process without grace, as a crash does.
func (p *program) kill() {
	_ = p.command.Process.Signal(syscall.SIGKILL)
	<-p.exited
}

// stop ends the process as an operator does.
func (p *program) stop() {
	p.t.Helper()
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(30 * time.Second):
		p.t.Errorf("%s did not end within 30 s of SIGTERM", p.name)
		p.kill()
	}
}

func getOK(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", url, response.Status)
	}
	return nil
}

// eventually asks until check is content, and fails with its last word.
func eventually(t *testing.T, within time.Duration, what string, check func() error) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %s: %v", what, within, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// lockedBuffer collects a process's output while it is read.
type lockedBuffer struct {
	mu sync.Mutex // guards buffer
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) tail(n int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := b.String()
	return text[max(0, len(text)-n):]
}
