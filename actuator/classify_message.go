package actuator

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v66/github"
)

// What GitHub says where a status does not say it: parts of messages, in lower
// case. Few of them stand in its documentation; the source of each is beside
// its row in classify_test.go.
var (
	// raceMessages are the 405 that passes: another merge moved the base.
	raceMessages = []string{"base branch was modified"}
	// queueMessages are the 405 of a branch that is merged by a queue only.
	queueMessages = []string{"merge queue"}
	// unmetMessages are the 405 of requirements that may yet be met.
	unmetMessages = []string{
		"required status check", "review is required", "reviews are required", "changes were requested",
		"rule violations", "must be resolved", "is expected", "protected branch",
	}
	// movedMessages are the 422 of a precondition that does not hold any more.
	movedMessages = []string{"expected head sha", "can not dismiss a dismissed"}
	// currentMessages are the 422 of a branch that has all of its base.
	currentMessages = []string{"no new commits on the base branch"}
	// cleanMessages refuse auto-merge because there is nothing to wait for: it
	// can be merged now.
	cleanMessages = []string{"clean status", "unstable status"}
	// graphMovedMessages are the refusal of an expectedHeadOid.
	graphMovedMessages = []string{"head sha", "head oid", "expected head", "head branch was modified"}
)

// refusal is a refusal that an effect knows what to do about.
type refusal string

const (
	refusedForQueue refusal = "the branch demands a merge queue"
	refusedUnmet    refusal = "requirements are not met"
	refusedCurrent  refusal = "there is nothing to update"
)

// refusalOf returns what kind of refusal an error is, empty where it is none of
// those.
func refusalOf(err error) refusal {
	if other := answerOf(err); other != nil {
		return other.refusal
	}
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) {
		return ""
	}
	status := answer.Response.StatusCode
	switch {
	case status == http.StatusMethodNotAllowed && says(answer, raceMessages):
		return ""
	case status == http.StatusMethodNotAllowed && says(answer, queueMessages):
		return refusedForQueue
	case status == http.StatusMethodNotAllowed && says(answer, unmetMessages):
		return refusedUnmet
	case status == http.StatusUnprocessableEntity && says(answer, currentMessages):
		return refusedCurrent
	}
	return ""
}

// says reports whether an answer's message, or that of one of its errors, has
// one of the parts in it.
func says(answer *github.ErrorResponse, parts []string) bool {
	said := []string{answer.Message}
	for _, e := range answer.Errors {
		said = append(said, e.Message)
	}
	return slices.ContainsFunc(said, func(message string) bool { return hasPart(message, parts) })
}

func hasPart(message string, parts []string) bool {
	message = strings.ToLower(message)
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(message, part) })
}

// The types of GraphQL errors that tell something of their own.
const (
	graphNotFound    = "NOT_FOUND"
	graphForbidden   = "FORBIDDEN"
	graphScopes      = "INSUFFICIENT_SCOPES"
	graphRateLimited = "RATE_LIMITED"
	graphRefused     = "UNPROCESSABLE"
)

// verdict is what a refusal of GraphQL means. One without a type it knows is a
// failure of GitHub's: "Something went wrong while executing your query".
func (e *graphError) verdict() verdict {
	switch {
	case e.Type == graphRateLimited || e.Type == "RATE_LIMIT":
		return limited
	case hasPart(e.Message, cleanMessages):
		return transient
	case hasPart(e.Message, graphMovedMessages):
		return gone
	case slices.Contains([]string{graphNotFound, graphForbidden, graphScopes, graphRefused}, e.Type):
		return permanent
	case e.change:
		return unknown
	}
	return transient
}
