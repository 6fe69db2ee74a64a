package story

import (
	"pawl/actuator/rules"
)

// Coverage remembers which rules, and which parts of their conditions, the
// stories that are tested with it reach in their written order. Stories with the
// same rules, to the letter, count together. The zero value is ready.
type Coverage struct {
	byText map[string]*covered
	inTurn []*covered
}

type covered struct {
	rules   *rules.Coverage
	stories []string
}

// Covered is what stories with the same rules left out.
type Covered struct {
	Stories []string `json:"stories"`
	Rules   int      `json:"rules"`
	// Missing says which rule no transition came to, and which part of a
	// condition was never true, or never false.
	Missing []string `json:"missing"`
}

// of returns what remembers for a story's rules.
func (c *Coverage) of(story *Story, set *rules.Set) *rules.Coverage {
	text := string(story.Rules)
	if c.byText == nil {
		c.byText = make(map[string]*covered)
	}
	if c.byText[text] == nil {
		c.byText[text] = &covered{rules: set.Cover()}
		c.inTurn = append(c.inTurn, c.byText[text])
	}
	found := c.byText[text]
	found.stories = append(found.stories, story.Name)
	return found.rules
}

// Report tells of all rules, in the order in which stories with them came.
func (c *Coverage) Report() []Covered {
	told := []Covered{}
	for _, each := range c.inTurn {
		info := each.rules.Rules()
		if len(info) == 0 {
			continue
		}
		missing := each.rules.Missing()
		if missing == nil {
			missing = []string{}
		}
		told = append(told, Covered{Stories: each.stories, Rules: len(info), Missing: missing})
	}
	return told
}
