package schemas

import "time"

// CommentState is the state of a comment. Removed is terminal.
type CommentState string

// The states of a comment.
const (
	CommentLive    CommentState = "live"
	CommentRemoved CommentState = "removed"
)

// Comment is the folded state of one comment: the row of pawl.comment, the
// comment of a transition and of a rule.
type Comment struct {
	EntityKey   EntityKey    `json:"entity_key"`
	Parent      EntityKey    `json:"parent"`
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

	// Announced: comment_created was derived. It waits for the pull request
	// to be known, so that a rule always sees the pull request it is about.
	Announced bool `json:"-"`
}
