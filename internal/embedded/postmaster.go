package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopWithin is how long a server may take to stop: it writes out its buffers.
const stopWithin = 30 * time.Second

// evict makes way for a server on dir. We hold the cluster, so a server that
// runs on it belongs to a pawl that was killed: on Linux it is ending already,
// elsewhere nobody told it. Where none runs, the file that names one goes:
// PostgreSQL would refuse to start if that pid is another process's by now.
func evict(ctx context.Context, dir string) error {
	path := filepath.Join(dir, "postmaster.pid")
	pid, err := readPID(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the last server's pid: %w", err)
	}
	if !serves(pid, dir) {
		return os.Remove(path)
	}
	_ = syscall.Kill(pid, syscall.SIGINT)
	ctx, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	for serves(pid, dir) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("process %d of an earlier start serves %s and does not stop", pid, dir)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// readPID returns the first line of a postmaster.pid, 0 if it is no number.
func readPID(path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid, nil
}

// serves reports whether the process is a PostgreSQL server on dir.
func serves(pid int, dir string) bool {
	return pid > 1 && strings.Contains(commandLine(pid)+" ", "postgres -D "+dir+" ")
}
