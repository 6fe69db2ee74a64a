package payload

import (
	"slices"
	"strings"

	"pawl/schemas"
)

// isNull reports whether data is the JSON null.
func isNull(data []byte) bool { return string(data) == "null" }

// Present is true where a field is there and is not null, whatever it holds.
type Present bool

// UnmarshalJSON never fails.
func (p *Present) UnmarshalJSON(data []byte) error {
	*p = Present(!isNull(data))
	return nil
}

// Presence is whether a field holds something, where null means that it does
// not, and absence means nothing.
type Presence schemas.Stated[bool]

// UnmarshalJSON never fails.
func (p *Presence) UnmarshalJSON(data []byte) error {
	*p = Presence(schemas.Say(!isNull(data)))
	return nil
}

// Nullable is a text whose null means something else than its absence.
type Nullable struct {
	Value string
	There bool  // the field is there
	Wrong error // it is there and is no text
}

// UnmarshalJSON keeps the text or the error.
func (n *Nullable) UnmarshalJSON(data []byte) error {
	*n = Nullable{There: true}
	if !isNull(data) {
		n.Wrong = Unmarshal(data, &n.Value)
	}
	return nil
}

// Stated returns the text; null is stated and empty.
func (n Nullable) Stated() schemas.Stated[string] {
	return schemas.Stated[string]{Value: Clean(n.Value), Known: n.There}
}

// Scalar returns what a pointer points to; nil is not stated.
func Scalar[T any](field *T) schemas.Stated[T] {
	if field == nil {
		return schemas.Stated[T]{}
	}
	return schemas.Say(*field)
}

// Text returns the text that a pointer points to, cleaned; nil is not stated.
func Text(field *string) schemas.Stated[string] {
	if field == nil {
		return schemas.Stated[string]{}
	}
	return schemas.Say(Clean(*field))
}

// NonEmpty returns the text that a pointer points to; nil and the empty text are
// not stated. It is for what every entity has: a title, a head, a branch.
func NonEmpty(field *string) schemas.Stated[string] {
	if field == nil || *field == "" {
		return schemas.Stated[string]{}
	}
	return Text(field)
}

// Names returns the names of a list, sorted and without repeats. A list that is
// absent or null is not stated; an element without a name is left out.
func Names[T any](list []*T, nameOf func(*T) string) schemas.Stated[[]string] {
	if list == nil {
		return schemas.Stated[[]string]{}
	}
	names := make([]string, 0, len(list))
	for _, element := range list {
		if element == nil {
			continue
		}
		if name := Clean(nameOf(element)); name != "" {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, strings.Compare)
	return schemas.Say(slices.Compact(names))
}
