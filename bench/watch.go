package main

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// watcher notes when rows become visible. It asks for the checkpoints a
// thousand times a second from a connection of its own: a checkpoint is
// committed with the rows of its batch (I4), so the rows before it are visible
// to whoever sees it. What it notes is late by up to a millisecond and a query.
type watcher struct {
	stop func()

	mu     sync.Mutex // mu guards what follows
	seen   map[int][]sight
	failed error
}

// sight is a checkpoint, and when it was first seen.
type sight struct {
	next int64
	at   time.Time
}

// watchEvery is the pause between two looks.
const watchEvery = time.Millisecond

func watch(ctx context.Context, s *stages) *watcher {
	ctx, cancel := context.WithCancel(ctx)
	w := &watcher{seen: make(map[int][]sight)}
	done := make(chan struct{})
	w.stop = func() {
		cancel()
		<-done
	}
	go func() {
		defer close(done)
		err := w.run(ctx, s)
		if err != nil && ctx.Err() == nil {
			w.mu.Lock()
			w.failed = err
			w.mu.Unlock()
		}
	}()
	return w
}

func (w *watcher) run(ctx context.Context, s *stages) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	defer conn.Release()
	for ctx.Err() == nil {
		rows, err := conn.Query(ctx, `select log_partition, next_offset from pawl.checkpoint where topic = $1`, s.topics.Deliveries)
		if err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		type held struct {
			Partition int
			Next      int64
		}
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[held])
		if err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		now := time.Now()
		w.mu.Lock()
		for _, f := range found {
			w.note(f.Partition, sight{f.Next, now})
		}
		w.mu.Unlock()
		time.Sleep(watchEvery)
	}
	return nil
}

func (w *watcher) note(partition int, s sight) {
	seen := w.seen[partition]
	if len(seen) == 0 || seen[len(seen)-1].next < s.next {
		w.seen[partition] = append(seen, s)
	}
}

// visibleAt returns when the row of a record was first seen to be visible.
func (w *watcher) visibleAt(partition int, offset int64) (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen[partition]
	i := sort.Search(len(seen), func(i int) bool { return seen[i].next > offset })
	if i == len(seen) {
		return time.Time{}, false
	}
	return seen[i].at, true
}

func (w *watcher) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}
