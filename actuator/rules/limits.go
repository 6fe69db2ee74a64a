package rules

import (
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"pawl/schemas"
)

// Limits bound the mutations that are opened for one entity within an hour: by
// one rule, and by all of them. What is beyond is a loop, most likely, and is
// opened dead. 0 is no limit.
type Limits struct {
	PerRule   int `json:"per_rule"`
	PerEntity int `json:"per_entity"`
}

// defaultLimits hold where the file says nothing.
func defaultLimits() Limits { return Limits{PerRule: 20, PerEntity: 60} }

// Limits returns the limits of the file.
func (s *Set) Limits() Limits { return s.limits }

// Refuse returns why one more mutation of a rule is too many for an entity, after
// those of the last hour, counted by rule. Where it is not too many, Refuse counts
// it and returns "".
func (l Limits) Refuse(counted map[string]int, rule string, entity schemas.EntityKey) string {
	all := 0
	for _, count := range counted {
		all += count
	}
	switch {
	case l.PerRule > 0 && counted[rule] >= l.PerRule:
		return fmt.Sprintf("rule %s has made %d mutations of %s within an hour, and limits.per_rule is %d: it looks like a loop",
			rule, counted[rule], entity, l.PerRule)
	case l.PerEntity > 0 && all >= l.PerEntity:
		return fmt.Sprintf("the rules have made %d mutations of %s within an hour, and limits.per_entity is %d: it looks like a loop",
			all, entity, l.PerEntity)
	}
	counted[rule]++
	return ""
}

func (c checker) parseLimits(e entry) Limits {
	limits := defaultLimits()
	if c.isNull(e.value) {
		return limits
	}
	keys, ok := c.mapping(e.value, "limits", "per_rule", "per_entity")
	if !ok {
		return limits
	}
	for name, limit := range map[string]*int{"per_rule": &limits.PerRule, "per_entity": &limits.PerEntity} {
		if e, ok := keys[name]; ok {
			*limit = c.parseCount(e)
		}
	}
	return limits
}

func (c checker) parseCount(e entry) int {
	number, ok := c.bare(e.value).(*ast.IntegerNode)
	if ok {
		if count, err := strconv.Atoi(number.GetToken().Value); err == nil && count >= 0 {
			return count
		}
	}
	c.fault(c.place(e), "limits.%s: want a whole number, 0 for no limit", e.key)
	return 0
}
