package story

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pawl/schemas"
)

// check returns what of the story's want is not so.
func (s *Story) check(ran Ran) []string {
	var diffs []string
	diffs = append(diffs, s.checkVerdicts(ran)...)
	for _, table := range tables() {
		for _, want := range table.want(s.Want) {
			diffs = append(diffs, checkRows(table.name, want, table.entries(ran))...)
		}
	}
	diffs = append(diffs, checkLinks(s.Want.Link, ran)...)
	diffs = append(diffs, checkLinks(s.Want.IssueLink, ran)...)
	diffs = append(diffs, s.checkTransitions(ran)...)
	diffs = append(diffs, s.checkDecisions(ran)...)
	return append(diffs, s.checkMutations(ran)...)
}

func (s *Story) checkVerdicts(ran Ran) []string {
	var diffs []string
	got := make(map[string]Verdict)
	for _, verdict := range ran.Verdicts {
		got[verdict.Name] = verdict
	}
	for _, name := range slices.Sorted(maps.Keys(s.Want.Verdicts)) {
		verdict, ok := got[name]
		switch {
		case !ok:
			diffs = append(diffs, fmt.Sprintf("verdicts: there is no %s.http", name))
		case verdict.Verdict != s.Want.Verdicts[name]:
			diffs = append(diffs, fmt.Sprintf("verdict of %s: got %s, want %s (%s)", name, verdict.Verdict, s.Want.Verdicts[name], verdict.Reason))
		}
	}
	return diffs
}

func checkRows(table string, want Rows, got []entry) []string {
	var diffs []string
	for _, key := range slices.Sorted(maps.Keys(want)) {
		found, err := find(got, key)
		if err != nil {
			diffs = append(diffs, fmt.Sprintf("%s %s: %v", table, key, err))
			continue
		}
		for _, column := range slices.Sorted(maps.Keys(want[key])) {
			value, ok := found.row[column]
			switch {
			case !ok:
				diffs = append(diffs, fmt.Sprintf("%s %s: there is no column %s; there are %s", table, key, column, orNone(slices.Sorted(maps.Keys(found.row)))))
			case !same(value, want[key][column]):
				diffs = append(diffs, fmt.Sprintf("%s %s %s: got %s, want %s", table, key, column, show(value), show(want[key][column])))
			}
		}
	}
	return diffs
}

// checkLinks compares all the targets that a pull request names, in any order.
func checkLinks(want map[string][]string, ran Ran) []string {
	var diffs []string
	for _, key := range slices.Sorted(maps.Keys(want)) {
		found, err := find(pullRequests(ran), key)
		if err != nil {
			diffs = append(diffs, fmt.Sprintf("link %s: %v", key, err))
			continue
		}
		got := []string{}
		for _, link := range ran.States[schemas.EntityKey(found.keys[0])].Links {
			got = append(got, link.Target)
		}
		if targets := slices.Sorted(slices.Values(want[key])); !slices.Equal(got, targets) {
			diffs = append(diffs, fmt.Sprintf("link %s: got %v, want %v", key, got, targets))
		}
	}
	return diffs
}

func (s *Story) checkTransitions(ran Ran) []string {
	var diffs []string
	names := pullRequests(ran)
	for _, entity := range slices.Sorted(maps.Keys(s.Want.Transitions)) {
		key := entity
		switch found, err := find(names, entity); {
		case err == nil:
			key = found.keys[0]
		case !errors.Is(err, errNoRow):
			diffs = append(diffs, fmt.Sprintf("transitions of %s: %v", entity, err))
			continue
		}
		var kinds []schemas.Kind
		for _, transition := range ran.Transitions[schemas.EntityKey(key)] {
			kinds = append(kinds, transition.Kind)
		}
		if !slices.Equal(kinds, s.Want.Transitions[entity]) {
			diffs = append(diffs, fmt.Sprintf("transitions of %s: got %v, want %v", entity, kinds, s.Want.Transitions[entity]))
		}
	}
	return diffs
}

func hasFields(got row, want map[string]any) bool {
	for name, value := range want {
		found, ok := got[name]
		if params, nested := value.(map[string]any); nested && name == "params" {
			if !hasFields(got, params) {
				return false
			}
			continue
		}
		if !ok || !same(found, value) {
			return false
		}
	}
	return true
}

// same compares a value of a row with one from YAML: numbers as numbers, times
// as instants, nothing and empty alike, and of an object the fields that are
// wanted.
func same(got, want any) bool {
	if isNothing(got) && isNothing(want) {
		return true
	}
	if gotList, ok := got.([]any); ok {
		wantList, ok := want.([]any)
		return ok && slices.EqualFunc(gotList, wantList, same)
	}
	if gotFields, ok := got.(map[string]any); ok {
		wantFields, ok := want.(map[string]any)
		return ok && hasFields(gotFields, wantFields)
	}
	gotTime, gotErr := time.Parse(time.RFC3339Nano, fmt.Sprint(got))
	wantTime, wantErr := asTime(want)
	if gotErr == nil && wantErr == nil {
		return gotTime.Equal(wantTime)
	}
	return scalar(got) == scalar(want)
}

func asTime(value any) (time.Time, error) {
	if at, ok := value.(time.Time); ok {
		return at, nil
	}
	return time.Parse(time.RFC3339Nano, fmt.Sprint(value))
}

func isNothing(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	}
	return false
}

// scalar writes numbers alike, whatever type YAML and JSON gave them.
func scalar(value any) string {
	if number, ok := value.(float64); ok && number == float64(int64(number)) {
		return fmt.Sprint(int64(number))
	}
	return fmt.Sprint(value)
}

func show(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
