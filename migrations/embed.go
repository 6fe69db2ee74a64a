// Package migrations holds the schema of the database as numbered SQL files,
// forward and back in one file, and applies them with goose.
//
// A released file is never edited; a change is a new number. Each step is safe
// while the previous binary still runs. schema.sql is the dump after all steps,
// kept true by a test: read it to see the tables as they are.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed 0*.sql
var files embed.FS

// versionTable remembers which migrations a database has. It is named with its
// schema: by the search path alone, a user named pawl would find another one
// before and after the schema pawl exists.
const versionTable = "pawl.migration"

// Files returns the numbered SQL files.
func Files() fs.FS { return files }

// Status is where one migration stands.
type Status struct {
	Name    string `json:"name"`
	Applied bool   `json:"applied"`
}

// Up applies every migration that the database lacks and returns their names.
// Several processes may call it at once: one applies, the others wait.
func Up(ctx context.Context, url string) ([]string, error) {
	return run(ctx, url, func(p *goose.Provider) ([]*goose.MigrationResult, error) { return p.Up(ctx) })
}

// Down takes the newest migration back and returns its name.
func Down(ctx context.Context, url string) ([]string, error) {
	return run(ctx, url, func(p *goose.Provider) ([]*goose.MigrationResult, error) {
		result, err := p.Down(ctx)
		if result == nil {
			return nil, err
		}
		return []*goose.MigrationResult{result}, err
	})
}

// List returns every migration and whether the database has it.
func List(ctx context.Context, url string) ([]Status, error) {
	provider, closeDB, err := open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer closeDB()
	states, err := provider.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("read migration status: %w", err)
	}
	var list []Status
	for _, state := range states {
		list = append(list, Status{Name: state.Source.Path, Applied: state.State == goose.StateApplied})
	}
	return list, nil
}

func run(ctx context.Context, url string, step func(*goose.Provider) ([]*goose.MigrationResult, error)) ([]string, error) {
	provider, closeDB, err := open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer closeDB()
	results, err := step(provider)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	var names []string
	for _, result := range results {
		names = append(names, result.Source.Path)
	}
	return names, nil
}

func open(ctx context.Context, url string) (*goose.Provider, func(), error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, nil, fmt.Errorf("parse database url: %w", err)
	}
	db := stdlib.OpenDB(*config)
	if _, err := db.ExecContext(ctx, "create schema if not exists pawl"); err != nil {
		db.Close()
		return nil, nil, fmt.Errorf("migrate: make schema pawl: %w", err)
	}
	provider, err := newProvider(db)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return provider, func() { db.Close() }, nil
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, fmt.Errorf("make migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker), goose.WithTableName(versionTable))
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return provider, nil
}
