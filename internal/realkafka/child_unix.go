//go:build unix && !linux

package realkafka

import "syscall"

// childAttributes keeps a terminal's interrupt from the child.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
