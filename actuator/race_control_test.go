package actuator_test

import (
	"strings"
	"testing"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// TestUnfenced_ALateSettleIsBelieved shows that the race matrix can fail. An
// actor was refused by the provider and slept past its lease; another has claimed
// since. With the fence its settle is refused too, and the other's stands.
// Without it the mutation is dead, and what the other did is lost.
func TestUnfenced_ALateSettleIsBelieved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(actor)
		faulty  bool
	}{
		{name: "fenced", prepare: func(actor) {}},
		{name: "unfenced", prepare: func(a actor) { a.Unfence() }, faulty: true},
	}
	kinds := crashKinds()[:1]
	scenario := raceScenario{
		config: briefly(), at: actuator.StepActed, strike: sleepUntilClaimed,
		around: failing(fakegithub.Fault{Status: 422, Message: "Validation Failed"}),
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newContest(t, scenario, kinds, 2)
			for _, a := range r.actors {
				tt.prepare(a)
				a.OnStep(func(step string, m schemas.Mutation) {
					if step == actuator.StepClaimed && r.cells[m.Entity].struck.Load() {
						r.awaitLate(r.cells[m.Entity])
					}
					r.onStep(step, m)
				})
			}
			end := r.start()
			until(t, "the other has its effect", func() bool { return r.ours(101, kinds[0].effect) == 1 })
			end()
			cell := r.cells[entityOf(101)]
			faults := strings.Join(cell.faults, "\n")
			if got := strings.Contains(faults, "want one that is done") && strings.Contains(faults, "dead letter"); got != tt.faulty {
				t.Errorf("the row says that the other's effect is dead: got %t, want %t: %s", got, tt.faulty, faults)
			}
			if !tt.faulty && (faults != "" || cell.fenced != 1) {
				t.Errorf("%d settles were refused, want 1; faults: %s", cell.fenced, faults)
			}
		})
	}
}

// awaitLate waits until the sleeper has settled, or was refused to.
func (r *contest) awaitLate(cell *raceCell) {
	entity := entityOf(cell.number)
	poll(func() bool {
		return r.refused.of(entity) > 0 || ask[bool](r, cell, `select state <> 'claimed' from pawl.mutation where entity_key = $1`)
	})
}
