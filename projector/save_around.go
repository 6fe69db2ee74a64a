package projector

import (
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/schemas"
)

func (w writes) queueCommits(queue *pgx.Batch, commits []*schemas.Commit, checks []schemas.Check) {
	if len(commits) > 0 {
		type row = *schemas.Commit
		text := func(get func(row) string) []string { return column(commits, get) }
		count := func(get func(row) int64) []int64 { return column(commits, get) }
		queue.Queue(saveCommitsSQL,
			text(func(r row) string { return string(r.EntityKey) }),
			text(func(r row) string { return r.Instance }),
			text(func(r row) string { return r.RepositoryID }),
			text(func(r row) string { return r.Repository }),
			text(func(r row) string { return r.SHA }),
			text(func(r row) string { return string(r.State) }),
			count(func(r row) int64 { return r.Total }),
			count(func(r row) int64 { return r.Pending }),
			count(func(r row) int64 { return r.Succeeded }),
			count(func(r row) int64 { return r.Failed }),
			text(func(r row) string { return r.MergeGroup }),
			text(func(r row) string { return r.MergeGroupReason }),
			text(func(r row) string { return r.MergeGroupRef }),
			count(func(r row) int64 { return r.Version }),
			w.now)
	}
	w.queueChecks(queue, checks)
}

func (w writes) queueChecks(queue *pgx.Batch, rows []schemas.Check) {
	if len(rows) == 0 {
		return
	}
	type row = schemas.Check
	text := func(get func(row) string) []string { return column(rows, get) }
	count := func(get func(row) int64) []int64 { return column(rows, get) }
	instant := func(get func(row) time.Time) []*time.Time {
		return column(rows, func(r row) *time.Time { return instantOf(get(r)) })
	}
	queue.Queue(saveChecksSQL,
		text(func(r row) string { return string(r.Commit) }),
		text(func(r row) string { return string(r.Kind) }),
		text(func(r row) string { return r.App }),
		text(func(r row) string { return r.Name }),
		count(func(r row) int64 { return r.Attempt }),
		count(func(r row) int64 { return r.Retry }),
		text(func(r row) string { return string(r.Status) }),
		text(func(r row) string { return r.Conclusion }),
		text(func(r row) string { return string(r.State) }),
		text(func(r row) string { return r.URL }),
		instant(func(r row) time.Time { return r.StartedAt }),
		instant(func(r row) time.Time { return r.CompletedAt }),
		instant(func(r row) time.Time { return r.ProviderUpdatedAt }),
		instant(func(r row) time.Time { return r.ReceivedAt }),
		count(func(r row) int64 { return r.Version }),
		w.now)
}

func (w writes) queueReviews(queue *pgx.Batch, rows []schemas.Review, threads []schemas.Thread) {
	if len(rows) > 0 {
		type row = schemas.Review
		queue.Queue(saveReviewsSQL,
			column(rows, func(r row) string { return string(r.PullRequest) }),
			column(rows, func(r row) string { return r.ID }),
			column(rows, func(r row) string { return r.Author }),
			column(rows, func(r row) bool { return r.AuthorIsBot }),
			column(rows, func(r row) string { return string(r.State) }),
			column(rows, func(r row) string { return r.HeadSHA }),
			column(rows, func(r row) string { return r.Body }),
			column(rows, func(r row) string { return r.URL }),
			column(rows, func(r row) *time.Time { return instantOf(r.SubmittedAt) }),
			column(rows, func(r row) *time.Time { return instantOf(r.ProviderUpdatedAt) }),
			column(rows, func(r row) int64 { return r.Version }),
			w.now)
	}
	if len(threads) > 0 {
		type row = schemas.Thread
		queue.Queue(saveThreadsSQL,
			column(threads, func(r row) string { return string(r.PullRequest) }),
			column(threads, func(r row) string { return r.ID }),
			column(threads, func(r row) bool { return r.Resolved }),
			column(threads, func(r row) bool { return r.Stated }),
			column(threads, func(r row) bool { return r.Commented }),
			column(threads, func(r row) string { return arrayLiteral(r.Live) }),
			column(threads, func(r row) *time.Time { return instantOf(r.ProviderUpdatedAt) }),
			column(threads, func(r row) int64 { return r.Version }),
			w.now)
	}
}

// queueLinks writes all links of the pull requests whose texts changed.
func (w writes) queueLinks(queue *pgx.Batch, links map[schemas.EntityKey][]schemas.Link) {
	if len(links) == 0 {
		return
	}
	var all, keys, targets, kinds []string
	for _, key := range slices.Sorted(maps.Keys(links)) {
		all = append(all, string(key))
		for _, link := range links[key] {
			keys, targets, kinds = append(keys, string(key)), append(targets, link.Target), append(kinds, string(link.Kind))
		}
	}
	queue.Queue(dropLinksSQL, all, keys, targets)
	if len(keys) > 0 {
		queue.Queue(saveLinksSQL, keys, targets, kinds, w.now)
	}
}

func (w writes) queueRepositories(queue *pgx.Batch, rows []*schemas.Repository) {
	if len(rows) == 0 {
		return
	}
	type row = *schemas.Repository
	queue.Queue(saveRepositoriesSQL,
		column(rows, func(r row) string { return string(r.EntityKey) }),
		column(rows, func(r row) string { return r.Instance }),
		column(rows, func(r row) string { return r.RepositoryID }),
		column(rows, func(r row) string { return r.Repository }),
		column(rows, func(r row) string { return string(r.State) }),
		column(rows, func(r row) bool { return r.Private }),
		column(rows, func(r row) *time.Time { return instantOf(r.ProviderUpdatedAt) }),
		column(rows, func(r row) int64 { return r.Version }),
		w.now)
}
