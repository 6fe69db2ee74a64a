package github

import (
	"fmt"
	"strconv"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// decode reads a record into an event. It is pure.
func decode(record schemas.Record) (schemas.Event, error) {
	event := payload.NewEvent(record)
	switch record.Event {
	case eventPullRequest:
		return decodePullRequest(event, record)
	case eventIssueComment:
		return decodeIssueComment(event, record)
	case eventReview:
		return decodeReview(event, record)
	case eventReviewComment:
		return decodeReviewComment(event, record)
	case eventReviewThread:
		return decodeReviewThread(event, record)
	case eventCheckRun:
		return decodeCheckRun(event, record)
	case eventCheckSuite:
		return decodeCheckSuite(event, record)
	case eventStatus:
		return decodeStatus(event, record)
	case eventWorkflowRun:
		return decodeWorkflowRun(event, record)
	case eventMergeGroup:
		return decodeMergeGroup(event, record)
	case eventRepository:
		return decodeRepository(event, record)
	}
	event.Ignored = whyIgnored(record.Event)
	return event, nil
}

// whyIgnored is the reason for an event of which nothing is read. A ping of an
// organization and an installation name no repository.
func whyIgnored(event string) string {
	switch event {
	case eventPing:
		return "a ping says that the webhook is set up"
	case eventPush:
		return "event push is not folded: the head of a pull request is what its snapshots say"
	case eventInstallation, eventInstallationRepositories:
		return "event " + event + " is not folded: it is about what an App may see, not about a pull request"
	}
	return fmt.Sprintf("event %s is not folded", payload.Clean(event))
}

// notFolded is the reason for an action that says nothing that is folded.
func notFolded(action, of string) string {
	if action == "" {
		return fmt.Sprintf("the payload has no action, so what it says of %s is not folded", of)
	}
	return fmt.Sprintf("action %s of %s is not folded", action, of)
}

// repository is the repository that every payload we fold must name. For checks
// and for pull requests from a fork it is the base's, not the fork.
type repository struct {
	ID       int64  `json:"id"`
	FullName string `json:"full_name"`
}

// user is an account. GitHub sends null for one that was deleted (a ghost).
type user struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

func (u user) actor() schemas.Actor {
	login := payload.Clean(u.Login)
	return schemas.Actor{Login: login, IsBot: u.Type == "Bot" || strings.HasSuffix(login, "[bot]")}
}

func actorOf(u *user) schemas.Actor {
	if u == nil {
		return schemas.Actor{}
	}
	return u.actor()
}

// pullRequestRef is the pull request inside the payload of another event. It is
// not whole (merged is missing from it), so it names the pull request, lends its
// clock to what has none, and never becomes a snapshot.
type pullRequestRef struct {
	Number    int64          `json:"number"`
	UpdatedAt payload.Moment `json:"updated_at"`
}

// pullRequestKey returns the key of the pull request that a payload is about. The
// path names the field of the number.
func pullRequestKey(record schemas.Record, repo repository, number int64, path string) (schemas.EntityKey, error) {
	if err := checkEntity(record.Event, repo, number, path); err != nil {
		return "", err
	}
	return schemas.PullRequestKey(payload.Instance(record.Key), itoa(repo.ID), number), nil
}

// checkEntity holds the numbers that make a pull request's key against what a
// key can be.
func checkEntity(event string, repo repository, number int64, path string) error {
	if err := checkRepository(event, repo.ID); err != nil {
		return err
	}
	return payload.CheckPositive(event, number, path)
}

func checkRepository(event string, id int64) error {
	return payload.CheckPositive(event, id, "repository.id")
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
