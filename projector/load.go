package projector

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/schemas"
)

// wanted is what a batch needs to know.
type wanted struct {
	pullRequests []string
	comments     []string
	sources, ids []string
	commits      []meeting   // that results or new heads meet on
	results      []string    // keys of the commits with results
	renamed      [3][]string // instance, repository id, name
	repositories []string
	components   []string // of status pages
	incidents    []string
	unmet        bool // see Applier.unmet
}

// meeting is a commit that a result and a new head may meet on. pullRequest is
// empty for a result.
type meeting struct {
	schemas.ParsedKey
	key         string
	pullRequest string
}

// wants reads off a batch what it needs.
func wants(batch Batch) wanted {
	var w wanted
	for _, record := range batch.Records {
		if record.Err != nil {
			continue
		}
		w.sources = append(w.sources, record.Record.Source)
		w.ids = append(w.ids, string(record.Record.ID))
		w.event(record.Record.Key, record.Event)
	}
	w.commits = metOnce(w.commits)
	w.pullRequests = sortedOnce(w.pullRequests)
	w.results = sortedOnce(w.results)
	w.repositories = sortedOnce(w.repositories)
	w.components = sortedOnce(w.components)
	w.incidents = sortedOnce(w.incidents)
	return w
}

func (w *wanted) event(key schemas.EntityKey, event schemas.Event) {
	switch {
	case event.Check != nil, event.MergeGroup != nil:
		w.results = append(w.results, string(event.Entity))
		w.meet(event.Entity, "")
		return
	case event.Repository != nil:
		w.repositories = append(w.repositories, string(event.Entity))
		w.renamed[0] = append(w.renamed[0], event.Repository.Instance)
		w.renamed[1] = append(w.renamed[1], event.Repository.RepositoryID)
		w.renamed[2] = append(w.renamed[2], event.Repository.Repository)
		return
	}
	w.wantStatus(event)
	if event.Comment != nil {
		w.comments = append(w.comments, string(event.Comment.Key))
	}
	if isOfTracker(event) {
		return
	}
	if event.PullRequest != nil || event.Comment != nil || event.Review != nil || event.Thread != nil {
		w.pullRequests = append(w.pullRequests, string(key))
	}
	if event.PullRequest != nil && event.PullRequest.HeadSHA.Known {
		w.meet(headCommitOf(event.PullRequest), key)
	}
}

func (w *wanted) meet(commit, pullRequest schemas.EntityKey) {
	parsed, err := schemas.ParseKey(commit)
	if err != nil || parsed.Kind != schemas.KeyCommit {
		return // no result can have such a key
	}
	w.commits = append(w.commits, meeting{parsed, string(commit), string(pullRequest)})
}

// metOnce returns the meetings in order, without repeats: most snapshots of a pull
// request show one head.
func metOnce(meetings []meeting) []meeting {
	slices.SortFunc(meetings, func(a, b meeting) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.pullRequest, b.pullRequest))
	})
	return slices.CompactFunc(meetings, func(a, b meeting) bool { return a.key == b.key && a.pullRequest == b.pullRequest })
}

// sortedOnce returns the texts in order, without repeats.
func sortedOnce(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// queueLocks queues what must be locked, in the one order in which all
// transactions lock: commits first, then pull requests, then components and
// incidents of status pages, each in the order of their keys.
func (w *wanted) queueLocks(queue *pgx.Batch, held *Held, now time.Time) {
	if len(w.commits) > 0 && !w.unmet {
		keys := column(w.commits, func(m meeting) string { return m.key })
		of := column(w.commits, func(m meeting) string { return m.pullRequest })
		queue.Queue(makeCommitsSQL, keys,
			column(w.commits, func(m meeting) string { return m.Instance }),
			column(w.commits, func(m meeting) string { return m.Repository }),
			column(w.commits, func(m meeting) string { return m.SHA }),
			of, now)
		queue.Queue(lockCommitsSQL, keys, of).Query(func(rows pgx.Rows) error { return readCommits(rows, held) })
	}
	read := func(rows pgx.Rows) error { return readPullRequests(rows, held) }
	switch {
	case len(w.results) > 0 || len(w.renamed[0]) > 0:
		queue.Queue(loadPullRequestsSQL, w.pullRequests, w.results, w.renamed[0], w.renamed[1], w.renamed[2]).Query(read)
	case len(w.pullRequests) > 0:
		queue.Queue(loadPullRequestsByKeySQL, w.pullRequests).Query(read)
	}
	w.queueStatus(queue, held)
}

// queueLoads queues the reads of what stands around the locked rows. It comes
// after the locks: nobody can change what it reads.
func (w *wanted) queueLoads(queue *pgx.Batch, held *Held) {
	parents, since := slices.Clone(w.pullRequests), make([]*time.Time, 0, len(w.pullRequests))
	commits, repositories := slices.Clone(w.results), slices.Clone(w.repositories)
	for key, state := range held.States {
		if _, asked := slices.BinarySearch(w.pullRequests, string(key)); !asked {
			parents = append(parents, string(key))
		}
		commits = append(commits, string(state.PullRequest.HeadCommit))
		repositories = append(repositories, string(repositoryOf(state.PullRequest)))
	}
	for key := range held.Commits {
		commits = append(commits, string(key))
	}
	for _, parent := range parents {
		since = append(since, countedSince(held.States[schemas.EntityKey(parent)].PullRequest))
	}
	repositories = append(repositories, w.repositoriesOf()...)
	commits, repositories = sortedOnce(commits), sortedOnce(repositories)
	if len(w.sources) > 0 {
		queue.Queue(loadSeenSQL, w.sources, w.ids).Query(func(rows pgx.Rows) error { return readSeen(rows, held) })
	}
	if len(commits) > 0 {
		queue.Queue(loadChecksSQL, commits).Query(func(rows pgx.Rows) error { return readChecks(rows, held) })
	}
	if len(repositories) > 0 {
		queue.Queue(loadRepositoriesSQL, repositories).Query(func(rows pgx.Rows) error { return readRepositories(rows, held) })
	}
	if len(parents) > 0 || len(w.comments) > 0 {
		queue.Queue(loadCommentsSQL, w.comments, parents).Query(func(rows pgx.Rows) error { return readComments(rows, held) })
	}
	if len(parents) == 0 {
		return
	}
	queue.Queue(loadTallySQL, parents, since).Query(func(rows pgx.Rows) error { return readTally(rows, held) })
	queue.Queue(loadReviewsSQL, parents).Query(func(rows pgx.Rows) error { return readReviews(rows, held) })
	queue.Queue(loadThreadsSQL, parents).Query(func(rows pgx.Rows) error { return readThreads(rows, held) })
}

// repositoriesOf returns the repositories of pull requests that may be new.
func (w *wanted) repositoriesOf() []string {
	var keys []string
	for _, key := range w.pullRequests {
		if repository, _, ok := strings.Cut(key, "#"); ok {
			keys = append(keys, repository)
		}
	}
	return keys
}

// countedSince is the time from which comments are counted on top of what the
// snapshots said, or nil where one of the two counts was never stated.
func countedSince(row *schemas.PullRequest) *time.Time {
	if row == nil || !row.Arrival.CommentsStated.Known || !row.Arrival.ReviewCommentsStated.Known {
		return nil
	}
	since := row.Arrival.CommentsStated.At
	if earlier(row.Arrival.ReviewCommentsStated.At, since) {
		since = row.Arrival.ReviewCommentsStated.At
	}
	return &since
}

func readPullRequests(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		pr := new(schemas.PullRequest)
		var created, closed, merged, updated *time.Time
		var arrival, checks, reviews []byte
		if err := rows.Scan(&pr.EntityKey, &pr.Instance, &pr.RepositoryID, &pr.Repository, &pr.Number,
			&pr.Title, &pr.Body, &pr.Author, &pr.AuthorIsBot,
			&pr.State, &pr.Draft, &pr.Locked,
			&pr.HeadSHA, &pr.HeadRef, &pr.HeadRepositoryID, &pr.HeadCommit, &pr.BaseRef, &pr.BaseSHA,
			&pr.Labels, &pr.Milestone, &pr.RequestedReviewers, &pr.Assignees, &pr.AutoMerge, &pr.MergeCommitSHA,
			&pr.Queued, &pr.DequeuedReason, &checks, &reviews, &pr.Links,
			&pr.ChecksState, &pr.Approvals, &pr.ApprovalsOfHead, &pr.ChangesRequested, &pr.UnresolvedThreads,
			&pr.Comments, &pr.ReviewComments, &pr.Commits, &pr.Additions, &pr.Deletions, &pr.ChangedFiles,
			&created, &closed, &merged, &updated,
			&pr.Version, &pr.NeedsRead, &pr.NeedsReadReason, &arrival); err != nil {
			return fmt.Errorf("read pull_request: %w", err)
		}
		pr.CreatedAt, pr.ClosedAt, pr.MergedAt, pr.ProviderUpdatedAt = known(created), known(closed), known(merged), known(updated)
		err := errors.Join(json.Unmarshal(arrival, &pr.Arrival), readList(checks, &pr.Checks), readList(reviews, &pr.Reviews))
		if err != nil {
			return fmt.Errorf("read pull_request %s: %w", pr.EntityKey, err)
		}
		state := held.States[pr.EntityKey]
		state.PullRequest = pr
		held.Keep(pr.EntityKey, state)
	}
	return rows.Err()
}

func readList[T any](text []byte, into *[]T) error {
	*into = []T{}
	if string(text) == "[]" {
		return nil
	}
	return json.Unmarshal(text, into)
}

func readComments(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		var comment schemas.Comment
		var created, updated, removed, missed *time.Time
		if err := rows.Scan(&comment.EntityKey, &comment.Kind, &comment.Parent, &comment.Thread, &comment.Issue, &comment.State,
			&comment.Author, &comment.AuthorIsBot, &comment.Body, &comment.URL, &created, &updated,
			&comment.Announced, &comment.Version, &comment.NeedsRead, &removed, &missed); err != nil {
			return fmt.Errorf("read comment: %w", err)
		}
		comment.CreatedAt, comment.ProviderUpdatedAt = known(created), known(updated)
		comment.RemovedAt, comment.MissedAt = known(removed), known(missed)
		if comment.Kind == schemas.CommentIssue {
			held.IssueComments[comment.EntityKey] = &comment
			continue
		}
		state := held.States[comment.Parent]
		if state.Comments == nil {
			state.Comments = make(map[schemas.EntityKey]schemas.Comment)
		}
		state.Comments[comment.EntityKey] = comment
		held.States[comment.Parent] = state
	}
	return rows.Err()
}

func readSeen(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		var key DeliveryKey
		var hash []byte
		if err := rows.Scan(&key.Source, &key.ID, &hash); err != nil {
			return fmt.Errorf("read delivery: %w", err)
		}
		if len(hash) == len(BodyHash{}) {
			held.Seen[key] = append(held.Seen[key], BodyHash(hash))
		}
	}
	return rows.Err()
}

// known returns a time in UTC, or zero where the column is null.
func known(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.UTC()
}
