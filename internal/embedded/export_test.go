package embedded

import "syscall"

// Seams for tests.
var (
	ParseMajor = parseMajor
	Fetch      = fetch
)

// Dup returns another descriptor of the lock's open file: what a child holds
// between fork and exec.
func (l *DirLock) Dup() (int, error) { return syscall.Dup(int(l.file.Fd())) }
