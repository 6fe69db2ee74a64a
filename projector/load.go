package projector

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/schemas"
)

// queueLoads queues the reads of a batch: the states under its keys, and which
// of its deliveries were seen before.
func queueLoads(queue *pgx.Batch, held *Held, batch Batch) {
	keys := make(map[string]struct{}, len(batch.Records))
	var comments, sources, ids []string
	for _, record := range batch.Records {
		if record.Err != nil {
			continue
		}
		keys[string(record.Record.Key)] = struct{}{}
		sources = append(sources, record.Record.Source)
		ids = append(ids, string(record.Record.ID))
		if comment := record.Event.Comment; comment != nil {
			comments = append(comments, string(comment.Key))
		}
	}
	if len(keys) == 0 {
		return
	}
	parents := slices.Sorted(maps.Keys(keys))
	queue.Queue(loadPullRequestsSQL, parents).Query(func(rows pgx.Rows) error { return readPullRequests(rows, held) })
	queue.Queue(loadCommentsSQL, comments, parents).Query(func(rows pgx.Rows) error { return readComments(rows, held) })
	queue.Queue(loadSeenSQL, sources, ids).Query(func(rows pgx.Rows) error { return readSeen(rows, held) })
}

func readPullRequests(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		pr := new(schemas.PullRequest)
		var created, closed, merged, updated *time.Time
		var arrival []byte
		if err := rows.Scan(&pr.EntityKey, &pr.Instance, &pr.RepositoryID, &pr.Repository, &pr.Number,
			&pr.Title, &pr.Body, &pr.Author, &pr.AuthorIsBot,
			&pr.State, &pr.Draft, &pr.Locked,
			&pr.HeadSHA, &pr.HeadRef, &pr.HeadRepositoryID, &pr.BaseRef, &pr.BaseSHA,
			&pr.Labels, &pr.Milestone, &pr.RequestedReviewers, &pr.Assignees, &pr.AutoMerge, &pr.MergeCommitSHA,
			&pr.ChecksState, &pr.Approvals, &pr.ChangesRequested,
			&pr.Comments, &pr.ReviewComments, &pr.Commits, &pr.Additions, &pr.Deletions, &pr.ChangedFiles,
			&created, &closed, &merged, &updated,
			&pr.Version, &pr.NeedsRead, &pr.NeedsReadReason, &arrival); err != nil {
			return fmt.Errorf("read pull_request: %w", err)
		}
		pr.CreatedAt, pr.ClosedAt, pr.MergedAt, pr.ProviderUpdatedAt = known(created), known(closed), known(merged), known(updated)
		if err := json.Unmarshal(arrival, &pr.Arrival); err != nil {
			return fmt.Errorf("read pull_request %s: arrival: %w", pr.EntityKey, err)
		}
		state := held.States[pr.EntityKey]
		held.States[pr.EntityKey] = state.withPullRequest(pr)
	}
	return rows.Err()
}

func readComments(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		var comment schemas.Comment
		var created, updated *time.Time
		if err := rows.Scan(&comment.EntityKey, &comment.Parent, &comment.State, &comment.Author, &comment.AuthorIsBot,
			&comment.Body, &comment.URL, &created, &updated, &comment.Announced, &comment.Version, &comment.NeedsRead); err != nil {
			return fmt.Errorf("read comment: %w", err)
		}
		comment.CreatedAt, comment.ProviderUpdatedAt = known(created), known(updated)
		held.States[comment.Parent] = held.States[comment.Parent].withComment(comment)
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
