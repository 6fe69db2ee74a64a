package rules

import (
	"reflect"

	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// smallSizes are the sizes of fields on a small pull request.
type smallSizes struct{}

// EstimateSize returns the size of a field by its place.
func (smallSizes) EstimateSize(element cost.AstNode) *cost.SizeEstimate {
	size := cost.RangedSizeEstimate(0, 64)
	switch name := lastOf(element); {
	case name == "":
		return nil
	case name == "body":
		size.Max = 256
	case isList(name):
		size.Max = 16
	}
	return &size
}

// EstimateCallCost leaves the costs of functions as CEL has them.
func (smallSizes) EstimateCallCost(string, string, *cost.AstNode, []cost.AstNode) *cost.CallEstimate {
	return nil
}

// ordinarySizes are the largest sizes that isOrdinary takes.
type ordinarySizes struct{ smallSizes }

const (
	ordinaryText = 65_536 // bytes of one text, and of one list's texts together
	ordinaryList = 1_000
)

// EstimateSize returns the size of a field by its place.
func (ordinarySizes) EstimateSize(element cost.AstNode) *cost.SizeEstimate {
	size := cost.RangedSizeEstimate(0, ordinaryText)
	switch name := lastOf(element); {
	case name == "":
		return nil
	case isList(name):
		size.Max = ordinaryList
	}
	return &size
}

func lastOf(element cost.AstNode) string {
	path := element.Path()
	if len(path) == 0 {
		return ""
	}
	return path[len(path)-1]
}

// isList reports whether a field or a variable of that name is a list or a map.
func isList(name string) bool {
	switch name {
	case "labels", "requested_reviewers", "assignees", variableLinks, variableChecks, variableReviews, variableStatus, "from", "to":
		return true
	}
	return false
}

// isOrdinary reports whether nothing in an object is larger than ordinarySizes
// say. What providers allow is; a payload that lies is not.
func isOrdinary(value ref.Val) bool {
	o, ok := value.(*object)
	return !ok || o.declared.isOrdinary(o.fields)
}

func (o *objectType) isOrdinary(of reflect.Value) bool {
	for _, name := range o.names {
		f := o.fields[name]
		if !f.isOrdinary(of.Field(f.index)) {
			return false
		}
	}
	return true
}

func (f *field) isOrdinary(value reflect.Value) bool {
	switch {
	case value.Kind() == reflect.String:
		return value.Len() <= ordinaryText
	case value.Kind() == reflect.Slice:
		return isOrdinaryList(value)
	case f.celType == types.DynType: // a side of a transition: a text or a list
		return value.Field(0).Len() <= ordinaryText && isOrdinaryList(value.Field(1))
	case f.object != nil:
		return f.object.isOrdinary(value)
	}
	return true
}

func isOrdinaryList(list reflect.Value) bool {
	if list.Len() > ordinaryList {
		return false
	}
	size := 0
	for i := range list.Len() {
		size += textSize(list.Index(i))
	}
	return size <= ordinaryText
}

// textSize adds up the texts of an element: it is a text, or a struct of texts.
func textSize(element reflect.Value) int {
	switch {
	case element.Kind() == reflect.String:
		return element.Len()
	case element.Kind() != reflect.Struct:
		return 0
	}
	size := 0
	for i := range element.NumField() {
		if element.Field(i).Kind() == reflect.String {
			size += element.Field(i).Len()
		}
	}
	return size
}
