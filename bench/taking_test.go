package main

import (
	"context"
	"slices"
	"sync"

	"pawl/ingest"
	"pawl/schemas"
)

// taking is an appender that keeps ids.
type taking struct {
	mu  sync.Mutex // mu guards ids
	ids []schemas.DeliveryID
}

// Append keeps the record's id.
func (t *taking) Append(_ context.Context, record schemas.Record) (ingest.Place, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ids = append(t.ids, record.ID)
	return ingest.Place{}, nil
}

// Ready says nothing.
func (*taking) Ready(context.Context) error { return nil }

func (t *taking) taken() []schemas.DeliveryID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.ids)
}
