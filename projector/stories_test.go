package projector_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/internal/links"
	"pawl/internal/provider"
	stories "pawl/internal/story"
	"pawl/projector"
	"pawl/schemas"
)

// TestI3_TablesEqualTheFold folds every story through the database, in batches of
// one to three records, a partition for the pull requests and one for all else,
// and in memory at once. The tables hold what the fold says.
func TestI3_TablesEqualTheFold(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../stories/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := stories.Parse(file, text)
			if err != nil {
				t.Fatal(err)
			}
			compareWithTables(t, recordsOf(parsed), seedOf(file))
		})
	}
}

func seedOf(file string) uint64 {
	hash := fnv.New64()
	_, _ = hash.Write([]byte(file))
	return hash.Sum64()
}

// recordsOf seals the deliveries of a story, each twice.
func recordsOf(parsed *stories.Story) []schemas.Record {
	var records []schemas.Record
	for _, delivery := range slices.Concat(parsed.Deliveries, parsed.Deliveries) {
		source := parsed.Sources[delivery.Source]
		reader, ok := provider.ByName(source.Provider)
		if !ok {
			continue
		}
		contentType := cmp.Or(delivery.Header.Get("Content-Type"), schemas.ContentTypeJSON)
		record, err := reader.Seal(provider.Delivery{
			Header: delivery.Header, Raw: delivery.Body, ContentType: contentType, Instance: source.Instance,
			Source: source.Name, ReceivedAt: delivery.ReceivedAt,
		})
		if err != nil {
			continue // the edge refuses it
		}
		records = append(records, record)
	}
	return records
}

func compareWithTables(t *testing.T, records []schemas.Record, seed uint64) {
	t.Helper()
	pool, held := newPool(t), projector.NewHeld()
	held.Links = links.Finder{}.Of
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a fixed seed: the same batches each time
	logs := []*partition{newLinked(t, pool, 0), newLinked(t, pool, 1)}
	for len(records) > 0 {
		size := min(1+random.IntN(3), len(records))
		apart := make([][]schemas.Record, len(logs))
		for _, record := range records[:size] {
			// In memory they are folded as the database folds them: the records
			// of one partition of the batch, and then those of the other.
			place := partitionOf(record)
			apart[place] = append(apart[place], record)
		}
		records = records[size:]
		for place, log := range logs {
			if len(apart[place]) == 0 {
				continue
			}
			for i, record := range apart[place] {
				held.Fold(ready(log.next+int64(i), record).Decoded)
			}
			log.apply(apart[place]...)
		}
	}
	compareRows(t, pool, held)
}

func partitionOf(record schemas.Record) int {
	parsed, err := schemas.ParseKey(record.Key)
	if err == nil && parsed.Kind == schemas.KeyPullRequest {
		return 0
	}
	return 1
}

func newLinked(t *testing.T, pool *pgxpool.Pool, number int) *partition {
	t.Helper()
	made := newPartition(t, pool, number)
	checkpoint, next, err := projector.Claim(t.Context(), pool, topic, number, "linked")
	if err != nil {
		t.Fatal(err)
	}
	made.applier, made.next = projector.NewApplier(pool, checkpoint, links.Finder{}.Of), next
	return made
}

func compareRows(t *testing.T, pool *pgxpool.Pool, held *projector.Held) {
	t.Helper()
	var want struct {
		pullRequests []schemas.PullRequest
		comments     []schemas.Comment
		reviews      []schemas.Review
		threads      []schemas.Thread
		commits      []schemas.Commit
		checks       []string
		repositories []schemas.Repository
		links        []string
	}
	for _, key := range slices.Sorted(maps.Keys(held.States)) {
		state := held.States[key]
		if state.PullRequest != nil {
			want.pullRequests = append(want.pullRequests, *state.PullRequest)
			for _, target := range state.PullRequest.Links {
				want.links = append(want.links, fmt.Sprintf("%s %s", key, target))
			}
		}
		want.comments = append(want.comments, valuesOf(state.Comments)...)
		want.reviews = append(want.reviews, valuesOf(state.Reviews)...)
		want.threads = append(want.threads, valuesOf(state.Threads)...)
	}
	for _, comment := range held.IssueComments {
		want.comments = append(want.comments, *comment)
	}
	slices.SortFunc(want.comments, func(a, b schemas.Comment) int {
		return cmp.Or(cmp.Compare(a.Parent, b.Parent), cmp.Compare(a.EntityKey, b.EntityKey))
	})
	for _, key := range slices.Sorted(maps.Keys(held.Commits)) {
		if commit := held.Commits[key].Commit; commit != nil {
			want.commits = append(want.commits, *commit)
		}
		for _, check := range held.Commits[key].Checks {
			want.checks = append(want.checks, fmt.Sprintf("%s %s %q %q %d %s %s", key, check.Kind, check.App, check.Name, check.Attempt, check.Status, check.State))
		}
	}
	slices.Sort(want.checks)
	for _, key := range slices.Sorted(maps.Keys(held.Repositories)) {
		want.repositories = append(want.repositories, *held.Repositories[key])
	}
	same(t, "pull_request", rowsOf[schemas.PullRequest](t, pool, `select row_to_json(p) from pawl.pull_request p order by entity_key`), want.pullRequests,
		cmpopts.IgnoreFields(schemas.PullRequest{}, "Arrival"))
	same(t, "comment", rowsOf[schemas.Comment](t, pool, `select row_to_json(c) from pawl.comment c order by parent collate "C", entity_key collate "C"`), want.comments,
		cmpopts.IgnoreFields(schemas.Comment{}, "Announced", "RemovedAt", "MissedAt"))
	same(t, "pull_request_review", rowsOf[schemas.Review](t, pool, `select row_to_json(r) from pawl.pull_request_review r order by pull_request, id`), want.reviews)
	same(t, "review_thread", rowsOf[schemas.Thread](t, pool, `select row_to_json(r) from pawl.review_thread r order by pull_request, id`), want.threads)
	same(t, "commit_rollup", rowsOf[schemas.Commit](t, pool, `select row_to_json(c) from pawl.commit_rollup c where version > 0 order by entity_key`), want.commits)
	same(t, "commit_check", textsOf(t, pool, `select format('%s %s "%s" "%s" %s %s %s', commit_key, kind, app, name, attempt, status, state)
		from pawl.commit_check order by 1`), want.checks)
	same(t, "repository", rowsOf[schemas.Repository](t, pool, `select row_to_json(r) from pawl.repository r order by entity_key`), want.repositories)
	var components []schemas.StatusComponent
	for _, key := range slices.Sorted(maps.Keys(held.Components)) {
		components = append(components, *held.Components[key])
	}
	var incidents []schemas.StatusIncident
	for _, key := range slices.Sorted(maps.Keys(held.Incidents)) {
		incidents = append(incidents, *held.Incidents[key])
	}
	same(t, "status_component", rowsOf[schemas.StatusComponent](t, pool, `select row_to_json(c) from pawl.status_component c order by entity_key`), components,
		cmpopts.IgnoreFields(schemas.StatusComponent{}, "Before"))
	same(t, "status_incident", rowsOf[schemas.StatusIncident](t, pool, `select row_to_json(c) from pawl.status_incident c order by entity_key`), incidents)
	same(t, "issue_link", textsOf(t, pool, `select pull_request || ' ' || target from pawl.issue_link order by pull_request, target collate "C"`), want.links)
}

func valuesOf[K cmp.Ordered, V any](rows map[K]V) []V {
	var values []V
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		values = append(values, rows[key])
	}
	return values
}

// rowsOf reads rows by their columns, which are the JSON names of the type; null
// is the zero value.
func rowsOf[T any](t *testing.T, pool *pgxpool.Pool, sql string) []T {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		t.Fatal(err)
	}
	var made []T
	for _, text := range texts {
		var row T
		if err := json.Unmarshal(text, &row); err != nil {
			t.Fatal(err)
		}
		made = append(made, row)
	}
	return made
}

func textsOf(t *testing.T, pool *pgxpool.Pool, sql string) []string {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql)
	texts, collected := pgx.CollectRows(rows, pgx.RowTo[string])
	if err := errors.Join(err, collected); err != nil {
		t.Fatal(err)
	}
	return texts
}

func same[T any](t *testing.T, table string, got, want []T, options ...gocmp.Option) {
	t.Helper()
	options = append(options, cmpopts.EquateEmpty(), gocmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }))
	if diff := gocmp.Diff(got, want, options...); diff != "" {
		t.Errorf("%s (-table +fold):\n%s", table, diff)
	}
}
