//go:build unix && !linux

package embedded

import "syscall"

// childAttributes runs a child as the account, in a process group of its own so
// that a terminal's interrupt reaches it only through us.
func childAttributes(owner *account) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if owner != nil {
		attributes.Credential = &syscall.Credential{Uid: uint32(owner.uid), Gid: uint32(owner.gid)}
	}
	return attributes
}
