package story

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pawl/projector"
	"pawl/schemas"
)

// row is a row by its column names.
type row map[string]any

// rowOf returns a row as a reader of the table sees it: what is unknown is nil.
func rowOf(value any) row {
	data, _ := json.Marshal(value) // our own types always marshal
	made := make(row)
	_ = json.Unmarshal(data, &made)
	return made
}

// pullRequests and comments return the rows of a run by their keys.
func pullRequests(states map[schemas.EntityKey]projector.State) map[string]row {
	rows := make(map[string]row)
	for key, state := range states {
		if state.PullRequest != nil {
			rows[string(key)] = withUnknown(rowOf(state.PullRequest), "created_at", "closed_at", "merged_at", "provider_updated_at", "needs_read_reason")
		}
	}
	return rows
}

func comments(states map[schemas.EntityKey]projector.State) map[string]row {
	rows := make(map[string]row)
	for _, state := range states {
		for key, comment := range state.Comments {
			rows[string(key)] = withUnknown(rowOf(comment), "created_at", "provider_updated_at")
		}
	}
	return rows
}

// withUnknown adds the columns that JSON leaves out where they are unknown.
func withUnknown(r row, columns ...string) row {
	for _, column := range columns {
		if _, ok := r[column]; !ok {
			r[column] = nil
		}
	}
	return r
}

// check returns what of the story's want is not so.
func (s *Story) check(ran Ran) []string {
	var diffs []string
	diffs = append(diffs, s.checkVerdicts(ran)...)
	diffs = append(diffs, checkRows("pull_request", s.Want.PullRequest, pullRequests(ran.States))...)
	diffs = append(diffs, checkRows("comment", s.Want.Comment, comments(ran.States))...)
	diffs = append(diffs, s.checkTransitions(ran)...)
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

func checkRows(table string, want map[string]map[string]any, got map[string]row) []string {
	var diffs []string
	for _, key := range slices.Sorted(maps.Keys(want)) {
		found, ok := findRow(got, key)
		if !ok {
			diffs = append(diffs, fmt.Sprintf("%s %s: there is no such row; there are %s", table, key, orNone(slices.Sorted(maps.Keys(got)))))
			continue
		}
		for _, column := range slices.Sorted(maps.Keys(want[key])) {
			value, ok := found[column]
			switch {
			case !ok:
				diffs = append(diffs, fmt.Sprintf("%s %s: there is no column %s; there are %s", table, key, column, orNone(slices.Sorted(maps.Keys(found)))))
			case !same(value, want[key][column]):
				diffs = append(diffs, fmt.Sprintf("%s %s %s: got %s, want %s", table, key, column, show(value), show(want[key][column])))
			}
		}
	}
	return diffs
}

// findRow finds a row by its key, or by its name: acme/api#7.
func findRow(rows map[string]row, key string) (row, bool) {
	if found, ok := rows[key]; ok {
		return found, true
	}
	for _, candidate := range rows {
		if fmt.Sprintf("%v#%v", candidate["repository"], candidate["number"]) == key {
			return candidate, true
		}
	}
	return nil, false
}

func (s *Story) checkTransitions(ran Ran) []string {
	var diffs []string
	names := pullRequests(ran.States)
	for _, entity := range slices.Sorted(maps.Keys(s.Want.Transitions)) {
		key := entity
		if found, ok := findRow(names, entity); ok {
			key = fmt.Sprint(found["entity_key"])
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

// checkMutations pairs each wanted mutation with a planned one that has all its
// fields. None may be left on either side.
func (s *Story) checkMutations(ran Ran) []string {
	if s.Want.Mutations == nil {
		return nil
	}
	left := make([]row, 0, len(ran.Mutations))
	for _, mutation := range ran.Mutations {
		left = append(left, mutation.row())
	}
	var diffs []string
	for _, want := range s.Want.Mutations {
		at := slices.IndexFunc(left, func(got row) bool { return hasFields(got, want) })
		if at < 0 {
			diffs = append(diffs, "mutation not planned: "+show(want))
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	for _, got := range left {
		diffs = append(diffs, "mutation not wanted: "+show(got))
	}
	return diffs
}

// row is a mutation by its field names: entity, rule, kind, and its parameters.
func (m Mutation) row() row {
	made := make(row)
	_ = json.Unmarshal(m.Params, &made) // rules write an object
	made["entity"], made["rule"], made["kind"] = string(m.Entity), m.Rule, string(m.Kind)
	return made
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
// as instants, and nothing, empty and zero time alike.
func same(got, want any) bool {
	if isNothing(got) && isNothing(want) {
		return true
	}
	if gotList, ok := got.([]any); ok {
		wantList, ok := want.([]any)
		return ok && slices.EqualFunc(gotList, wantList, same)
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
