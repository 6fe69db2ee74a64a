package rules

import (
	"maps"
	"reflect"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"pawl/schemas"
)

// The variables of an expression. Beside them a shared condition is one, by its
// name.
const (
	variablePR         = "pr"
	variableTransition = "transition"
	variableComment    = "comment"
	variableChecks     = "checks"
	variableReviews    = "reviews"
	variableLinks      = "links"
	variableActor      = "actor"
	variableComponent  = "component"
	variableIncident   = "incident"
)

// variableNames returns the variables in the order in which people are told them.
func variableNames() []string {
	return []string{
		variablePR, variableTransition, variableComment, variableChecks, variableReviews, variableLinks, variableActor,
		variableComponent, variableIncident,
	}
}

// names returns everything an expression can ask for, shared conditions last.
func (d declarations) names() []string {
	return append(variableNames(), slices.Sorted(maps.Keys(d.conditions))...)
}

// declarations are the object types behind the variables, the shared conditions,
// and what expressions mention of either.
type declarations struct {
	pr, transition, comment, actor, review, component, incident *objectType

	conditions map[string]*condition
	mentions   *mentions
}

func declareAll() declarations {
	d := declarations{
		pr:         declare("PullRequest", reflect.TypeFor[schemas.PullRequest]()),
		transition: declare("Transition", reflect.TypeFor[schemas.Transition]()),
		comment:    declare("Comment", reflect.TypeFor[schemas.Comment]()),
		component:  declare("Component", reflect.TypeFor[schemas.StatusComponent]()),
		incident:   declare("Incident", reflect.TypeFor[schemas.StatusIncident]()),
		conditions: make(map[string]*condition),
		mentions:   &mentions{byName: make(map[string]*mention)},
	}
	d.actor = d.transition.fields["cause"].object.fields["sender"].object
	d.review = d.pr.fields["reviews"].object
	return d
}

// options declares the variables to CEL.
func (d declarations) options() []cel.EnvOption {
	options := []cel.EnvOption{
		cel.Variable(variablePR, d.pr.cel),
		cel.Variable(variableTransition, d.transition.cel),
		cel.Variable(variableComment, d.comment.cel),
		cel.Variable(variableChecks, types.NewMapType(types.StringType, types.StringType)),
		cel.Variable(variableReviews, types.NewListType(d.review.cel)),
		cel.Variable(variableLinks, types.NewListType(types.StringType)),
		cel.Variable(variableActor, d.actor.cel),
		cel.Variable(variableComponent, d.component.cel),
		cel.Variable(variableIncident, d.incident.cel),
		cel.Variable(variableStatus, types.NewMapType(types.StringType, types.StringType)),
	}
	for name := range d.conditions {
		options = append(options, cel.Variable(name, types.BoolType))
	}
	return options
}

// objectOf returns the object type of a variable that is an object.
func (d declarations) objectOf(name string) *objectType {
	switch name {
	case variablePR:
		return d.pr
	case variableTransition:
		return d.transition
	case variableComment:
		return d.comment
	case variableActor:
		return d.actor
	case variableComponent:
		return d.component
	case variableIncident:
		return d.incident
	}
	return nil
}

// isVariable reports whether an expression can ask for the name.
func (d declarations) isVariable(name string) bool {
	return slices.Contains(variableNames(), name) || d.conditions[name] != nil
}

// fieldNames returns the fields under a path such as transition.cause.
func (d declarations) fieldNames(path []string) []string {
	at := d.objectOf(path[0])
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

// variables are the values an expression is evaluated with. They belong to one
// goroutine: what is derived from them is kept.
type variables struct {
	declarations
	pr, transition, comment, actor, component, incident ref.Val

	row             *schemas.PullRequest
	ordinary        bool // no text or list is larger than estimates assume
	everything      bool // dear parts of a condition are asked also after one that is false
	checks, reviews ref.Val
	links           ref.Val
	known           map[schemas.EntityKey]schemas.ComponentStatus
	statuses        *statuses
	answers         map[*condition]*verdict
	shown           []shown // by mention
	cover           *Coverage
}

var _ cel.Activation = (*variables)(nil)

// bind returns the variables of a transition, with now as the row that it is about.
func (d declarations) bind(t schemas.Transition, now Now) *variables {
	t.From, t.To = listSide(t.Kind, t.From), listSide(t.Kind, t.To)
	if now.Comment != nil {
		t.Comment = now.Comment
	}
	v := &variables{
		declarations: d,
		pr:           newObject(d.pr, now.PullRequest),
		transition:   newObject(d.transition, &t),
		comment:      newObject(d.comment, t.Comment),
		actor:        newObject(d.actor, &t.Cause.Sender),
		component:    newObject(d.component, now.Component),
		incident:     newObject(d.incident, now.Incident),
		row:          now.PullRequest,
		known:        now.Statuses,
	}
	if v.known == nil {
		v.known = t.Statuses
	}
	v.ordinary = isOrdinary(v.pr) && isOrdinary(v.transition) && isOrdinary(v.comment) &&
		isOrdinary(v.component) && isOrdinary(v.incident)
	return v
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
	case variableActor:
		return v.actor, true
	case variableComponent:
		return v.component, true
	case variableIncident:
		return v.incident, true
	case variableChecks:
		return v.checksOfHead(), true
	case variableReviews:
		return v.reviewsOfHead(), true
	case variableLinks:
		return v.linksOfRow(), true
	case variableStatus:
		return v.statusesKnown(), true
	}
	if c := v.conditions[name]; c != nil {
		return v.answer(c).value(), true
	}
	return nil, false
}

// Parent returns nil: there are no other variables.
func (v *variables) Parent() cel.Activation { return nil }

// checksOfHead is made when it is asked for: there may be a thousand of them.
func (v *variables) checksOfHead() ref.Val {
	if v.checks == nil {
		v.checks = types.NullValue
		if v.row != nil {
			v.checks = newChecks(v.row.Checks)
		}
	}
	return v.checks
}

// reviewsOfHead are the reviews given to the head as it is now.
func (v *variables) reviewsOfHead() ref.Val {
	if v.reviews == nil {
		v.reviews = types.NullValue
		if v.row != nil {
			v.reviews = v.newReviews()
		}
	}
	return v.reviews
}

func (v *variables) newReviews() ref.Val {
	var list []ref.Val
	for i := range v.row.Reviews {
		if review := &v.row.Reviews[i]; review.HeadSHA != "" && review.HeadSHA == v.row.HeadSHA {
			list = append(list, newObject(v.review, review))
		}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, list)
}

// statusesKnown is made when it is asked for: most rules read none.
func (v *variables) statusesKnown() ref.Val {
	if v.statuses == nil {
		v.statuses = newStatuses(v.known)
	}
	return v.statuses
}

func (v *variables) linksOfRow() ref.Val {
	if v.links == nil {
		v.links = types.NullValue
		if v.row != nil {
			v.links = types.NewStringList(types.DefaultTypeAdapter, v.row.Links)
		}
	}
	return v.links
}

// at returns the value under a path such as transition.cause.sender.login, or
// checks and the name of one.
func (v *variables) at(path []string) (ref.Val, bool) {
	root, ok := v.ResolveName(path[0])
	if !ok {
		return nil, false
	}
	value, ok := root.(ref.Val)
	for _, name := range path[1:] {
		switch from := value.(type) {
		case *object:
			value, ok = from.field(name)
		case *checks:
			value, ok = from.Find(types.String(name))
		case *statuses:
			value, ok = from.Find(types.String(name))
		case *types.Unknown:
			return from, true
		default:
			return nil, false
		}
	}
	return value, ok
}
