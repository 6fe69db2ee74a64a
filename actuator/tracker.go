package actuator

import "context"

// LiveIssue is an issue as its tracker shows it now.
type LiveIssue struct {
	ID         string // the tracker's own
	Identifier string // ENG-123
}

// LiveIssueComment is a comment of an issue as the tracker shows it now.
type LiveIssueComment struct {
	ID      string
	IssueID string
	Body    string
}

// Tracker is what acting needs of an issue tracker. Each method is one call. A nil
// error of a method that changes means that the change is done; the errors are what
// classify knows. Implementations are safe for concurrent use and honour the context.
type Tracker interface {
	// Issue returns the issue of an identifier such as ENG-123; false: there is
	// none.
	Issue(ctx context.Context, identifier string) (LiveIssue, bool, error)
	// IssueComment returns a comment by its id; false: there is none.
	IssueComment(ctx context.Context, id string) (LiveIssueComment, bool, error)
	// CreateIssueComment makes a comment under an id that the caller chose, a UUID
	// of version 4. A second one of that id is not made.
	CreateIssueComment(ctx context.Context, issueID, id, body string) error
	UpdateIssueComment(ctx context.Context, id, body string) error
	// DeleteIssueComment removes a comment; one that is gone is no error.
	DeleteIssueComment(ctx context.Context, id string) error
}
