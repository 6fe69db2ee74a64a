//go:build unix && !linux

package embedded

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// childAttributes runs a child as the account, in a process group of its own so
// that a terminal's interrupt reaches it only through us. It outlives a killed
// parent: the next start ends it.
func childAttributes(owner *account) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if owner != nil {
		attributes.Credential = &syscall.Credential{Uid: uint32(owner.uid), Gid: uint32(owner.gid)}
	}
	return attributes
}

// commandLine returns a process's arguments joined by spaces, or "" where there
// is no such process.
func commandLine(pid int) string {
	output, _ := exec.CommandContext(context.Background(), "ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return strings.TrimSpace(string(output))
}
