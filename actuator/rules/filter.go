package rules

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"pawl/schemas"
)

// filter is which repositories a rule is for.
type filter struct {
	repositories, except patterns
}

type patterns []pattern

// pattern matches full names of repositories. Providers do not tell names apart
// by case, so it is all in lower case.
type pattern struct {
	text     string
	instance string   // empty for all
	parts    []string // between slashes; "**" stands for any number of them
}

func (ps patterns) texts() []string {
	var texts []string
	for _, p := range ps {
		texts = append(texts, p.text)
	}
	return texts
}

// find returns the pattern that matches.
func (ps patterns) find(instance, repository string) (string, bool) {
	instance, names := strings.ToLower(instance), strings.Split(strings.ToLower(repository), "/")
	for _, p := range ps {
		if p.isAt(instance) && matchParts(p.parts, names) {
			return p.text, true
		}
	}
	return "", false
}

// isAt compares an instance in lower case.
func (p pattern) isAt(instance string) bool { return p.instance == "" || p.instance == instance }

func matchParts(parts, names []string) bool {
	if len(parts) == 0 {
		return len(names) == 0
	}
	if parts[0] == "**" {
		return matchParts(parts[1:], names) || len(names) > 0 && matchParts(parts, names[1:])
	}
	if len(names) == 0 {
		return false
	}
	matches, err := path.Match(parts[0], names[0])
	return err == nil && matches && matchParts(parts[1:], names[1:])
}

// everything reports whether the pattern matches each repository of its
// instances.
func (p pattern) everything() bool {
	return !slices.ContainsFunc(p.parts, func(part string) bool { return part != "**" }) || slices.Equal(p.parts, []string{"*", "**"})
}

var errNoName = errors.New("matches no repository: want owner/name, such as acme/*, or ** for all")

// newPattern reads instance:owner/name.
func newPattern(text string) (pattern, error) {
	p := pattern{text: text}
	name := strings.ToLower(text)
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		p.instance, name = name[:i], name[i+1:]
		if p.instance == "" || strings.ContainsAny(p.instance, "*?[/") {
			return pattern{}, fmt.Errorf("want the host alone before the colon, such as gitlab.com:group/**, got %q", p.instance)
		}
	}
	p.parts = strings.Split(name, "/")
	for _, part := range p.parts {
		if part == "" {
			return pattern{}, fmt.Errorf("%q %w", text, errNoName)
		}
		if part != "**" && strings.Contains(part, "**") {
			return pattern{}, fmt.Errorf("%q: ** stands for whole parts between slashes", text)
		}
		if _, err := path.Match(part, ""); err != nil {
			return pattern{}, fmt.Errorf("%q: %w", text, err)
		}
	}
	if len(p.parts) == 1 && p.parts[0] != "**" {
		return pattern{}, fmt.Errorf("%q %w", text, errNoName)
	}
	return p, nil
}

var errNoRepository = errors.New("the repository's name is unknown, so it cannot be said whether the rule is for it")

// isForAll reports whether there is no filter.
func (f filter) isForAll() bool { return f.repositories == nil && f.except == nil }

// takes reports whether the rule is for a repository and, if it is not, why.
func (f filter) takes(instance, repository string) (reason string, ok bool) {
	if f.repositories != nil {
		if _, found := f.repositories.find(instance, repository); !found {
			return fmt.Sprintf("the rule is not for %s: no pattern of repositories matches", repository), false
		}
	}
	if text, found := f.except.find(instance, repository); found {
		return fmt.Sprintf("the rule is not for %s: except names it by %s", repository, text), false
	}
	return "", true
}

// listensAt reports whether the rule hears of a transition at all. Where the
// name of the repository is not known it does, to say so.
func (f filter) listensAt(t schemas.Transition) bool {
	if f.isForAll() || t.PullRequest == nil || t.PullRequest.Repository == "" {
		return true
	}
	_, ok := f.takes(instanceOf(t), t.PullRequest.Repository)
	return ok
}

// mayBeAt reports whether the rule can be for a repository of an instance.
func (f filter) mayBeAt(instance string) bool {
	instance = strings.ToLower(instance)
	isAt := func(p pattern) bool { return p.isAt(instance) }
	if f.repositories != nil && !slices.ContainsFunc(f.repositories, isAt) {
		return false
	}
	return !slices.ContainsFunc(f.except, func(p pattern) bool { return p.isAt(instance) && p.everything() })
}

// parseFilter reads repositories and except.
func (c checker) parseFilter(keys map[string]entry) filter {
	return filter{c.parsePatterns(keys, "repositories"), c.parsePatterns(keys, "except")}
}

func (c checker) parsePatterns(keys map[string]entry, key string) patterns {
	e, ok := keys[key]
	if !ok {
		return nil
	}
	nodes, ok := c.sequence(e.value)
	if !ok || len(nodes) == 0 {
		c.fault(c.place(e), "%s: want a list of patterns, such as [acme/*]; without the key the rule is for all", key)
		return nil
	}
	list := patterns{}
	for _, node := range nodes {
		text, ok := c.text(node, key)
		if !ok {
			continue
		}
		made, err := newPattern(text.text)
		if err != nil {
			c.fault(text.at, "%s: %v", key, err)
			continue
		}
		list = append(list, made)
	}
	return list
}
