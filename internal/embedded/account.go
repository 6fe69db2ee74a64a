package embedded

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
)

// account is the user that PostgreSQL runs as. A nil account is this process's
// own.
type account struct {
	name     string
	uid, gid int
}

// unprivileged returns the account to drop to: none unless this process is
// root, else postgres or nobody.
func unprivileged() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // nil is this process's own account
	}
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
	return nil, fmt.Errorf("postgres does not run as root, and there is no user postgres or nobody to run it as: start pawl as another user")
}

// own gives a path to the account.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// String returns the account's name.
func (a *account) String() string {
	if a == nil {
		return strconv.Itoa(os.Geteuid())
	}
	return a.name
}
