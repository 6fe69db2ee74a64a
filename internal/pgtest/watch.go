package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// afterwards reads until this process is gone, ends the server if the kernel has
// not, and removes the directory when the server is through with it.
const afterwards = `
cat >/dev/null
kill -INT "$1" 2>/dev/null
while kill -0 "$1" 2>/dev/null; do sleep 0.1; done
rm -rf "$2"`

// watch leaves a process behind that cleans up after this one. A test binary
// has no last line that always runs: a panic, a timeout and os.Exit all skip it.
// What always happens is that the pipe closes. The caller keeps the returned end
// of it for as long as the server is needed.
func watch(pid int, dir string) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("watch the test server: %w", err)
	}
	defer read.Close()
	command := exec.Command("sh", "-c", afterwards, "sh", strconv.Itoa(pid), dir) //nolint:noctx // outlives this process
	command.Stdin = read
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		write.Close()
		return nil, fmt.Errorf("watch the test server: %w", err)
	}
	return write, nil
}
