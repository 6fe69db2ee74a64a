package actuator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// commentEffect: a comment with our marker stands under the pull request.
type commentEffect struct {
	provider Provider
	ref      Ref
	key      schemas.IdempotencyKey
	Body     string `json:"body"`
}

// marker is the line at the end of a comment that carries its key. GitHub shows
// it to nobody.
func marker(key schemas.IdempotencyKey) string { return rules.Marker + string(key) + markerEnd }

// markerKey returns the key in the marker that a comment ends in.
func markerKey(body string) (schemas.IdempotencyKey, bool) {
	body, ok := strings.CutSuffix(strings.TrimRight(body, " \r\n"), markerEnd)
	start := strings.LastIndex(body, rules.Marker)
	if !ok || start < 0 {
		return "", false
	}
	key := body[start+len(rules.Marker):]
	if len(key) != keyLength || strings.ContainsFunc(key, isNotHex) {
		return "", false
	}
	return schemas.IdempotencyKey(key), true
}

const (
	markerEnd = " -->"
	keyLength = 32
)

func isNotHex(c rune) bool { return !strings.ContainsRune("0123456789abcdef", c) }

// look reads all pages: a comment that is not found is posted. Two that carry
// the marker are the work of two actors; the newer ones are removed, so that
// everybody who looks keeps the same one.
func (e *commentEffect) look(ctx context.Context) (sight, error) {
	ours, err := e.ours(ctx)
	if err != nil || len(ours) == 0 {
		return sight{}, err
	}
	first := slices.MinFunc(ours, func(a, b LiveComment) int { return cmp.Compare(a.ID, b.ID) })
	removed := 0
	for _, newer := range ours {
		// An unknown login leaves the marker to forgery: then only what the
		// author of the first wrote is removed.
		if newer.ID == first.ID || newer.Author != first.Author {
			continue
		}
		if err := e.provider.DeleteComment(ctx, e.ref, newer.ID); err != nil {
			return sight{}, fmt.Errorf("remove the newer of two comments: %w", err)
		}
		removed++
	}
	reason := fmt.Sprintf("found comment %d by its marker", first.ID)
	if removed > 0 {
		reason += fmt.Sprintf("; removed %d that came after it", removed)
	}
	return sight{found: true, reason: reason}, nil
}

// ours returns our comments that end in the marker, of all pages: a person may
// quote it.
func (e *commentEffect) ours(ctx context.Context) ([]LiveComment, error) {
	var ours []LiveComment
	err := eachComment(ctx, e.provider, e.ref, func(c LiveComment, isOurs bool) {
		if isOurs && strings.HasSuffix(strings.TrimRight(c.Body, " \r\n"), marker(e.key)) {
			ours = append(ours, c)
		}
	})
	return ours, err
}

func (e *commentEffect) change(ctx context.Context) (string, error) {
	body := strings.TrimRight(e.Body, "\n") + "\n\n" + marker(e.key)
	return "", e.provider.CreateComment(ctx, e.ref, body)
}
