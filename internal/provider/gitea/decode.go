package gitea

import (
	"fmt"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// decode reads a record into an event. It is pure.
func decode(record schemas.Record) (schemas.Event, error) {
	event := payload.NewEvent(record)
	switch {
	case record.Event == eventIssueComment:
		return decodeComment(event, record)
	case isPullRequest(record.Event):
		return decodePullRequest(event, record)
	case record.Event == eventStatus:
		return decodeStatus(event, record)
	case record.Event == eventWorkflowRun:
		return decodeWorkflowRun(event, record)
	case record.Event == eventRepository:
		return decodeRepository(event, record)
	}
	event.Ignored = fmt.Sprintf("event %s is not folded", payload.Clean(record.Event))
	return event, nil
}

// isPullRequest reports whether an event is of a pull request, whichever of its
// parts it names.
func isPullRequest(event string) bool { return strings.HasPrefix(event, eventPullRequest) }

// isComment reports whether a payload is of a comment. The event alone does not
// tell: pull_request_comment is the type of a comment on a pull request, and
// without a type the name of a review.
func isComment(event string, hasComment payload.Present) bool {
	return event == eventIssueComment || isPullRequest(event) && bool(hasComment)
}

// repository is the repository that every payload we fold must name.
type repository struct {
	ID       int64  `json:"id"`
	FullName string `json:"full_name"`
}

// check names what keeps a repository from being part of a key.
func (r repository) check(event string) error {
	return payload.CheckPositive(event, r.ID, "repository.id")
}

// checkEntity holds the numbers that make a pull request's key against what a
// key can be.
func checkEntity(event string, repo repository, number int64, path string) error {
	if err := repo.check(event); err != nil {
		return err
	}
	return payload.CheckPositive(event, number, path)
}

// checkCommit holds what makes a commit's key against what a key can be.
func checkCommit(event string, repo repository, sha, path string) error {
	if err := repo.check(event); err != nil {
		return err
	}
	switch {
	case sha == "":
		return payload.Errorf(event, "%s is missing", path)
	case !payload.IsSHA(sha):
		return payload.Errorf(event, "%s is %q, want the name of a commit", path, payload.Clean(sha))
	}
	return nil
}

// The accounts that Gitea makes up (models/user): they have no row, and ids
// below zero.
const (
	ghostID   = -1 // the account was deleted
	actionsID = -2 // the bot of Gitea Actions and Forgejo Actions
)

// user is an account. Old versions have the name in username.
type user struct {
	ID       int64  `json:"id"`
	Login    string `json:"login"`
	Username string `json:"username"`
}

// name is empty for a ghost.
func (u *user) name() string {
	switch {
	case u == nil || u.ID == ghostID:
		return ""
	case u.Login != "":
		return payload.Clean(u.Login)
	}
	return payload.Clean(u.Username)
}

func (u *user) actor() schemas.Actor {
	return schemas.Actor{Login: u.name(), IsBot: u != nil && u.ID == actionsID}
}
