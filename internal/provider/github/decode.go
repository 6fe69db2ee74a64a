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
	case eventPing:
		event.Ignored = "a ping says that the webhook is set up"
	default:
		event.Ignored = fmt.Sprintf("event %s is not folded", payload.Clean(record.Event))
	}
	return event, nil
}

// repository is the repository that every payload we fold must name.
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

// checkEntity holds the numbers that make a pull request's key against what a
// key can be.
func checkEntity(event string, repo repository, number int64, path string) error {
	switch {
	case repo.ID == 0:
		return payload.Errorf(event, "repository.id is missing")
	case repo.ID < 0:
		return payload.Errorf(event, "repository.id is %d, want a positive number", repo.ID)
	case number == 0:
		return payload.Errorf(event, "%s is missing", path)
	case number < 0:
		return payload.Errorf(event, "%s is %d, want a positive number", path, number)
	}
	return nil
}

// eventAction returns the action of a payload. A payload without one leaves
// what the record says: outside producers may state it in ce_type alone.
func eventAction(stated string, record schemas.Record) string {
	if stated == "" {
		return payload.Clean(record.Action)
	}
	return payload.Clean(stated)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
