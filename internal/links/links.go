// Package links finds the issues that a pull request names: #12, acme/api#12 and
// addresses of the same instance after a word that closes, and the keys of issue
// trackers, ENG-123, anywhere.
//
//	title, branch ───────────────┐
//	body ─ prose: no code, no ───┴─▶ words ─▶ reference after a closing word ─▶ closes
//	       comment, no quotation              key of a tracker               ─▶ mentions
//
// It is a function of its arguments: no clock, no network. Text comes from
// anybody, so work is bounded: each step looks at a byte a bounded number of
// times, a body counts up to 256 KB, and there are at most 100 links.
//
// What closes is what the providers say that closes (GitHub: "Linking a pull
// request to an issue"; GitLab: "Default closing pattern"; Gitea knows GitHub's
// words). Both read the body and the messages of commits, and a squash makes the
// title such a message, so the title counts too. That GitHub closes an issue only
// when the base is the default branch is not looked at: the text says what is
// meant.
//
// A number alone is no link. #12 is as often a pull request, a step or a comment.
package links

import (
	"cmp"
	"slices"
	"strings"

	"pawl/schemas"
)

// Link is an issue that a pull request names.
type Link = schemas.Link

// Kind is what a pull request says of an issue.
type Kind = schemas.LinkKind

// The kinds of links.
const (
	Closes   = schemas.LinkCloses
	Mentions = schemas.LinkMentions
)

// Text is what is said of a pull request, and where.
type Text struct {
	Source     string // the configured source; it chooses the pattern of tracker keys
	Provider   string
	Instance   string // the host that addresses must have
	Repository string // full name; what #12 belongs to
	Title      string
	Body       string
	Branch     string // the head's
}

// Of returns the issues that the texts of a pull request's row name. The source
// is that of the delivery they came by.
func (f Finder) Of(source, provider string, row *schemas.PullRequest) []Link {
	return f.Find(Text{
		Source: source, Provider: provider, Instance: row.Instance, Repository: row.Repository,
		Title: row.Title, Body: row.Body, Branch: row.HeadRef,
	})
}

// Bounds.
const (
	maxLinks  = 100
	maxBody   = 256 << 10 // bytes; what is behind them is not read
	maxShort  = 4 << 10   // of a title, and of a branch's name
	maxDigits = 10        // of the number of an issue
)

// Finder finds links. The zero value is ready: every source has the default
// pattern of tracker keys.
type Finder struct {
	patterns map[string]*pattern // nil: no keys
}

// Find returns the links of a text, sorted by target and without repeats. Closes
// wins over mentions. Where there are more than can be, those of the title come
// first, then those of the branch and of the body in its order.
func (f Finder) Find(in Text) []Link {
	keys, configured := f.patterns[in.Source]
	if !configured {
		keys = defaultPattern()
	}
	r := reader{in: in, keys: keys, found: make(map[string]*Link)}
	r.readProse(cut(in.Title, maxShort))
	r.readBranch(cut(in.Branch, maxShort))
	r.readProse(prose(cut(in.Body, maxBody)))
	links := make([]Link, 0, len(r.found))
	for _, link := range r.found {
		links = append(links, *link)
	}
	slices.SortFunc(links, func(a, b Link) int { return cmp.Compare(a.Target, b.Target) })
	return links
}

func cut(text string, at int) string {
	if len(text) > at {
		return text[:at]
	}
	return text
}

// add keeps a link. Targets that differ in case alone are one.
func (r *reader) add(target string, kind Kind) {
	name := strings.ToLower(target)
	held := r.found[name]
	switch {
	case held != nil && kind == Closes:
		held.Kind = Closes
	case held == nil && len(r.found) < maxLinks:
		r.found[name] = &Link{Target: strings.Clone(target), Kind: kind}
	}
}
