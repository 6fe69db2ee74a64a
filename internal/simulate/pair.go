package simulate

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"pawl/internal/plan"
	"pawl/schemas"
)

// will is what a mutation tells of the rules that opened it.
type will int

const (
	doesNot will = iota // they gave it up themselves
	inVain              // it was given up when its turn came, by them or by the provider
	does                // it was done, or would be
)

// wish is a mutation of one side.
type wish struct {
	entity schemas.EntityKey
	rule   string
	kind   schemas.MutationKind
	place  int // in the rule
	will   will
	side   Side
	paired bool
}

// wishesOf returns the mutations of a plan.
func wishesOf(p *plan.Plan) []*wish {
	var wishes []*wish
	for _, m := range p.Mutations() {
		w := &wish{entity: m.Entity, rule: m.Rule, kind: m.Kind, place: m.Position, side: Side{
			State: string(m.State), Reason: m.Reason, Params: m.Params, Key: m.Key, DueAt: m.DueAt, Origin: m.Origin,
		}}
		if m.State == plan.Planned {
			w.will = does
		}
		wishes = append(wishes, w)
	}
	return wishes
}

// pairing finds what of the old side is what of the new.
type pairing struct {
	byKey  map[schemas.IdempotencyKey][]*wish
	byWhat map[what][]*wish
}

type what struct {
	entity schemas.EntityKey
	rule   string
	kind   schemas.MutationKind
}

func (w *wish) line(sign Sign, made, old *Side) Line {
	return Line{Sign: sign, Entity: w.entity, Rule: w.rule, Kind: w.kind, New: made, Old: old, place: w.place}
}

func (w *wish) what() what { return what{w.entity, w.rule, w.kind} }

func newPairing(wishes []*wish) pairing {
	p := pairing{make(map[schemas.IdempotencyKey][]*wish), make(map[what][]*wish)}
	for _, w := range wishes {
		p.byKey[w.side.Key] = append(p.byKey[w.side.Key], w)
		p.byWhat[w.what()] = append(p.byWhat[w.what()], w)
	}
	return p
}

// first returns the first of some that has no partner yet and is of one of the
// wills; an earlier will goes before a later one.
func first(some []*wish, wills ...will) *wish {
	for _, will := range wills {
		for _, w := range some {
			if !w.paired && w.will == will {
				return w
			}
		}
	}
	return nil
}

// pair returns a line for each mutation that is done on a side.
func pair(wanted, old []*wish) []Line {
	lines := []Line{}
	olds, news := newPairing(old), newPairing(wanted)
	match := func(find func(*wish) []*wish) {
		for _, w := range wanted {
			if w.paired || w.will != does {
				continue
			}
			if found := first(find(w), does, inVain); found != nil {
				w.paired, found.paired = true, true
				lines = append(lines, both(w, found))
			}
		}
	}
	match(func(w *wish) []*wish { return olds.byKey[w.side.Key] })
	match(func(w *wish) []*wish { return olds.byWhat[w.what()] })
	lines = append(lines, alone(wanted, olds, func(w *wish, other *Side) Line { return w.line(OnlyNew, &w.side, other) })...)
	lines = append(lines, alone(old, news, func(w *wish, other *Side) Line { return w.line(OnlyOld, other, &w.side) })...)
	slices.SortStableFunc(lines, func(a, b Line) int {
		return cmp.Or(a.Origin().ReceivedAt.Compare(b.Origin().ReceivedAt), cmp.Compare(a.Entity, b.Entity),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.place, b.place))
	})
	return lines
}

// alone returns the lines of what is done on one side only. What the other opened
// under the same key and gave up is told with it.
func alone(some []*wish, others pairing, line func(*wish, *Side) Line) []Line {
	var lines []Line
	for _, w := range some {
		if w.paired || w.will != does {
			continue
		}
		var other *Side
		if found := first(others.byKey[w.side.Key], doesNot); found != nil {
			found.paired, other = true, &found.side
		}
		lines = append(lines, line(w, other))
	}
	return lines
}

func both(w, old *wish) Line {
	sign := Same
	if !alike(w.side.Params, old.side.Params) {
		sign = Changed
	}
	return w.line(sign, &w.side, &old.side)
}

// alike compares parameters by what they say.
func alike(a, b json.RawMessage) bool {
	var left, right any
	if json.Unmarshal(a, &left) != nil || json.Unmarshal(b, &right) != nil {
		return string(a) == string(b)
	}
	return reflect.DeepEqual(left, right)
}
