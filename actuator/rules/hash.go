package rules

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"pawl/schemas"
)

// The texts of a file in a fixed form. What a file leaves out has its default
// here, so that to write a default changes nothing.
type (
	canonicalSet struct {
		Conditions []canonicalCondition `json:"conditions,omitempty"`
		Limits     Limits               `json:"limits"`
		Rules      []canonicalRule      `json:"rules"`
	}
	canonicalCondition struct {
		Name string `json:"name"`
		When string `json:"when"`
	}
	canonicalRule struct {
		Name         string              `json:"name"`
		On           []schemas.Kind      `json:"on"`
		When         string              `json:"when"`
		Once         Once                `json:"once"`
		After        string              `json:"after,omitempty"`
		Repositories []string            `json:"repositories,omitempty"`
		Except       []string            `json:"except,omitempty"`
		OnRefusal    OnRefusal           `json:"on_refusal"`
		IncludeOwn   bool                `json:"include_own"`
		Mutate       []canonicalMutation `json:"mutate"`
	}
	canonicalMutation struct {
		Kind   schemas.MutationKind `json:"kind"`
		Params params               `json:"params"`
	}
)

// hash is over the meaning of the rules, in the order of the file.
func (s *Set) hash() (string, error) {
	canonical := canonicalSet{Limits: s.limits, Rules: make([]canonicalRule, len(s.rules))}
	for _, name := range slices.Sorted(maps.Keys(s.conditions)) {
		canonical.Conditions = append(canonical.Conditions, canonicalCondition{name, s.conditions[name].text})
	}
	for i, r := range s.rules {
		canonical.Rules[i] = r.canonical()
	}
	text, err := json.Marshal(canonical)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:12], nil
}

func (r *rule) canonical() canonicalRule {
	made := canonicalRule{
		Name: r.name, On: slices.SortedFunc(slices.Values(r.on), cmp.Compare[schemas.Kind]), When: r.when, Once: r.once,
		Repositories: slices.Sorted(slices.Values(r.filter.repositories.texts())),
		Except:       slices.Sorted(slices.Values(r.filter.except.texts())),
		OnRefusal:    r.onRefusal, IncludeOwn: r.includeOwn,
	}
	if r.after > 0 {
		made.After = r.after.String()
	}
	for _, m := range r.mutations {
		made.Mutate = append(made.Mutate, canonicalMutation{m.kind, m.params})
	}
	return made
}
