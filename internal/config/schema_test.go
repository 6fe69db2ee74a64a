package config_test

import (
	"maps"
	"slices"
)

// schemaKeys returns the paths of all keys in a JSON Schema, sorted, less those
// inside rules and limits, which package rules checks.
func schemaKeys(schema map[string]any, path string) []string {
	found := make(map[string]bool)
	collectKeys(schema, path, found)
	return slices.Sorted(maps.Keys(found))
}

func collectKeys(schema map[string]any, path string, found map[string]bool) {
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		at := name
		if path != "" {
			at = path + "." + name
		}
		found[at] = true
		if at != "rules" && at != "limits" {
			collectKeys(property.(map[string]any), at, found)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		collectKeys(items, path+"[]", found)
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		collectKeys(values, path+".*", found)
	}
}
