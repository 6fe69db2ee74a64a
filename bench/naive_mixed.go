package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/schemas"
)

// The naive way of the mixed load. A result and a new head meet on an advisory
// lock of the commit, taken before the pull request's: without it, one of the two
// is lost now and then. A check is upserted unless it is of an older attempt or
// status; what it changes is carried over to the pull requests with that head in
// one statement.

const naiveMixedSchema = naiveSchema + `
alter table naive.pull_request
  add column checks_state text not null default 'none', add column approvals bigint not null default 0;
create index on naive.pull_request (repository_id, head_sha);
drop table if exists naive.check_result, naive.review, naive.comment;
create table naive.check_result (
  repository_id bigint, sha text, kind text, app text, name text, attempt bigint, retry bigint, rank integer,
  status text, conclusion text, state text, url text, started_at timestamptz, completed_at timestamptz, updated_at timestamptz,
  primary key (repository_id, sha, kind, app, name)
) with (fillfactor = 80);
create table naive.review (
  id bigint primary key, repository_id bigint, number bigint, author text, state text, head_sha text, body text,
  submitted_at timestamptz
);
create index on naive.review (repository_id, number);
create table naive.comment (
  kind text, id bigint, repository_id bigint, number bigint, author text, body text, state text,
  created_at timestamptz, updated_at timestamptz,
  primary key (kind, id)
);`

const (
	naiveLockCommit = `select pg_advisory_xact_lock(hashtextextended($1, 0))`
	naiveLockBoth   = `select pg_advisory_xact_lock(hashtextextended($1, 0)), pg_advisory_xact_lock($2)`
	naiveReadHead   = `select state, updated_at, head_sha from naive.pull_request where repository_id = $1 and number = $2 for update`

	naiveUpsertCheck = `
insert into naive.check_result as c values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15)
on conflict (repository_id, sha, kind, app, name) do update set
  attempt = excluded.attempt, retry = excluded.retry, rank = excluded.rank, status = excluded.status,
  conclusion = excluded.conclusion, state = excluded.state, url = excluded.url, started_at = excluded.started_at,
  completed_at = excluded.completed_at, updated_at = excluded.updated_at
where (excluded.attempt, excluded.retry, excluded.rank) > (c.attempt, c.retry, c.rank)`

	// naiveRollup is the state of the checks of a commit ($1, $2).
	naiveRollup = `
select case when bool_or(state = 'failure') then 'failure' when bool_or(state = 'pending') then 'pending'
            when count(*) > 0 then 'success' else 'none' end
  from naive.check_result where repository_id = $1 and sha = $2 and kind <> 'check_suite'`
	naiveCarryOver = `
update naive.pull_request p set checks_state = r.state, version = version + 1
  from (` + naiveRollup + `) as r (state)
 where p.repository_id = $1 and p.head_sha = $2 and p.checks_state <> r.state`
	naiveNewHead = `
update naive.pull_request p set checks_state = (` + naiveRollup + `), approvals = (` + naiveApprovals + `)
 where p.repository_id = $1 and p.head_sha = $2 and p.number = $3`

	// naiveApprovals counts who approves the pull request p.
	naiveApprovals = `
select count(*) filter (where latest.state = 'approved') from (
  select distinct on (author) state from naive.review r
   where r.repository_id = p.repository_id and r.number = p.number and r.state <> 'commented'
   order by author, submitted_at desc) latest`
	naiveUpsertReview = `
insert into naive.review as r values ($1,$2,$3,$4,$5,$6,$7,$8)
on conflict (id) do update set state = excluded.state, body = excluded.body, submitted_at = excluded.submitted_at
where r.state <> 'dismissed'`
	naiveRecount = `
update naive.pull_request p set approvals = (` + naiveApprovals + `), version = version + 1
 where p.repository_id = $1 and p.number = $2`
	naiveUpsertComment = `
insert into naive.comment as c values ($1,$2,$3,$4,$5,$6,$7,$8,$9)
on conflict (kind, id) do update set body = excluded.body, state = excluded.state, updated_at = excluded.updated_at
where c.state = 'live' and excluded.updated_at >= c.updated_at`
)

// naiveMixed handles all kinds of the mixed load.
var naiveMixed = naiveWay{naiveMixedSchema, naiveHandleMixed}

func naiveHandleMixed(ctx context.Context, pool *pgxpool.Pool, record schemas.Record) error {
	switch record.Event {
	case "pull_request":
		return naiveApply(ctx, pool, record, naiveSnapshot)
	case "pull_request_review":
		return naiveApply(ctx, pool, record, naiveReviewed)
	case "issue_comment", "pull_request_review_comment":
		return naiveApply(ctx, pool, record, naiveCommented)
	}
	return naiveApply(ctx, pool, record, naiveChecked)
}

// naiveApply decodes a body once, and handles it in one transaction.
func naiveApply[P any](ctx context.Context, pool *pgxpool.Pool, record schemas.Record,
	handle func(ctx context.Context, tx pgx.Tx, record schemas.Record, p *P) error,
) error {
	var p P
	if err := json.Unmarshal(record.Body, &p); err != nil {
		return fmt.Errorf("naive decode: %w", err)
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return handle(ctx, tx, record, &p) })
}

func naiveSnapshot(ctx context.Context, tx pgx.Tx, record schemas.Record, p *naivePayload) error {
	pr := &p.PullRequest
	if _, err := tx.Exec(ctx, naiveLockBoth, commitLock(p.Repository.ID, pr.Head.SHA), p.lockKey()); err != nil {
		return err
	}
	var heldState, heldHead string
	var heldTime time.Time
	err := tx.QueryRow(ctx, naiveReadHead, p.Repository.ID, pr.Number).Scan(&heldState, &heldTime, &heldHead)
	if err != nil && err != pgx.ErrNoRows { //nolint:errorlint // pgx returns the sentinel itself
		return err
	}
	stale := err == nil && p.staleAgainst(heldState, heldTime)
	if !stale {
		if _, err := tx.Exec(ctx, naiveUpsert, p.row()...); err != nil {
			return err
		}
	}
	if !stale && heldHead != pr.Head.SHA {
		if _, err := tx.Exec(ctx, naiveNewHead, p.Repository.ID, pr.Head.SHA, pr.Number); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, naiveJournal, string(record.ID), p.Repository.ID, pr.Number, p.Action, !stale)
	return err
}

// commitLock names the advisory lock of a commit.
func commitLock(repository int64, sha string) string { return fmt.Sprintf("%d@%s", repository, sha) }

type naiveReviewPayload struct {
	naivePayload

	Review struct {
		ID          int64  `json:"id"`
		State       string `json:"state"`
		Body        string `json:"body"`
		CommitID    string `json:"commit_id"`
		User        struct{ Login string }
		SubmittedAt time.Time `json:"submitted_at"`
	} `json:"review"`
}

func naiveReviewed(ctx context.Context, tx pgx.Tx, record schemas.Record, p *naiveReviewPayload) error {
	repository, number, review := p.Repository.ID, p.PullRequest.Number, &p.Review
	if _, err := tx.Exec(ctx, naiveLock, p.lockKey()); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, naiveUpsertReview, review.ID, repository, number, review.User.Login, review.State, review.CommitID,
		review.Body, review.SubmittedAt)
	if err != nil {
		return err
	}
	applied := tag.RowsAffected() > 0
	if applied {
		if _, err := tx.Exec(ctx, naiveRecount, repository, number); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, naiveJournal, string(record.ID), repository, number, p.Action, applied)
	return err
}

type naiveCommentPayload struct {
	naivePayload

	Issue struct {
		Number int64 `json:"number"`
	} `json:"issue"`
	Comment struct {
		ID        int64  `json:"id"`
		Body      string `json:"body"`
		User      struct{ Login string }
		CreatedAt time.Time `json:"created_at"`
		UpdatedAt time.Time `json:"updated_at"`
	} `json:"comment"`
}

func naiveCommented(ctx context.Context, tx pgx.Tx, record schemas.Record, p *naiveCommentPayload) error {
	state, comment := "live", &p.Comment
	if p.Action == "deleted" {
		state = "removed"
	}
	number := max(p.Issue.Number, p.PullRequest.Number)
	tag, err := tx.Exec(ctx, naiveUpsertComment, record.Event, comment.ID, p.Repository.ID, number, comment.User.Login, comment.Body,
		state, comment.CreatedAt, comment.UpdatedAt)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, naiveJournal, string(record.ID), p.Repository.ID, number, p.Action, tag.RowsAffected() > 0)
	return err
}
