package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"pawl/schemas"
)

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
	labels, ok := c.templates(entry{e.key, e.at, list}, e.key, "labels")
	if !ok {
		return nil
	}
	return labelsParams{labels, schemas.MutationKind(e.key)}
}

// templates reads a list of texts of which one at least must be there.
func (c mutationChecker) templates(e entry, what, of string) ([]template, bool) {
	var nodes []ast.Node
	ok := false
	if !c.isNull(e.value) {
		nodes, ok = c.sequence(e.value)
	}
	if !ok || len(nodes) == 0 {
		c.fault(c.place(e), "%s: want a list of %s", what, of)
		return nil, false
	}
	var list []template
	for _, node := range nodes {
		list = append(list, c.template(node, what))
	}
	return list, true
}

func (p labelsParams) render(v *variables) (any, error) {
	labels, err := renderEach(p.Labels, v, string(p.kind), "label")
	if err != nil {
		return nil, err
	}
	return struct {
		Labels []string `json:"labels"`
	}{labels}, nil
}

// renderEach writes the texts of a list, each once, without blanks around them.
func renderEach(list []template, v *variables, what, of string) ([]string, error) {
	texts := []string{}
	for _, entry := range list {
		text, err := entry.render(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		text = strings.TrimSpace(text)
		if text == "" {
			return nil, fmt.Errorf("%s: nothing is left of the %s %s", what, of, cut(entry.text, valueWidth))
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts, nil
}
