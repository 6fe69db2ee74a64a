package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/schemas"
)

// The naive way, as a careful engineer writes it without a log: one transaction
// a delivery, an advisory lock against the create race, a row lock, an upsert
// guarded by the provider's time, and a journal row. It is not slowed down: the
// statements are prepared, the lock is per pull request, and the body is
// decoded once into a small struct.

const naiveSchema = `
create schema if not exists naive;
drop table if exists naive.pull_request, naive.journal;
create table naive.pull_request (
  repository_id bigint, number bigint, repository text, title text, body text, author text, state text,
  draft boolean, locked boolean, head_sha text, head_ref text, base_ref text, base_sha text, labels text[],
  comments bigint, commits bigint, additions bigint, deletions bigint, changed_files bigint,
  created_at timestamptz, closed_at timestamptz, merged_at timestamptz, updated_at timestamptz, version bigint,
  primary key (repository_id, number)
) with (fillfactor = 80);
create table naive.journal (
  id bigint generated always as identity primary key, delivery_id text unique, repository_id bigint, number bigint,
  action text, applied boolean, received_at timestamptz default now()
);`

const (
	naiveLock   = `select pg_advisory_xact_lock($1)`
	naiveRead   = `select state, updated_at from naive.pull_request where repository_id = $1 and number = $2 for update`
	naiveUpsert = `
insert into naive.pull_request values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,$23,1)
on conflict (repository_id, number) do update set
  repository = excluded.repository, title = excluded.title, body = excluded.body, author = excluded.author,
  state = excluded.state, draft = excluded.draft, locked = excluded.locked, head_sha = excluded.head_sha,
  head_ref = excluded.head_ref, base_ref = excluded.base_ref, base_sha = excluded.base_sha, labels = excluded.labels,
  comments = excluded.comments, commits = excluded.commits, additions = excluded.additions,
  deletions = excluded.deletions, changed_files = excluded.changed_files, created_at = excluded.created_at,
  closed_at = excluded.closed_at, merged_at = excluded.merged_at, updated_at = excluded.updated_at,
  version = naive.pull_request.version + 1`
	naiveJournal = `
insert into naive.journal (delivery_id, repository_id, number, action, applied) values ($1,$2,$3,$4,$5)
on conflict (delivery_id) do nothing`
)

type naivePayload struct {
	Action     string `json:"action"`
	Repository struct {
		ID       int64  `json:"id"`
		FullName string `json:"full_name"`
	} `json:"repository"`
	PullRequest struct {
		Number int64                  `json:"number"`
		Title  string                 `json:"title"`
		Body   string                 `json:"body"`
		State  string                 `json:"state"`
		Draft  bool                   `json:"draft"`
		Locked bool                   `json:"locked"`
		Merged bool                   `json:"merged"`
		User   struct{ Login string } `json:"user"`
		Labels []struct{ Name string }
		Head   struct{ SHA, Ref string }
		Base   struct{ SHA, Ref string }

		Comments     int64      `json:"comments"`
		Commits      int64      `json:"commits"`
		Additions    int64      `json:"additions"`
		Deletions    int64      `json:"deletions"`
		ChangedFiles int64      `json:"changed_files"`
		CreatedAt    time.Time  `json:"created_at"`
		UpdatedAt    time.Time  `json:"updated_at"`
		ClosedAt     *time.Time `json:"closed_at"`
		MergedAt     *time.Time `json:"merged_at"`
	} `json:"pull_request"`
}

// naiveWay is what the naive side does with a load.
type naiveWay struct {
	schema string
	handle func(ctx context.Context, pool *pgxpool.Pool, record schemas.Record) error
}

// naivePullRequests handles pull requests alone.
var naivePullRequests = naiveWay{naiveSchema, naiveHandle}

// runNaive handles the records' bodies with a number of workers, each on a
// connection of its own, and returns deliveries a second.
func runNaive(ctx context.Context, url string, way naiveWay, records []schemas.Record, workers int) (float64, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return 0, fmt.Errorf("naive: %w", err)
	}
	config.MaxConns = int32(workers)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return 0, fmt.Errorf("naive: %w", err)
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, way.schema, pgx.QueryExecModeSimpleProtocol); err != nil {
		return 0, fmt.Errorf("naive schema: %w", err)
	}
	work := make(chan int, len(records))
	for i := range records {
		work <- i
	}
	close(work)
	failures := make(chan error, workers)
	begin := time.Now()
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := range work {
				if err := way.handle(ctx, pool, records[i]); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	elapsed := time.Since(begin)
	select {
	case err := <-failures:
		return 0, err
	default:
	}
	return float64(len(records)) / elapsed.Seconds(), nil
}

func naiveHandle(ctx context.Context, pool *pgxpool.Pool, record schemas.Record) error {
	var p naivePayload
	if err := json.Unmarshal(record.Body, &p); err != nil {
		return fmt.Errorf("naive decode: %w", err)
	}
	pr := &p.PullRequest
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, naiveLock, p.lockKey()); err != nil {
			return err
		}
		var heldState string
		var heldTime time.Time
		err := tx.QueryRow(ctx, naiveRead, p.Repository.ID, pr.Number).Scan(&heldState, &heldTime)
		if err != nil && err != pgx.ErrNoRows { //nolint:errorlint // pgx returns the sentinel itself
			return err
		}
		stale := err == nil && p.staleAgainst(heldState, heldTime)
		if !stale {
			if _, err := tx.Exec(ctx, naiveUpsert, p.row()...); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, naiveJournal, string(record.ID), p.Repository.ID, pr.Number, p.Action, !stale)
		return err
	})
}

// lockKey is the advisory lock of the pull request.
func (p *naivePayload) lockKey() int64 { return p.Repository.ID<<20 | p.PullRequest.Number }

func (p *naivePayload) state() string {
	if p.PullRequest.Merged {
		return "merged"
	}
	return p.PullRequest.State
}

func (p *naivePayload) staleAgainst(state string, updated time.Time) bool {
	return p.PullRequest.UpdatedAt.Before(updated) || state == "merged" && p.state() != "merged"
}

// row returns the arguments of naiveUpsert.
func (p *naivePayload) row() []any {
	pr := &p.PullRequest
	labels := make([]string, len(pr.Labels))
	for i, label := range pr.Labels {
		labels[i] = label.Name
	}
	return []any{
		p.Repository.ID, pr.Number, p.Repository.FullName, pr.Title, pr.Body, pr.User.Login, p.state(), pr.Draft, pr.Locked,
		pr.Head.SHA, pr.Head.Ref, pr.Base.Ref, pr.Base.SHA, labels, pr.Comments, pr.Commits, pr.Additions, pr.Deletions,
		pr.ChangedFiles, pr.CreatedAt, pr.ClosedAt, pr.MergedAt, pr.UpdatedAt,
	}
}
