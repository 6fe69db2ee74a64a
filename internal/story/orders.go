package story

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"pawl/internal/plan"
	"pawl/schemas"
)

const (
	// permuteUpTo is the number of deliveries up to which every order is run.
	permuteUpTo = 6
	// AllOrders is how many orders "all" samples where there are more.
	AllOrders = 720
)

// orders returns other orders of arrival of n deliveries: all of them where n is
// small, else a number of samples, the same ones each time.
func orders(n, samples int) [][]int {
	if n <= permuteUpTo {
		return permutations(n)
	}
	random := rand.New(rand.NewPCG(uint64(n), 1)) //nolint:gosec // the same samples each time
	made := make([][]int, samples)
	for i := range made {
		made[i] = random.Perm(n)
	}
	return made
}

// permutations returns all orders of n places.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var made [][]int
	for _, shorter := range permutations(n - 1) {
		for at := range n {
			made = append(made, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return made
}

// doubled returns the order with each delivery sent once more, later, at a place
// that depends on the order alone.
func doubled(order []int, seed int) []int {
	random := rand.New(rand.NewPCG(uint64(seed), 2)) //nolint:gosec // the same places each time
	made := slices.Clone(order)
	for _, place := range order {
		first := slices.Index(made, place)
		made = slices.Insert(made, first+1+random.IntN(len(made)-first), place)
	}
	return made
}

// OrdersOutcome is what running a story in other orders showed.
type OrdersOutcome struct {
	Runs int
	// Diffs are rows that came out otherwise, or a key that was planned twice.
	Diffs []string
	// Sensitive are orders that ended in other mutations: a rule depends on
	// what it saw first.
	Sensitive []string
}

// mostShown bounds the differences that are kept: after a few, more say the
// same.
const mostShown = 5

// RunOrders runs the story in other orders, each also with every delivery
// doubled at some later place, and with the whole sequence sent twice. The rows of
// all tables must equal those of the written order in all columns but version,
// needs_read and the marks of arrival; no idempotency key may be planned twice.
func (s *Story) RunOrders(rules plan.Rules, samples int) (OrdersOutcome, error) {
	written, err := s.Run(rules, s.written())
	if err != nil {
		return OrdersOutcome{}, err
	}
	var outcome OrdersOutcome
	for i, order := range orders(len(s.Deliveries), samples) {
		for _, arrival := range [][]int{order, doubled(order, i), slices.Concat(order, order)} {
			ran, err := s.Run(rules, arrival)
			if err != nil {
				return outcome, err
			}
			outcome.Runs++
			outcome.note(s, arrival, written, ran)
		}
	}
	return outcome, nil
}

func (o *OrdersOutcome) note(s *Story, arrival []int, written, ran Ran) {
	var names []string
	for _, place := range arrival {
		names = append(names, s.Deliveries[place].Name)
	}
	if diff := diffRows(written, ran); diff != "" && len(o.Diffs) < mostShown {
		o.Diffs = append(o.Diffs, fmt.Sprintf("order %v: %s", names, diff))
	}
	if diff := diffKeys(ran); diff != "" && len(o.Diffs) < mostShown {
		o.Diffs = append(o.Diffs, fmt.Sprintf("order %v: %s", names, diff))
	}
	if diff := diffMutations(written, ran); diff != "" && len(o.Sensitive) < mostShown {
		o.Sensitive = append(o.Sensitive, fmt.Sprintf("order %v: %s", names, diff))
	}
}

// diffRows returns the first difference of two runs' rows.
func diffRows(written, ran Ran) string {
	for _, table := range append(tables(), table{name: "link", entries: issueLinks}) {
		want, got := table.entries(written), table.entries(ran)
		if a, b := keysOf(got), keysOf(want); !slices.Equal(a, b) {
			return fmt.Sprintf("%s rows: got %s, in the written order %s", table.name, orNone(a), orNone(b))
		}
		for i := range want {
			if column, differs := diffColumn(want[i].row, got[i].row); differs {
				return fmt.Sprintf("%s %s %s: got %s, in the written order %s", table.name, want[i].keys[0], column,
					show(got[i].row[column]), show(want[i].row[column]))
			}
		}
	}
	return ""
}

// diffColumn returns the first column in which two rows differ, either way.
func diffColumn(a, b row) (string, bool) {
	for _, column := range slices.Sorted(maps.Keys(a)) {
		alike := same(a[column], b[column]) && same(b[column], a[column])
		if !alike && !isMarkOfArrival(column) {
			return column, true
		}
	}
	return "", false
}

func isMarkOfArrival(column string) bool {
	switch column {
	case "version", "folded_at", "needs_read", "needs_read_reason":
		return true
	}
	return false
}

func diffKeys(ran Ran) string {
	seen := make(map[schemas.IdempotencyKey]bool)
	for _, mutation := range ran.wanted() {
		if seen[mutation.Key] {
			return fmt.Sprintf("the key of %s %s on %s was planned twice", mutation.Rule, mutation.Kind, mutation.Entity)
		}
		seen[mutation.Key] = true
	}
	return ""
}

// diffMutations returns how the mutations of two runs differ, whatever their
// order.
func diffMutations(written, ran Ran) string {
	list := func(r Ran) []string {
		var made []string
		for _, mutation := range r.wanted() {
			made = append(made, show(rowOfMutation(mutation)))
		}
		slices.Sort(made)
		return made
	}
	got, want := list(ran), list(written)
	if slices.Equal(got, want) {
		return ""
	}
	return fmt.Sprintf("mutations %v, in the written order %v", got, want)
}
