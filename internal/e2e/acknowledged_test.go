package e2e_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

// An ingest that dies under load may have appended what it did not
// acknowledge, never the other way round.
func TestI1_AcknowledgedIsInTheLog(t *testing.T) {
	t.Parallel()
	onEachBroker(t, func(t *testing.T, b broker) { //nolint:thelper // a test, not a helper
		w := newWorld(t, b, noRules)
		live(w.github)
		arrived := shuffledAndDoubled(w.lived(), 2)
		w.start("projector", "projector")
		for round := range 3 {
			ingest := w.start("ingest", "ingest")
			load, stop := context.WithCancel(t.Context())
			var posting sync.WaitGroup
			for first := range connections {
				posting.Go(func() {
					for n := first; load.Err() == nil; n += connections {
						_ = w.posts.once(load, arrived[n%len(arrived)])
					}
				})
			}
			w.untilPosted(w.posts.count() + 100*(round+1))
			ingest.kill()
			stop()
			posting.Wait()
		}
		eventually(t, 60*time.Second, "every acknowledged delivery has its verdict, and all else in the log", w.unsettled)
		w.checkLog()
	})
}

// untilPosted waits until so many deliveries were acknowledged.
func (w *world) untilPosted(many int) {
	w.t.Helper()
	eventually(w.t, 60*time.Second, fmt.Sprintf("%d deliveries are acknowledged", many), func() error {
		if count := w.posts.count(); count < many {
			return fmt.Errorf("%d are", count)
		}
		return nil
	})
}
