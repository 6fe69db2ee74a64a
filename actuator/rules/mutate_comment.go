package rules

import (
	"errors"
	"regexp"
	"slices"

	"cel.dev/cel-go/common/types"

	"pawl/schemas"
)

// commentParams: post a comment, or keep a sticky one up to date.
type commentParams struct {
	Body   template `json:"body"`
	Sticky string   `json:"sticky,omitempty"`
}

func checkComment(c mutationChecker, e entry) params {
	f, ok := c.fields(e, "body", "sticky")
	if !ok {
		return nil
	}
	return commentParams{f.required("body"), f.sticky()}
}

var stickyPattern = regexp.MustCompile(`^[a-z0-9-]+$`)

// sticky reads the name of a sticky comment. It is no template: a comment that
// is known by a name must not lose it.
func (f fields) sticky() string {
	e, ok := f.keys["sticky"]
	if !ok {
		return ""
	}
	name, ok := f.textOf(e, f.name("sticky"))
	if ok && !stickyPattern.MatchString(name.text) {
		f.fault(name.at, "%s: want lower-case letters, digits and dashes", f.name("sticky"))
	}
	return name.text
}

func (p commentParams) render(v *variables) (any, error) {
	body, err := p.Body.rendered(v, "comment.body")
	if err != nil {
		return nil, err
	}
	return struct {
		Body   string `json:"body"`
		Sticky string `json:"sticky,omitempty"`
	}{cut(body, textLimit), p.Sticky}, nil
}

// deleteCommentParams: remove a sticky comment, or the one that the transition
// is about.
type deleteCommentParams struct {
	Sticky string `json:"sticky,omitempty"`
}

func checkDeleteComment(c mutationChecker, e entry) params {
	if c.isNothing(e) {
		if slices.ContainsFunc(c.rule.on, func(kind schemas.Kind) bool { return !isCommentKind(kind) }) {
			c.fault(e.at, "delete_comment: without sticky it is for rules that listen to comments alone: no other transition is about a comment")
		}
		return deleteCommentParams{}
	}
	f, ok := c.fields(e, "sticky")
	if !ok {
		return nil
	}
	return deleteCommentParams{f.sticky()}
}

var errNoCommentID = errors.New("delete_comment: the comment's id is unknown")

func (p deleteCommentParams) render(v *variables) (any, error) {
	rendered := struct {
		Sticky  string `json:"sticky,omitempty"`
		Comment string `json:"comment,omitempty"`
	}{Sticky: p.Sticky}
	if p.Sticky != "" {
		return rendered, nil
	}
	var err error
	rendered.Comment, err = v.commentID()
	return rendered, err
}

// commentID returns the id at the provider of the transition's comment.
func (v *variables) commentID() (string, error) {
	value, _ := v.at([]string{variableComment, "entity_key"})
	text, ok := value.(types.String)
	if !ok {
		return "", errNoCommentID
	}
	key, err := schemas.ParseKey(schemas.EntityKey(text))
	if err != nil || key.Kind != schemas.KeyComment {
		return "", errNoCommentID
	}
	return key.Comment, nil
}
