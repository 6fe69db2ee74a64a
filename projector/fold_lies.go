package projector

import (
	"fmt"
	"slices"
	"strings"

	"pawl/schemas"
)

// Payloads lie in two ways that are known, and each has its cure here.
//
// A list or a milestone is empty although nothing took it away. Which change can
// empty which field:
//
//	labels     labeled, unlabeled
//	assignees  assigned, unassigned
//	milestone  milestoned, demilestoned
//
// A read of the provider and a change without a word can empty each of them.
// Another change does not: the value stays, the row asks for a read, and the
// emptiness is remembered until a late delivery that can empty the field, and
// shows it empty, explains it.
//
// A flag contradicts the change that sets it: ready_for_review with draft true.
// The flag stays, and the row asks for a read.
//
// All other fields are taken from the newest snapshot, whatever its change is,
// because the delivery that announced them may have been lost: a head without a
// synchronize, an open state without a reopened.

// emptied is a field that payloads show empty although it is not.
type emptied struct {
	name    string
	touches []string // the changes that can empty it
	// stated reports whether the snapshot states the field, and as empty; held is
	// what the row has, keep puts that back, and clear empties it.
	stated func(*schemas.PullRequestSnapshot) (known, empty bool)
	held   func(*schemas.PullRequest) string
	keep   func(next, row *schemas.PullRequest)
	clear  func(*schemas.PullRequest)
	mark   func(*schemas.Arrival) *bool
}

var emptiedFields = []emptied{
	{
		name: "labels", touches: []string{"unlabeled", "labeled"},
		stated: func(s *schemas.PullRequestSnapshot) (known, empty bool) {
			return s.Labels.Known, len(s.Labels.Value) == 0
		},
		held:  func(r *schemas.PullRequest) string { return strings.Join(r.Labels, ", ") },
		keep:  func(next, row *schemas.PullRequest) { next.Labels = row.Labels },
		clear: func(r *schemas.PullRequest) { r.Labels = []string{} },
		mark:  func(a *schemas.Arrival) *bool { return &a.LabelsHeld },
	},
	{
		name: "assignees", touches: []string{"unassigned", "assigned"},
		stated: func(s *schemas.PullRequestSnapshot) (known, empty bool) {
			return s.Assignees.Known, len(s.Assignees.Value) == 0
		},
		held:  func(r *schemas.PullRequest) string { return strings.Join(r.Assignees, ", ") },
		keep:  func(next, row *schemas.PullRequest) { next.Assignees = row.Assignees },
		clear: func(r *schemas.PullRequest) { r.Assignees = []string{} },
		mark:  func(a *schemas.Arrival) *bool { return &a.AssigneesHeld },
	},
	{
		name: "milestone", touches: []string{"demilestoned", "milestoned"},
		stated: func(s *schemas.PullRequestSnapshot) (known, empty bool) {
			return s.Milestone.Known, s.Milestone.Value == ""
		},
		held:  func(r *schemas.PullRequest) string { return r.Milestone },
		keep:  func(next, row *schemas.PullRequest) { next.Milestone = row.Milestone },
		clear: func(r *schemas.PullRequest) { r.Milestone = "" },
		mark:  func(a *schemas.Arrival) *bool { return &a.MilestoneHeld },
	},
}

// canEmpty reports whether a change can empty the field.
func (e emptied) canEmpty(change string) bool {
	return change == "" || change == schemas.ChangeUnknown || slices.Contains(e.touches, change)
}

// mergeHeld takes over the fields that payloads show empty although they are
// not, but for that lie.
func mergeHeld(next, row *schemas.PullRequest, s *schemas.PullRequestSnapshot) {
	next.Labels = listed(s.Labels.Or(row.Labels))
	next.Assignees = listed(s.Assignees.Or(row.Assignees))
	next.Milestone = s.Milestone.Or(row.Milestone)
	for _, field := range emptiedFields {
		known, empty := field.stated(s)
		if !known {
			continue
		}
		lies := empty && field.held(row) != "" && !field.canEmpty(s.Change)
		*field.mark(&next.Arrival) = lies
		if lies {
			markForRead(next, fmt.Sprintf("%s shows no %s, and the row has %s", s.Change, field.name, field.held(row)))
			field.keep(next, row)
		}
	}
}

// explain lets an older snapshot release a field that is held: it tells why the
// newer one showed it empty. It reports whether it did.
func explain(next *schemas.PullRequest, s *schemas.PullRequestSnapshot) bool {
	explained := false
	for _, field := range emptiedFields {
		held := field.mark(&next.Arrival)
		_, empty := field.stated(s)
		if *held && empty && field.canEmpty(s.Change) {
			field.clear(next)
			*held, explained = false, true
		}
	}
	return explained
}

// mergeClaims takes over the flags that a change sets, where the payload does
// not contradict itself.
func mergeClaims(next, row *schemas.PullRequest, s *schemas.PullRequestSnapshot) {
	next.Draft = s.Draft.Or(row.Draft)
	next.Locked = s.Locked.Or(row.Locked)
	switch s.Change {
	case "converted_to_draft", "ready_for_review":
		next.Draft = claimed(next, row, s.Change, "draft", s.Draft, row.Draft, s.Change == "converted_to_draft")
	case "locked", "unlocked":
		next.Locked = claimed(next, row, s.Change, "locked", s.Locked, row.Locked, s.Change == "locked")
	}
}

// claimed returns the flag after a change that sets it to want. A payload that
// says nothing of the flag speaks through its change.
func claimed(next, row *schemas.PullRequest, change, name string, stated schemas.Stated[bool], held, want bool) bool {
	if !stated.Known || stated.Value == want {
		return want
	}
	markForRead(next, fmt.Sprintf("%s, but %s is %t", change, name, stated.Value))
	if row.Version == 0 {
		return stated.Value
	}
	return held
}
