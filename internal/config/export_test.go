package config

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml"
)

// Keys returns the paths of all keys that the program knows, sorted. A list's
// items are at [], a map's values at *.
func Keys() []string {
	found := make(map[string]bool)
	collect(reflect.TypeFor[Config](), "", found)
	return slices.Sorted(maps.Keys(found))
}

func collect(of reflect.Type, path string, found map[string]bool) {
	switch of.Kind() {
	case reflect.Struct:
		for name, field := range fieldsOf(of) {
			found[join(path, name)] = true
			collect(field, join(path, name), found)
		}
	case reflect.Slice:
		collect(of.Elem(), path+"[]", found)
	case reflect.Map:
		collect(of.Elem(), path+".*", found)
	}
}

// Generic decodes YAML as JSON does: for a schema.
func Generic(data []byte) any {
	var value any
	if err := yaml.Unmarshal(data, &value); err != nil {
		return err.Error()
	}
	text, _ := json.Marshal(value)
	var made any
	_ = json.Unmarshal(text, &made)
	return made
}

// Look is a step of Run.
func (l *Live) Look(ctx context.Context) { l.look(ctx) }
