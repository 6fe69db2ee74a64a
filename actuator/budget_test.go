package actuator

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// clockedBudget is a budget whose clock the test moves.
func clockedBudget(l limits) (*budget, *time.Time) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := newBudget(l)
	b.now = func() time.Time { return now }
	return b, &now
}

// waitOf returns how long a call has to wait, 0 where it was admitted.
func waitOf(t *testing.T, b *budget, c call) time.Duration {
	t.Helper()
	err := b.admit(c)
	var refused *limitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &refused):
		t.Fatalf("got %v, want a limit", err)
	}
	if f := classify(fmt.Errorf("call: %w", err)); f.verdict != limited {
		t.Errorf("verdict: got %s, want %s", f.verdict, limited)
	}
	return refused.until.Sub(b.now())
}

var read, other = call{key: "GET /", resource: resourceCore}, call{key: "GET /other", resource: resourceGraphQL}

func change(key string) call { return call{change: true, key: key, resource: resourceCore} }

func TestBudget_ChangesTakeTurns(t *testing.T) {
	t.Parallel()
	b, now := clockedBudget(limits{spacing: time.Second})
	for i, want := range []time.Duration{0, time.Second, 2 * time.Second} {
		if got := waitOf(t, b, change(fmt.Sprint(i))); got != want {
			t.Errorf("change %d: wait %s, want %s", i, got, want)
		}
	}
	if got := waitOf(t, b, change("1")); got != time.Second {
		t.Errorf("asked too early: wait %s, want the turn it had", got)
	}
	if got := waitOf(t, b, read); got != 0 {
		t.Errorf("a read: wait %s, want none", got)
	}
	*now = now.Add(2 * time.Second)
	if got := waitOf(t, b, change("2")); got != 0 {
		t.Errorf("its turn: wait %s, want none", got)
	}
	if got := waitOf(t, b, change("1")); got != time.Second {
		t.Errorf("late for its turn: wait %s, want a second after the last", got)
	}
}

func TestBudget_ForgottenTurnIsGivenUp(t *testing.T) {
	t.Parallel()
	b, now := clockedBudget(limits{spacing: time.Second})
	waitOf(t, b, change("a"))
	waitOf(t, b, change("b"))
	*now = now.Add(heldReservation + 2*time.Second)
	if got := waitOf(t, b, change("c")); got != 0 || len(b.reserved) != 0 {
		t.Errorf("wait %s with %d reservations, want none", got, len(b.reserved))
	}
}

// TestBudget_NoTwoChangesWithinASecond: whatever comes back whenever.
func TestBudget_NoTwoChangesWithinASecond(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b, now := clockedBudget(limits{spacing: time.Second, points: 60})
		var started []time.Time
		spent := 0
		for i := range rapid.IntRange(1, 60).Draw(t, "calls") {
			*now = now.Add(time.Duration(rapid.IntRange(0, 1500).Draw(t, "milliseconds")) * time.Millisecond)
			c := change(fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "entity")))
			if err := b.admit(c); err != nil {
				var refused *limitError
				if !errors.As(err, &refused) || !refused.until.After(*now) {
					t.Fatalf("call %d: got %v at %s, want a time to come", i, err, *now)
				}
				continue
			}
			if n := len(started); n > 0 && now.Sub(started[n-1]) < time.Second {
				t.Fatalf("call %d: %s after the one before", i, now.Sub(started[n-1]))
			}
			started = append(started, *now)
			spent = 0
			for _, at := range slices.Backward(started) {
				if now.Sub(at) < time.Minute {
					spent += changePoints
				}
			}
			if spent > 60 {
				t.Fatalf("call %d: %d points within a minute", i, spent)
			}
		}
	})
}

func TestBudget_PointsOfAMinute(t *testing.T) {
	t.Parallel()
	b, now := clockedBudget(limits{points: 11})
	waitOf(t, b, change("a"))
	*now = now.Add(10 * time.Second)
	waitOf(t, b, change("b"))
	if got := waitOf(t, b, read); got != 0 {
		t.Errorf("the last point: wait %s, want none", got)
	}
	if got := waitOf(t, b, read); got != 50*time.Second {
		t.Errorf("no point left: wait %s, want until the first is a minute old", got)
	}
	*now = now.Add(50 * time.Second)
	if got := waitOf(t, b, change("c")); got != 0 {
		t.Errorf("a minute later: wait %s, want none", got)
	}
}

func TestBudget_PrimaryLimit(t *testing.T) {
	t.Parallel()
	b, now := clockedBudget(limits{})
	reset := now.Add(time.Hour)
	b.learnPrimary(resourceCore, primaryLimit{remaining: 1, reset: reset})
	b.learnPrimary(resourceCore, primaryLimit{remaining: 4, reset: reset}) // an older answer, overtaken
	if got := waitOf(t, b, read); got != 0 {
		t.Errorf("the last call: wait %s, want none", got)
	}
	if got := waitOf(t, b, read); got != time.Hour+resetSlack {
		t.Errorf("nothing left: wait %s, want until the reset", got)
	}
	if got := waitOf(t, b, other); got != 0 {
		t.Errorf("another resource: wait %s, want none", got)
	}
	b.learnPrimary(resourceCore, primaryLimit{remaining: 0, reset: now.Add(-time.Hour)})
	*now = reset
	if got := waitOf(t, b, read); got != 0 {
		t.Errorf("after the reset: wait %s, want none", got)
	}
}

func TestBudget_SecondaryLimitDoublesWhereItNamesNoTime(t *testing.T) {
	t.Parallel()
	b, now := clockedBudget(limits{})
	for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
		b.learnSecondary(0)
		if got := waitOf(t, b, other); got != want {
			t.Errorf("wait %s, want %s", got, want)
		}
		*now = now.Add(want)
	}
	b.learnSuccess()
	b.learnSecondary(0)
	b.learnSecondary(10 * time.Second)
	if got := waitOf(t, b, read); got != time.Minute {
		t.Errorf("after a success: wait %s, want a minute", got)
	}
}
