package actuator_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pawl/actuator"
	"pawl/internal/fakegithub"
)

// raceScenario is what happens to several actuators that are after the same
// mutations.
type raceScenario struct {
	name   string
	config actuator.Config
	// strike happens to the first actor that is at this step with a mutation.
	at     string
	strike func(*contest, *raceCell)
	// around is what happens beside the actors; it is called before they start.
	around func(*contest, *raceCell)
	// fenced: a settle of each mutation must be refused. calm: none may be.
	fenced, calm bool
	// outlived: a call reaches the provider when its lease is over, which the
	// margin keeps from happening unless a process stops in the very call.
	outlived bool
}

// briefly is a lease that can be slept through. Its margin is as wide as a call
// may take on a machine that is busy with other tests.
func briefly() actuator.Config {
	return actuator.Config{Lease: 1500 * time.Millisecond, Margin: 1250 * time.Millisecond, CallTimeout: 1200 * time.Millisecond}
}

// mostlyMargin is a lease that nobody loses, with little time to start calls.
func mostlyMargin() actuator.Config {
	return actuator.Config{Lease: 20 * time.Second, Margin: 19_850 * time.Millisecond, CallTimeout: 10 * time.Second}
}

func raceScenarios() []raceScenario {
	scenarios := []raceScenario{
		{name: "together", calm: true},
		{name: "lost, not applied", calm: true, around: failing(fakegithub.Fault{Drop: true})},
		{name: "lost, applied", calm: true, around: failing(fakegithub.Fault{Drop: true, AfterApplying: true})},
		{name: "margin", config: mostlyMargin(), at: actuator.StepLooked, calm: true, strike: intoTheMargin},
		{name: "outlived, on its way", fenced: true, outlived: true, around: outliving(fakegithub.Fault{})},
		{name: "outlived, applied", fenced: true, outlived: true, around: outliving(fakegithub.Fault{AfterApplying: true})},
	}
	for _, step := range []string{actuator.StepClaimed, actuator.StepLooked, actuator.StepActed} {
		scenarios = append(scenarios,
			raceScenario{name: step + ", wakes beside it", config: briefly(), at: step, fenced: true, strike: sleepUntilClaimed},
			raceScenario{name: step + ", wakes after it", config: briefly(), at: step, fenced: true, strike: sleepUntilSettled})
	}
	return append(scenarios, raceScenario{name: "cut all the time", outlived: true, around: cutting})
}

// failing has the call that changes fail once.
func failing(fault fakegithub.Fault) func(*contest, *raceCell) {
	return func(r *contest, cell *raceCell) { r.github.Fail(cell.faultOn(fault)) }
}

// intoTheMargin sleeps until no call may be started any more, and no longer.
func intoTheMargin(r *contest, _ *raceCell) {
	time.Sleep(r.scenario.config.Lease - r.scenario.config.Margin + time.Millisecond) // the pause is what is tested
}

// sleepUntilClaimed sleeps past the lease, until another actor has claimed.
func sleepUntilClaimed(r *contest, cell *raceCell) { r.awaitOther(cell, r.fence(cell)) }

// sleepUntilSettled sleeps until another actor has been and gone.
func sleepUntilSettled(r *contest, cell *raceCell) {
	r.awaitOther(cell, r.fence(cell))
	r.awaitSettled(cell)
}

// outliving holds the first call that changes, ends the lease under it, and lets
// the call go on when another actor has settled.
func outliving(fault fakegithub.Fault) func(*contest, *raceCell) {
	return func(r *contest, cell *raceCell) {
		reached, hold := make(chan struct{}), make(chan struct{})
		fault := cell.faultOn(fault)
		fault.Reached, fault.Hold = reached, hold
		r.github.Fail(fault)
		r.chores.Go(func() {
			defer close(hold)
			select {
			case <-reached:
			case <-time.After(deadline):
				cell.fault("the call was not made")
				return
			}
			fence := r.fence(cell)
			r.cut(cell)
			r.awaitOther(cell, fence)
			r.awaitSettled(cell)
		})
	}
}

func (r *contest) cut(cell *raceCell) {
	if _, err := r.pool.Exec(r.t.Context(), `update pawl.lease set expires_at = now() where entity_key = $1`, entityOf(cell.number)); err != nil {
		cell.fault("cut the lease: %v", err)
	}
}

// cutting makes the call that changes slow, before or after it is applied, and
// ends the lease again and again before a call can be over.
func cutting(r *contest, cell *raceCell) {
	r.github.Fail(cell.faultOn(fakegithub.Fault{Delay: 50 * time.Millisecond, Times: -1, AfterApplying: cell.number%2 == 0}))
	r.chores.Go(func() {
		r.await(cell, "it is claimed", `select exists (select from pawl.lease where entity_key = $1)`)
		for range 30 {
			r.cut(cell)
			time.Sleep(15 * time.Millisecond)
		}
	})
}

// TestI9_RaceMatrix: two and eight actuators are after one mutation of each
// kind, and every scenario lets them meet in another way. In the end each effect
// stands once, each mutation is settled, and who settled too late was refused.
func TestI9_RaceMatrix(t *testing.T) {
	t.Parallel()
	for _, actuators := range []int{2, 8} {
		t.Run(fmt.Sprintf("%d actuators", actuators), func(t *testing.T) {
			t.Parallel()
			ended := newRaceTable()
			t.Cleanup(func() {
				t.Logf("%d actuators: effects at the provider, attempts, settles refused\n%s", actuators, ended)
			})
			for _, scenario := range raceScenarios() {
				t.Run(scenario.name, func(t *testing.T) {
					t.Parallel()
					for _, cell := range playRace(t, scenario, actuators) {
						for _, fault := range cell.faults {
							t.Errorf("%s: %s", cell.kind.name, fault)
						}
						ended.add(scenario.name, cell)
					}
				})
			}
		})
	}
}

// playRace plays a scenario with all kinds. A merge queue is demanded for a
// whole repository, so that kind has a race of its own.
func playRace(t *testing.T, scenario raceScenario, actuators int) []*raceCell {
	t.Helper()
	kinds := crashKinds()
	queue := slices.DeleteFunc(slices.Clone(kinds), func(kind crashKind) bool { return kind.effect != fakegithub.Enqueued })
	rest := slices.DeleteFunc(kinds, func(kind crashKind) bool { return kind.effect == fakegithub.Enqueued })
	var ended []*raceCell
	refused := 0
	contests := []*contest{newContest(t, scenario, rest, actuators), newContest(t, scenario, queue, actuators)}
	ends := []func(){contests[0].start(), contests[1].start()}
	for i, r := range contests {
		ends[i]()
		ended = append(ended, r.inOrder()...)
	}
	for _, cell := range ended {
		refused += cell.fenced
	}
	if refused == 0 && !scenario.calm {
		t.Error("no settle was refused: the scenario did nothing")
	}
	return ended
}

// raceTable is the matrix as it is printed.
type raceTable struct {
	mu    sync.Mutex // mu guards what follows
	cells map[string]map[string]string
}

func newRaceTable() *raceTable { return &raceTable{cells: make(map[string]map[string]string)} }

func (m *raceTable) add(scenario string, cell *raceCell) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cells[cell.kind.name] == nil {
		m.cells[cell.kind.name] = make(map[string]string)
	}
	m.cells[cell.kind.name][scenario] = fmt.Sprintf("%d %d %d", cell.effects, cell.attempts, cell.fenced)
}

// String lists the scenarios by letter, and the kinds by line.
func (m *raceTable) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%-18s", "")
	for i := range raceScenarios() {
		fmt.Fprintf(&b, " | %-7c", 'a'+i)
	}
	for _, kind := range crashKinds() {
		fmt.Fprintf(&b, "\n%-18s", kind.name)
		for _, scenario := range raceScenarios() {
			fmt.Fprintf(&b, " | %-7s", m.cells[kind.name][scenario.name])
		}
	}
	for i, scenario := range raceScenarios() {
		fmt.Fprintf(&b, "\n%c: %s", 'a'+i, scenario.name)
	}
	return b.String()
}
