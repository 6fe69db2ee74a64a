package schemas

import "time"

// ReviewState is what a review says.
type ReviewState string

// The states of a review.
const (
	ReviewApproved         ReviewState = "approved"
	ReviewChangesRequested ReviewState = "changes_requested"
	ReviewCommented        ReviewState = "commented" // no opinion: it supersedes nothing
	ReviewDismissed        ReviewState = "dismissed" // by somebody else; final
	ReviewWithdrawn        ReviewState = "withdrawn" // by its author, who may review again
)

// Valid reports whether s is one of the states.
func (s ReviewState) Valid() bool {
	switch s {
	case ReviewApproved, ReviewChangesRequested, ReviewCommented, ReviewDismissed, ReviewWithdrawn:
		return true
	}
	return false
}

// Review is the folded state of one review: the row of
// pawl.pull_request_review.
type Review struct {
	PullRequest EntityKey   `json:"pull_request"`
	ID          string      `json:"id"`
	Author      string      `json:"author"`
	AuthorIsBot bool        `json:"author_is_bot"`
	State       ReviewState `json:"state"`
	HeadSHA     string      `json:"head_sha"`
	Body        string      `json:"body"`
	URL         string      `json:"url"`
	SubmittedAt time.Time   `json:"submitted_at,omitzero"`
	// ProviderUpdatedAt is the review's own watermark.
	ProviderUpdatedAt time.Time `json:"provider_updated_at,omitzero"`
	Version           int64     `json:"version"`
}

// PullRequestReview is the latest review of one person, as rules see it.
type PullRequestReview struct {
	Author      string      `json:"author"`
	AuthorIsBot bool        `json:"author_is_bot"`
	State       ReviewState `json:"state"`
	HeadSHA     string      `json:"head_sha"`
	SubmittedAt time.Time   `json:"submitted_at,omitzero"`
}

// Thread is the folded state of one review thread: the row of
// pawl.review_thread.
type Thread struct {
	PullRequest EntityKey `json:"pull_request"`
	ID          string    `json:"id"`
	Resolved    bool      `json:"resolved"`
	// Live are the comments in it that are not removed, sorted.
	Live []string `json:"live"`
	// Commented: a comment of it was seen. A thread whose comments are all
	// removed is gone.
	Commented bool `json:"commented"`
	// ProviderUpdatedAt is when it was resolved or opened again, or its first
	// comment was written.
	ProviderUpdatedAt time.Time `json:"provider_updated_at,omitzero"`
	// Stated: a payload said whether it is resolved.
	Stated  bool  `json:"stated"`
	Version int64 `json:"version"`
}
