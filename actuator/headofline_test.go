package actuator_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// hour is a failing pull request's: its pauses add up as they would pass, and
// are made in no time.
type hour struct {
	mu     sync.Mutex // mu guards what follows
	passed time.Duration
	pauses int
}

func (h *hour) pass(_ int, pause time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.passed += pause
	h.pauses++
	return 10 * time.Millisecond
}

func (h *hour) told() (time.Duration, int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.passed, h.pauses
}

// TestI11_AnHourOfFailuresDelaysNoOther is hard part 12: one pull request among
// a thousand, whose call hangs and then fails, for an hour of its pauses.
func TestI11_AnHourOfFailuresDelaysNoOther(t *testing.T) {
	t.Parallel()
	const others = 1000
	r := newRig(t, ruleOf("{comment: {body: hello}}"))
	a := r.actor("a", actuator.Config{Workers: 4, MaxAttempts: 1000})
	failing := new(hour)
	a.OnBackoff(failing.pass)
	fault := fakegithub.Fault{Method: http.MethodPost, Path: "/issues/1/comments", Times: -1, Status: http.StatusBadGateway, Delay: 20 * time.Millisecond}
	r.github.Fail(fault)
	for number := range 1 + others {
		r.github.Open(repo, fakegithub.PullRequest{HeadSHA: fmt.Sprintf("%040d", number)})
	}
	stop := run(t, a)
	r.decideOn(a, 1)
	until(t, "the first has failed", func() bool { _, pauses := failing.told(); return pauses > 0 })
	for number := range others {
		r.decideOn(a, 2+number)
	}
	until(t, "the hour is over", func() bool { passed, _ := failing.told(); return passed > time.Hour })
	until(t, "all others are done", func() bool {
		return query[int](r, `select count(*) from pawl.mutation where state = 'done'`) == others
	})
	if got := query[string](r, `select state from pawl.mutation where entity_key = $1`, entityOf(1)); got == "done" || got == "dead" {
		t.Errorf("the failing one: got it %s, want it open", got)
	}
	// The failing one has not ended, so none of them can have waited for that.
	if got := query[int](r, `select max(attempt) from pawl.mutation where state = 'done'`); got != 1 {
		t.Errorf("attempts of the others: got up to %d, want 1", got)
	}
	r.github.Heal()
	until(t, "the failing one is done", func() bool {
		return query[int](r, `select count(*) from pawl.mutation where state = 'done'`) == 1+others
	})
	stop()
	if got := r.ours(1, fakegithub.CommentCreated); got != 1 {
		t.Errorf("comments on the failing one: got %d, want 1", got)
	}
	passed, pauses := failing.told()
	t.Logf("%d attempts failed, %s apart in all", pauses, passed.Round(time.Second))
}

// decideOn decides on a pull request that is not folded: the transition carries
// it.
func (r *rig) decideOn(a actor, number int) {
	r.t.Helper()
	cause := schemas.Cause{Source: "github", DeliveryID: schemas.DeliveryID(fmt.Sprintf("d-%d", r.next.Add(1))), Provider: "github", ReceivedAt: time.Now().UTC()}
	tr := schemas.NewTransition(entityOf(number), schemas.KindLabelsChanged, schemas.Value{}, schemas.Value{Text: "x"}, cause)
	tr.PullRequest = r.row(number)
	if err := a.Decide(context.Background(), tr, encode(r.t, tr)); err != nil {
		r.t.Fatal(err)
	}
}
