package projector

import (
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/schemas"
)

// readCommits reads the commits that are locked.
func readCommits(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		commit := new(schemas.Commit)
		if err := rows.Scan(&commit.EntityKey, &commit.Instance, &commit.RepositoryID, &commit.Repository, &commit.SHA,
			&commit.State, &commit.Total, &commit.Pending, &commit.Succeeded, &commit.Failed,
			&commit.MergeGroup, &commit.MergeGroupReason, &commit.MergeGroupRef, &commit.Version); err != nil {
			return fmt.Errorf("read commit_rollup: %w", err)
		}
		held.Commits[commit.EntityKey] = CommitState{Commit: commit}
	}
	return rows.Err()
}

func readChecks(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		var check schemas.Check
		var started, completed, updated, received *time.Time
		if err := rows.Scan(&check.Commit, &check.Kind, &check.App, &check.Name, &check.Attempt, &check.Retry,
			&check.Status, &check.Conclusion, &check.State, &check.URL,
			&started, &completed, &updated, &received, &check.Version); err != nil {
			return fmt.Errorf("read commit_check: %w", err)
		}
		check.StartedAt, check.CompletedAt = known(started), known(completed)
		check.ProviderUpdatedAt, check.ReceivedAt = known(updated), known(received)
		state := held.Commits[check.Commit]
		if state.Checks == nil {
			state.Checks = make(map[schemas.CheckID]schemas.Check)
		}
		state.Checks[check.CheckID] = check
		held.Commits[check.Commit] = state
	}
	return rows.Err()
}

// readTally reads the comments to count, but for those that the batch is about:
// these were read whole.
func readTally(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		var parent, key schemas.EntityKey
		var counted Counted
		var created, removed *time.Time
		if err := rows.Scan(&parent, &key, &counted.Kind, &counted.Live, &created, &removed); err != nil {
			return fmt.Errorf("read comment: %w", err)
		}
		counted.CreatedAt, counted.RemovedAt = known(created), known(removed)
		state := held.States[parent]
		if state.Tally == nil {
			state.Tally = make(map[schemas.EntityKey]Counted)
		}
		state.Tally[key] = counted
		held.States[parent] = state
	}
	return rows.Err()
}

func readReviews(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		var review schemas.Review
		var submitted, updated *time.Time
		if err := rows.Scan(&review.PullRequest, &review.ID, &review.Author, &review.AuthorIsBot, &review.State,
			&review.HeadSHA, &review.Body, &review.URL, &submitted, &updated, &review.Version); err != nil {
			return fmt.Errorf("read pull_request_review: %w", err)
		}
		review.SubmittedAt, review.ProviderUpdatedAt = known(submitted), known(updated)
		state := held.States[review.PullRequest]
		if state.Reviews == nil {
			state.Reviews = make(map[string]schemas.Review)
		}
		state.Reviews[review.ID] = review
		held.States[review.PullRequest] = state
	}
	return rows.Err()
}

func readThreads(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		var thread schemas.Thread
		var updated *time.Time
		if err := rows.Scan(&thread.PullRequest, &thread.ID, &thread.Resolved, &thread.Stated, &thread.Commented,
			&thread.Live, &updated, &thread.Version); err != nil {
			return fmt.Errorf("read review_thread: %w", err)
		}
		thread.ProviderUpdatedAt = known(updated)
		state := held.States[thread.PullRequest]
		if state.Threads == nil {
			state.Threads = make(map[string]schemas.Thread)
		}
		state.Threads[thread.ID] = thread
		held.States[thread.PullRequest] = state
	}
	return rows.Err()
}

func readRepositories(rows pgx.Rows, held *Held) error {
	for rows.Next() {
		repository := new(schemas.Repository)
		var updated *time.Time
		if err := rows.Scan(&repository.EntityKey, &repository.Instance, &repository.RepositoryID, &repository.Repository,
			&repository.State, &repository.Private, &updated, &repository.Version); err != nil {
			return fmt.Errorf("read repository: %w", err)
		}
		repository.ProviderUpdatedAt = known(updated)
		held.Repositories[repository.EntityKey] = repository
	}
	return rows.Err()
}
