package schemas

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// EntityKey names one entity across providers, and is the partition key of
// every record about it (I2). The forms are
//
//	github.com:186853002#2        a pull request: instance, repository id, number
//	github.com:186853002@6dcb09b  a commit
//	github.com:186853002          a repository
//	github.com                    an instance
//	github.com:comment/17         a comment
//	linear.app:issue/2f2c1a       an issue of a tracker
//	statuspage.io:pg1/c1          a component of a status page: instance, page id, component id
//	statuspage.io:pg1!i1          an incident of a status page
//
// The repository is named by its id, because names change on rename and
// transfer. It is a string: some providers use numbers, others UUIDs.
type EntityKey string

// KeyKind is the form of an EntityKey.
type KeyKind string

// The kinds of entity keys.
const (
	KeyInstance    KeyKind = "instance"
	KeyRepository  KeyKind = "repository"
	KeyPullRequest KeyKind = "pull_request"
	KeyCommit      KeyKind = "commit"
	KeyComment     KeyKind = "comment"
	KeyIssue       KeyKind = "issue"
	KeyComponent   KeyKind = "component"
	KeyIncident    KeyKind = "incident"
)

// ErrKey is returned by ParseKey for text that is not an entity key.
var ErrKey = errors.New("not an entity key")

// ParsedKey is an EntityKey taken apart. Fields that the kind does not have
// are empty.
type ParsedKey struct {
	Kind       KeyKind
	Instance   string
	Repository string
	Number     int64
	SHA        string
	Comment    string
	Issue      string
	Page       string
	Component  string
	Incident   string
}

// PullRequestKey returns the key of a pull request or merge request. The
// number is the one people see (#7), not the provider's global id.
func PullRequestKey(instance, repositoryID string, number int64) EntityKey {
	return EntityKey(instance + ":" + repositoryID + "#" + strconv.FormatInt(number, 10))
}

// CommitKey returns the key of a commit of a repository.
func CommitKey(instance, repositoryID, sha string) EntityKey {
	return EntityKey(instance + ":" + repositoryID + "@" + sha)
}

// RepositoryKey returns the key for deliveries that name a repository and
// nothing smaller.
func RepositoryKey(instance, repositoryID string) EntityKey {
	return EntityKey(instance + ":" + repositoryID)
}

// InstanceKey returns the key for deliveries that name no repository.
func InstanceKey(instance string) EntityKey { return EntityKey(instance) }

// CommentKey returns the key of a comment by its id at the provider.
func CommentKey(instance, id string) EntityKey {
	return EntityKey(instance + ":comment/" + id)
}

// IssueKey returns the key of a tracker's issue by its id there. Nothing is folded
// under it: it is what a comment stands under.
func IssueKey(instance, id string) EntityKey {
	return EntityKey(instance + ":issue/" + id)
}

// ComponentKey returns the key of a component of a status page.
func ComponentKey(instance, page, id string) EntityKey {
	return EntityKey(instance + ":" + page + "/" + id)
}

// IncidentKey returns the key of an incident of a status page.
func IncidentKey(instance, page, id string) EntityKey {
	return EntityKey(instance + ":" + page + "!" + id)
}

// IsPageID reports whether a text can be the id of a status page, of a component or
// of an incident in a key. A page cannot have an id that begins the key of
// something else.
func IsPageID(id string) bool {
	return id != "" && id+"/" != commentPrefix && id+"/" != issuePrefix &&
		utf8.ValidString(id) && !strings.ContainsAny(id, ":/!#@") && !strings.ContainsFunc(id, isBlank)
}

const (
	commentPrefix = "comment/"
	issuePrefix   = "issue/"
)

// ParseKey takes a key apart. An instance may carry a port
// (ghe.example.com:8443); a key of such an instance alone would be read as a
// repository, so instances are configured without a port where they can be.
func ParseKey(key EntityKey) (ParsedKey, error) {
	text := string(key)
	if text == "" || !utf8.ValidString(text) || strings.ContainsFunc(text, isBlank) {
		return ParsedKey{}, fmt.Errorf("%w: %q", ErrKey, text)
	}
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 {
		if strings.ContainsAny(text, "#@/!") {
			return ParsedKey{}, fmt.Errorf("%w: %q names no instance, want <instance>:<repository id>#<number>", ErrKey, text)
		}
		return ParsedKey{Kind: KeyInstance, Instance: text}, nil
	}
	parsed := ParsedKey{Instance: text[:colon]}
	rest := text[colon+1:]
	if parsed.Instance == "" || rest == "" {
		return ParsedKey{}, fmt.Errorf("%w: %q, want <instance>:<repository id>#<number>", ErrKey, text)
	}
	return parseWithin(text, parsed, rest)
}

// parseWithin takes apart what stands behind the instance. What divides it comes
// first in it: the ids before that hold no such character.
func parseWithin(text string, parsed ParsedKey, rest string) (ParsedKey, error) {
	if id, ok := strings.CutPrefix(rest, commentPrefix); ok {
		parsed.Kind, parsed.Comment = KeyComment, id
		return parsed, requirePart(text, "comment id", id)
	}
	if id, ok := strings.CutPrefix(rest, issuePrefix); ok {
		parsed.Kind, parsed.Issue = KeyIssue, id
		return parsed, requirePart(text, "issue id", id)
	}
	at := strings.IndexAny(rest, "#@/!")
	if at < 0 {
		parsed.Kind, parsed.Repository = KeyRepository, rest
		return parsed, nil
	}
	before, after := rest[:at], rest[at+1:]
	switch rest[at] {
	case '#':
		return parsePullRequestKey(text, parsed, before, after)
	case '@':
		parsed.Kind, parsed.Repository, parsed.SHA = KeyCommit, before, after
		return parsed, errors.Join(requirePart(text, "repository id", before), requirePart(text, "sha", after))
	case '/':
		parsed.Kind, parsed.Page, parsed.Component = KeyComponent, before, after
		return parsed, errors.Join(requirePart(text, "page id", before), requirePart(text, "component id", after))
	}
	parsed.Kind, parsed.Page, parsed.Incident = KeyIncident, before, after
	return parsed, errors.Join(requirePart(text, "page id", before), requirePart(text, "incident id", after))
}

func parsePullRequestKey(text string, parsed ParsedKey, repo, number string) (ParsedKey, error) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != number {
		return ParsedKey{}, fmt.Errorf("%w: %q, the number after # must be a positive whole number", ErrKey, text)
	}
	parsed.Kind, parsed.Repository, parsed.Number = KeyPullRequest, repo, n
	return parsed, requirePart(text, "repository id", repo)
}

// isBlank reports whether a key cannot have this character: PostgreSQL takes no
// NUL, and people cannot see the others.
func isBlank(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }

func requirePart(text, part, value string) error {
	if value == "" {
		return fmt.Errorf("%w: %q has no %s", ErrKey, text, part)
	}
	return nil
}

// String returns the key that ParseKey was given.
func (p ParsedKey) String() string {
	switch p.Kind {
	case KeyInstance:
		return string(InstanceKey(p.Instance))
	case KeyRepository:
		return string(RepositoryKey(p.Instance, p.Repository))
	case KeyPullRequest:
		return string(PullRequestKey(p.Instance, p.Repository, p.Number))
	case KeyCommit:
		return string(CommitKey(p.Instance, p.Repository, p.SHA))
	case KeyComment:
		return string(CommentKey(p.Instance, p.Comment))
	case KeyIssue:
		return string(IssueKey(p.Instance, p.Issue))
	case KeyComponent:
		return string(ComponentKey(p.Instance, p.Page, p.Component))
	case KeyIncident:
		return string(IncidentKey(p.Instance, p.Page, p.Incident))
	}
	return ""
}
