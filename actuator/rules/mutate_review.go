package rules

import (
	"fmt"
	"strings"
	"unicode"

	"pawl/schemas"
)

// requestReviewParams: ask people and teams for a review.
type requestReviewParams struct {
	Reviewers []template `json:"reviewers,omitempty"`
	Teams     []template `json:"teams,omitempty"`
}

// checkRequestReview reads {reviewers: [a], teams: [b]}; one of them is enough.
func checkRequestReview(c mutationChecker, e entry) params {
	f, ok := c.fields(e, "reviewers", "teams")
	if !ok {
		return nil
	}
	if !f.has("reviewers") && !f.has("teams") {
		f.fault(f.at, "request_review: reviewers or teams is missing")
		return nil
	}
	return requestReviewParams{f.names("reviewers", "login"), f.names("teams", "slug")}
}

// names reads a list of logins or slugs.
func (f fields) names(key, of string) []template {
	e, ok := f.keys[key]
	if !ok {
		return nil
	}
	list, _ := f.templates(e, f.name(key), of+"s")
	nodes, _ := f.sequence(e.value)
	for i, t := range list {
		if text, ok := t.literal(); ok && !isName(text) {
			f.fault(f.position(nodes[i]), "%s: %q is no %s: write it without @, and a team without its organisation", f.name(key), cut(text, valueWidth), of)
		}
	}
	return list
}

// isName reports whether a text can be a login or a slug.
func isName(text string) bool {
	return !strings.ContainsAny(text, "@/,") && !strings.ContainsFunc(text, unicode.IsSpace)
}

func (p requestReviewParams) render(v *variables) (any, error) {
	reviewers, err := renderNames(p.Reviewers, v, "request_review.reviewers", "login")
	if err != nil {
		return nil, err
	}
	teams, err := renderNames(p.Teams, v, "request_review.teams", "slug")
	if err != nil {
		return nil, err
	}
	return struct {
		Reviewers []string `json:"reviewers"`
		Teams     []string `json:"teams"`
	}{reviewers, teams}, nil
}

func renderNames(list []template, v *variables, what, of string) ([]string, error) {
	texts, err := renderEach(list, v, what, of)
	for _, text := range texts {
		if !isName(text) {
			return nil, fmt.Errorf("%s: %q is no %s", what, cut(text, valueWidth), of)
		}
	}
	return texts, err
}

// approveParams: approve the head that was decided about.
type approveParams struct {
	Body *template `json:"body,omitempty"`
}

func checkApprove(c mutationChecker, e entry) params {
	if c.isNothing(e) {
		return approveParams{}
	}
	f, ok := c.fields(e, "body")
	if !ok {
		return nil
	}
	return approveParams{f.optional("body")}
}

func (p approveParams) render(v *variables) (any, error) {
	sha, err := v.headSHA()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", schemas.MutateApprove, err)
	}
	body, err := renderOptional("approve.body", p.Body, v)
	if err != nil {
		return nil, err
	}
	return struct {
		SHA  string `json:"sha"`
		Body string `json:"body,omitempty"`
	}{sha, cut(body, textLimit)}, nil
}

// dismissReviewParams: take back the opinion of one person, or of all.
type dismissReviewParams struct {
	Author  *template `json:"author,omitempty"`
	Message template  `json:"message"`
}

func checkDismissReview(c mutationChecker, e entry) params {
	f, ok := c.fields(e, "author", "message")
	if !ok {
		return nil
	}
	return dismissReviewParams{f.optional("author"), f.required("message")}
}

// render makes sure that an author of whom nothing is left does not become all
// of them.
func (p dismissReviewParams) render(v *variables) (any, error) {
	author := ""
	if p.Author != nil {
		var err error
		if author, err = p.Author.renderedLine(v, "dismiss_review.author"); err != nil {
			return nil, err
		}
	}
	message, err := p.Message.rendered(v, "dismiss_review.message")
	if err != nil {
		return nil, err
	}
	return struct {
		Author  string `json:"author,omitempty"`
		Message string `json:"message"`
	}{author, cut(message, textLimit)}, nil
}
