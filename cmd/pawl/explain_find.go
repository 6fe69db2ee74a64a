package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"pawl/schemas"
)

// subject is what an explanation is of.
type subject struct {
	Key string `json:"key"`
	// Source narrows the deliveries of an instance to what a source refused.
	Source string `json:"source,omitempty"`
	// Notes say what the name leaves open.
	Notes []string `json:"notes,omitempty"`
}

// subject turns a key or a name into a subject.
func (f finder) subject(ctx context.Context, text string) (subject, error) {
	name, number, isPullRequest := strings.Cut(text, "#")
	repository, sha, isCommit := strings.Cut(text, "@")
	switch {
	case strings.Contains(text, ":"):
		return f.keyed(ctx, text)
	case isPullRequest:
		return f.pullRequestNamed(ctx, name, number)
	case isCommit:
		return f.commitNamed(ctx, repository, sha)
	case strings.Contains(text, "/"):
		return f.repositoryNamed(ctx, text)
	}
	return f.instanceOrSource(text)
}

// keyed takes a key. The sha of a commit may be cut short.
func (f finder) keyed(ctx context.Context, text string) (subject, error) {
	key, err := schemas.ParseKey(schemas.EntityKey(text))
	if err != nil {
		return subject{}, &usageError{fmt.Errorf("%w; or give a name such as acme/api#7", err)}
	}
	if key.Kind != schemas.KeyCommit {
		return subject{Key: text}, nil
	}
	found, err := f.commit(ctx, []string{text}, "", "")
	return subject{Key: found}, err
}

// instanceOrSource takes a word: a host, or the name of a configured source.
func (f finder) instanceOrSource(text string) (subject, error) {
	if _, err := schemas.ParseKey(schemas.EntityKey(text)); err != nil {
		return subject{}, &usageError{fmt.Errorf("%w; or give a name such as acme/api#7", err)}
	}
	instance, isSource := f.sources[text]
	if isSource && !slices.Contains(slices.Collect(maps.Values(f.sources)), text) {
		return subject{Key: instance, Source: text}, nil
	}
	return subject{Key: text}, nil
}

func (f finder) pullRequestNamed(ctx context.Context, name, number string) (subject, error) {
	if n, err := strconv.ParseInt(number, 10, 64); err != nil || n <= 0 {
		return subject{}, &usageError{fmt.Errorf("%q is no name: the number after # must be a whole number", name+"#"+number)}
	}
	bearers, err := f.bearers(ctx, name)
	if err != nil {
		return subject{}, err
	}
	keys := make([]string, len(bearers))
	for i, bearer := range bearers {
		keys[i] = bearer.Key + "#" + number
	}
	var place int
	err = f.pool.QueryRow(ctx, `
		select k.place - 1
		  from unnest($1::text[]) with ordinality as k (entity_key, place)
		  join pawl.pull_request p on p.entity_key = k.entity_key
		 order by k.place limit 1`, keys).Scan(&place)
	if errors.Is(err, pgx.ErrNoRows) {
		return subject{}, unknownName(name+"#"+number, "pull request")
	}
	if err != nil {
		return subject{}, err
	}
	return subject{Key: keys[place], Notes: notesOn(name, bearers, place)}, nil
}

func (f finder) repositoryNamed(ctx context.Context, name string) (subject, error) {
	bearers, err := f.bearers(ctx, name)
	if err != nil {
		return subject{}, err
	}
	if len(bearers) == 0 {
		return subject{}, unknownName(name, "repository")
	}
	return subject{Key: bearers[0].Key, Notes: notesOn(name, bearers, 0)}, nil
}

func (f finder) commitNamed(ctx context.Context, name, sha string) (subject, error) {
	bearers, err := f.bearers(ctx, name)
	if err != nil {
		return subject{}, err
	}
	if sha == "" || len(bearers) == 0 {
		return subject{}, unknownName(name+"@"+sha, "commit")
	}
	keys := make([]string, len(bearers))
	for i, bearer := range bearers {
		keys[i] = bearer.Key + "@" + sha
	}
	found, err := f.commit(ctx, keys, name, sha)
	return subject{Key: found, Notes: notesOn(name, bearers, 0)}, err
}

func unknownName(name, what string) error {
	return fmt.Errorf("explain %s: %w: no %s has this name; a renamed repository is known by its newest name", name, errUnknownEntity, what)
}

// commit finds the one commit whose key begins as one of the keys does, or that
// is a head of the repository by that name: the head of a fork hangs on the fork
// at some providers.
func (f finder) commit(ctx context.Context, keys []string, repository, sha string) (string, error) {
	rows, err := f.pool.Query(ctx, `
		select c.entity_key
		  from unnest($1::text[]) as k (start)
		  join pawl.commit_rollup c
		    on c.entity_key between k.start and k.start || 'g' and starts_with(c.entity_key, k.start)
		 union
		select head_commit from pawl.pull_request
		 where repository = $2 and starts_with(head_sha, $3) and head_commit is not null
		 order by 1`, keys, repository, sha)
	if err != nil {
		return "", err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", err
	}
	for _, key := range keys {
		if len(found) == 0 || slices.Contains(found, key) {
			return key, nil
		}
	}
	if len(found) > 1 {
		return "", fmt.Errorf("explain %s: it is the beginning of several commits: %s", keys[0], listed(found))
	}
	return found[0], nil
}

// bearer is a repository that bears a name.
type bearer struct {
	Key   string
	State string
}

// bearers returns the repositories that bear a name: deleted ones last, and
// otherwise the one that changed last first.
func (f finder) bearers(ctx context.Context, name string) ([]bearer, error) {
	rows, err := f.pool.Query(ctx, `
		select k.key, coalesce(r.state, 'live')
		  from (select entity_key as key, folded_at from pawl.repository where repository = $1
		         union all
		        select instance || ':' || repository_id, max(folded_at) from pawl.pull_request
		         where repository = $1 group by instance, repository_id) k
		  left join pawl.repository r on r.entity_key = k.key
		 group by k.key, r.state
		 order by coalesce(r.state, 'live') = 'deleted', max(k.folded_at) desc, k.key`, name)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[bearer])
}

// notesOn says which other repositories bear the name.
func notesOn(name string, bearers []bearer, chosen int) []string {
	var others []string
	for i, bearer := range bearers {
		switch {
		case i == chosen:
		case bearer.State == string(schemas.RepositoryGone):
			others = append(others, bearer.Key+" (deleted)")
		default:
			others = append(others, bearer.Key)
		}
	}
	if others == nil {
		return nil
	}
	return []string{fmt.Sprintf("%d repositories bear the name %s; also: %s", len(bearers), name, listed(others))}
}

// maxListed bounds a list of names in a line.
const maxListed = 10

// listed joins names, and counts those that are too many.
func listed(names []string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
}
