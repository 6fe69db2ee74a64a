package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"pawl/schemas"
)

// kindChecker reads the parameters of one kind of mutation. It returns nil
// after a fault.
type kindChecker func(mutationChecker, entry) params

// kindCheckers is the table of kinds. A new kind of mutation is a line here, a
// checker, and params that render.
func kindCheckers() map[schemas.MutationKind]kindChecker {
	return map[schemas.MutationKind]kindChecker{
		schemas.MutateComment:      checkComment,
		schemas.MutateClose:        checkClose,
		schemas.MutateMerge:        checkMerge,
		schemas.MutateAddLabels:    checkLabels,
		schemas.MutateRemoveLabels: checkLabels,
	}
}

// mutationChecker is a checker within the mutations of one rule.
type mutationChecker struct {
	checker
	rule *rule
}

// parseMutate reads a map of mutations, or a list of such maps.
func (c checker) parseMutate(r *rule, at position, keys map[string]entry) []mutation {
	e, ok := keys["mutate"]
	if !ok {
		c.fault(at, "mutate is missing: what the rule wants done")
		return nil
	}
	nodes, isList := c.sequence(e.value)
	if !isList {
		nodes = []ast.Node{e.value}
	}
	var mutations []mutation
	found := false
	for _, node := range nodes {
		entries, ok := c.entries(node)
		if !ok {
			c.fault(c.place(entry{at: e.at, value: node}), "mutate: want a map such as {close: true}, or a list of them, got %s", c.kindOf(node))
		}
		found = found || !ok || len(entries) > 0
		for _, e := range entries {
			if m, ok := (mutationChecker{c, r}).mutation(e); ok {
				mutations = append(mutations, m)
			}
		}
	}
	if !found {
		c.fault(c.place(e), "mutate: want at least one mutation")
	}
	return mutations
}

func (c mutationChecker) mutation(e entry) (mutation, bool) {
	kind := schemas.MutationKind(e.key)
	check, ok := kindCheckers()[kind]
	if !ok {
		c.fault(e.at, "%s", unknown("mutation", e.key, names(schemas.MutationKinds())))
		return mutation{}, false
	}
	checked := check(c, e)
	return mutation{kind, checked}, checked != nil
}

// template compiles the template of a key.
func (c mutationChecker) template(node ast.Node, what string) template {
	text, ok := c.text(node, what)
	if !ok {
		return template{}
	}
	env, err := c.environment()
	if err != nil {
		c.fault(text.at, "%s: %v", what, err)
		return template{}
	}
	if strings.TrimSpace(text.text) == "" {
		c.fault(text.at, "%s is empty", what)
	}
	made, issues := env.template(text.text, c.rule.listensToComments())
	c.issues(text, what, issues)
	return made
}

// commentParams: post a comment.
type commentParams struct {
	Body template `json:"body"`
}

func checkComment(c mutationChecker, e entry) params {
	keys, ok := c.mapping(e.value, "comment", "body")
	if !ok {
		return nil
	}
	body, ok := keys["body"]
	if !ok {
		c.fault(e.at, "comment: body is missing")
		return nil
	}
	return commentParams{c.template(body.value, "comment.body")}
}

func (p commentParams) render(v *variables) (any, error) {
	body, err := p.Body.render(v)
	if err != nil {
		return nil, fmt.Errorf("comment.body: %w", err)
	}
	if strings.TrimSpace(body) == "" {
		return nil, errors.New("comment.body: nothing is left of the text")
	}
	return struct {
		Body string `json:"body"`
	}{body}, nil
}

// closeParams: close the pull request.
type closeParams struct{}

func checkClose(c mutationChecker, e entry) params {
	if c.isNull(e.value) {
		return closeParams{}
	}
	if value, ok := c.bare(e.value).(*ast.BoolNode); ok && value.Value {
		return closeParams{}
	}
	if entries, ok := c.entries(e.value); !ok || len(entries) > 0 {
		c.fault(c.place(e), "close: want true or nothing")
	}
	return closeParams{}
}

func (closeParams) render(*variables) (any, error) { return struct{}{}, nil }

// mergeMethod is how GitHub merges.
type mergeMethod string

const (
	methodMerge  mergeMethod = "merge"
	methodSquash mergeMethod = "squash"
	methodRebase mergeMethod = "rebase"
)

// mergeParams: merge the pull request at the head that was decided about.
type mergeParams struct {
	Method  mergeMethod `json:"method"`
	Title   *template   `json:"title,omitempty"`
	Message *template   `json:"message,omitempty"`
}

func checkMerge(c mutationChecker, e entry) params {
	merge := mergeParams{Method: methodMerge}
	if c.isNull(e.value) {
		return merge
	}
	keys, ok := c.mapping(e.value, "merge", "method", "title", "message")
	if !ok {
		return nil
	}
	if method, ok := keys["method"]; ok {
		merge.Method = parseWord(c.checker, method, "merge.method", methodMerge, methodSquash, methodRebase)
	}
	merge.Title = c.mergeText(keys, "title", merge.Method)
	merge.Message = c.mergeText(keys, "message", merge.Method)
	return merge
}

// mergeText reads title or message of the commit that the merge makes.
func (c mutationChecker) mergeText(keys map[string]entry, key string, method mergeMethod) *template {
	e, ok := keys[key]
	if !ok {
		return nil
	}
	if method == methodRebase {
		c.fault(e.at, "merge: a rebase makes no commit and takes no %s", key)
	}
	text := c.template(e.value, "merge."+key)
	return &text
}

var errNoHead = errors.New("the head sha is unknown, so it cannot be said what to merge")

// render names the head that was decided about: the provider refuses to merge
// another one (I10).
func (p mergeParams) render(v *variables) (any, error) {
	sha, err := v.headSHA()
	if err != nil {
		return nil, fmt.Errorf("merge: %w", errNoHead)
	}
	title, err := renderOptional("merge.title", p.Title, v)
	if err != nil {
		return nil, err
	}
	message, err := renderOptional("merge.message", p.Message, v)
	if err != nil {
		return nil, err
	}
	return struct {
		Method  mergeMethod `json:"method"`
		SHA     string      `json:"sha"`
		Title   string      `json:"title,omitempty"`
		Message string      `json:"message,omitempty"`
	}{p.Method, sha, title, message}, nil
}

func renderOptional(what string, t *template, v *variables) (string, error) {
	if t == nil {
		return "", nil
	}
	text, err := t.render(v)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return strings.TrimSpace(text), nil
}

// labelsParams: add labels to the set, or take them out of it.
type labelsParams struct {
	Labels []template `json:"labels"`
	kind   schemas.MutationKind
}

// checkLabels reads [a, b], or {labels: [a, b]}.
func checkLabels(c mutationChecker, e entry) params {
	list := e.value
	if _, isMap := c.entries(list); isMap {
		keys, _ := c.mapping(list, e.key, "labels")
		labels, ok := keys["labels"]
		if !ok {
			c.fault(e.at, "%s: labels is missing", e.key)
			return nil
		}
		list = labels.value
	}
	nodes, ok := c.sequence(list)
	if !ok || len(nodes) == 0 {
		c.fault(c.place(entry{at: e.at, value: list}), "%s: want a list of labels", e.key)
		return nil
	}
	made := labelsParams{kind: schemas.MutationKind(e.key)}
	for _, node := range nodes {
		made.Labels = append(made.Labels, c.template(node, e.key))
	}
	return made
}

func (p labelsParams) render(v *variables) (any, error) {
	var labels []string
	for _, entry := range p.Labels {
		label, err := entry.render(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.kind, err)
		}
		label = strings.TrimSpace(label)
		if label == "" {
			return nil, fmt.Errorf("%s: nothing is left of the label %s", p.kind, cut(entry.text, valueWidth))
		}
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	return struct {
		Labels []string `json:"labels"`
	}{labels}, nil
}
