package rules

import (
	"fmt"
	"slices"
	"strings"

	"pawl/schemas"
)

// Marker begins the hidden marker that Pawl leaves in its comments. A comment
// that has it is our own, whoever edits it.
const Marker = "<!-- pawl:"

// ownEcho reports whether a transition is what one of our own acts came back as
// (hard part 10), and how that is known.
func (s *Set) ownEcho(t schemas.Transition) (string, bool) {
	switch {
	case s.isOwn(instanceOf(t), t.Cause.Sender.Login):
		return fmt.Sprintf("own echo: caused by %s, and the rule does not include_own", t.Cause.Sender.Login), true
	case hasMarker(t):
		return "own echo: the comment carries our marker, and the rule does not include_own", true
	}
	return "", false
}

func hasMarker(t schemas.Transition) bool {
	if t.Kind != schemas.KindCommentCreated && t.Kind != schemas.KindCommentEdited {
		return false
	}
	return t.Comment != nil && strings.Contains(t.Comment.Body, Marker)
}

func instanceOf(t schemas.Transition) string {
	if t.PullRequest != nil && t.PullRequest.Instance != "" {
		return t.PullRequest.Instance
	}
	parsed, err := schemas.ParseKey(t.PartitionKey())
	if err != nil {
		return "" // an entity without an instance has no login of ours
	}
	return parsed.Instance
}

// isOwn compares logins as GitHub does, without regard to case. An App acts as
// "<login>[bot]".
func (s *Set) isOwn(instance, login string) bool {
	login = strings.ToLower(login)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.ContainsFunc(s.own[instance], func(own string) bool {
		return login == own || login == own+"[bot]"
	})
}
