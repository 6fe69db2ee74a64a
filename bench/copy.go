package main

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// runCopy measures the raw limit: the rows that the projector wrote, read out
// once in COPY's own format and copied into bare tables without index,
// constraint or trigger. It returns deliveries a second.
func runCopy(ctx context.Context, pool *pgxpool.Pool, deliveries int) (float64, error) {
	elapsed, err := copyTables(ctx, pool, "pull_request", "commit_rollup", "commit_check", "comment", "pull_request_review",
		"review_thread", "delivery", "transition", "outbox")
	return float64(deliveries) / elapsed.Seconds(), err
}

// copyTables returns how long the copying into bare tables took.
func copyTables(ctx context.Context, pool *pgxpool.Pool, tables ...string) (time.Duration, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return 0, fmt.Errorf("copy: %w", err)
	}
	defer conn.Release()
	rows := make(map[string]*bytes.Buffer, len(tables))
	for _, table := range tables {
		rows[table] = new(bytes.Buffer)
		if _, err := conn.Exec(ctx, "drop table if exists copy_"+table+"; create table copy_"+table+" (like pawl."+table+")"); err != nil {
			return 0, fmt.Errorf("copy %s: %w", table, err)
		}
		if _, err := conn.Conn().PgConn().CopyTo(ctx, rows[table], "copy pawl."+table+" to stdout binary"); err != nil {
			return 0, fmt.Errorf("copy %s out: %w", table, err)
		}
	}
	begin := time.Now()
	for _, table := range tables {
		if _, err := conn.Conn().PgConn().CopyFrom(ctx, rows[table], "copy copy_"+table+" from stdin binary"); err != nil {
			return 0, fmt.Errorf("copy %s in: %w", table, err)
		}
	}
	return time.Since(begin), nil
}
