package e2e_test

import (
	"slices"
	"testing"
	"time"
)

// stopWithin is what an orchestrator gives a process before it kills it.
const stopWithin = 25 * time.Second

func TestStop_DrainsWithinTime(t *testing.T) {
	t.Parallel()
	onEachBroker(t, func(t *testing.T, b broker) { //nolint:thelper // a test, not a helper
		w := newWorld(t, b, pipelineRules)
		numbers := live(w.github)
		arrived := shuffledAndDoubled(w.lived(), 3)
		roles := []string{"ingest", "projector", "actuator"}
		running := make([]*program, len(roles))
		for n, role := range roles {
			running[n] = w.start(role, role)
		}
		go w.forward()
		parts := slices.Collect(slices.Chunk(arrived, 1+len(arrived)/len(roles)))
		for n, role := range roles {
			w.postAround(parts[n], func() {
				running[n].stopped()
				running[n] = w.start(role+" again", role)
			})
		}
		eventually(t, 60*time.Second, "everything is settled", w.unsettled)
		w.checkLog()
		w.checkRows(numbers)
		w.checkEffects()
		for _, p := range running {
			p.stopped()
		}
	})
}

// stopped ends a process in order and expects it to say so.
func (p *program) stopped() {
	p.t.Helper()
	began := time.Now()
	p.stop()
	if took := time.Since(began); took > stopWithin {
		p.t.Errorf("%s took %s to end", p.name, took)
	}
	if status := p.command.ProcessState.ExitCode(); status != 0 {
		p.t.Errorf("%s ended with status %d, want 0:\n%s", p.name, status, p.output.tail(2000))
	}
}
