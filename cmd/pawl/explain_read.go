package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"pawl/internal/provider/own"
	"pawl/schemas"
)

// standing is how things stand now: rows of the tables, as they are.
type standing struct {
	Row        json.RawMessage `json:"row"`        // of pull_request, or null
	Commit     json.RawMessage `json:"commit"`     // of commit_rollup: the commit, or the pull request's head
	Repository json.RawMessage `json:"repository"` // null where no delivery told of it
	Checks     json.RawMessage `json:"checks"`     // of the commit
	Reviews    json.RawMessage `json:"reviews"`
	Threads    json.RawMessage `json:"threads"`
	Links      json.RawMessage `json:"links"`
	// Component, Incident and Comment are the row of a key of theirs, or null.
	Component json.RawMessage `json:"component"`
	Incident  json.RawMessage `json:"incident"`
	Comment   json.RawMessage `json:"comment"`
	// PullRequests are those whose head the commit is.
	PullRequests []toldHead `json:"pull_requests"`
	// Counts are the pull requests of a repository, by state.
	Counts json.RawMessage `json:"pull_request_counts"`
}

type toldHead struct {
	Key        string `json:"entity_key"`
	Repository string `json:"repository"`
	Number     int64  `json:"number"`
	State      string `json:"state"`
}

type toldDelivery struct {
	Partition  int     `json:"partition"`
	Offset     int64   `json:"offset"`
	Entity     string  `json:"entity"`
	Source     string  `json:"source"`
	DeliveryID string  `json:"delivery_id"`
	Event      string  `json:"event"`
	Verdict    string  `json:"verdict"`
	Reason     *string `json:"reason"`
	ProviderAt *string `json:"provider_updated_at"`
	ReceivedAt *string `json:"received_at"`
	IDReused   bool    `json:"id_reused"`
}

type toldChange struct {
	ID         string  `json:"id"`
	Partition  int     `json:"partition"`
	Offset     int64   `json:"offset"`
	Entity     string  `json:"entity"`
	Kind       string  `json:"kind"`
	From       *string `json:"from"`
	To         *string `json:"to"`
	DeliveryID string  `json:"delivery_id"`
}

type toldDecision struct {
	TransitionID string `json:"transition_id"`
	Rule         string `json:"rule"`
	Entity       string `json:"entity"`
	Outcome      string `json:"outcome"`
	Reason       string `json:"reason"`
	Mode         string `json:"mode"`
	RulesHash    string `json:"rules_hash"`
	// Values are the parts of the condition as they were found: rules.Part.
	Values    json.RawMessage `json:"values"`
	DecidedAt string          `json:"decided_at"`
}

type toldMutation struct {
	ID           int64   `json:"id"`
	TransitionID string  `json:"transition_id"`
	Rule         string  `json:"rule"`
	Entity       string  `json:"entity"`
	Kind         string  `json:"kind"`
	Params       string  `json:"params"`
	State        string  `json:"state"`
	Reason       *string `json:"reason"`
	Attempt      int     `json:"attempt"`
	SettledAt    *string `json:"settled_at"`
	// What the last look at the provider found, the last call that changes, and
	// how it was answered.
	Seen   *string `json:"seen"`
	Sent   *string `json:"sent"`
	Answer *string `json:"answer"`
	// DueAt is when it is tried, for one that is not settled; null where a person
	// is waited for.
	DueAt *string `json:"due_at"`
}

// read fills in what the tables know of the key.
func (e *explanation) read(ctx context.Context, tx pgx.Tx) error {
	if e.Source != "" {
		return e.readRefusals(ctx, tx)
	}
	if err := errors.Join(e.readStanding(ctx, tx), e.readDeliveries(ctx, tx), e.readTransitions(ctx, tx)); err != nil {
		return err
	}
	ids := e.decidedElsewhere()
	return errors.Join(
		collect(ctx, tx, &e.Decisions, toldDecisions+`
			 where entity_key = $1 or transition_id = any ($2)
			 order by decided_at, rule`, e.Key, ids),
		collect(ctx, tx, &e.Mutations, toldMutations+`
			 where entity_key = $1 or transition_id = any ($2)
			 order by id`, e.Key, ids),
	)
}

// decidedElsewhere returns the transitions whose decisions are told whatever they
// act on: those of a commit and of a comment are about pull requests. A pull request
// has its own decisions told, also those on what happened to something else.
func (e *explanation) decidedElsewhere() []string {
	ids := make([]string, 0, len(e.Transitions))
	if string(e.Row) != "" && string(e.Row) != "null" {
		return ids
	}
	for _, change := range e.Transitions {
		ids = append(ids, change.ID)
	}
	return ids
}

// Decisions and mutations as they are told.
const (
	toldDecisions = `
		select transition_id, rule, entity_key, outcome, reason, mode, rules_hash, coalesce("values", 'null'),
		       to_char(decided_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
		  from pawl.decision`
	toldMutations = `
		select id, transition_id, rule, entity_key, kind, params::text, state, reason, attempt,
		       to_char(settled_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), seen, sent, answer,
		       case when settled_at is null and isfinite(next_attempt_at)
		            then to_char(next_attempt_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end
		  from pawl.mutation`
)

// Deliveries are read under the alias d, in the order of their folding: offsets
// of two partitions have none.
const (
	toldDeliveries = `
		select d.log_partition, d.log_offset, d.entity_key, d.source, d.delivery_id,
		       d.event || coalesce('.' || d.action, ''), d.verdict, d.reason,
		       to_char(d.provider_updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
		       to_char(d.received_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), d.id_reused
		  from pawl.delivery d`
	inOrderOfFolding = `
		 order by d.folded_at, d.log_partition, d.log_offset`
)

// readDeliveries reads the deliveries of the key, and those of other keys that
// changed the pull request: results of its head.
func (e *explanation) readDeliveries(ctx context.Context, tx pgx.Tx) error {
	return collect(ctx, tx, &e.Deliveries, toldDeliveries+`
		  join (select topic, log_partition, log_offset from pawl.delivery where entity_key = $1
		         union
		        select topic, log_partition, log_offset from pawl.transition where entity_key = $1
		         union
		        select topic, log_partition, log_offset from pawl.transition
		         where id = any (array(select transition_id from pawl.decision where entity_key = $1))) told
		 using (topic, log_partition, log_offset)`+inOrderOfFolding, e.Key)
}

// readRefusals reads what the edge noted of the source in the log.
func (e *explanation) readRefusals(ctx context.Context, tx pgx.Tx) error {
	return collect(ctx, tx, &e.Deliveries, toldDeliveries+`
		 where d.entity_key = $1 and d.source = $2 and d.provider = $3 and d.event = $4`+inOrderOfFolding,
		e.Key, e.Source, own.Name, own.EventRefusals)
}

// readTransitions reads those of the pull request and its comments, and those of
// anything else that were decided on for it; of a commit, those that its deliveries
// caused of the pull requests whose head it is.
func (e *explanation) readTransitions(ctx context.Context, tx pgx.Tx) error {
	kinds := make([]string, 0, len(schemas.Kinds()))
	for _, kind := range schemas.Kinds() {
		kinds = append(kinds, string(kind))
	}
	return collect(ctx, tx, &e.Transitions, `
		select t.id, t.log_partition, t.log_offset, t.entity_key, t.kind, t.from_value, t.to_value, t.delivery_id
		  from pawl.transition t
		 where t.entity_key = any (array(
		       select $1::text
		        union all
		       select entity_key from pawl.comment where parent = $1))
		    or t.id = any (array(select transition_id from pawl.decision where entity_key = $1))
		    or t.entity_key = any (array(select entity_key from pawl.pull_request where head_commit = $1))
		       and exists (select from pawl.delivery d
		                    where (d.topic, d.log_partition, d.log_offset) = (t.topic, t.log_partition, t.log_offset)
		                      and d.entity_key = $1)
		 order by t.folded_at, t.log_partition, t.log_offset, array_position($2::text[], t.kind), t.entity_key`, e.Key, kinds)
}

// readStanding reads the rows.
func (e *explanation) readStanding(ctx context.Context, tx pgx.Tx) error {
	key, err := schemas.ParseKey(schemas.EntityKey(e.Key))
	if err != nil {
		return err
	}
	row := tx.QueryRow(ctx, `
		select to_json(p), to_json(c), to_json(r), to_json(o), to_json(i), to_json(m),
		       coalesce((select json_agg(k order by k.name, k.app, k.kind) from pawl.commit_check k where k.commit_key = c.entity_key), '[]'),
		       coalesce((select json_agg(v order by v.submitted_at, v.id) from pawl.pull_request_review v where v.pull_request = $1), '[]'),
		       coalesce((select json_agg(t order by t.id) from pawl.review_thread t where t.pull_request = $1), '[]'),
		       coalesce((select json_agg(l order by l.target) from pawl.issue_link l where l.pull_request = $1), '[]'),
		       coalesce((select json_object_agg(s.state, s.count)
		                   from (select state, count(*) from pawl.pull_request
		                          where $3 and instance = $4 and repository_id = $5
		                          group by state) s), '{}')
		  from (select $1::text as key) asked
		  left join pawl.pull_request p on p.entity_key = asked.key
		  left join pawl.commit_rollup c on c.entity_key = coalesce(p.head_commit, asked.key)
		  left join pawl.repository r on r.entity_key = $2
		  left join pawl.status_component o on o.entity_key = asked.key
		  left join pawl.status_incident i on i.entity_key = asked.key
		  left join pawl.comment m on m.entity_key = asked.key`,
		e.Key, string(schemas.RepositoryKey(key.Instance, key.Repository)), key.Kind == schemas.KeyRepository, key.Instance, key.Repository)
	err = row.Scan(&e.Row, &e.Commit, &e.Repository, &e.Component, &e.Incident, &e.Comment, &e.Checks, &e.Reviews, &e.Threads, &e.Links, &e.Counts)
	if err != nil {
		return err
	}
	return collect(ctx, tx, &e.PullRequests, `
		select entity_key, repository, number, state from pawl.pull_request where head_commit = $1 order by repository, number`, e.Key)
}

func collect[T any](ctx context.Context, tx pgx.Tx, into *[]T, sql string, args ...any) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	*into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	return err
}
