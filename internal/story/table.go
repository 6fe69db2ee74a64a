package story

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"pawl/schemas"
)

// row is a row by its column names.
type row map[string]any

// entry is one row of a table, with the keys that a want may name it by: its own
// first, then those that people say, acme/api#7 for github.com:101#7.
type entry struct {
	keys []string
	row  row
}

// table is one of the tables that a story can look at.
type table struct {
	name    string
	entries func(Ran) []entry
	want    func(Want) []Rows // its section of want.yaml, and the section's alias
}

// tables are all that hold rows. Links are compared apart: see checkLinks.
func tables() []table {
	return []table{
		{"pull_request", pullRequests, func(w Want) []Rows { return []Rows{w.PullRequest} }},
		{"comment", comments, func(w Want) []Rows { return []Rows{w.Comment} }},
		{"review", reviews, func(w Want) []Rows { return []Rows{w.Review, w.PullRequestReview} }},
		{"thread", threads, func(w Want) []Rows { return []Rows{w.Thread, w.ReviewThread} }},
		{"check", checks, func(w Want) []Rows { return []Rows{w.Check, w.CommitCheck} }},
		{"commit", commits, func(w Want) []Rows { return []Rows{w.Commit, w.CommitRollup} }},
		{"repository", repositories, func(w Want) []Rows { return []Rows{w.Repository} }},
		{"status_component", components, func(w Want) []Rows { return []Rows{w.StatusComponent} }},
		{"status_incident", incidents, func(w Want) []Rows { return []Rows{w.StatusIncident} }},
	}
}

func components(ran Ran) []entry {
	var found []entry
	for _, key := range slices.Sorted(maps.Keys(ran.Components)) {
		found = append(found, entry{[]string{string(key)}, rowOf(ran.Components[key], "provider_updated_at")})
	}
	return found
}

func incidents(ran Ran) []entry {
	var found []entry
	for _, key := range slices.Sorted(maps.Keys(ran.Incidents)) {
		made := rowOf(ran.Incidents[key], "created_at", "resolved_at", "scheduled_for", "scheduled_until", "provider_updated_at")
		found = append(found, entry{[]string{string(key)}, made})
	}
	return found
}

func pullRequests(ran Ran) []entry {
	var found []entry
	for _, key := range slices.Sorted(maps.Keys(ran.States)) {
		pr := ran.States[key].PullRequest
		if pr == nil {
			continue
		}
		made := rowOf(pr, "created_at", "closed_at", "merged_at", "provider_updated_at", "needs_read_reason")
		found = append(found, entry{ran.names(key, ""), made})
	}
	return found
}

func comments(ran Ran) []entry {
	var found []entry
	for _, key := range slices.Sorted(maps.Keys(ran.States)) {
		held := ran.States[key].Comments
		for _, id := range slices.Sorted(maps.Keys(held)) {
			found = append(found, commentRow(held[id]))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ran.IssueComments)) {
		found = append(found, commentRow(*ran.IssueComments[id]))
	}
	return found
}

func commentRow(comment schemas.Comment) entry {
	made := rowOf(comment, "created_at", "provider_updated_at", "removed_at", "issue")
	if at := comment.RemovedAt; !at.IsZero() {
		made["removed_at"] = at.Format(time.RFC3339Nano)
	}
	return entry{[]string{string(comment.EntityKey)}, made}
}

func reviews(ran Ran) []entry {
	var found []entry
	for _, key := range slices.Sorted(maps.Keys(ran.States)) {
		held := ran.States[key].Reviews
		for _, id := range slices.Sorted(maps.Keys(held)) {
			found = append(found, entry{ran.names(key, "/"+id), rowOf(held[id], "submitted_at", "provider_updated_at")})
		}
	}
	return found
}

func threads(ran Ran) []entry {
	var found []entry
	for _, key := range slices.Sorted(maps.Keys(ran.States)) {
		held := ran.States[key].Threads
		for _, id := range slices.Sorted(maps.Keys(held)) {
			found = append(found, entry{ran.names(key, "/"+id), rowOf(held[id], "provider_updated_at")})
		}
	}
	return found
}

// checks are named by commit and name, and where that is not enough by kind and
// app too.
func checks(ran Ran) []entry {
	var found []entry
	for _, key := range slices.Sorted(maps.Keys(ran.Commits)) {
		for id, check := range ran.Commits[key].Checks {
			whole := fmt.Sprintf("/%s/%s/%s", id.Kind, id.App, id.Name)
			names := append(ran.commitNames(key, whole), ran.commitNames(key, "/"+id.Name)...)
			found = append(found, entry{names, checkRow(check)})
		}
	}
	slices.SortFunc(found, func(a, b entry) int { return slices.Compare(a.keys, b.keys) })
	return found
}

func checkRow(check schemas.Check) row {
	made := rowOf(check, "started_at", "completed_at", "provider_updated_at")
	for _, field := range []string{"commit", "Kind", "App", "Name"} { // as the type has them, not the table
		delete(made, field)
	}
	made["commit_key"] = string(check.Commit)
	made["kind"], made["app"], made["name"] = string(check.Kind), check.App, check.Name
	return made
}

func commits(ran Ran) []entry {
	var found []entry
	for _, key := range slices.Sorted(maps.Keys(ran.Commits)) {
		if commit := ran.Commits[key].Commit; commit != nil {
			found = append(found, entry{ran.commitNames(key, ""), rowOf(commit)})
		}
	}
	return found
}

func repositories(ran Ran) []entry {
	var found []entry
	for _, key := range slices.Sorted(maps.Keys(ran.Repositories)) {
		repository := ran.Repositories[key]
		names := []string{string(key), repository.Repository}
		found = append(found, entry{names, rowOf(repository, "provider_updated_at")})
	}
	return found
}

// issueLinks are one row each, as in the table.
func issueLinks(ran Ran) []entry {
	var found []entry
	for _, key := range slices.Sorted(maps.Keys(ran.States)) {
		for _, link := range ran.States[key].Links {
			made := row{"pull_request": string(key), "target": link.Target, "kind": string(link.Kind)}
			found = append(found, entry{ran.names(key, "/"+link.Target), made})
		}
	}
	return found
}

// names are the keys of what stands under a pull request. One that was not seen
// has no name.
func (r Ran) names(key schemas.EntityKey, rest string) []string {
	names := []string{string(key) + rest}
	if pr := r.States[key].PullRequest; pr != nil && pr.Repository != "" {
		names = append(names, fmt.Sprintf("%s#%d%s", pr.Repository, pr.Number, rest))
	}
	return names
}

func (r Ran) commitNames(key schemas.EntityKey, rest string) []string {
	names := []string{string(key) + rest}
	if commit := r.Commits[key].Commit; commit != nil && commit.Repository != "" {
		names = append(names, commit.Repository+"@"+commit.SHA+rest)
	}
	return names
}

// rowOf returns a row as a reader of the table sees it: what is unknown is nil.
// Unknown names the columns that JSON leaves out then.
func rowOf(value any, unknown ...string) row {
	data, _ := json.Marshal(value) // our own types always marshal
	made := make(row)
	_ = json.Unmarshal(data, &made)
	for _, column := range unknown {
		if _, ok := made[column]; !ok {
			made[column] = nil
		}
	}
	return made
}

// errNoRow is returned by find where no row has the key.
var errNoRow = errors.New("there is no such row")

// find returns the row that a key names.
func find(entries []entry, key string) (entry, error) {
	var found []entry
	for _, candidate := range entries {
		if candidate.keys[0] == key {
			return candidate, nil
		}
		if slices.Contains(candidate.keys, key) {
			found = append(found, candidate)
		}
	}
	switch len(found) {
	case 0:
		return entry{}, fmt.Errorf("%w; there are %s", errNoRow, orNone(keysOf(entries)))
	case 1:
		return found[0], nil
	}
	return entry{}, fmt.Errorf("this names %d rows, say which: %s", len(found), orNone(keysOf(found)))
}

func keysOf(entries []entry) []string {
	keys := make([]string, len(entries))
	for i, one := range entries {
		keys[i] = one.keys[0]
	}
	return keys
}
