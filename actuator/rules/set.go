package rules

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"pawl/schemas"
)

// Mode is what becomes of the mutations that rules want.
type Mode string

// The modes.
const (
	ModeAct  Mode = "act"  // do them
	ModePlan Mode = "plan" // decide and record, call nobody
)

// Valid reports whether m is one of the modes.
func (m Mode) Valid() bool {
	switch m {
	case ModeAct, ModePlan:
		return true
	}
	return false
}

// Once is the scope of a rule's idempotency keys: what its effect happens once
// within.
type Once string

// The scopes.
const (
	OnceTransition Once = "transition" // each transition anew
	OnceHead       Once = "head"       // once for each head commit of the entity
	OnceEntity     Once = "entity"     // once for the entity, ever
)

// Valid reports whether o is one of the scopes.
func (o Once) Valid() bool {
	switch o {
	case OnceTransition, OnceHead, OnceEntity:
		return true
	}
	return false
}

// Set is the rules of one file, compiled. It may be used by several goroutines.
type Set struct {
	// Hash names the rules: the first 12 hexadecimal digits of SHA-256 over what
	// they say. Comments and layout of the file are no part of it.
	Hash string
	Mode Mode

	declarations
	rules []*rule

	mu  sync.RWMutex
	own map[string][]string // guarded by mu: instance → our logins there, in lower case
}

// rule is one rule, compiled.
type rule struct {
	name       string
	on         []schemas.Kind
	when       string
	conditions []expression // the parts of when; none is true
	once       Once
	includeOwn bool
	mutations  []mutation
}

// mutation is one change that a rule wants, with templates for parameters.
type mutation struct {
	kind   schemas.MutationKind
	params params
}

// params are the parameters of one kind of mutation. As JSON they are the texts
// of the file; rendered they are what goes into the mutation's row.
type params interface {
	render(v *variables) (any, error)
}

// Info describes a rule for people.
type Info struct {
	Name       string
	On         []schemas.Kind
	When       string // as written, empty if the rule has no condition
	Once       Once
	IncludeOwn bool
	Mutations  []schemas.MutationKind
}

// Rules describes the rules in the order of the file.
func (s *Set) Rules() []Info {
	infos := make([]Info, len(s.rules))
	for i, r := range s.rules {
		infos[i] = Info{Name: r.name, On: slices.Clone(r.on), When: r.when, Once: r.once, IncludeOwn: r.includeOwn}
		for _, m := range r.mutations {
			infos[i].Mutations = append(infos[i].Mutations, m.kind)
		}
	}
	return infos
}

// SetOwn adds a login under which Pawl acts at an instance, beside the one that
// the file gives.
func (s *Set) SetOwn(instance, login string) {
	login = strings.ToLower(login)
	if login == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil {
		s.own = make(map[string][]string)
	}
	if !slices.Contains(s.own[instance], login) {
		s.own[instance] = append(s.own[instance], login)
	}
}

func (s *Set) find(name string) (*rule, bool) {
	for _, r := range s.rules {
		if r.name == name {
			return r, true
		}
	}
	return nil, false
}

// hash is over the meaning of the rules, in the order of the file.
func hash(rules []*rule) (string, error) {
	type canonicalMutation struct {
		Kind   schemas.MutationKind `json:"kind"`
		Params params               `json:"params"`
	}
	type canonicalRule struct {
		Name       string              `json:"name"`
		On         []schemas.Kind      `json:"on"`
		When       string              `json:"when"`
		Once       Once                `json:"once"`
		IncludeOwn bool                `json:"include_own"`
		Mutate     []canonicalMutation `json:"mutate"`
	}
	canonical := make([]canonicalRule, len(rules))
	for i, r := range rules {
		on := slices.SortedFunc(slices.Values(r.on), cmp.Compare[schemas.Kind])
		canonical[i] = canonicalRule{Name: r.name, On: on, When: r.when, Once: r.once, IncludeOwn: r.includeOwn}
		for _, m := range r.mutations {
			canonical[i].Mutate = append(canonical[i].Mutate, canonicalMutation{m.kind, m.params})
		}
	}
	text, err := json.Marshal(canonical)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:12], nil
}
