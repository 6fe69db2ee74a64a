package realkafka

import "syscall"

// childAttributes keeps a terminal's interrupt from the child and ends it with
// this process: a test that runs out of time must leave no JVM behind.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
