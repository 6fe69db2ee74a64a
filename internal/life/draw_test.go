package life_test

import (
	"slices"

	"pawl/internal/life"

	"pgregory.net/rapid"
)

const (
	source = "hook"
	other  = "app"
)

// drawn is a life, and an order in which its deliveries arrive.
type drawn struct {
	life     *life.Life
	written  []life.Arrival
	arrivals []life.Arrival
}

// pick chooses evenly. Ranges of rapid prefer their lower end, and what stands late
// in a list of steps would hardly ever happen.
func pick(t *rapid.T) life.Pick {
	return func(n int) int { return evenly.Draw(t, "pick") % n }
}

// evenly draws a number of ten bits.
var evenly = rapid.Custom(func(t *rapid.T) int {
	number := 0
	for range 10 {
		number <<= 1
		if rapid.Bool().Draw(t, "bit") {
			number++
		}
	}
	return number
})

// drawLife draws a life of a few kinds of steps, so that those which tell on one
// another meet: most faults need two or three of one kind.
func drawLife(t *rapid.T, forge life.Forge) *life.Life {
	choose := pick(t)
	l := forge.Born(choose)
	var steps []string
	for range 1 + choose(4) {
		steps = append(steps, l.Steps(l.Groups()[choose(len(l.Groups()))])...)
	}
	for range 1 + choose(20) {
		l.Do(steps[choose(len(steps))], choose)
	}
	return l
}

func draw(t *rapid.T, forge life.Forge) drawn {
	l := drawLife(t, forge)
	d := drawn{life: l, written: arrive(l.Deliveries())}
	d.arrivals = shuffled(t, d.written)
	return d
}

func arrive(deliveries []life.Delivery) []life.Arrival {
	arrivals := make([]life.Arrival, len(deliveries))
	for i, delivery := range deliveries {
		arrivals[i] = life.Arrival{Delivery: delivery, Source: source}
	}
	return arrivals
}

// shuffled returns the arrivals in any order. Some come twice: as a redelivery,
// or from another webhook, under the same id or one of its own.
func shuffled(t *rapid.T, written []life.Arrival) []life.Arrival {
	sent := slices.Clone(written)
	for _, arrival := range written {
		switch pick(t)(6) {
		case 1:
			sent = append(sent, arrival)
		case 2:
			sent = append(sent, life.Arrival{Delivery: arrival.Delivery, Source: other})
		case 3:
			sent = append(sent, life.Arrival{Delivery: arrival.WithID("copy-of-" + arrival.Header.Get(arrival.IDHeader)), Source: other})
		case 4: // so Gitea redelivers
			sent = append(sent, life.Arrival{Delivery: arrival.WithID("again-" + arrival.Header.Get(arrival.IDHeader)), Source: source})
		}
	}
	order := make([]int, len(sent))
	for i := range order {
		order[i] = i
	}
	arrivals := make([]life.Arrival, len(sent))
	for i, place := range rapid.Permutation(order).Draw(t, "order") {
		arrivals[i] = sent[place]
	}
	return arrivals
}

func fold(t testingT, l *life.Life, arrivals []life.Arrival) *life.World {
	t.Helper()
	world := l.NewWorld()
	if err := world.Take(arrivals...); err != nil {
		t.Fatal(err)
	}
	return world
}

// testingT is a test of testing or of rapid.
type testingT interface {
	Helper()
	Fatal(args ...any)
}

// names are the arrivals, for a message.
func names(arrivals []life.Arrival) []string {
	list := make([]string, len(arrivals))
	for i, arrival := range arrivals {
		list[i] = arrival.Name
	}
	return list
}
