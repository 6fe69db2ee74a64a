package embedded

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// cluster is a directory of PostgreSQL's, held by this process.
type cluster struct {
	dir string
	// secret is the file of the password, beside dir. Its lock is the right to
	// the cluster.
	secret *os.File
	owner  *account
	// major is the version that made it; 0 where it is yet to be made.
	major int
}

// holdCluster takes the cluster. The error wraps ErrInUse if it is taken.
func holdCluster(dir string) (*cluster, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	owner, err := accountFor(dir)
	if err != nil {
		return nil, err
	}
	secret, err := os.OpenFile(dir+".password", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(secret); err != nil {
		secret.Close()
		return nil, fmt.Errorf("hold %s: %w", dir, err)
	}
	major, err := readMajor(dir)
	if err != nil {
		secret.Close()
		return nil, err
	}
	return &cluster{dir: dir, secret: secret, owner: owner, major: major}, nil
}

// release gives the cluster back.
func (c *cluster) release() { _ = unflock(c.secret) }

// readMajor returns the version that made the cluster, 0 where there is none.
func readMajor(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// open returns the cluster's password, and makes the cluster where there is
// none.
func (c *cluster) open(ctx context.Context, bin string) (password string, err error) {
	if c.major == 0 {
		return c.create(ctx, bin)
	}
	if err := evict(ctx, c.dir); err != nil {
		return "", err
	}
	text, err := io.ReadAll(c.secret)
	if err != nil {
		return "", fmt.Errorf("read the cluster's password: %w", err)
	}
	password = strings.TrimSpace(string(text))
	if password == "" {
		return "", fmt.Errorf("the cluster %s is there, but its password was taken away: put %s back", c.dir, c.secret.Name())
	}
	return password, nil
}

func (c *cluster) create(ctx context.Context, bin string) (password string, err error) {
	password = rand.Text()
	if err := errors.Join(writeSynced(c.secret, password), c.owner.own(c.secret.Name())); err != nil {
		return "", fmt.Errorf("note the cluster's password: %w", err)
	}
	fresh := c.dir + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(fresh, 0o700), c.owner.own(fresh)); err != nil {
		return "", fmt.Errorf("make cluster: %w", err)
	}
	if err := c.initdb(ctx, bin, fresh); err != nil {
		return "", err
	}
	// The commit point: a crash before the rename leaves a directory that the
	// next start replaces; after it the cluster is there, and its password was
	// written out before.
	if err := os.Rename(fresh, c.dir); err != nil {
		return "", fmt.Errorf("make cluster: %w", err)
	}
	return password, syncDir(filepath.Dir(c.dir))
}

// initdb makes a cluster as the account. It gives the user pawl every right, and
// lets nobody in without the password.
func (c *cluster) initdb(ctx context.Context, bin, dir string) error {
	command := exec.CommandContext(ctx, filepath.Join(bin, "initdb"),
		"-D", dir, "-U", "pawl", "-E", "UTF8", "--locale=C", "--auth=scram-sha-256", "--pwfile="+c.secret.Name())
	command.SysProcAttr = childAttributes(c.owner)
	command.Dir = "/"
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("make cluster in %s as user %s (can that user reach it? a data_dir below /root cannot be): %w: %s",
			dir, c.owner, err, bytes.TrimSpace(output))
	}
	return nil
}

func writeSynced(file *os.File, text string) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	if _, err := file.WriteAt([]byte(text+"\n"), 0); err != nil {
		return err
	}
	return file.Sync()
}

func syncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer file.Close()
	return file.Sync()
}
