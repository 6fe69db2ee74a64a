package actuator_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/internal/fakegithub"
	"pawl/internal/pgtest"
	"pawl/schemas"
)

// TestI9_NoStatementTakesATime: what several actors compare is told by the
// database's clock. A statement may be given a length of time, never a time.
func TestI9_NoStatementTakesATime(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	files, err := filepath.Glob("sql/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d statements: %v", len(files), err)
	}
	times := []uint32{pgtype.TimestamptzOID, pgtype.TimestamptzArrayOID, pgtype.TimestampOID, pgtype.TimestampArrayOID, pgtype.DateOID, pgtype.TimeOID}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		statement, err := conn.Prepare(t.Context(), file, string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i, oid := range statement.ParamOIDs {
			if slices.Contains(times, oid) {
				t.Errorf("%s: $%d is a time", file, i+1)
			}
		}
	}
}

// TestI9_WrongLocalClock: an actor whose clock is decades off, and jumps by a day
// between two of its passes, beside one whose clock is right. It takes nothing that is
// held, its leases and pauses end by the database's clock, and every effect
// stands once. Inside a bubble of synctest the clock is one of its own.
func TestI9_WrongLocalClock(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		off  time.Duration // from 2000-01-01
	}{
		{name: "behind"},
		{name: "ahead", off: 60 * 365 * 24 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			kinds := slices.DeleteFunc(crashKinds(), func(kind crashKind) bool { return kind.effect == fakegithub.Enqueued })
			r := newContest(t, raceScenario{calm: true, around: failing(fakegithub.Fault{Drop: true})}, kinds, 1)
			for _, cell := range r.cells {
				r.scenario.around(r, cell)
			}
			right := r.actors[0]
			held, release := r.hold(right)
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(tt.off)
				r.actWrongly(t, held)
			})
			release()
			r.passes(right)
			for entity, cell := range r.cells {
				r.judge(entity, cell)
				for _, fault := range cell.faults {
					t.Errorf("%s: %s", cell.kind.name, fault)
				}
			}
		})
	}
}

// hold has an actor stop with a lease in its hands, until it is told to go on.
func (r *contest) hold(a actor) (held schemas.EntityKey, release func()) {
	r.t.Helper()
	there, wake, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	a.OnStep(func(_ string, m schemas.Mutation) {
		if held == "" {
			held = m.Entity
			close(there)
			<-wake
		}
	})
	go func() {
		defer close(over)
		_, _ = a.Pass(context.Background())
	}()
	await(r.t, "it holds a lease", there)
	return held, func() {
		close(wake)
		<-over
	}
}

// actWrongly makes an actor in the bubble that it is called in, and has it serve
// all but what is held, with a jump of the clock after every pass.
func (r *contest) actWrongly(t *testing.T, held schemas.EntityKey) {
	t.Helper()
	pool, err := pgxpool.NewWithConfig(context.Background(), r.pool.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	outside := r.pool // a pool belongs to the bubble that it was first used in
	r.pool = pool
	defer func() { r.pool = outside }()
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	wrong := r.racerOn("wrong", 1, pool, transport)
	wrong.OnStep(func(step string, m schemas.Mutation) {
		cell := r.cells[m.Entity]
		if m.Entity == held {
			cell.fault("it was taken out of the hands of another")
		}
		if !ask[bool](r, cell, `select expires_at between now() and now() + interval '1 minute' from pawl.lease where entity_key = $1`) {
			cell.fault("its lease does not end within a minute")
		}
	})
	wrong.OnBackoff(func(int, time.Duration) time.Duration { return 20 * time.Second })
	jump := func() {
		pool.Reset()
		transport.CloseIdleConnections()
		time.Sleep(24 * time.Hour)
	}
	r.passesApart(t, wrong, jump)
	for entity, cell := range r.cells {
		const paused = `select attempt = 1 and next_attempt_at between now() and now() + interval '20 seconds' from pawl.mutation where entity_key = $1`
		if entity != held && !ask[bool](r, cell, paused) {
			cell.fault("it does not pause for 20 seconds after its first attempt")
		}
	}
	r.due()
	r.passesApart(t, wrong, jump)
}

// passesApart is passes with something between them.
func (r *contest) passesApart(t *testing.T, a actor, between func()) {
	t.Helper()
	for worked := true; worked; between() {
		var err error
		if worked, err = a.Pass(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}
