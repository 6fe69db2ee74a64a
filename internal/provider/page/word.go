package page

import (
	"strings"

	"pawl/internal/provider/payload"
)

// plain is a word of a status without what pages write differently:
// UNDERMAINTENANCE and under_maintenance are one.
func plain(word string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "", "\t", "", "\n", "", "\r", "").Replace(strings.ToLower(word))
}

// WordOf returns the status that a word is, or unknown.
func WordOf[S ~string](word string, statuses []S, unknown S) S {
	word = plain(word)
	for _, status := range statuses {
		if plain(string(status)) == word {
			return status
		}
	}
	return unknown
}

// newestOf returns the element that was made last, the first of those that were
// made at once, or nil. One whose time is not known is older than all others.
func newestOf[T any](list []*T, at func(*T) payload.Moment) *T {
	var newest *T
	for _, element := range list {
		if element != nil && (newest == nil || at(element).At.After(at(newest).At)) {
			newest = element
		}
	}
	return newest
}
