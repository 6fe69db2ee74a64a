package rules

import (
	"slices"
	"strings"
	"sync"
	"time"

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
// within. It is one of the words, or an expression whose value is the scope.
type Once string

// The scopes that have a word.
const (
	OnceTransition Once = "transition" // each transition anew
	OnceHead       Once = "head"       // once for each head commit of the entity
	OnceEntity     Once = "entity"     // once for the entity, ever
)

// Valid reports whether o is one of the words.
func (o Once) Valid() bool {
	switch o {
	case OnceTransition, OnceHead, OnceEntity:
		return true
	}
	return false
}

// OnRefusal is what becomes of the later mutations of a decision when one of
// them is refused: it is dead or was skipped.
type OnRefusal string

// What becomes of later mutations.
const (
	RefusalCancels OnRefusal = "cancel" // they are cancelled, with the reason
	RefusalWaits   OnRefusal = "wait"   // they stay until a person retries or drops the dead one
	RefusalGoesOn  OnRefusal = "go_on"  // they are done all the same
)

// Valid reports whether o is one of the words.
func (o OnRefusal) Valid() bool {
	switch o {
	case RefusalCancels, RefusalWaits, RefusalGoesOn:
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
	file   string
	rules  []*rule
	limits Limits
	reads  []schemas.EntityKey // components that rules of pull requests ask for, sorted

	mu  sync.RWMutex
	own map[string][]string // guarded by mu: instance → our logins there, in lower case
}

// rule is one rule, compiled.
type rule struct {
	name       string
	on         []schemas.Kind
	when       string
	clauses    []clause // the parts of when; none is true
	once       Once
	onceOver   *expression // of a scope that has no word
	after      time.Duration
	filter     filter
	onRefusal  OnRefusal
	includeOwn bool
	mutations  []mutation
	bridge     *bridgeParams       // of a rule that mirrors comments
	reads      []schemas.EntityKey // components whose status it asks for, sorted
}

// mutation is one change that a rule wants, with templates for parameters.
type mutation struct {
	kind   schemas.MutationKind
	at     position
	params params
}

// params are the parameters of one kind of mutation. As JSON they are the texts
// of the file; rendered they are what goes into the mutation's row.
type params interface {
	render(v *variables) (any, error)
}

// Info describes a rule for people.
type Info struct {
	Name         string
	On           []schemas.Kind
	When         string // as written, empty if the rule has no condition
	Once         Once
	After        time.Duration
	Repositories []string // patterns; none is all
	Except       []string
	OnRefusal    OnRefusal
	IncludeOwn   bool
	Mutations    []schemas.MutationKind
	Reads        []schemas.EntityKey // components whose status it asks for
}

// Rules describes the rules in the order of the file.
func (s *Set) Rules() []Info {
	infos := make([]Info, len(s.rules))
	for i, r := range s.rules {
		infos[i] = r.info()
	}
	return infos
}

// Rule describes one rule.
func (s *Set) Rule(name string) (Info, bool) {
	r, ok := s.find(name)
	if !ok {
		return Info{}, false
	}
	return r.info(), true
}

func (r *rule) info() Info {
	info := Info{
		Name: r.name, On: slices.Clone(r.on), When: r.when, Once: r.once, After: r.after,
		Repositories: r.filter.repositories.texts(), Except: r.filter.except.texts(),
		OnRefusal: r.onRefusal, IncludeOwn: r.includeOwn, Reads: slices.Clone(r.reads),
	}
	for _, m := range r.mutations {
		info.Mutations = append(info.Mutations, m.kind)
	}
	return info
}

// AnyWaits reports whether the mutations of a rule wait.
func (s *Set) AnyWaits() bool {
	return slices.ContainsFunc(s.rules, func(r *rule) bool { return r.after > 0 })
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
