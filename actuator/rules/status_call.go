package rules

import (
	"fmt"
	"slices"
	"strconv"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/parser"

	"pawl/schemas"
)

// status("statuspage.io:pg1/c1") is the status of a component of a status page, for
// rules of pull requests. Its argument is a literal: what a rule reads is known when
// it is loaded, so that a change of a component finds the decisions that it was the
// reason of. It is a macro for an index into a variable that no expression can name.

const (
	callStatus = "status"
	// variableStatus is the map behind the call. Its name is none that the language
	// has.
	variableStatus = "@status"
)

// statusMacro makes the index of the call.
func statusMacro() cel.EnvOption {
	return cel.Macros(cel.GlobalMacro(callStatus, 1, func(make parser.ExprHelper, _ celast.Expr, args []celast.Expr) (celast.Expr, *common.Error) {
		key, ok := literalText(args[0])
		if !ok {
			return nil, make.NewError(args[0].ID(), `status: want the key of a component as a text, such as status("statuspage.io:pg1/c1")`)
		}
		if parsed, err := schemas.ParseKey(schemas.EntityKey(key)); err != nil || parsed.Kind != schemas.KeyComponent {
			return nil, make.NewError(args[0].ID(), fmt.Sprintf("status: %s is no key of a component: want <instance>:<page id>/<component id>", strconv.Quote(key)))
		}
		return make.NewCall(operators.Index, make.NewIdent(variableStatus), args[0]), nil
	}))
}

func literalText(node celast.Expr) (string, bool) {
	if node.Kind() != celast.LiteralKind {
		return "", false
	}
	text, ok := node.AsLiteral().(types.String)
	return string(text), ok
}

// statusAt returns the key in status("key").
func statusAt(node celast.Expr) (string, bool) {
	if node.Kind() != celast.CallKind || node.AsCall().FunctionName() != operators.Index {
		return "", false
	}
	args := node.AsCall().Args()
	if args[0].Kind() != celast.IdentKind || args[0].AsIdent() != variableStatus {
		return "", false
	}
	return literalText(args[1])
}

// statuses is what status asks: the statuses of components by their keys. A component
// that is not known is unknown, and never operational.
type statuses struct{ traits.Mapper }

const statusUnknown = types.String(schemas.ComponentUnknown)

func newStatuses(known map[schemas.EntityKey]schemas.ComponentStatus) *statuses {
	texts := make(map[string]string, len(known))
	for key, status := range known {
		texts[string(key)] = string(status)
	}
	return &statuses{types.NewDynamicMap(types.DefaultTypeAdapter, texts)}
}

// Find returns the status of a component.
func (s *statuses) Find(key ref.Val) (ref.Val, bool) {
	if status, ok := s.Mapper.Find(key); ok {
		return status, true
	}
	return statusUnknown, true
}

// Get returns the status of a component.
func (s *statuses) Get(key ref.Val) ref.Val {
	status, _ := s.Find(key)
	return status
}

// noStatuses finds comparisons of a status with a word that is none: they never hold,
// or always do.
func noStatuses(text string, checked *cel.Ast) []issue {
	var issues []issue
	native := checked.NativeRep()
	celast.PreOrderVisit(native.Expr(), celast.NewExprVisitor(func(node celast.Expr) {
		if node.Kind() != celast.CallKind {
			return
		}
		call := node.AsCall()
		if name := call.FunctionName(); name != operators.Equals && name != operators.NotEquals {
			return
		}
		for side, arg := range call.Args() {
			if _, ok := statusAt(arg); !ok {
				continue
			}
			other := call.Args()[1-side]
			word, ok := literalText(other)
			if ok && !slices.Contains(schemas.ComponentStatuses(), schemas.ComponentStatus(word)) {
				at := native.SourceInfo().GetStartLocation(other.ID())
				issues = append(issues, issue{offsetOf(text, at.Line(), at.Column()), unknown("status", word, names(schemas.ComponentStatuses()))})
			}
		}
	}))
	return issues
}

// readsOf returns the components whose status is asked for, also through shared
// conditions.
func (d declarations) readsOf(mentions []*mention) []schemas.EntityKey {
	var keys []schemas.EntityKey
	for _, m := range mentions {
		switch c := d.conditions[m.path[0]]; {
		case m.path[0] == variableStatus:
			keys = append(keys, schemas.EntityKey(m.path[1]))
		case c != nil:
			keys = append(keys, d.readsOfClauses(c.clauses)...)
		}
	}
	return sortedKeys(keys)
}

func (d declarations) readsOfClauses(clauses []clause) []schemas.EntityKey {
	var keys []schemas.EntityKey
	for i := range clauses {
		keys = append(keys, d.readsOf(clauses[i].mentions)...)
	}
	return sortedKeys(keys)
}

func sortedKeys(keys []schemas.EntityKey) []schemas.EntityKey {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// noteReads adds what an expression of a rule asks for.
func (r *rule) noteReads(d declarations, mentions []*mention) {
	r.reads = sortedKeys(append(r.reads, d.readsOf(mentions)...))
}

// Reads returns the components whose statuses the rules of pull requests read,
// sorted.
func (s *Set) Reads() []schemas.EntityKey { return s.reads }

func readsOfRules(rules []*rule) []schemas.EntityKey {
	var keys []schemas.EntityKey
	for _, r := range rules {
		keys = append(keys, r.reads...)
	}
	return sortedKeys(keys)
}

// hinges returns the components whose statuses alone make a condition false: every
// part that is false asks for one. A part that was not asked, or cannot be
// evaluated, may hold another time. Nil is a condition that is false for another
// reason too, or is not false.
func (v *variables) hinges(f *verdict) []schemas.EntityKey {
	var keys []schemas.EntityKey
	for i := range f.clauses {
		c := &f.clauses[i]
		if f.answers[i].is != types.False {
			continue
		}
		var reads []schemas.EntityKey
		if c.named != nil {
			reads = v.hinges(v.answer(c.named))
		} else {
			reads = v.readsOf(c.mentions)
		}
		if len(reads) == 0 {
			return nil
		}
		keys = append(keys, reads...)
	}
	return sortedKeys(keys)
}

// WaitsFor returns the components whose statuses alone make a rule's condition false
// on a state, sorted: a change of one of them is a reason to ask again. Nil means that
// the condition holds, or is false for another reason too.
func (s *Set) WaitsFor(name string, t schemas.Transition, now Now) []schemas.EntityKey {
	r, ok := s.find(name)
	if !ok || len(r.reads) == 0 || now.IsUnknown() {
		return nil
	}
	if _, ok := r.stillFor(t, now.PullRequest); !ok {
		return nil
	}
	v := s.bind(t, now)
	v.everything = true
	return v.hinges(v.ask(r.clauses))
}

// DecideAgain decides on a transition that a rule was asked about before, with the
// pull request and the statuses that it carries now. False: the rule is no more, or
// does not listen to it.
func (s *Set) DecideAgain(name string, t schemas.Transition) (Decision, bool) {
	r, ok := s.find(name)
	if !ok || r.bridge != nil || !r.listensTo(t.Kind) || !r.filter.listensAt(t) {
		return Decision{}, false
	}
	d := s.decide(r, t, s.bind(t, NowOf(t)))
	d.Rule, d.Entity, d.Transition = r.name, actedOn(t), &t
	return d, true
}
