package embedded_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pawl/internal/embedded"
)

func TestLock_SecondHolderIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	held, err := embedded.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = embedded.Lock(dir)
	if !errors.Is(err, embedded.ErrInUse) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Errorf("got %v, want ErrInUse naming process %d", err, os.Getpid())
	}
	if err := held.Unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := embedded.Lock(dir)
	if err != nil {
		t.Fatalf("after Unlock: %v", err)
	}
	_ = again.Unlock()
}

// TestLock_IsFreeThoughAChildIsBeingStarted: a child shares the open files of its
// parent from fork to exec.
func TestLock_IsFreeThoughAChildIsBeingStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	held, err := embedded.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	childs, err := held.Dup()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(childs) }()
	if err := held.Unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := embedded.Lock(dir)
	if err != nil {
		t.Fatalf("after Unlock: %v", err)
	}
	_ = again.Unlock()
}
