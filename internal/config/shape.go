package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"pawl/actuator/rules"
	"pawl/internal/links"
)

// checkShape compares a file with the types it decodes into, and tells every
// key that is unknown and every value of another kind, each at its place. What
// package rules reads is left to it. It returns where everything stands.
func checkShape(file string, data []byte) (places, error) {
	at := places{file: file, positions: make(map[string]*token.Position)}
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		return at, fmt.Errorf("%s: %w", file, err)
	}
	s := &shape{places: at}
	for _, document := range tree.Docs {
		if document.Body != nil {
			s.check(document.Body, reflect.TypeFor[Config](), "")
		}
	}
	return at, errors.Join(s.faults...)
}

// places are where the settings of a file stand, by their paths.
type places struct {
	file      string
	positions map[string]*token.Position
}

// fault is what is wrong with a setting, at its place. One that the environment
// gave has none in the file.
func (p places) fault(path, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	at, ok := p.positions[path]
	if !ok {
		return fmt.Errorf("%s: %s", p.file, message)
	}
	return errors.New(rules.Fault{File: p.file, Line: at.Line, Column: at.Column, Message: message}.String())
}

type shape struct {
	places
	faults []error
}

func (s *shape) fault(node ast.Node, format string, args ...any) {
	at := node.GetToken().Position
	s.faults = append(s.faults, errors.New(rules.Fault{
		File: s.file, Line: at.Line, Column: at.Column, Message: fmt.Sprintf(format, args...),
	}.String()))
}

func (s *shape) check(node ast.Node, want reflect.Type, path string) {
	if _, isNull := node.(*ast.NullNode); isNull {
		return
	}
	switch {
	case want == reflect.TypeFor[Secret]():
		s.checkSecret(node, path)
	case want == reflect.TypeFor[*Pattern]():
		s.checkPattern(node, path)
	case want == reflect.TypeFor[time.Duration]():
		if text, ok := node.(*ast.StringNode); !ok || !isDuration(text.Value) {
			s.fault(node, "%s is %s, want a duration such as 720h", path, node)
		}
	case want.Kind() == reflect.Struct:
		s.checkStruct(node, want, path)
	case want.Kind() == reflect.Map:
		for _, entry := range s.entries(node, path) {
			at := join(path, keyOf(entry))
			s.positions[at] = entry.Key.GetToken().Position
			s.check(entry.Value, want.Elem(), at)
		}
	case want.Kind() == reflect.Slice && path != "rules":
		s.checkList(node, want, path)
	default:
		s.checkScalar(node, want.Kind(), path)
	}
}

func isDuration(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil
}

func (s *shape) checkSecret(node ast.Node, path string) {
	text, ok := node.(*ast.StringNode)
	if !ok || path != "database.url" && !Secret(text.Value).IsReference() {
		s.fault(node, "%s must say where the secret is, env:NAME or file:PATH, and not be the secret itself", path)
	}
}

func (s *shape) checkPattern(node ast.Node, path string) {
	text, ok := textOf(node)
	if !ok {
		s.fault(node, "%s is %s, want a regular expression", path, node)
		return
	}
	if err := links.CheckPattern(text); err != nil {
		s.fault(node, "%s: %s", path, err)
	}
}

// textOf returns the text of a node, if it is one.
func textOf(node ast.Node) (string, bool) {
	switch text := node.(type) {
	case *ast.StringNode:
		return text.Value, true
	case *ast.LiteralNode:
		return text.Value.Value, true
	}
	return "", false
}

func (s *shape) checkStruct(node ast.Node, want reflect.Type, path string) {
	fields := fieldsOf(want)
	for _, entry := range s.entries(node, path) {
		name := keyOf(entry)
		s.positions[join(path, name)] = entry.Key.GetToken().Position
		field, known := fields[name]
		if !known {
			s.fault(entry.Key, "unknown key %q, known here: %s", join(path, name), strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
			continue
		}
		if !isOfRules(name) {
			s.check(entry.Value, field, join(path, name))
		}
	}
}

// isOfRules reports whether a key of the file is the business of package rules.
func isOfRules(name string) bool {
	return slices.Contains([]string{"mode", "conditions", "limits", "rules"}, name)
}

// fieldsOf returns the types of a struct's fields by their YAML names.
func fieldsOf(of reflect.Type) map[string]reflect.Type {
	fields := make(map[string]reflect.Type)
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Field(i).Tag.Get("yaml"), ","); name != "" {
			fields[name] = of.Field(i).Type
		}
	}
	return fields
}

func (s *shape) entries(node ast.Node, path string) []*ast.MappingValueNode {
	switch mapping := node.(type) {
	case *ast.MappingNode:
		return mapping.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{mapping}
	}
	s.fault(node, "%s is %s, want keys and values", orFile(path), node)
	return nil
}

func (s *shape) checkList(node ast.Node, want reflect.Type, path string) {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		s.fault(node, "%s is %s, want a list", path, node)
		return
	}
	for i, item := range list.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		s.positions[at] = startOf(item)
		s.check(item, want.Elem(), at)
	}
}

// keyOf returns a key without the quotation marks that it may stand in.
func keyOf(entry *ast.MappingValueNode) string {
	if text, ok := entry.Key.(*ast.StringNode); ok {
		return text.Value
	}
	return entry.Key.String()
}

// startOf is where an item begins: a mapping's own token is its first colon.
func startOf(node ast.Node) *token.Position {
	switch mapping := node.(type) {
	case *ast.MappingNode:
		if len(mapping.Values) > 0 {
			return mapping.Values[0].Key.GetToken().Position
		}
	case *ast.MappingValueNode:
		return mapping.Key.GetToken().Position
	}
	return node.GetToken().Position
}

func (s *shape) checkScalar(node ast.Node, kind reflect.Kind, path string) {
	ok := false
	switch node.(type) {
	case *ast.IntegerNode:
		ok = kind == reflect.Int
	case *ast.BoolNode:
		ok = kind == reflect.Bool
	case *ast.StringNode, *ast.LiteralNode:
		ok = kind == reflect.String
	}
	if !ok {
		s.fault(node, "%s is %s, want a %s", path, node, nameOf(kind))
	}
}

func nameOf(kind reflect.Kind) string {
	if kind == reflect.Int {
		return "whole number"
	}
	return kind.String()
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func orFile(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}
