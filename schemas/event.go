package schemas

import "time"

// Stated is a field of a payload that may be absent. Known is false where the
// payload says nothing; a JSON null is known and the zero value.
type Stated[T any] struct {
	Value T
	Known bool
}

// Say returns a stated value.
func Say[T any](value T) Stated[T] { return Stated[T]{Value: value, Known: true} }

// Or returns the stated value, or held where nothing is stated.
func (s Stated[T]) Or(held T) T {
	if s.Known {
		return s.Value
	}
	return held
}

// Actor is who did something at the provider. An empty login is unknown: a
// ghost user, or a payload that does not say.
type Actor struct {
	Login string `json:"login"`
	IsBot bool   `json:"is_bot"`
}

// Event is the typed part of one record: what decoding a provider's payload
// yields and the fold takes. At most one of PullRequest and Comment is set;
// with neither, nothing is folded and Ignored says why.
type Event struct {
	// Entity is the key of the record: what is folded belongs to it.
	Entity     EntityKey
	Source     string
	DeliveryID DeliveryID
	Provider   string
	Name       string // the event's name at the provider: pull_request
	Action     string
	Sender     Actor
	// ReceivedAt is when the delivery reached Pawl. It never becomes a
	// watermark (I7); it only tells which provider times lie in the future.
	ReceivedAt time.Time
	// TraceParent continues the delivery's trace (W3C Trace Context).
	TraceParent string

	PullRequest *PullRequestSnapshot
	Comment     *CommentSnapshot
	// Ignored is the reason why nothing is folded.
	Ignored string
}

// PullRequestSnapshot is the whole pull request as one payload shows it at one
// instant of the provider's clock. Only what the payload states is known.
type PullRequestSnapshot struct {
	Instance     string
	RepositoryID string
	Repository   string // full name: acme/api
	Number       int64

	// UpdatedAt is the provider's clock. Unknown where the payload has none or
	// it cannot be read.
	UpdatedAt Stated[time.Time]

	Title  Stated[string]
	Body   Stated[string]
	Author Stated[Actor]

	// State is the provider's own field: "open" or "closed".
	State Stated[string]
	// Merged is true where the payload says so in any way: merged is true, or
	// merged_at is set. It is unknown where the payload says nothing of either.
	Merged Stated[bool]

	Draft            Stated[bool]
	Locked           Stated[bool]
	HeadSHA          Stated[string]
	HeadRef          Stated[string]
	HeadRepositoryID Stated[string] // empty: the head repository is gone
	BaseRef          Stated[string]
	BaseSHA          Stated[string]

	Labels             Stated[[]string] // sorted, no repeats
	Milestone          Stated[string]
	RequestedReviewers Stated[[]string] // sorted, no repeats
	Assignees          Stated[[]string] // sorted, no repeats
	AutoMerge          Stated[bool]
	MergeCommitSHA     Stated[string]

	Comments       Stated[int64]
	ReviewComments Stated[int64]
	Commits        Stated[int64]
	Additions      Stated[int64]
	Deletions      Stated[int64]
	ChangedFiles   Stated[int64]

	CreatedAt Stated[time.Time]
	ClosedAt  Stated[time.Time]
	MergedAt  Stated[time.Time]

	// Touched is what the action names besides the snapshot: the label of
	// labeled and unlabeled, the login of review_requested and
	// review_request_removed. Empty for other actions.
	Touched string
	// Edited names the fields that an edited action changed: title, body, base.
	Edited []string
}

// CommentChange is what happened to a comment.
type CommentChange string

// The changes of a comment.
const (
	CommentCreated CommentChange = "created"
	CommentEdited  CommentChange = "edited"
	CommentDeleted CommentChange = "deleted"
)

// CommentSnapshot is a comment as one payload shows it.
type CommentSnapshot struct {
	Key       EntityKey // the comment's own key
	Change    CommentChange
	Parent    EntityKey // the pull request it stands under
	Author    Actor
	Body      Stated[string]
	URL       string
	CreatedAt Stated[time.Time]
	UpdatedAt Stated[time.Time]
}
