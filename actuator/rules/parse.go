package rules

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// Parse reads, checks and compiles the rules of a pawl.yaml: the whole text of
// it, of which it takes version, mode, conditions, limits, rules, and the logins
// under providers. The other sections are not its business. An error is a
// *FaultsError with everything that is wrong.
func Parse(file string, data []byte) (*Set, error) {
	d := readDocument(file, data)
	c := checker{document: d}
	set := &Set{Mode: ModeAct, declarations: d.declarations, file: file, limits: defaultLimits()}
	if d.root != nil && !c.isNull(d.root) {
		c.parseFile(set)
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	set.reads = readsOfRules(set.rules)
	var err error
	if set.Hash, err = set.hash(); err != nil { // unreachable unless params stop being JSON
		return nil, fmt.Errorf("hash rules of %s: %w", file, err)
	}
	return set, nil
}

func (c checker) parseFile(set *Set) {
	entries, ok := c.entries(c.root)
	if !ok {
		c.fault(c.position(c.root), "want a map with rules, got %s", c.kindOf(c.root))
		return
	}
	var rules entry
	for _, e := range entries {
		switch e.key {
		case "version":
			c.parseVersion(e)
		case "mode":
			set.Mode = parseWord(c, e, "mode", ModeAct, ModePlan)
		case "providers":
			c.parseProviders(set, e)
		case "conditions":
			c.parseConditions(e)
		case "limits":
			set.limits = c.parseLimits(e)
		case "rules":
			rules = e
		}
	}
	c.parseRules(set, rules) // last, wherever it stands: rules use the conditions
}

func (c checker) parseVersion(e entry) {
	number, ok := c.bare(e.value).(*ast.IntegerNode)
	if !ok || number.GetToken().Value != "1" {
		c.fault(c.place(e), "version must be 1")
	}
}

// place is where a value stands, or its key where there is none.
func (c checker) place(e entry) position {
	if c.isNull(e.value) {
		return e.at
	}
	return c.position(e.value)
}

// parseWord reads one word of a list.
func parseWord[W ~string](c checker, e entry, what string, words ...W) W {
	known := make([]string, len(words))
	for i, word := range words {
		known[i] = string(word)
	}
	text, ok := c.textOf(e, what)
	if ok && !slices.Contains(known, text.text) {
		c.fault(text.at, "%s: %s", what, unknown("value", text.text, known))
	}
	return W(text.text)
}

// textOf returns the text of a key.
func (c checker) textOf(e entry, what string) (scalar, bool) {
	if c.isNull(e.value) {
		c.fault(e.at, "%s: want a text, got nothing", what)
		return scalar{}, false
	}
	return c.text(e.value, what)
}

// parseProviders takes our own logins (hard part 10).
func (c checker) parseProviders(set *Set, e entry) {
	hosts, _ := c.entries(e.value)
	for _, host := range hosts {
		settings, _ := c.entries(host.value)
		for _, setting := range settings {
			if setting.key != "login" {
				continue
			}
			if login, ok := c.textOf(setting, "providers."+host.key+".login"); ok {
				set.SetOwn(host.key, login.text)
			}
		}
	}
}

func (c checker) parseRules(set *Set, e entry) {
	if c.isNull(e.value) {
		return
	}
	nodes, ok := c.sequence(e.value)
	if !ok {
		c.fault(c.position(e.value), "rules: want a list, got %s", c.kindOf(e.value))
		return
	}
	lines := make(map[string]int)
	for i, node := range nodes {
		r, at := c.parseRule(i, node, lines, set.limits)
		if r == nil {
			continue
		}
		if _, ok := lines[r.name]; !ok {
			lines[r.name] = at.line
		}
		set.rules = append(set.rules, r)
	}
}
