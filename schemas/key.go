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
		if strings.ContainsAny(text, "#@/") {
			return ParsedKey{}, fmt.Errorf("%w: %q names no instance, want <instance>:<repository id>#<number>", ErrKey, text)
		}
		return ParsedKey{Kind: KeyInstance, Instance: text}, nil
	}
	parsed := ParsedKey{Instance: text[:colon]}
	rest := text[colon+1:]
	if parsed.Instance == "" || rest == "" {
		return ParsedKey{}, fmt.Errorf("%w: %q, want <instance>:<repository id>#<number>", ErrKey, text)
	}
	if id, ok := strings.CutPrefix(rest, "comment/"); ok {
		parsed.Kind, parsed.Comment = KeyComment, id
		return parsed, requirePart(text, "comment id", id)
	}
	if repo, number, ok := strings.Cut(rest, "#"); ok {
		return parsePullRequestKey(text, parsed, repo, number)
	}
	if repo, sha, ok := strings.Cut(rest, "@"); ok {
		parsed.Kind, parsed.Repository, parsed.SHA = KeyCommit, repo, sha
		return parsed, errors.Join(requirePart(text, "repository id", repo), requirePart(text, "sha", sha))
	}
	parsed.Kind, parsed.Repository = KeyRepository, rest
	return parsed, nil
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
	}
	return ""
}
