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

	"pawl/actuator/rules"
	"pawl/internal/links"
)

// checkShape compares a file with the types it decodes into, and tells every
// key that is unknown and every value of another kind, each at its place. What
// package rules reads is left to it.
func checkShape(file string, data []byte) error {
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	s := &shape{file: file}
	for _, document := range tree.Docs {
		if document.Body != nil {
			s.check(document.Body, reflect.TypeFor[Config](), "")
		}
	}
	return errors.Join(s.faults...)
}

type shape struct {
	file   string
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
			s.check(entry.Value, want.Elem(), join(path, entry.Key.String()))
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
		name := entry.Key.String()
		field, known := fields[name]
		if !known {
			s.fault(entry.Key, "unknown key %q, known here: %s", join(path, name), strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
			continue
		}
		if name != "rules" && name != "mode" {
			s.check(entry.Value, field, join(path, name))
		}
	}
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
		s.check(item, want.Elem(), fmt.Sprintf("%s[%d]", path, i))
	}
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
		s.fault(node, "%s is %s, want a %s", path, node, kind)
	}
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
