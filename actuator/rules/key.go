package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"

	"pawl/schemas"
)

var errNoHeadScope = errors.New("once: head: the head sha is unknown")

// scope returns what an effect of the rule happens once within, by its value.
// It begins with the name of the scope, so that values of two scopes differ.
func (r *rule) scope(t schemas.Transition) (string, error) {
	switch r.once {
	case OnceEntity:
		return string(OnceEntity) + ":", nil
	case OnceHead:
		if t.PullRequest.HeadSHA == "" {
			return "", errNoHeadScope
		}
		return string(OnceHead) + ":" + t.PullRequest.HeadSHA, nil
	case OnceTransition:
		return string(OnceTransition) + ":" + string(t.ID), nil
	}
	return "", errors.New("once: unknown scope") // unreachable unless Parse lets one through
}

// key derives the idempotency key of a mutation (I10): the first half of
// SHA-256 over what the effect means. Only the scope, which is last, may hold a
// NUL, so no two meanings are one text.
func key(rule string, kind schemas.MutationKind, place int, entity schemas.EntityKey, scope string) schemas.IdempotencyKey {
	meaning := strings.Join([]string{rule, string(kind), strconv.Itoa(place), string(entity), scope}, "\x00")
	sum := sha256.Sum256([]byte(meaning))
	return schemas.IdempotencyKey(hex.EncodeToString(sum[:16]))
}

// headSHA returns the head of the pull request.
func (v *variables) headSHA() (string, error) {
	value, _ := v.at([]string{variablePR, "head_sha"})
	sha, ok := value.(types.String)
	if !ok || sha == "" {
		return "", errNoHead
	}
	return string(sha), nil
}
