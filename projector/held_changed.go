package projector

import (
	"cmp"
	"maps"
	"slices"

	"pawl/schemas"
)

// changes is what folding changed, each row once, as it is now.
type changes struct {
	pullRequests map[schemas.EntityKey]*schemas.PullRequest
	comments     map[schemas.EntityKey]schemas.Comment
	reviews      map[rowKey]schemas.Review
	threads      map[rowKey]schemas.Thread
	links        map[schemas.EntityKey][]schemas.Link // of the pull requests whose texts changed
	commits      map[schemas.EntityKey]*schemas.Commit
	checks       map[checkKey]schemas.Check
	repositories map[schemas.EntityKey]*schemas.Repository
	components   map[schemas.EntityKey]*schemas.StatusComponent
	incidents    map[schemas.EntityKey]*schemas.StatusIncident
}

// rowKey names a row that stands under a pull request.
type rowKey struct {
	pullRequest schemas.EntityKey
	id          string
}

// checkKey names a check of a commit.
type checkKey struct {
	commit schemas.EntityKey
	schemas.CheckID
}

func newChanges() changes {
	return changes{
		pullRequests: make(map[schemas.EntityKey]*schemas.PullRequest),
		comments:     make(map[schemas.EntityKey]schemas.Comment),
		reviews:      make(map[rowKey]schemas.Review),
		threads:      make(map[rowKey]schemas.Thread),
		links:        make(map[schemas.EntityKey][]schemas.Link),
		commits:      make(map[schemas.EntityKey]*schemas.Commit),
		checks:       make(map[checkKey]schemas.Check),
		repositories: make(map[schemas.EntityKey]*schemas.Repository),
		components:   make(map[schemas.EntityKey]*schemas.StatusComponent),
		incidents:    make(map[schemas.EntityKey]*schemas.StatusIncident),
	}
}

func (c changes) noteState(key schemas.EntityKey, before, after State) {
	if after.PullRequest != before.PullRequest && after.PullRequest != nil {
		c.pullRequests[key] = after.PullRequest
		if before.PullRequest == nil || !sameTexts(before.PullRequest, after.PullRequest) {
			c.links[key] = after.Links
		}
	}
	for comment, row := range after.Comments {
		if held, ok := before.Comments[comment]; !ok || held != row {
			c.comments[comment] = row
		}
	}
	for id, row := range after.Reviews {
		if held, ok := before.Reviews[id]; !ok || held != row {
			c.reviews[rowKey{key, id}] = row
		}
	}
	for id, row := range after.Threads {
		if held, ok := before.Threads[id]; !ok || held.Version != row.Version {
			c.threads[rowKey{key, id}] = row
		}
	}
}

// sameTexts reports whether two rows have the same texts, and so the same links:
// #12 is of the repository as it is called.
func sameTexts(a, b *schemas.PullRequest) bool {
	return a.Title == b.Title && a.Body == b.Body && a.HeadRef == b.HeadRef && a.Repository == b.Repository
}

func (c changes) noteCommit(key schemas.EntityKey, before, after CommitState) {
	c.commits[key] = after.Commit
	for id, row := range after.Checks {
		if held, ok := before.Checks[id]; !ok || held != row {
			c.checks[checkKey{key, id}] = row
		}
	}
}

// sortedRows returns the rows of a map in the order of their keys: tables are
// written in one order by all.
func sortedRows[K comparable, V any](rows map[K]V, compare func(a, b K) int) []V {
	keys := slices.SortedFunc(maps.Keys(rows), compare)
	sorted := make([]V, len(keys))
	for i, key := range keys {
		sorted[i] = rows[key]
	}
	return sorted
}

func compareRowKeys(a, b rowKey) int {
	return cmp.Or(cmp.Compare(a.pullRequest, b.pullRequest), cmp.Compare(a.id, b.id))
}

func compareCheckKeys(a, b checkKey) int {
	return cmp.Or(cmp.Compare(a.commit, b.commit), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.App, b.App), cmp.Compare(a.Name, b.Name))
}

// ChangedPullRequests returns the rows that folding changed, sorted by key.
func (h *Held) ChangedPullRequests() []*schemas.PullRequest {
	return sortedRows(h.changed.pullRequests, cmp.Compare[schemas.EntityKey])
}

// ChangedComments returns the comments that folding changed, sorted by key.
func (h *Held) ChangedComments() []schemas.Comment {
	return sortedRows(h.changed.comments, cmp.Compare[schemas.EntityKey])
}

// ChangedReviews returns the reviews that folding changed, sorted by pull request
// and id.
func (h *Held) ChangedReviews() []schemas.Review {
	return sortedRows(h.changed.reviews, compareRowKeys)
}

// ChangedThreads returns the review threads that folding changed, sorted by pull
// request and id.
func (h *Held) ChangedThreads() []schemas.Thread {
	return sortedRows(h.changed.threads, compareRowKeys)
}

// ChangedLinks returns the links of the pull requests whose texts changed, all of
// each.
func (h *Held) ChangedLinks() map[schemas.EntityKey][]schemas.Link { return h.changed.links }

// ChangedCommits returns the commits that folding changed, sorted by key.
func (h *Held) ChangedCommits() []*schemas.Commit {
	return sortedRows(h.changed.commits, cmp.Compare[schemas.EntityKey])
}

// ChangedChecks returns the checks that folding changed, sorted by commit.
func (h *Held) ChangedChecks() []schemas.Check {
	return sortedRows(h.changed.checks, compareCheckKeys)
}

// ChangedRepositories returns the repositories that folding changed, sorted by
// key.
func (h *Held) ChangedRepositories() []*schemas.Repository {
	return sortedRows(h.changed.repositories, cmp.Compare[schemas.EntityKey])
}
