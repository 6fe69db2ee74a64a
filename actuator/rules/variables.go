package rules

import (
	"reflect"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types/ref"

	"pawl/schemas"
)

// The variables of an expression.
const (
	variablePR         = "pr"
	variableTransition = "transition"
	variableComment    = "comment"
)

// declarations are the object types behind the variables.
type declarations struct {
	pr, transition, comment *objectType
}

func declareAll() declarations {
	return declarations{
		pr:         declare("PullRequest", reflect.TypeFor[schemas.PullRequest]()),
		transition: declare("Transition", reflect.TypeFor[schemas.Transition]()),
		comment:    declare("Comment", reflect.TypeFor[schemas.Comment]()),
	}
}

func (d declarations) variable(name string) (*objectType, bool) {
	switch name {
	case variablePR:
		return d.pr, true
	case variableTransition:
		return d.transition, true
	case variableComment:
		return d.comment, true
	}
	return nil, false
}

func (d declarations) names() []string {
	return []string{variablePR, variableTransition, variableComment}
}

// fieldNames returns the fields under a path such as transition.cause.
func (d declarations) fieldNames(path []string) []string {
	at, _ := d.variable(path[0])
	for _, name := range path[1:] {
		if at == nil || at.fields[name] == nil {
			return nil
		}
		at = at.fields[name].object
	}
	if at == nil {
		return nil
	}
	return at.names
}

// variables are the values an expression is evaluated with.
type variables struct {
	pr, transition, comment ref.Val
}

var _ cel.Activation = (*variables)(nil)

// bind returns the variables of a transition, with pr as the pull request.
func (d declarations) bind(t schemas.Transition, pr *schemas.PullRequest) *variables {
	t.From, t.To = listSide(t.Kind, t.From), listSide(t.Kind, t.To)
	return &variables{
		pr:         newObject(d.pr, pr),
		transition: newObject(d.transition, &t),
		comment:    newObject(d.comment, t.Comment),
	}
}

// listSide makes an empty list of a side that is null where the kind has lists,
// so that `"x" in transition.to` is an answer and no error.
func listSide(kind schemas.Kind, side schemas.Value) schemas.Value {
	if kind.HasLists() && side.List == nil && side.Text == "" {
		side.List = []string{}
	}
	return side
}

// ResolveName returns the variable of that name.
func (v *variables) ResolveName(name string) (any, bool) {
	switch name {
	case variablePR:
		return v.pr, true
	case variableTransition:
		return v.transition, true
	case variableComment:
		return v.comment, true
	}
	return nil, false
}

// Parent returns nil: there are no other variables.
func (v *variables) Parent() cel.Activation { return nil }

// at returns the value under a path such as transition.cause.sender.login.
func (v *variables) at(path []string) (ref.Val, bool) {
	root, ok := v.ResolveName(path[0])
	if !ok {
		return nil, false
	}
	value, ok := root.(ref.Val)
	for _, name := range path[1:] {
		from, isObject := value.(*object)
		if !ok || !isObject {
			return nil, false
		}
		value, ok = from.field(name)
	}
	return value, ok
}
