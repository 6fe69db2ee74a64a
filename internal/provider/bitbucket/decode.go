package bitbucket

import (
	"fmt"
	"strconv"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// The events, which are event keys up to the first colon. Repo and project are
// of both.
const (
	eventPullRequest = "pullrequest" // Cloud
	eventRepo        = "repo"
	eventProject     = "project"
	eventPR          = "pr"          // Data Center
	eventDiagnostics = "diagnostics" // Data Center
	eventMirror      = "mirror"      // Data Center
)

// isDataCenter reports whether an event is one of Data Center's. All others are
// Cloud's.
func isDataCenter(event, action string) bool {
	switch event {
	case eventPR, eventDiagnostics, eventMirror:
		return true
	case eventProject:
		return action == "modified"
	case eventRepo:
		return action == "refs_changed" || action == "modified" || action == "forked" ||
			action == "secret_detected" || strings.HasPrefix(action, "comment:")
	}
	return false
}

// decode reads a record into an event. It is pure.
func decode(record schemas.Record) (schemas.Event, error) {
	event := payload.NewEvent(record)
	event.Action = payload.Clean(record.Action)
	if record.Event == eventDiagnostics {
		event.Ignored = "a ping says that the webhook is set up"
		return event, nil
	}
	if isDataCenter(record.Event, record.Action) {
		return decodeDataCenter(event, record)
	}
	return decodeCloud(event, record)
}

// eventKey returns the key as Bitbucket writes it.
func eventKey(record schemas.Record) string {
	return payload.Clean(strings.TrimSuffix(record.Event+":"+record.Action, ":"))
}

func notFolded(event schemas.Event, record schemas.Record) schemas.Event {
	event.Ignored = fmt.Sprintf("event %s is not folded", eventKey(record))
	return event
}

// read decodes a record's body. Errors name the whole event key.
func read(record schemas.Record, into any) error {
	record.Event = eventKey(record)
	return payload.Read(record, into)
}

// The states of a pull request at Bitbucket. Superseded is of Cloud.
const (
	stateOpen       = "OPEN"
	stateMerged     = "MERGED"
	stateDeclined   = "DECLINED"
	stateSuperseded = "SUPERSEDED"
)

// standing is the state of a pull request in our words.
type standing struct {
	state  schemas.Stated[string]
	merged schemas.Stated[bool]
}

// standingOf translates a state. A payload without one has the state that its
// event brings about.
func standingOf(record schemas.Record, field string, state *string) (standing, error) {
	stated := impliedState(record.Action)
	if state != nil {
		stated = *state
	}
	switch stated {
	case "":
		return standing{}, nil
	case stateOpen:
		return standing{schemas.Say("open"), schemas.Say(false)}, nil
	case stateMerged:
		return standing{schemas.Say("closed"), schemas.Say(true)}, nil
	case stateDeclined, stateSuperseded:
		return standing{schemas.Say("closed"), schemas.Say(false)}, nil
	}
	return standing{}, payload.Errorf(eventKey(record), "%s is %q, want %s, %s, %s or %s",
		field, payload.Clean(stated), stateOpen, stateMerged, stateDeclined, stateSuperseded)
}

func impliedState(action string) string {
	switch action {
	case "fulfilled", "merged":
		return stateMerged
	case "rejected", "superseded", "declined":
		return stateDeclined
	}
	return ""
}

// checkSHA names a field that holds no commit, where it holds something.
func checkSHA(record schemas.Record, field string, sha *string) error {
	if sha == nil || *sha == "" || payload.IsSHA(*sha) {
		return nil
	}
	return payload.Errorf(eventKey(record), "%s is %q, want a commit", field, payload.Clean(*sha))
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
