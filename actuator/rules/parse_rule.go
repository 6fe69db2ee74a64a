package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"pawl/schemas"
)

// ruleKeys returns the keys of a rule.
func ruleKeys() []string {
	return []string{"name", "on", "when", "once", "after", "repositories", "except", "on_refusal", "include_own", "mutate"}
}

// parseRule reads one rule. The lines of the names before it tell a second
// rule of one name.
func (c checker) parseRule(index int, node ast.Node, lines map[string]int, limits Limits) (*rule, position) {
	c.prefix = fmt.Sprintf("rule %d: ", index+1)
	if name, ok := c.peekName(node); ok {
		c.prefix = fmt.Sprintf("rule %q: ", name)
	}
	keys, ok := c.mapping(node, "a rule", ruleKeys()...)
	if !ok {
		return nil, position{}
	}
	at := c.position(c.bare(node))
	r := &rule{once: OnceTransition, onRefusal: RefusalCancels}
	r.name = c.parseName(at, keys, lines)
	r.on = c.parseOn(at, keys)
	if e, ok := keys["when"]; ok {
		c.parseWhen(r, e)
	}
	if e, ok := keys["once"]; ok {
		c.parseOnce(r, e)
	}
	if e, ok := keys["after"]; ok {
		r.after = c.parseAfter(e)
	}
	if e, ok := keys["on_refusal"]; ok {
		r.onRefusal = parseWord(c, e, "on_refusal", RefusalCancels, RefusalWaits, RefusalGoesOn)
	}
	r.filter = c.parseFilter(keys)
	if e, ok := keys["include_own"]; ok {
		r.includeOwn = c.parseBool(e)
	}
	r.mutations = c.parseMutate(r, at, keys)
	c.checkStatusRule(r, keys)
	c.checkBridgeRule(r, keys, limits)
	return r, at
}

// peekName finds the name before anything is checked, because the faults of a
// rule name it.
func (c checker) peekName(node ast.Node) (string, bool) {
	quiet := checker{document: &document{faults: &faults{}, source: c.source, anchors: c.anchors}}
	entries, _ := quiet.entries(node)
	for _, e := range entries {
		if e.key == "name" && !quiet.isNull(e.value) {
			text, ok := quiet.text(e.value, "name")
			return text.text, ok
		}
	}
	return "", false
}

func (c checker) parseName(rule position, keys map[string]entry, lines map[string]int) string {
	e, ok := keys["name"]
	if !ok {
		c.fault(rule, "name is missing")
		return ""
	}
	name, ok := c.textOf(e, "name")
	if !ok {
		return ""
	}
	if !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(name.text) {
		c.fault(name.at, "name: want lower-case letters, digits and dashes")
	}
	if line, ok := lines[name.text]; ok {
		c.fault(name.at, "the rule at line %d has this name already", line)
	}
	return name.text
}

func (c checker) parseOn(rule position, keys map[string]entry) []schemas.Kind {
	e, ok := keys["on"]
	if !ok {
		c.fault(rule, "on is missing: the kinds of transitions to listen to")
		return nil
	}
	nodes, ok := c.sequence(e.value)
	if !ok {
		c.fault(c.place(e), "on: want a list of kinds, such as [merged], got %s", c.kindOf(e.value))
		return nil
	}
	if len(nodes) == 0 {
		c.fault(c.place(e), "on: want at least one kind of transition")
	}
	var kinds []schemas.Kind
	for _, node := range nodes {
		kind, ok := c.parseKind(node, kinds)
		if !ok {
			continue
		}
		if len(kinds) > 0 && isStatusKind(kind) != isStatusKind(kinds[0]) {
			c.fault(c.place(entry{at: e.at, value: node}), "on: %s is of a %s, and %s of a %s: make two rules",
				kind, familyOf(kind), kinds[0], familyOf(kinds[0]))
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

func (c checker) parseKind(node ast.Node, before []schemas.Kind) (schemas.Kind, bool) {
	text, ok := c.text(node, "on")
	kind := schemas.Kind(text.text)
	switch {
	case !ok:
		return "", false
	case !kind.Valid():
		c.fault(text.at, "%s", unknown("kind of transition", text.text, names(schemas.Kinds())))
		return "", false
	case slices.Contains(before, kind):
		c.fault(text.at, "on: %s is there twice", kind)
		return "", false
	}
	return kind, true
}

func names[S ~string](list []S) []string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = string(s)
	}
	return texts
}

func (c checker) parseBool(e entry) bool {
	value, ok := c.bare(e.value).(*ast.BoolNode)
	if !ok {
		c.fault(c.place(e), "%s: want true or false, got %s", e.key, c.kindOf(e.value))
		return false
	}
	return value.Value
}

// parseWhen compiles the condition.
func (c checker) parseWhen(r *rule, e entry) {
	text, ok := c.condition(e, "when")
	if !ok {
		return
	}
	env, err := c.environment()
	if err != nil {
		c.fault(text.at, "when: %v", err)
		return
	}
	r.when = strings.TrimSpace(text.text)
	clauses, _, issues := env.condition(text.text, r.absent())
	c.issues(text, "when", issues)
	r.clauses = clauses
	for i := range clauses {
		r.noteReads(c.declarations, clauses[i].mentions)
	}
}

// condition returns the text of a condition; true and false are texts here.
func (c checker) condition(e entry, what string) (scalar, bool) {
	if value, ok := c.bare(e.value).(*ast.BoolNode); ok {
		return scalar{value.GetToken().Value, tokenPosition(value.GetToken()), plain}, true
	}
	return c.textOf(e, what)
}

// issues notes the faults of an expression at their places in the file.
func (c checker) issues(text scalar, what string, issues []issue) {
	for _, i := range issues {
		c.fault(c.source.locate(text, i.offset), "%s: %s", what, i.message)
	}
}

func (r *rule) listensTo(kind schemas.Kind) bool { return slices.Contains(r.on, kind) }

// listensToComments reports whether comment can be other than null. It is
// assumed of a rule whose kinds are faulty.
func (r *rule) listensToComments() bool {
	return len(r.on) == 0 || slices.ContainsFunc(r.on, isCommentKind)
}

func isCommentKind(kind schemas.Kind) bool {
	switch kind {
	case schemas.KindCommentCreated, schemas.KindCommentEdited, schemas.KindCommentRemoved:
		return true
	case schemas.KindOpened, schemas.KindClosed, schemas.KindMerged, schemas.KindReopened,
		schemas.KindReadyForReview, schemas.KindConvertedToDraft, schemas.KindHeadChanged,
		schemas.KindBaseChanged, schemas.KindTitleChanged, schemas.KindLabelsChanged,
		schemas.KindChecksChanged, schemas.KindReviewsChanged, schemas.KindLinksChanged,
		schemas.KindComponentChanged, schemas.KindIncidentOpened, schemas.KindIncidentChanged, schemas.KindIncidentResolved:
		return false
	}
	return false
}
