package embedded

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// childAttributes runs a child as the account, in a process group of its own so
// that a terminal's interrupt reaches it only through us, and ends it when this
// process dies without a word.
func childAttributes(owner *account) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	if owner != nil {
		attributes.Credential = &syscall.Credential{Uid: uint32(owner.uid), Gid: uint32(owner.gid)}
	}
	return attributes
}

// commandLine returns a process's arguments joined by spaces, or "" where there
// is no such process.
func commandLine(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.TrimSpace(strings.ReplaceAll(string(text), "\x00", " "))
}
