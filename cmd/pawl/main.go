// Command pawl turns webhooks of a code host into one state per pull request
// that only moves forward, and acts on each change of it once.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() { os.Exit(run()) }

// gcPercent trades memory for time: bodies come and go in batches, and what
// lives long is small. GOGC overrides it.
const gcPercent = 300

// run runs one command and returns the exit status: 0, 1 (the answer is no, or
// it failed) or 2 (usage). The first signal asks it to drain and end, a second
// one ends it at once.
func run() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	err := newRoot().ExecuteContext(ctx)
	var usage *usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNo):
		return 1
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "pawl:", err)
		return 2
	}
	fmt.Fprintln(os.Stderr, "pawl:", err)
	return 1
}
