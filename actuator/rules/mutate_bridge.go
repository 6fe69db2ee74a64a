package rules

import (
	"errors"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"pawl/schemas"
)

// MirrorTo is where a comment is mirrored.
type MirrorTo string

// The places of mirrors.
const (
	ToBoth        MirrorTo = "both"
	ToPullRequest MirrorTo = "pull_request" // an issue's comment, under the pull requests that name the issue
	ToIssue       MirrorTo = "issue"        // a pull request's comment, under the issues that it names
)

// Valid reports whether t is one of the places.
func (t MirrorTo) Valid() bool {
	switch t {
	case ToBoth, ToPullRequest, ToIssue:
		return true
	}
	return false
}

// bridgeParams: keep a mirror of a comment elsewhere.
type bridgeParams struct {
	To       MirrorTo `json:"to"`
	Instance string   `json:"instance,omitempty"` // of the tracker, for mirrors under issues
	Body     template `json:"body"`
	// Earlier is how many comments of an issue are mirrored when a pull request
	// comes to name it; the newest ones. 0 is none.
	Earlier int `json:"earlier,omitempty"`
}

// defaultTracker is where issues are, where a rule says nothing.
const defaultTracker = "linear.app"

// defaultMirror shows who wrote it, and where.
const defaultMirror = `**{{comment.author}}** wrote on {{comment.url == "" ? ` + mirroredFrom + ` : "[" + ` + mirroredFrom + ` + "](" + comment.url + ")"}}:

{{comment.body}}`

const mirroredFrom = `(comment.issue != "" ? comment.issue : pr.repository + "#" + string(pr.number))`

// carries reports whether comments of issues, or those of pull requests, are mirrored.
func (p *bridgeParams) carries(ofIssue bool) bool {
	if ofIssue {
		return p.To != ToIssue
	}
	return p.To != ToPullRequest
}

func checkBridge(c mutationChecker, e entry) params {
	made := bridgeParams{To: ToBoth}
	var f fields
	if !c.isNothing(e) {
		var ok bool
		if f, ok = c.fields(e, "to", "instance", "body", "earlier"); !ok {
			return nil
		}
	}
	if to, ok := f.keys["to"]; ok {
		made.To = parseWord(c.checker, to, f.name("to"), ToBoth, ToPullRequest, ToIssue)
	}
	made.Instance = f.tracker(made.To)
	made.Earlier = f.earlier(made.To)
	c.checkBridgedKinds(e, made.Earlier)
	if f.has("body") {
		made.Body = f.required("body")
		return made
	}
	made.Body = c.builtIn(e.at, defaultMirror)
	return made
}

// builtIn compiles a template of our own.
func (c mutationChecker) builtIn(at position, text string) template {
	env, err := c.environment()
	if err != nil {
		c.fault(at, "%v", err)
		return template{}
	}
	made, issues := env.template(text, nil)
	for _, i := range issues { // unreachable unless our own text is faulty
		c.fault(at, "the built-in text: %s", i.message)
	}
	return made
}

func (f fields) tracker(to MirrorTo) string {
	e, ok := f.keys["instance"]
	if !ok {
		if to == ToPullRequest {
			return ""
		}
		return defaultTracker
	}
	if to == ToPullRequest {
		f.fault(f.place(e), "%s: mirrors under a pull request are at its own instance; it is for mirrors under issues", f.name("instance"))
	}
	text, _ := f.textOf(e, f.name("instance"))
	return text.text
}

func (f fields) earlier(to MirrorTo) int {
	e, ok := f.keys["earlier"]
	if !ok {
		return 0
	}
	number, ok := f.bare(e.value).(*ast.IntegerNode)
	count := 0
	if ok {
		var err error
		count, err = strconv.Atoi(number.GetToken().Value)
		ok = err == nil && count >= 0
	}
	switch {
	case !ok:
		f.fault(f.place(e), "%s: want a whole number of comments, got %s", f.name("earlier"), f.kindOf(e.value))
	case to == ToIssue:
		f.fault(f.place(e), "%s: it is for comments of an issue, and this rule mirrors those of a pull request", f.name("earlier"))
	}
	return count
}

// checkBridgedKinds: a rule that mirrors hears of comments and, where it mirrors
// earlier ones, of pull requests that come to name an issue.
func (c mutationChecker) checkBridgedKinds(e entry, earlier int) {
	if len(c.rule.on) == 0 {
		return // told already
	}
	for _, kind := range c.rule.on {
		switch {
		case isCommentKind(kind):
		case kind != schemas.KindOpened && kind != schemas.KindLinksChanged:
			c.fault(e.at, "bridge_comment: %s is of no comment: it listens to comment_created, comment_edited and comment_removed", kind)
		case earlier == 0:
			c.fault(e.at, "bridge_comment: %s is for earlier comments: say how many by earlier", kind)
		}
	}
	if !slices.Contains(c.rule.on, schemas.KindCommentCreated) {
		c.fault(e.at, "bridge_comment: on lacks comment_created, so nothing would ever be mirrored")
	}
	if earlier > 0 && !slices.Contains(c.rule.on, schemas.KindLinksChanged) {
		c.fault(e.at, "bridge_comment.earlier: on lacks links_changed (and opened), so nobody would hear that a pull request names an issue")
	}
}

// checkBridgeRule holds a rule that mirrors against what such a rule can say.
func (c checker) checkBridgeRule(r *rule, keys map[string]entry, limits Limits) {
	for _, m := range r.mutations {
		bridge, ok := m.params.(bridgeParams)
		if !ok {
			continue
		}
		r.bridge = &bridge
		if len(r.mutations) > 1 {
			c.fault(m.at, "bridge_comment stands alone in its rule: make another rule of the other mutations")
		}
		for _, key := range []string{"once", "after", "include_own", "on_refusal"} {
			if e, ok := keys[key]; ok {
				c.fault(c.place(e), "%s: a comment is mirrored once and at once, and mirrors are not mirrored: take it out", key)
			}
		}
		if limits.PerRule > 0 && bridge.Earlier > limits.PerRule {
			c.fault(m.at, "bridge_comment.earlier is %d, but limits.per_rule lets %d through within an hour", bridge.Earlier, limits.PerRule)
		}
	}
}

var errRenderedAlone = errors.New("bridge_comment is rendered for a comment")

// render is not asked: a mirror is rendered for each comment; see Bridge.
func (bridgeParams) render(*variables) (any, error) { return nil, errRenderedAlone }
