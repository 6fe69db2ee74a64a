package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// memoryRate is the steady load, in deliveries a second: less than what the
// roles can take, as in life.
const memoryRate = 300

// role is a process of its own: pawl ingest, projector or actuator.
type role struct {
	name    string
	command *exec.Cmd
	output  *bytes.Buffer
	exited  chan struct{}
	ready   string // address of /readyz
}

// benchMemory measures the resident memory of each role as a process of its
// own, after some seconds of a steady load.
func benchMemory(ctx context.Context, r *report, p *parts, s size) error {
	r.section("Memory of each role at a steady load")
	binary := filepath.Join(p.dir, "pawl")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "pawl/cmd/pawl")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build pawl: %w: %s", err, output)
	}
	github := newProvided()
	base, stop, err := github.serve(ctx)
	if err != nil {
		return err
	}
	defer stop()
	pool, url, err := p.database(ctx, "memory")
	if err != nil {
		return err
	}
	defer pool.Close()
	config := filepath.Join(p.dir, "pawl.yaml")
	if err := os.WriteFile(config, []byte(memoryConfig(p, base)), 0o600); err != nil {
		return fmt.Errorf("configure: %w", err)
	}
	webhooks, err := freeAddr(ctx)
	if err != nil {
		return err
	}
	env := []string{
		"PAWL_DATABASE_URL=" + url, "PAWL_LISTEN_WEBHOOKS=" + webhooks, "PAWL_LOG_LEVEL=error",
		"BENCH_SECRET=" + benchSecret, "BENCH_TOKEN=" + benchToken,
	}
	var roles []*role
	defer func() {
		for _, started := range roles {
			started.end()
		}
	}()
	for _, name := range []string{"ingest", "projector", "actuator"} {
		started, err := startRole(ctx, binary, name, config, env)
		if err != nil {
			return err
		}
		roles = append(roles, started)
	}
	// The latency's deliveries, with a fake of their own.
	l := &latencyBench{stages: &stages{github: github}}
	count := int(memoryRate * s.seconds * 6)
	deliveries, _ := l.build(latencyLoad{count: count, actEvery: actEvery})
	run := &loadRun{addr: webhooks, deliveries: deliveries, connections: 16, count: count, rate: memoryRate}
	if _, err := run.drive(ctx); err != nil {
		return err
	}
	for _, started := range roles {
		megabytes, err := residentMegabytes(started.command.Process.Pid)
		if err != nil {
			return err
		}
		r.add("rss_mb_"+started.name, megabytes, "MB", "", fmt.Sprintf("after %.0f s at %d deliveries a second", s.seconds*6, memoryRate))
	}
	return nil
}

func memoryConfig(p *parts, base string) string {
	return fmt.Sprintf(`%s
sources:
  - {name: github, provider: github, secrets: ["env:BENCH_SECRET"]}
providers:
  github.com: {token: "env:BENCH_TOKEN", base_url: %q}
kafka: {brokers: [%q], topic_prefix: "bench.memory.", partitions: %d, replication_factor: 1}
`, benchRules, base, p.kafka.Addrs()[0], partitions)
}

// startRole starts a role and waits until it says that it is ready.
func startRole(ctx context.Context, binary, name, config string, env []string) (*role, error) {
	operations, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	started := &role{name: name, output: new(bytes.Buffer), exited: make(chan struct{}), ready: "http://" + operations + "/readyz"}
	started.command = exec.CommandContext(ctx, binary, name, "--config", config)
	started.command.Env = append(append(os.Environ(), env...), "PAWL_LISTEN_OPERATIONS="+operations)
	started.command.Stdout, started.command.Stderr = started.output, started.output
	if err := started.command.Start(); err != nil {
		return nil, fmt.Errorf("start pawl %s: %w", name, err)
	}
	go func() {
		_ = started.command.Wait()
		close(started.exited)
	}()
	if err := started.waitReady(ctx); err != nil {
		started.end()
		return nil, fmt.Errorf("start pawl %s: %w: %s", name, err, started.output)
	}
	return started, nil
}

func (r *role) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("not ready in time"))
	defer cancel()
	for {
		if answersOK(ctx, r.ready) {
			return nil
		}
		select {
		case <-r.exited:
			return errors.New("it ended")
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func answersOK(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// end stops the role as an operator does, and kills it if that takes long.
func (r *role) end() {
	_ = r.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-r.exited:
	case <-time.After(20 * time.Second):
		_ = r.command.Process.Kill()
		<-r.exited
	}
}

func freeAddr(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// residentMegabytes reads a process's resident memory, on Linux.
func residentMegabytes(pid int) (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("read memory: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kilobytes / 1024, err
		}
	}
	return 0, fmt.Errorf("read memory: no VmRSS for process %d", pid)
}
