package rules

import (
	"fmt"
	"strings"
)

// fewNames is how many known names a fault lists.
const fewNames = 20

// unknown says that a name is not known, and which one may have been meant.
func unknown(what, name string, known []string) string {
	if near, ok := nearest(name, known); ok {
		return fmt.Sprintf("unknown %s %q, did you mean %q?", what, name, near)
	}
	if len(known) > fewNames {
		return fmt.Sprintf("unknown %s %q", what, name)
	}
	return fmt.Sprintf("unknown %s %q, known: %s", what, name, strings.Join(known, ", "))
}

// nearest returns the known name that is fewest edits away from name, if that
// is near enough to be a slip: a third of its length, one at least.
func nearest(name string, known []string) (string, bool) {
	name = strings.ToLower(name)
	best, found := "", false
	limit := max(1, len([]rune(name))/3)
	for _, candidate := range known {
		edits := distance(name, strings.ToLower(candidate))
		if edits <= limit && edits < len([]rune(candidate)) {
			best, found, limit = candidate, true, edits-1
		}
	}
	return best, found
}

// distance counts the characters to insert, drop, replace or exchange with
// their neighbour to make b of a.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	var before []int
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		next := make([]int, len(to)+1)
		next[0] = i + 1
		for j := range to {
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+replaced(from[i], to[j]))
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(to)]
}

func replaced(a, b rune) int {
	if a == b {
		return 0
	}
	return 1
}
