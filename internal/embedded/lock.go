package embedded

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ErrInUse is returned when another process, or another part of this one, holds
// a directory.
var ErrInUse = errors.New("data directory is in use")

// DirLock is the exclusive right to a data directory. It ends with Unlock or
// with the process, however that ends.
type DirLock struct{ file *os.File }

// Lock takes the data directory for this process and makes it where it is
// missing. The error wraps ErrInUse and names the holder's pid.
func Lock(dir string) (*DirLock, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	if err := flock(file); err != nil {
		holder, _ := io.ReadAll(io.LimitReader(file, 32))
		file.Close()
		return nil, fmt.Errorf("%w: %s is held by process %s; stop it, or choose another data_dir",
			err, dir, strings.TrimSpace(string(holder)))
	}
	if err := writePID(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock data directory %s: %w", dir, err)
	}
	return &DirLock{file: file}, nil
}

// flock takes a file or directory for its open descriptor, which no child
// inherits. It does not wait.
func flock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}

func writePID(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// Unlock gives the data directory back.
func (l *DirLock) Unlock() error { return unflock(l.file) }

// unflock gives a file back and closes it. Closing alone is not enough: between
// fork and exec a child that another goroutine starts shares the open file, and
// with it the lock.
func unflock(file *os.File) error {
	return errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}
