package actuator

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pawl/schemas"
)

// stickyEffect: the one comment of a name under the pull request says what is
// wanted. It ends in two markers: one with the name and the time of the
// decision, by which later mutations find it, and the key of the mutation that
// wrote it last.
type stickyEffect struct {
	provider interface {
		commenter
		commentEditor
		Login(ctx context.Context) (string, error)
	}
	ref     Ref
	key     schemas.IdempotencyKey
	decided time.Time
	Body    string `json:"body"`
	Name    string `json:"sticky"`

	there *stickyComment // what the look found to edit
}

// stickyComment is a comment taken apart.
type stickyComment struct {
	LiveComment
	text    string
	decided time.Time // of the mutation that wrote it
}

const stickyMarker = "<!-- pawl-sticky:"

// stickyName makes a name that ends no HTML comment.
func stickyName(name string) string { return strings.ReplaceAll(url.QueryEscape(name), "--", "-%2D") }

// parseSticky takes a comment apart, if it is the sticky one of a name.
func parseSticky(c LiveComment, name string) (stickyComment, bool) {
	body := strings.TrimRight(strings.ReplaceAll(c.Body, "\r\n", "\n"), " \n")
	if key, ok := markerKey(body); ok {
		body = strings.TrimRight(strings.TrimSuffix(body, marker(key)), " \n")
	}
	body, ok := strings.CutSuffix(body, markerEnd)
	start := strings.LastIndex(body, stickyMarker)
	if !ok || start < 0 {
		return stickyComment{}, false
	}
	named, at, ok := strings.Cut(body[start+len(stickyMarker):], "@")
	micros, err := strconv.ParseInt(at, 10, 64)
	if !ok || err != nil || named != stickyName(name) {
		return stickyComment{}, false
	}
	return stickyComment{LiveComment: c, text: strings.TrimRight(body[:start], " \n"), decided: time.UnixMicro(micros)}, true
}

// body is the comment with its markers.
func (e *stickyEffect) body() string {
	return fmt.Sprintf("%s\n\n%s%s@%d%s\n%s", strings.TrimRight(e.Body, "\n"), stickyMarker, stickyName(e.Name), e.decided.UnixMicro(), markerEnd,
		marker(e.key))
}

// look keeps the oldest of several, as that of a plain comment does. A comment
// that a later decision wrote stands: this mutation is looked at once more,
// after its time, and must not bring an older text back.
func (e *stickyEffect) look(ctx context.Context) (sight, error) {
	ours, err := stickies(ctx, e.provider, e.ref, e.Name)
	if err != nil || len(ours) == 0 {
		e.there = nil
		return sight{}, err
	}
	first := slices.MinFunc(ours, func(a, b stickyComment) int { return cmp.Compare(a.ID, b.ID) })
	e.there = &first
	removed := ""
	for _, newer := range ours {
		if newer.ID == first.ID || newer.Author != first.Author {
			continue
		}
		if err := e.provider.DeleteComment(ctx, e.ref, newer.ID); err != nil {
			return sight{}, fmt.Errorf("remove the newer of two comments: %w", err)
		}
		removed = "; removed what came after it"
	}
	switch {
	case first.text == normalText(e.Body):
		return sight{found: true, reason: fmt.Sprintf("found comment %d with that text%s", first.ID, removed)}, nil
	case first.decided.After(e.decided):
		return sight{found: true, reason: fmt.Sprintf("comment %d was written by a later decision%s", first.ID, removed)}, nil
	}
	return sight{}, nil
}

func (e *stickyEffect) change(ctx context.Context) (string, error) {
	if e.there == nil {
		return "", e.provider.CreateComment(ctx, e.ref, e.body())
	}
	return fmt.Sprintf("edited comment %d", e.there.ID), e.provider.UpdateComment(ctx, e.ref, e.there.ID, e.body())
}

// normalText is a text as a provider may give it back.
func normalText(text string) string {
	return strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), " \n")
}

// stickies returns our comments of a name, of all pages.
func stickies(ctx context.Context, p commentReader, ref Ref, name string) ([]stickyComment, error) {
	var ours []stickyComment
	err := eachComment(ctx, p, ref, func(c LiveComment, isOurs bool) {
		if sticky, ok := parseSticky(c, name); ok && isOurs {
			ours = append(ours, sticky)
		}
	})
	return ours, err
}

// commentReader reads comments, and knows which are ours.
type commentReader interface {
	Login(ctx context.Context) (string, error)
	Comments(ctx context.Context, ref Ref, page int) (comments []LiveComment, next int, err error)
}

// eachComment hands over all comments. Where our login is unknown all count as
// ours; the marker decides then.
func eachComment(ctx context.Context, p commentReader, ref Ref, do func(c LiveComment, isOurs bool)) error {
	login, err := p.Login(ctx)
	if err != nil {
		return err
	}
	for page := 1; page > 0; {
		comments, next, err := p.Comments(ctx, ref, page)
		if err != nil {
			return err
		}
		for _, c := range comments {
			do(c, login == "" || strings.EqualFold(c.Author, login))
		}
		page = next
	}
	return nil
}
