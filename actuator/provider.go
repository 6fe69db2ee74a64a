package actuator

import (
	"context"
	"encoding/json"
	"strings"
)

// Ref names a pull request at a provider.
type Ref struct {
	Repository string // full name: acme/api
	Number     int64
}

// Live is a pull request as the provider shows it now.
type Live struct {
	Closed         bool // true of merged ones too
	Merged         bool
	HeadSHA        string
	MergeCommitSHA string
	Labels         []string
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
