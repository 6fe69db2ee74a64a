package schemas

import "time"

// State is the state of a pull request.
type State string

// The states, in rank: merged > closed > open.
const (
	Open   State = "open"
	Closed State = "closed"
	Merged State = "merged"
)

// Valid reports whether s is one of the states.
func (s State) Valid() bool {
	switch s {
	case Open, Closed, Merged:
		return true
	}
	return false
}

// Rank orders the states: within one second of the provider's clock a state
// never goes down in rank without the action reopened (I6).
func (s State) Rank() int {
	switch s {
	case Merged:
		return 2
	case Closed:
		return 1
	case Open:
		return 0
	}
	return -1
}

// PullRequest is the folded state of one pull request: the row of
// pawl.pull_request, the pull_request of a transition, and the pr of a rule.
// JSON names are column names. A zero value means unknown, unless the field is
// a count, a flag or a list.
type PullRequest struct {
	EntityKey    EntityKey `json:"entity_key"`
	Instance     string    `json:"instance"`
	RepositoryID string    `json:"repository_id"`
	Repository   string    `json:"repository"`
	Number       int64     `json:"number"`

	Title       string `json:"title"`
	Body        string `json:"body"`
	Author      string `json:"author"`
	AuthorIsBot bool   `json:"author_is_bot"`

	State            State  `json:"state"`
	Draft            bool   `json:"draft"`
	Locked           bool   `json:"locked"`
	HeadSHA          string `json:"head_sha"`
	HeadRef          string `json:"head_ref"`
	HeadRepositoryID string `json:"head_repository_id"`
	// HeadCommit is the key of the commit that the head's checks hang on.
	HeadCommit EntityKey `json:"head_commit"`
	BaseRef    string    `json:"base_ref"`
	BaseSHA    string    `json:"base_sha"`
	Labels     []string  `json:"labels"`
	Milestone  string    `json:"milestone"`
	// RequestedReviewers and Assignees are logins, sorted.
	RequestedReviewers []string `json:"requested_reviewers"`
	Assignees          []string `json:"assignees"`
	AutoMerge          bool     `json:"auto_merge"`
	MergeCommitSHA     string   `json:"merge_commit_sha"`
	// Queued: it is in the merge queue. DequeuedReason is why it left last.
	Queued         bool   `json:"queued"`
	DequeuedReason string `json:"dequeued_reason"`

	ChecksState ChecksState `json:"checks_state"`
	// Approvals and ChangesRequested count people by their latest review;
	// ApprovalsOfHead are those given to the head as it is now.
	Approvals         int64 `json:"approvals"`
	ApprovalsOfHead   int64 `json:"approvals_of_head"`
	ChangesRequested  int64 `json:"changes_requested"`
	UnresolvedThreads int64 `json:"unresolved_threads"`

	Comments       int64 `json:"comments"`
	ReviewComments int64 `json:"review_comments"`
	Commits        int64 `json:"commits"`
	Additions      int64 `json:"additions"`
	Deletions      int64 `json:"deletions"`
	ChangedFiles   int64 `json:"changed_files"`

	CreatedAt time.Time `json:"created_at,omitzero"`
	ClosedAt  time.Time `json:"closed_at,omitzero"`
	MergedAt  time.Time `json:"merged_at,omitzero"`

	// ProviderUpdatedAt is the watermark: the newest snapshot folded, on the
	// provider's clock. Zero is unknown.
	ProviderUpdatedAt time.Time `json:"provider_updated_at,omitzero"`
	// Version counts the folds that changed the row.
	Version int64 `json:"version"`
	// NeedsRead asks for a read of the provider: payloads contradicted each
	// other, and NeedsReadReason says how.
	NeedsRead       bool   `json:"needs_read"`
	NeedsReadReason string `json:"needs_read_reason,omitempty"`

	// Checks are those of the head that count, Reviews the latest of each
	// person, Links the issues that it names; each sorted. They stand in tables
	// of their own and are here for rules and readers of transitions.
	Checks  []PullRequestCheck  `json:"checks"`
	Reviews []PullRequestReview `json:"reviews"`
	Links   []string            `json:"links"`

	// Arrival is what the row remembers of how it came to be; it is stored
	// beside the row and is no part of a transition.
	Arrival Arrival `json:"-"`
}

// Arrival holds the marks of arrival: they depend on the order in which
// deliveries came, and rows that are otherwise equal may differ in them.
type Arrival struct {
	// LastAction and LastTouched are of the newest folded snapshot: what its
	// action changed. They tell which of two snapshots of one second is the
	// later one.
	LastAction  string   `json:"last_action,omitempty"`
	LastTouched string   `json:"last_touched,omitempty"`
	LastEdited  []string `json:"last_edited,omitempty"`
	// LabelsHeld: a snapshot whose action cannot touch labels showed none,
	// and the last good labels were kept (hard part 7).
	LabelsHeld bool `json:"labels_held,omitempty"`
	// AssigneesHeld and MilestoneHeld likewise.
	AssigneesHeld bool `json:"assignees_held,omitempty"`
	MilestoneHeld bool `json:"milestone_held,omitempty"`

	// Revision is the provider's counter of the newest snapshot folded, which
	// may be 0.
	Revision      int64 `json:"revision,omitempty"`
	RevisionKnown bool  `json:"revision_known,omitempty"`
	// AuthorStated: a snapshot said who the author is. Where none did, a stale
	// one may: an author does not change (GitLab names it on opening alone).
	AuthorStated bool `json:"author_stated,omitempty"`
	// BaseEdited is the newest move of the base that a delivery announced,
	// BaseOther the last sight of another base, BaseSeen the first sight of this
	// one since. They tell from when on results count.
	BaseEdited Retarget `json:"base_edited,omitzero"`
	BaseOther  Retarget `json:"base_other,omitzero"`
	BaseSeen   Retarget `json:"base_seen,omitzero"`
	// Enqueued and QueueAt are the newest entry into the merge queue or removal
	// from it; LeftQueueAt is when it was last closed.
	Enqueued    bool      `json:"enqueued,omitempty"`
	QueueAt     time.Time `json:"queue_at,omitzero"`
	LeftQueueAt time.Time `json:"left_queue_at,omitzero"`
	// CommentsStated and ReviewCommentsStated are the counts of the newest
	// snapshot that stated them, with its time: comments that came or went
	// since are counted on top.
	CommentsStated       StatedCount `json:"comments_stated,omitzero"`
	ReviewCommentsStated StatedCount `json:"review_comments_stated,omitzero"`
	// ReviewsResetAt: approvals given until then were taken back by the provider.
	ReviewsResetAt time.Time `json:"reviews_reset_at,omitzero"`
	// ThreadsResolvedAt is the newest time at which a snapshot said that no
	// thread is unresolved; ThreadsOpen: the newest says that one is.
	ThreadsResolvedAt time.Time `json:"threads_resolved_at,omitzero"`
	ThreadsOpen       bool      `json:"threads_open,omitempty"`
}

// Retarget is a move to another base: when, on the provider's clock and on
// ours, and to which branch.
type Retarget struct {
	At         time.Time `json:"at,omitzero"`
	ReceivedAt time.Time `json:"received_at,omitzero"`
	Base       string    `json:"base,omitempty"`
}

// StatedCount is a count with the provider's time it was true at.
type StatedCount struct {
	Count int64     `json:"count,omitempty"`
	At    time.Time `json:"at,omitzero"`
	Known bool      `json:"known,omitempty"`
}
