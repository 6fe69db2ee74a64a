package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// account is the user that PostgreSQL runs as. A nil account is this process's
// own.
type account struct {
	name     string
	uid, gid int
}

// errOnlyRoot is returned where there is nobody to drop to.
var errOnlyRoot = errors.New("postgres does not run as root, and there is no user postgres or nobody to run it as: start pawl as another user")

// accountFor returns the account that the server on dir runs as: none unless
// this process is root, else the cluster's owner, or postgres or nobody where
// there is no cluster yet.
func accountFor(dir string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // nil is this process's own account
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return unprivileged()
	}
	if err != nil {
		return nil, err
	}
	status, ok := info.Sys().(*syscall.Stat_t)
	if !ok || status.Uid == 0 {
		return unprivileged()
	}
	return &account{name: "#" + strconv.Itoa(int(status.Uid)), uid: int(status.Uid), gid: int(status.Gid)}, nil
}

func unprivileged() (*account, error) {
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(found.Uid)
		gid, gidErr := strconv.Atoi(found.Gid)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return &account{name: name, uid: uid, gid: gid}, nil
		}
	}
	return nil, errOnlyRoot
}

// own gives a path to the account.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	if err := os.Chown(path, a.uid, a.gid); err != nil {
		return fmt.Errorf("give to user %s: %w", a, err)
	}
	return nil
}

// String returns the account's name.
func (a *account) String() string {
	if a == nil {
		return "#" + strconv.Itoa(os.Geteuid())
	}
	return a.name
}
