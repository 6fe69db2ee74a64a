package projector

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"pawl/schemas"
)

// maxAhead is how far a provider's time may lie ahead of the time of receipt
// before it is taken as unknown: one wrong clock would make everything real
// look older for ever (I7).
const maxAhead = 24 * time.Hour

// standing is how a snapshot stands to the row that is held.
type standing string

const (
	// newer: its time is after the watermark, or one of the two is unknown.
	newer standing = "newer"
	// tied: its time equals the watermark, and nothing says it is the older.
	tied standing = "tied"
	// covered: its time equals the watermark, and the row shows what it
	// changed and more: it is the older of the two.
	covered standing = "covered"
	// stale: it loses whole (I5).
	stale standing = "stale"
)

// providerTime returns the provider's time of a payload, or zero where it is
// unknown; future reports a time that was given up as too far ahead.
func providerTime(stated schemas.Stated[time.Time], receivedAt time.Time) (at time.Time, future bool) {
	if !stated.Known || stated.Value.IsZero() {
		return time.Time{}, false
	}
	if !receivedAt.IsZero() && stated.Value.After(receivedAt.Add(maxAhead)) {
		return time.Time{}, true
	}
	return stated.Value.UTC(), false
}

// timeOf returns another time of the provider's in a payload, likewise.
func timeOf(stated schemas.Stated[time.Time], event schemas.Event) time.Time {
	at, _ := providerTime(stated, event.ReceivedAt)
	return at
}

// stand compares a snapshot with the row. Stale are exactly the two cases of
// I5: the row is merged and the snapshot is not, or both times are known and
// the snapshot's is the older. Equal is never stale (I6).
func stand(row *schemas.PullRequest, event schemas.Event, at time.Time) (standing, string) {
	state, known := statedState(event)
	if row.State == schemas.Merged && known && state != schemas.Merged {
		return stale, "the pull request is merged and the snapshot is not"
	}
	switch order, known := compareRevisions(row, event.PullRequest); {
	case known && order < 0:
		return stale, fmt.Sprintf("the snapshot's revision %d is older than revision %d of the row",
			event.PullRequest.Revision.Value, row.Arrival.Revision)
	case known && order > 0:
		return newer, ""
	}
	if at.IsZero() || row.ProviderUpdatedAt.IsZero() {
		return newer, ""
	}
	switch at.Compare(row.ProviderUpdatedAt) {
	case -1:
		return stale, fmt.Sprintf("the snapshot of %s is older than the watermark %s",
			at.Format(time.RFC3339Nano), row.ProviderUpdatedAt.Format(time.RFC3339Nano))
	case +1:
		return newer, ""
	}
	return standWithinSecond(row, event.PullRequest, changeOf(event))
}

// compareRevisions compares the provider's own counters, where both are known.
func compareRevisions(row *schemas.PullRequest, snapshot *schemas.PullRequestSnapshot) (order int, known bool) {
	if !snapshot.Revision.Known || !row.Arrival.RevisionKnown {
		return 0, false
	}
	return cmp.Compare(snapshot.Revision.Value, row.Arrival.Revision), true
}

// change is what a snapshot says it changed.
type change struct {
	action  string
	touched string
	edited  []string
}

func changeOf(event schemas.Event) change {
	return change{event.PullRequest.Change, event.PullRequest.Touched, event.PullRequest.Edited}
}

func lastChange(row *schemas.PullRequest) change {
	return change{row.Arrival.LastAction, row.Arrival.LastTouched, row.Arrival.LastEdited}
}

// isRead reports whether the snapshot was read from the provider's API rather
// than sent by it: a read has no action.
func (c change) isRead() bool { return c.action == "" }

// standWithinSecond compares two snapshots of one provider time. The clock
// cannot order them, but their actions can: each names a change that the later
// snapshot shows and the earlier one cannot. If the row shows the snapshot's
// change and the snapshot lacks the row's, the row is the later one. Otherwise
// the later record applies (I6).
func standWithinSecond(row *schemas.PullRequest, snapshot *schemas.PullRequestSnapshot, made change) (standing, string) {
	if pushedBefore(row, snapshot, made) {
		return covered, "of the same second, and older: the row's head was pushed on top of its head"
	}
	shown := *row
	explain(&shown, snapshot) // what the row holds back, its newest snapshot shows
	if made.isRead() || !rowShows(&shown, snapshot, made) {
		return tied, ""
	}
	last := lastChange(row)
	if last.isRead() {
		return covered, "the row was read from the provider in the same second and shows this change"
	}
	if snapshotShows(row, snapshot, last) {
		return tied, ""
	}
	return covered, fmt.Sprintf("of the same second, and older: the row shows its change, and it lacks %q of the row", last.action)
}

// pushedBefore reports whether the row's newest change is a push on top of the
// head that the snapshot's push led to. A push that names the row's head as the
// one before is the later one, whatever else they say.
func pushedBefore(row *schemas.PullRequest, snapshot *schemas.PullRequestSnapshot, made change) bool {
	last := lastChange(row)
	return made.action == "synchronize" && last.action == "synchronize" && snapshot.HeadSHA.Known &&
		last.touched == snapshot.HeadSHA.Value && made.touched != row.HeadSHA
}

// disagrees reports whether a tied snapshot lacks what the newest folded one
// changed, so that their order is a guess. A push on top of the row's head is
// none.
func disagrees(row *schemas.PullRequest, snapshot *schemas.PullRequestSnapshot) bool {
	if snapshot.Change == "synchronize" && snapshot.Touched != "" && snapshot.Touched == row.HeadSHA {
		return false
	}
	return !snapshotShows(row, snapshot, lastChange(row))
}

// rowShows reports whether the row shows the change that the snapshot's action
// made.
func rowShows(row *schemas.PullRequest, snapshot *schemas.PullRequestSnapshot, made change) bool {
	if made.touched == "" {
		return sameFields(row, snapshot, made)
	}
	switch made.action {
	case "labeled":
		return slices.Contains(row.Labels, made.touched)
	case "unlabeled":
		return !slices.Contains(row.Labels, made.touched)
	case "review_requested":
		return slices.Contains(row.RequestedReviewers, made.touched)
	case "review_request_removed":
		return !slices.Contains(row.RequestedReviewers, made.touched)
	}
	return sameFields(row, snapshot, made)
}

// snapshotShows reports whether a snapshot shows the change that the newest
// folded snapshot of the row made. A field that is not stated denies nothing.
func snapshotShows(row *schemas.PullRequest, snapshot *schemas.PullRequestSnapshot, made change) bool {
	labels, reviewers := snapshot.Labels, snapshot.RequestedReviewers
	if made.touched == "" {
		return sameFields(row, snapshot, made)
	}
	switch made.action {
	case "labeled":
		return !labels.Known || slices.Contains(labels.Value, made.touched)
	case "unlabeled":
		return !labels.Known || !slices.Contains(labels.Value, made.touched)
	case "review_requested":
		return !reviewers.Known || slices.Contains(reviewers.Value, made.touched)
	case "review_request_removed":
		return !reviewers.Known || !slices.Contains(reviewers.Value, made.touched)
	}
	return sameFields(row, snapshot, made)
}

// sameFields reports whether row and snapshot agree on the fields that an
// change sets, as far as the snapshot states them. The list is of GitHub's
// actions (docs.github.com, "Webhook events and payloads", pull_request), which
// the decoders of other providers use too; a change that is not in it sets
// nothing we fold.
func sameFields(row *schemas.PullRequest, snapshot *schemas.PullRequestSnapshot, made change) bool {
	switch made.action {
	case "closed", "reopened":
		return !snapshot.State.Known || (snapshot.State.Value == "open") == (row.State == schemas.Open)
	case "synchronize":
		return agrees(row.HeadSHA, snapshot.HeadSHA)
	case "ready_for_review", "converted_to_draft":
		return agrees(row.Draft, snapshot.Draft)
	case "locked", "unlocked":
		return agrees(row.Locked, snapshot.Locked)
	case "milestoned", "demilestoned":
		return agrees(row.Milestone, snapshot.Milestone)
	case "auto_merge_enabled", "auto_merge_disabled":
		return agrees(row.AutoMerge, snapshot.AutoMerge)
	case "labeled", "unlabeled":
		return !snapshot.Labels.Known || slices.Equal(row.Labels, snapshot.Labels.Value)
	case "assigned", "unassigned":
		return !snapshot.Assignees.Known || slices.Equal(row.Assignees, snapshot.Assignees.Value)
	case "edited":
		return sameEdited(row, snapshot, made.edited)
	}
	return true
}

func sameEdited(row *schemas.PullRequest, snapshot *schemas.PullRequestSnapshot, edited []string) bool {
	for _, field := range edited {
		switch field {
		case "title":
			if !agrees(row.Title, snapshot.Title) {
				return false
			}
		case "body":
			if !agrees(row.Body, snapshot.Body) {
				return false
			}
		case "base":
			if !agrees(row.BaseRef, snapshot.BaseRef) {
				return false
			}
		}
	}
	return true
}

func agrees[T comparable](held T, stated schemas.Stated[T]) bool {
	return !stated.Known || stated.Value == held
}
