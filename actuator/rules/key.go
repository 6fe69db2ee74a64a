package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"

	"pawl/schemas"
)

// scope is what an effect of a rule happens once within, by its value.
type scope struct {
	once  Once
	value string
}

// scopeOfValue names the scope that is an expression's value.
const scopeOfValue = "value"

var errNoHeadScope = errors.New("once: head: the head sha is unknown")

// scope returns the scope of a transition.
func (r *rule) scope(t schemas.Transition, v *variables) (scope, error) {
	switch r.once {
	case OnceEntity:
		return scope{once: r.once}, nil
	case OnceHead:
		if t.PullRequest == nil || t.PullRequest.HeadSHA == "" {
			return scope{}, errNoHeadScope
		}
		return scope{r.once, t.PullRequest.HeadSHA}, nil
	case OnceTransition:
		return scope{r.once, string(t.ID)}, nil
	}
	value, err := r.onceOver.evaluate(v)
	if err != nil {
		return scope{}, fmt.Errorf("once: %s cannot be evaluated: %w", cut(r.onceOver.text, conditionWidth), err)
	}
	text, err := written(value)
	if err != nil { // unreachable unless Parse lets another type through
		return scope{}, fmt.Errorf("once: %w", err)
	}
	return scope{scopeOfValue, text}, nil
}

// String begins with the name of the scope, so that values of two scopes differ.
func (s scope) String() string { return string(s.once) + ":" + s.value }

// key derives the idempotency key of a mutation (I10): the first half of
// SHA-256 over what the effect means. Only the scope, which is last, may hold a
// NUL, so no two meanings are one text.
func key(rule string, kind schemas.MutationKind, place int, entity schemas.EntityKey, within scope) schemas.IdempotencyKey {
	meaning := strings.Join([]string{rule, string(kind), strconv.Itoa(place), string(entity), within.String()}, "\x00")
	sum := sha256.Sum256([]byte(meaning))
	return schemas.IdempotencyKey(hex.EncodeToString(sum[:16]))
}

// headSHA returns the head of the pull request that was decided on.
func (v *variables) headSHA() (string, error) {
	value, _ := v.at([]string{variablePR, "head_sha"})
	sha, ok := value.(types.String)
	if !ok || sha == "" {
		return "", errNoHead
	}
	return string(sha), nil
}

var errNoHead = errors.New("the head sha is unknown, so it cannot be said what to act on")
