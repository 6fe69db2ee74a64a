package actuator

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"pawl/schemas"
)

// Ref names a pull request at a provider.
type Ref struct {
	Repository   string // full name: acme/api
	RepositoryID string // the provider's id: names change, ids do not
	Number       int64
}

// Live is a pull request as the provider shows it now.
type Live struct {
	Closed         bool // true of merged ones too
	Merged         bool
	HeadSHA        string
	MergeCommitSHA string
	// AutoMerge: the provider merges by itself once its conditions hold.
	AutoMerge bool
	Labels    []string
	// PullRequest and Repository are the provider's own JSON, for the log.
	PullRequest json.RawMessage
	Repository  json.RawMessage
}

// hasLabel compares as GitHub does, without regard to case.
func (l Live) hasLabel(label string) bool {
	for _, held := range l.Labels {
		if strings.EqualFold(held, label) {
			return true
		}
	}
	return false
}

// LiveComment is a comment as the provider shows it now.
type LiveComment struct {
	ID     int64
	Author string
	Body   string
}

// MergeParams say how to merge.
type MergeParams struct {
	Method  string `json:"method"`
	SHA     string `json:"sha"`
	Title   string `json:"title,omitempty"`
	Message string `json:"message,omitempty"`
	// Queue: where the branch demands a merge queue, the pull request is put
	// into it. AutoMerge: where requirements are not met yet, the provider is
	// asked to merge once they are.
	Queue     bool `json:"queue,omitempty"`
	AutoMerge bool `json:"auto_merge,omitempty"`
}

// Provider is what acting needs of a provider. Each method is one call. A nil error of a method that changes means that the
// change is done; the errors are what classify knows. Implementations are safe
// for concurrent use and honour the context.
type Provider interface {
	reader
	commenter
	merger
	labeler
	Close(ctx context.Context, ref Ref) error
}

type reader interface {
	// Login is the account that we act as, empty where it cannot be known.
	Login(ctx context.Context) (string, error)
	PullRequest(ctx context.Context, ref Ref) (Live, error)
}

type commenter interface {
	// Comments returns one page of the comments, oldest first; pages count from
	// 1. The next page is 0 after the last.
	Comments(ctx context.Context, ref Ref, page int) (comments []LiveComment, next int, err error)
	CreateComment(ctx context.Context, ref Ref, body string) error
	// DeleteComment removes a comment; one that is gone is no error.
	DeleteComment(ctx context.Context, ref Ref, id int64) error
}

type merger interface {
	// Merge merges if the head is still params.SHA, and returns the commit.
	Merge(ctx context.Context, ref Ref, params MergeParams) (sha string, err error)
}

type labeler interface {
	AddLabels(ctx context.Context, ref Ref, labels []string) error
	// RemoveLabel takes a label off; one that is not there is no error.
	RemoveLabel(ctx context.Context, ref Ref, label string) error
}

// What follows is what some providers can do and others cannot. A provider has a
// capability by implementing its interface; rules that want a mutation which no
// configured provider has are refused when they are loaded.

// reopener opens a closed pull request again.
type reopener interface {
	Reopen(ctx context.Context, ref Ref) error
}

// commentEditor changes the text of a comment.
type commentEditor interface {
	UpdateComment(ctx context.Context, ref Ref, id int64, body string) error
}

// LiveReview is a review as the provider shows it now.
type LiveReview struct {
	ID      int64
	Author  string
	State   schemas.ReviewState
	HeadSHA string
	Body    string
	// SubmittedAt is on the provider's clock, zero where it does not say.
	SubmittedAt time.Time
}

// Reviews are asked for, read, given, and taken back; a provider may have a part
// of it.
type reviewRequester interface {
	// RequestedReviewers returns the people and teams that are asked now.
	RequestedReviewers(ctx context.Context, ref Ref) (people, teams []string, err error)
	RequestReview(ctx context.Context, ref Ref, people, teams []string) error
}

type reviewReader interface {
	// Reviews returns one page of the reviews, oldest first; see Comments.
	Reviews(ctx context.Context, ref Ref, page int) (reviews []LiveReview, next int, err error)
}

type approver interface {
	// Approve approves the head named by sha, and no other.
	Approve(ctx context.Context, ref Ref, sha, body string) error
}

type dismisser interface {
	DismissReview(ctx context.Context, ref Ref, id int64, message string) error
}

// CheckRunParams are what a check run shows. Parameters of the mutation have the
// same JSON.
type CheckRunParams struct {
	Name       string `json:"name"`
	SHA        string `json:"sha"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion,omitempty"`
	Title      string `json:"title,omitempty"`
	Summary    string `json:"summary,omitempty"`
	DetailsURL string `json:"details_url,omitempty"`
}

// LiveCheckRun is a check run of ours as the provider shows it now.
type LiveCheckRun struct {
	ID int64
	CheckRunParams
}

// checkReporter reports check runs. They carry our key as their external id.
type checkReporter interface {
	FindCheckRun(ctx context.Context, ref Ref, sha, name, externalID string) (run LiveCheckRun, found bool, err error)
	CreateCheckRun(ctx context.Context, ref Ref, externalID string, params CheckRunParams) error
	UpdateCheckRun(ctx context.Context, ref Ref, id int64, params CheckRunParams) error
}

// StatusParams are what a commit status shows. Parameters of the mutation have
// the same JSON.
type StatusParams struct {
	Context     string `json:"context"`
	SHA         string `json:"sha"`
	State       string `json:"state"` // error, failure, pending, success
	Description string `json:"description,omitempty"`
	TargetURL   string `json:"target_url,omitempty"`
	// At is when the provider took it, zero where it does not say.
	At time.Time `json:"-"`
}

// statusReporter reports commit statuses.
type statusReporter interface {
	// CommitStatus returns the newest status of the context.
	CommitStatus(ctx context.Context, ref Ref, sha, name string) (status StatusParams, found bool, err error)
	CreateCommitStatus(ctx context.Context, ref Ref, params StatusParams) error
}

// stateKeeper has fewer words for the states of commit statuses.
type stateKeeper interface {
	// KeptState is the state that is read where state was written.
	KeptState(state string) string
}

// branchUpdater merges the base into the head, if the head is still sha.
type branchUpdater interface {
	// UpdateBranch is done once the provider has taken it on.
	UpdateBranch(ctx context.Context, ref Ref, sha string) error
	// Parents returns the parents of a commit, the first one first.
	Parents(ctx context.Context, ref Ref, sha string) ([]string, error)
}

// queuer merges by the provider's own means, if the head is still sha.
type queuer interface {
	// InQueue reports whether the pull request is in the merge queue.
	InQueue(ctx context.Context, ref Ref) (bool, error)
	// Enqueue puts the pull request into the merge queue.
	Enqueue(ctx context.Context, ref Ref, sha string) error
	autoMerger
}

type autoMerger interface {
	// EnableAutoMerge has the provider merge once its conditions hold.
	EnableAutoMerge(ctx context.Context, ref Ref, params MergeParams) error
}
