package e2e_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"pawl/internal/fakegithub"
)

// heldCall is a call that reached the provider and has no answer yet.
type heldCall struct {
	t       *testing.T
	reached chan struct{}
	release func()
}

// hold keeps the next call that the fault matches. It is released at the latest
// when the test ends.
func (w *world) hold(fault fakegithub.Fault) *heldCall {
	w.t.Helper()
	answer := make(chan struct{})
	held := &heldCall{t: w.t, reached: make(chan struct{}), release: sync.OnceFunc(func() { close(answer) })}
	w.t.Cleanup(held.release)
	fault.Reached, fault.Hold = held.reached, answer
	w.github.Fail(fault)
	return held
}

// holdComment lets the next comment be written and keeps the answer: the caller
// that dies meanwhile leaves an outcome that nobody knows.
func (w *world) holdComment() *heldCall {
	w.t.Helper()
	return w.hold(fakegithub.Fault{Method: http.MethodPost, Path: "/comments", AfterApplying: true})
}

func (h *heldCall) wait() {
	h.t.Helper()
	select {
	case <-h.reached:
	case <-time.After(60 * time.Second):
		h.t.Fatal("no call reached the provider within 60 s")
	}
}

// expireLeases lets the time of a dead process's leases pass, a minute that the
// test does not wait. It is called when the successor is ready: just after the
// kill the database may still run the dead process's last statement, which
// renews one.
func (w *world) expireLeases(dead *program) {
	w.t.Helper()
	select {
	case <-dead.exited:
	default:
		w.t.Fatalf("%s is alive: its leases are its own", dead.name)
	}
	_, err := w.pool.Exec(w.t.Context(), `update pawl.lease set expires_at = now() where owner like '%/' || $1::text`,
		strconv.Itoa(dead.command.Process.Pid))
	if err != nil {
		w.t.Fatal(err)
	}
}
