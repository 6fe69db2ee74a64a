package actuator

import (
	"fmt"
	"sync"
	"time"
)

// limits are what a provider asks of its callers beyond the limit that its
// headers tell. The zero value asks for nothing.
type limits struct {
	// points may be spent in a minute: a read is one, a change five.
	points int
	// spacing is the least time between the starts of two changes.
	spacing time.Duration
}

const (
	readPoints   = 1
	changePoints = 5
	pointsWindow = time.Minute
	// heldReservation is how long after its time a reservation is kept for a
	// mutation that may not come back for it.
	heldReservation = time.Minute
	// maxSecondaryPause bounds the pauses that double.
	maxSecondaryPause = time.Hour
)

// call is what a budget has to know of a call before it is started.
type call struct {
	// change: it makes content. key names the change, the same one each time it
	// is tried: a reservation is its own.
	change bool
	key    string
	// resource is the primary limit that it counts against.
	resource string
}

// budget is what one account, a token or an installation of an App, may still
// ask of its provider. All workers of the process share it, and no account
// knows of another's. It starts no call that the provider would refuse; nobody
// waits here, the refusal names the time.
//
//	admit ─┬─ secondary limit until … ──┐
//	       ├─ primary limit until …   ──┤
//	       ├─ points of this minute   ──┼─▶ limitError, nothing was sent
//	       ├─ a change: its turn at … ──┘
//	       └─▶ call ──▶ learn: remaining, reset, Retry-After
type budget struct {
	limits limits
	now    func() time.Time

	mu       sync.Mutex // mu guards what follows
	spent    []expense  // within pointsWindow, oldest first
	points   int        // sum of spent
	primary  map[string]primaryLimit
	blocked  time.Time // of a secondary limit
	strikes  int       // secondary limits that named no time, in a row
	started  time.Time // the last change
	free     time.Time // the first turn that nobody has reserved
	reserved map[string]time.Time
}

type expense struct {
	at     time.Time
	points int
}

// primaryLimit is what an answer said was left until a time.
type primaryLimit struct {
	remaining int
	reset     time.Time
}

func newBudget(l limits) *budget {
	return &budget{limits: l, now: time.Now, primary: make(map[string]primaryLimit), reserved: make(map[string]time.Time)}
}

// limitError says that a call was not started, and until when. Nothing was sent.
type limitError struct {
	until time.Time
	why   string
}

func (e *limitError) Error() string {
	return fmt.Sprintf("not started before %s: %s", e.until.UTC().Format(time.RFC3339Nano), e.why)
}

// admit takes a call off the budget, or says when it may be tried.
func (b *budget) admit(c call) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if now.Before(b.blocked) {
		return &limitError{until: b.blocked, why: "secondary rate limit"}
	}
	left, known := b.primary[c.resource]
	if known && left.remaining <= 0 && now.Before(left.reset) {
		return &limitError{until: left.reset.Add(resetSlack), why: "primary rate limit"}
	}
	points := readPoints
	if c.change {
		points = changePoints
	}
	if until, short := b.shortOfPoints(now, points); short {
		return &limitError{until: until, why: fmt.Sprintf("%d points a minute are spent", b.limits.points)}
	}
	if c.change {
		if turn, waits := b.turn(now, c.key); waits {
			return &limitError{until: turn, why: fmt.Sprintf("changes are %s apart", b.limits.spacing)}
		}
	}
	if known && now.Before(left.reset) {
		left.remaining--
		b.primary[c.resource] = left
	}
	b.spent = append(b.spent, expense{at: now, points: points})
	b.points += points
	return nil
}

// shortOfPoints returns when there are enough points, where there are not now.
func (b *budget) shortOfPoints(now time.Time, points int) (time.Time, bool) {
	for len(b.spent) > 0 && now.Sub(b.spent[0].at) >= pointsWindow {
		b.points -= b.spent[0].points
		b.spent = b.spent[1:]
	}
	if b.limits.points == 0 {
		return time.Time{}, false
	}
	missing := b.points + points - b.limits.points
	for _, e := range b.spent {
		if missing <= 0 {
			break
		}
		if missing -= e.points; missing <= 0 {
			return e.at.Add(pointsWindow), true
		}
	}
	return time.Time{}, false
}

// turn takes the turn of a change, or returns when it comes. Each change that
// has to wait is given a turn of its own, so that what comes back finds its
// place free, and a crowd does not come back for one place again and again.
func (b *budget) turn(now time.Time, key string) (time.Time, bool) {
	if b.limits.spacing == 0 {
		return time.Time{}, false
	}
	b.forget(now)
	at, held := b.reserved[key]
	if !held {
		at = later(now, b.free)
		b.free = at.Add(b.limits.spacing)
	}
	// One that came late for its turn must not push into the next one's.
	at = later(at, b.started.Add(b.limits.spacing))
	if now.Before(at) {
		b.reserved[key] = at
		return at, true
	}
	delete(b.reserved, key)
	b.started = now
	b.free = later(b.free, now.Add(b.limits.spacing))
	return time.Time{}, false
}

// forget drops the reservations that nobody came back for.
func (b *budget) forget(now time.Time) {
	for key, at := range b.reserved {
		if now.Sub(at) > heldReservation {
			delete(b.reserved, key)
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// learnPrimary takes over what an answer says of the primary limit. Answers
// overtake each other: within one reset, what is left only becomes less.
func (b *budget) learnPrimary(resource string, said primaryLimit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	held, known := b.primary[resource]
	if known && said.reset.Equal(held.reset) {
		said.remaining = min(said.remaining, held.remaining)
	}
	if known && said.reset.Before(held.reset) {
		return
	}
	b.primary[resource] = said
}

// learnSecondary takes over a secondary limit. One that names no time is a
// minute, and twice as long each time that it comes again.
func (b *budget) learnSecondary(pause time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if pause <= 0 {
		pause = min(secondaryPause<<min(b.strikes, 10), maxSecondaryPause)
		b.strikes++
	}
	b.blocked = later(b.blocked, b.now().Add(pause))
}

// learnSuccess ends the doubling.
func (b *budget) learnSuccess() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.strikes = 0
}
