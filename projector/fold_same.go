package projector

import (
	"slices"
	"time"

	"pawl/schemas"
)

// sameRow reports whether two rows say the same, marks of arrival and version
// aside.
func sameRow(a, b *schemas.PullRequest) bool {
	return fieldsOf(a) == fieldsOf(b) &&
		slices.Equal(a.Labels, b.Labels) &&
		slices.Equal(a.RequestedReviewers, b.RequestedReviewers) &&
		slices.Equal(a.Assignees, b.Assignees) &&
		slices.Equal(a.Checks, b.Checks) &&
		slices.Equal(a.Reviews, b.Reviews) &&
		slices.Equal(a.Links, b.Links)
}

// rowFields is the comparable part of a row.
type rowFields struct {
	texts  [17]string
	flags  [6]bool
	counts [10]int64
	times  [4]time.Time
	state  schemas.State
	checks schemas.ChecksState
}

func fieldsOf(r *schemas.PullRequest) rowFields {
	return rowFields{
		texts: [17]string{
			r.Repository, r.Title, r.Body, r.Author, r.HeadSHA, r.HeadRef, r.HeadRepositoryID, r.BaseRef,
			r.BaseSHA, r.Milestone, r.MergeCommitSHA, r.NeedsReadReason, r.Instance, r.RepositoryID, string(r.EntityKey),
			string(r.HeadCommit), r.DequeuedReason,
		},
		flags: [6]bool{r.AuthorIsBot, r.Draft, r.Locked, r.AutoMerge, r.NeedsRead, r.Queued},
		counts: [10]int64{
			r.Approvals, r.ApprovalsOfHead, r.ChangesRequested, r.UnresolvedThreads,
			r.Comments, r.ReviewComments, r.Commits, r.Additions, r.Deletions, r.ChangedFiles,
		},
		times:  [4]time.Time{r.CreatedAt.UTC(), r.ClosedAt.UTC(), r.MergedAt.UTC(), r.ProviderUpdatedAt.UTC()},
		state:  r.State,
		checks: r.ChecksState,
	}
}

// sameArrival reports whether two rows bear the same marks of arrival.
func sameArrival(a, b schemas.Arrival) bool {
	return marksOf(a) == marksOf(b) && slices.Equal(a.LastEdited, b.LastEdited)
}

// arrivalMarks is the comparable part of the marks of arrival.
type arrivalMarks struct {
	edited, other, seen          schemas.Retarget
	queueAt, leftQueueAt         time.Time
	enqueued                     bool
	lastAction, lastTouched      string
	revisionKnown, authorStated  bool
	labels, assignees, milestone bool
	revision                     int64
	comments, reviewComments     schemas.StatedCount
	reviewsResetAt               time.Time
	threadsResolvedAt            time.Time
	threadsOpen                  bool
}

func marksOf(a schemas.Arrival) arrivalMarks {
	return arrivalMarks{
		a.BaseEdited, a.BaseOther, a.BaseSeen,
		a.QueueAt, a.LeftQueueAt,
		a.Enqueued,
		a.LastAction, a.LastTouched,
		a.RevisionKnown, a.AuthorStated,
		a.LabelsHeld, a.AssigneesHeld, a.MilestoneHeld,
		a.Revision,
		a.CommentsStated, a.ReviewCommentsStated,
		a.ReviewsResetAt,
		a.ThreadsResolvedAt,
		a.ThreadsOpen,
	}
}
