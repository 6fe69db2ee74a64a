package rules

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"pawl/schemas"
)

// objectType declares a struct of package schemas to CEL: its fields by their
// JSON names. A field with another struct in it is an object in turn; a pointer
// is left out, because what it points to is a variable of its own.
type objectType struct {
	name   string
	cel    *types.Type
	names  []string
	fields map[string]*field
}

// field is one field of an objectType.
type field struct {
	name    string
	object  *objectType // of a field that is an object, or a list of them
	celType *types.Type
	index   int
	value   func(reflect.Value) ref.Val
}

// object is a value of an objectType.
type object struct {
	declared *objectType
	fields   reflect.Value
}

var (
	_ ref.Val            = (*object)(nil)
	_ traits.Indexer     = (*object)(nil)
	_ traits.FieldTester = (*object)(nil)
)

// absentError is returned for a field of an object that is null.
type absentError struct{ object, field string }

func (e *absentError) Error() string {
	return fmt.Sprintf("%s is null and has no field %s", e.object, e.field)
}

// declare builds the object type of a struct and of the structs within.
func declare(name string, of reflect.Type) *objectType {
	declared := &objectType{
		name: name, cel: types.NewObjectType("pawl."+name, traits.FieldTesterType|traits.IndexerType),
		fields: make(map[string]*field),
	}
	for i := range of.NumField() {
		f, ok := declareField(of.Field(i))
		if !ok {
			continue
		}
		f.index = i
		declared.names = append(declared.names, f.name)
		declared.fields[f.name] = f
	}
	return declared
}

func declareField(of reflect.StructField) (*field, bool) {
	name, _, _ := strings.Cut(of.Tag.Get("json"), ",")
	if name == "" || name == "-" || of.Type.Kind() == reflect.Pointer {
		return nil, false
	}
	f := &field{name: name}
	switch of.Type {
	case reflect.TypeFor[time.Time]():
		f.celType, f.value = types.TimestampType, timeValue
		return f, true
	case reflect.TypeFor[schemas.Value]():
		f.celType, f.value = types.DynType, sideValue
		return f, true
	}
	switch kind := of.Type.Kind(); {
	case kind == reflect.String:
		f.celType, f.value = types.StringType, func(v reflect.Value) ref.Val { return types.String(v.String()) }
	case kind == reflect.Bool:
		f.celType, f.value = types.BoolType, func(v reflect.Value) ref.Val { return types.Bool(v.Bool()) }
	case kind == reflect.Int64:
		f.celType, f.value = types.IntType, func(v reflect.Value) ref.Val { return types.Int(v.Int()) }
	case of.Type == reflect.TypeFor[[]string]():
		f.celType, f.value = types.NewListType(types.StringType), listValue
	case kind == reflect.Slice && of.Type.Elem().Kind() == reflect.Struct:
		f.object = declare(of.Type.Elem().Name(), of.Type.Elem())
		f.celType = types.NewListType(f.object.cel)
		f.value = func(v reflect.Value) ref.Val { return objectsValue(f.object, v) }
	case kind == reflect.Struct:
		f.object = declare(of.Name, of.Type)
		f.celType = f.object.cel
		f.value = func(v reflect.Value) ref.Val { return &object{f.object, v} }
	default: // a field of a new type is not declared, and a test says so
		return nil, false
	}
	return f, true
}

// timeValue is null for a time that is not known (I7).
func timeValue(v reflect.Value) ref.Val {
	at, ok := v.Interface().(time.Time)
	if !ok || at.IsZero() {
		return types.NullValue
	}
	return types.Timestamp{Time: at}
}

func listValue(v reflect.Value) ref.Val {
	list, _ := v.Interface().([]string)
	return types.NewStringList(types.DefaultTypeAdapter, list)
}

// objectsValue is a list of objects.
func objectsValue(declared *objectType, v reflect.Value) ref.Val {
	list := make([]ref.Val, v.Len())
	for i := range list {
		list[i] = &object{declared, v.Index(i)}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, list)
}

// sideValue is a side of a transition: a list, a text, or null.
func sideValue(v reflect.Value) ref.Val {
	side, ok := v.Interface().(schemas.Value)
	switch {
	case ok && side.List != nil:
		return types.NewStringList(types.DefaultTypeAdapter, side.List)
	case ok && side.Text != "":
		return types.String(side.Text)
	}
	return types.NullValue
}

// newObject returns the object of a struct, or null for a nil pointer.
func newObject[T any](declared *objectType, of *T) ref.Val {
	if of == nil {
		return types.NullValue
	}
	return &object{declared, reflect.ValueOf(of).Elem()}
}

func (o *object) field(name string) (ref.Val, bool) {
	f, ok := o.declared.fields[name]
	if !ok {
		return nil, false
	}
	return f.value(o.fields.Field(f.index)), true
}

// Get returns the field of that name.
func (o *object) Get(index ref.Val) ref.Val {
	name, ok := index.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(index)
	}
	value, ok := o.field(string(name))
	if !ok {
		return types.NewErr("no such field: %s", name)
	}
	return value
}

// IsSet reports whether the field is known: null is not set.
func (o *object) IsSet(name ref.Val) ref.Val {
	value := o.Get(name)
	if types.IsError(value) {
		return value
	}
	return types.Bool(value != types.NullValue)
}

// ConvertToNative is not needed: no object leaves an expression.
func (o *object) ConvertToNative(to reflect.Type) (any, error) {
	return nil, fmt.Errorf("convert %s to %s: unsupported", o.declared.name, to)
}

// ConvertToType supports type() only.
func (o *object) ConvertToType(to ref.Type) ref.Val {
	if to == types.TypeType {
		return o.declared.cel
	}
	return types.NewErr("type conversion error from %s to %s", o.declared.cel, to)
}

// Equal compares the fields.
func (o *object) Equal(other ref.Val) ref.Val {
	that, ok := other.(*object)
	if !ok || that.declared != o.declared {
		return types.False
	}
	return types.Bool(reflect.DeepEqual(o.fields.Interface(), that.fields.Interface()))
}

// Type returns the declared type.
func (o *object) Type() ref.Type { return o.declared.cel }

// Value returns the object itself, which is what the getters of registry take.
func (o *object) Value() any { return o }

// registry makes the object types known to CEL, beside its own.
type registry struct {
	*types.Registry
	objects map[string]*objectType
}

func newRegistry(roots ...*objectType) (*registry, error) {
	base, err := types.NewRegistry()
	if err != nil {
		return nil, fmt.Errorf("declare types: %w", err)
	}
	r := &registry{base, make(map[string]*objectType)}
	for _, root := range roots {
		r.add(root)
	}
	return r, nil
}

func (r *registry) add(declared *objectType) {
	r.objects[declared.cel.TypeName()] = declared
	for _, f := range declared.fields {
		if f.object != nil {
			r.add(f.object)
		}
	}
}

// FindStructType knows the object types.
func (r *registry) FindStructType(name string) (*types.Type, bool) {
	if declared, ok := r.objects[name]; ok {
		return types.NewTypeTypeWithParam(declared.cel), true
	}
	return r.Registry.FindStructType(name)
}

// FindStructFieldNames knows the object types.
func (r *registry) FindStructFieldNames(name string) ([]string, bool) {
	if declared, ok := r.objects[name]; ok {
		return declared.names, true
	}
	return r.Registry.FindStructFieldNames(name)
}

// FindStructFieldType knows the object types.
func (r *registry) FindStructFieldType(name, fieldName string) (*types.FieldType, bool) {
	declared, ok := r.objects[name]
	if !ok {
		return r.Registry.FindStructFieldType(name, fieldName)
	}
	f, ok := declared.fields[fieldName]
	if !ok {
		return nil, false
	}
	return &types.FieldType{Type: f.celType, IsSet: f.isSet, GetFrom: declared.getter(f)}, true
}

func (f *field) isSet(target any) bool {
	if _, ok := target.(*types.Unknown); ok {
		return true // and what is then asked for is unknown
	}
	o, ok := target.(*object)
	return ok && f.value(o.fields.Field(f.index)) != types.NullValue
}

func (o *objectType) getter(f *field) func(any) (any, error) {
	return func(target any) (any, error) {
		if unknown, ok := target.(*types.Unknown); ok {
			return unknown, nil
		}
		from, ok := target.(*object)
		if !ok || from.declared != o {
			return nil, &absentError{strings.ToLower(o.name), f.name}
		}
		return f.value(from.fields.Field(f.index)), nil
	}
}
