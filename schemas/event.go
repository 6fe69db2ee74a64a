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
// yields and the fold takes. A payload can say several things at once: GitLab's
// hook of an approval is a snapshot and a review. Where it says nothing that is
// folded, all parts are nil and Ignored says why.
type Event struct {
	// Entity is the key of the record: what is folded belongs to it. A check's
	// and a merge group's is the commit, everything else of a pull request is
	// the pull request's.
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
	Thread      *ThreadSnapshot
	Review      *ReviewSnapshot
	Check       *CheckSnapshot
	MergeGroup  *MergeGroupSnapshot
	Repository  *RepositorySnapshot
	// Components are those that one delivery shows: a component's own delivery
	// shows one, an incident's those that it affects. They are in the order of
	// their keys.
	Components []ComponentSnapshot
	Incident   *IncidentSnapshot
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
	// Revision is the provider's own counter of the row (Bitbucket Data Center:
	// version). Where both sides know it, it orders before UpdatedAt does.
	Revision Stated[int64]

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
	// HeadCommit is the key of the commit that the checks of the head hang on.
	// It is stated wherever HeadSHA is.
	HeadCommit Stated[EntityKey]
	BaseRef    Stated[string]
	BaseSHA    Stated[string]

	Labels             Stated[[]string] // sorted, no repeats
	Milestone          Stated[string]
	RequestedReviewers Stated[[]string] // sorted, no repeats
	Assignees          Stated[[]string] // sorted, no repeats
	AutoMerge          Stated[bool]
	// ThreadsResolved: the provider says that no thread is unresolved.
	ThreadsResolved Stated[bool]
	MergeCommitSHA  Stated[string]

	Comments       Stated[int64]
	ReviewComments Stated[int64]
	Commits        Stated[int64]
	Additions      Stated[int64]
	Deletions      Stated[int64]
	ChangedFiles   Stated[int64]

	CreatedAt Stated[time.Time]
	ClosedAt  Stated[time.Time]
	MergedAt  Stated[time.Time]

	// Change is what the payload says it changed, in the words of GitHub's
	// actions, whatever the provider's own are (GitLab's "merge" is closed).
	// Empty is a read of the provider, ChangeUnknown a change without a word.
	Change string
	// Touched is what the change names besides the snapshot: the label of
	// labeled and unlabeled, the login of review_requested and
	// review_request_removed, the head before a synchronize. Empty for other
	// changes.
	Touched string
	// Edited names the fields that an edited change touched: title, body, base.
	Edited []string
	// Queue is set where the payload says that the pull request entered or
	// left the merge queue.
	Queue *QueueChange
}

// ChangeUnknown is the change of a payload that does not say what it changed.
const ChangeUnknown = "unknown"

// QueueChange is an entry into the merge queue, or a removal from it.
type QueueChange struct {
	Queued bool
	// Reason is the provider's word for why it left: MERGE is no failure.
	Reason string
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
	Key    EntityKey // the comment's own key
	Kind   CommentKind
	Change CommentChange
	Parent EntityKey // the pull request it stands under, or the issue of a tracker
	// Issue is the tracker's name of that issue: ENG-123. Empty of a pull request.
	Issue string
	// Thread is the id of the review thread it belongs to; empty for none.
	Thread    string
	Author    Actor
	Body      Stated[string]
	URL       string
	CreatedAt Stated[time.Time]
	UpdatedAt Stated[time.Time]
	// PreviousAt is what UpdatedAt was before this change, where the payload says.
	PreviousAt Stated[time.Time]
	// RemovedAt is when a deleted comment was: the provider's clock.
	RemovedAt Stated[time.Time]
}

// ThreadSnapshot is a review thread as one payload shows it.
type ThreadSnapshot struct {
	// ID is the id of the thread's first comment where the payload shows it, or
	// the provider's id of the thread.
	ID        string
	Resolved  bool
	UpdatedAt Stated[time.Time]
}

// ReviewSnapshot is what one person said of a pull request, as one payload
// shows it.
type ReviewSnapshot struct {
	// ID is the provider's id of the review. Where a person has one state and
	// reviews have no ids (GitLab, Bitbucket, Gitea), it is user/<login>.
	ID     string
	Author Actor
	State  ReviewState
	// HeadSHA is the commit that was reviewed; empty where it is not stated.
	HeadSHA string
	Body    Stated[string]
	URL     string
	// SubmittedAt orders the reviews of one person.
	SubmittedAt Stated[time.Time]
	// UpdatedAt orders two payloads about one review.
	UpdatedAt Stated[time.Time]
	// Edited: the payload changed the text of a review that was there.
	Edited bool
	// Reset: the provider took back every approval given until UpdatedAt, by a
	// rule of its own. ID, Author and State are empty.
	Reset bool
}

// CheckSnapshot is one result on a commit, as one payload shows it.
type CheckSnapshot struct {
	Instance     string
	RepositoryID string
	Repository   string
	SHA          string

	Kind CheckKind
	// App and Name tell the checks of a commit apart. Names of commit statuses
	// are in lower case: their contexts are case-insensitive.
	App  string
	Name string
	// Attempt is the provider's id of this attempt: the greater is the newer.
	// Retry counts within one id. 0 is unknown.
	Attempt int64
	Retry   int64
	Status  CheckStatus
	// Conclusion is the provider's own word for how it ended.
	Conclusion string
	// State is what the check counts as.
	State ChecksState
	URL   string

	StartedAt   Stated[time.Time]
	CompletedAt Stated[time.Time]
	// UpdatedAt is the check's own clock, where it has one.
	UpdatedAt Stated[time.Time]
}

// MergeGroupSnapshot is a merge group as one payload shows it: a commit that the
// merge queue made to be checked in place of a pull request's head.
type MergeGroupSnapshot struct {
	Instance     string
	RepositoryID string
	Repository   string
	SHA          string
	HeadRef      string
	BaseRef      string
	// Destroyed is final; Reason says why: merged, invalidated, dequeued.
	Destroyed bool
	Reason    string
}

// RepositoryChange is what happened to a repository.
type RepositoryChange string

// The changes of a repository that are folded.
const (
	RepositoryNamed   RepositoryChange = "named" // renamed, transferred, or seen under a name
	RepositoryDeleted RepositoryChange = "deleted"
)

// RepositorySnapshot is a repository as one payload shows it.
type RepositorySnapshot struct {
	Instance     string
	RepositoryID string
	Repository   string // full name
	Change       RepositoryChange
	Private      Stated[bool]
	UpdatedAt    Stated[time.Time]
}

// ComponentSnapshot is a component of a status page as one payload shows it.
type ComponentSnapshot struct {
	Key         EntityKey
	Instance    string
	PageID      string
	ComponentID string
	Name        Stated[string]
	Description Stated[string]
	GroupID     Stated[string]
	// Status is what the component is now; ComponentUnknown for a word that is
	// not known.
	Status ComponentStatus
	// Before is what it was before, where the payload is of that change.
	Before Stated[ComponentStatus]
	// UpdatedAt is the component's own clock. Where the page has none for it
	// (Instatus), it is when the change was made, or the clock of the incident
	// that shows the component.
	UpdatedAt Stated[time.Time]
}

// IncidentSnapshot is an incident or a scheduled maintenance as one payload shows
// it, whole.
type IncidentSnapshot struct {
	Instance    string
	PageID      string
	IncidentID  string
	Name        Stated[string]
	Status      IncidentStatus
	Impact      Stated[string]
	Maintenance bool
	URL         Stated[string]
	Components  Stated[[]string] // names, sorted, no repeats
	UpdateID    Stated[string]
	Body        Stated[string]
	Updates     int64

	CreatedAt      Stated[time.Time]
	ResolvedAt     Stated[time.Time]
	ScheduledFor   Stated[time.Time]
	ScheduledUntil Stated[time.Time]
	// UpdatedAt is the newest time at which the incident or one of its updates was
	// changed. The times that updates are shown under are no clock: they can be
	// set back.
	UpdatedAt Stated[time.Time]
}
