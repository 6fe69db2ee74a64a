package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// part is something that runs until its context ends.
type part struct {
	name string
	run  func(ctx context.Context) error
}

// runStages runs all parts of all stages until the context ends or one of them
// fails, and then stops stage after stage: the intake first, then those that
// consume, so that nothing is taken in that nobody would finish. It returns the
// first failure.
func runStages(ctx context.Context, stages ...[]part) error {
	failed, fail := context.WithCancelCause(context.WithoutCancel(ctx))
	defer fail(nil)
	type running struct {
		stop context.CancelFunc
		done sync.WaitGroup
	}
	started := make([]*running, len(stages))
	for i, stage := range stages {
		stageCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
		defer stop()
		started[i] = &running{stop: stop}
		for _, p := range stage {
			started[i].done.Go(func() {
				err := p.run(stageCtx)
				if err == nil && stageCtx.Err() == nil {
					err = errors.New("ended by itself")
				}
				if err != nil {
					fail(fmt.Errorf("%s: %w", p.name, err))
				}
			})
		}
	}
	select {
	case <-ctx.Done():
	case <-failed.Done():
	}
	for _, stage := range started {
		stage.stop()
		stage.done.Wait()
	}
	if cause := context.Cause(failed); failed.Err() != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}
