package schemas

import (
	"cmp"
	"time"
)

// CommentState is the state of a comment. Removed is terminal.
type CommentState string

// The states of a comment.
const (
	CommentLive    CommentState = "live"
	CommentRemoved CommentState = "removed"
)

// CommentKind is where a comment stands.
type CommentKind string

// The kinds of comments.
const (
	CommentConversation CommentKind = "conversation" // under the pull request itself
	CommentReview       CommentKind = "review"       // on a line of its changes
	CommentIssue        CommentKind = "issue"        // under an issue of a tracker, and under no pull request
)

// Comment is the folded state of one comment: the row of pawl.comment, the
// comment of a transition and of a rule.
type Comment struct {
	EntityKey EntityKey   `json:"entity_key"`
	Parent    EntityKey   `json:"parent"` // the pull request, or the issue of a tracker, that it stands under
	Kind      CommentKind `json:"kind"`
	Thread    string      `json:"thread"` // the review thread it belongs to; empty for none
	// Issue is the tracker's name of the issue that it stands under, such as
	// ENG-123; empty for a comment of a pull request.
	Issue       string       `json:"issue,omitempty"`
	State       CommentState `json:"state"`
	Author      string       `json:"author"`
	AuthorIsBot bool         `json:"author_is_bot"`
	Body        string       `json:"body"`
	URL         string       `json:"url"`
	CreatedAt   time.Time    `json:"created_at,omitzero"`
	// ProviderUpdatedAt is the comment's own watermark.
	ProviderUpdatedAt time.Time `json:"provider_updated_at,omitzero"`
	Version           int64     `json:"version"`
	NeedsRead         bool      `json:"needs_read"`

	// RemovedAt is when it was removed, on the provider's clock. Zero while it
	// lives, and where no payload says.
	RemovedAt time.Time `json:"-"`

	// MissedAt is the version that the newest delivery says was before it and that
	// never came. NeedsRead stands until it does.
	MissedAt time.Time `json:"-"`

	// Announced: comment_created was derived. It waits for the pull request
	// to be known, so that a rule always sees the pull request it is about.
	Announced bool `json:"-"`
}

// CompareComments orders comments by when they were made.
func CompareComments(a, b Comment) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.EntityKey, b.EntityKey))
}
