package schemas

import "time"

// ChecksState is the rollup of the checks of a commit, and what one check counts
// as.
type ChecksState string

// The states of a rollup. None is of a rollup alone.
const (
	ChecksNone    ChecksState = "none"
	ChecksPending ChecksState = "pending"
	ChecksSuccess ChecksState = "success"
	ChecksFailure ChecksState = "failure"
)

// CheckKind is what reported a check.
type CheckKind string

// The kinds of checks.
const (
	CheckRun      CheckKind = "check_run"
	CheckSuite    CheckKind = "check_suite" // completes nothing by itself, and never counts
	CommitStatus  CheckKind = "status"
	WorkflowRun   CheckKind = "workflow_run"
	PipelineCheck CheckKind = "pipeline"
)

// Counts reports whether a check of this kind is part of a rollup.
func (k CheckKind) Counts() bool { return k != CheckSuite }

// CheckStatus is how far a check is.
type CheckStatus string

// The statuses, in rank: a check of one attempt does not go back.
const (
	CheckQueued     CheckStatus = "queued"
	CheckInProgress CheckStatus = "in_progress"
	CheckCompleted  CheckStatus = "completed"
)

// Rank orders the statuses of one attempt.
func (s CheckStatus) Rank() int {
	switch s {
	case CheckCompleted:
		return 2
	case CheckInProgress:
		return 1
	case CheckQueued:
		return 0
	}
	return 0
}

// CheckID tells the checks of one commit apart.
type CheckID struct {
	Kind CheckKind
	App  string
	Name string
}

// Check is the folded state of one check of a commit: the row of
// pawl.commit_check.
type Check struct {
	Commit EntityKey `json:"commit"`
	CheckID
	Attempt    int64       `json:"attempt"`
	Retry      int64       `json:"retry"`
	Status     CheckStatus `json:"status"`
	Conclusion string      `json:"conclusion"`
	State      ChecksState `json:"state"`
	URL        string      `json:"url"`

	StartedAt         time.Time `json:"started_at,omitzero"`
	CompletedAt       time.Time `json:"completed_at,omitzero"`
	ProviderUpdatedAt time.Time `json:"provider_updated_at,omitzero"`
	// ReceivedAt is when its newest delivery reached Pawl: it stands in for the
	// provider's clock where a check has none, and only to tell whether the
	// result was there before a retarget.
	ReceivedAt time.Time `json:"-"`
	Version    int64     `json:"version"`
}

// PullRequestCheck is a check of the head, as rules see it.
type PullRequestCheck struct {
	App        string      `json:"app"`
	Name       string      `json:"name"`
	State      ChecksState `json:"state"`
	Status     CheckStatus `json:"status"`
	Conclusion string      `json:"conclusion"`
}

// Commit is the folded state of what hangs on one commit: the row of
// pawl.commit_rollup. The checks stand beside it.
type Commit struct {
	EntityKey    EntityKey   `json:"entity_key"`
	Instance     string      `json:"instance"`
	RepositoryID string      `json:"repository_id"`
	Repository   string      `json:"repository"`
	SHA          string      `json:"sha"`
	State        ChecksState `json:"state"`
	Total        int64       `json:"total"`
	Pending      int64       `json:"pending"`
	Succeeded    int64       `json:"succeeded"`
	Failed       int64       `json:"failed"`

	// MergeGroup is the state of the merge group that the commit was made for:
	// requested, destroyed (final), or empty for an ordinary commit.
	MergeGroup       string `json:"merge_group"`
	MergeGroupReason string `json:"merge_group_reason"`
	MergeGroupRef    string `json:"merge_group_ref"`
	Version          int64  `json:"version"`
}

// The states of a merge group.
const (
	MergeGroupRequested = "requested"
	MergeGroupDestroyed = "destroyed"
)
