package payloads_test

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"pawl/internal/payloads"
)

// outcomes returns what became of the first delivery of each sample: its verdict,
// and the tables that have rows under its instance, which is its alone.
func (w *world) outcomes() []payloads.Outcome {
	w.t.Helper()
	into := w.into()
	rows, err := w.pool.Query(w.t.Context(), `
		select distinct on (delivery_id) delivery_id, source, event, coalesce(action, ''), verdict, coalesce(reason, '')
		  from pawl.delivery
		 order by delivery_id, folded_at, log_offset`)
	if err != nil {
		w.t.Fatal(err)
	}
	var found []payloads.Outcome
	var outcome payloads.Outcome
	var source string
	if _, err := pgx.ForEachRow(rows, []any{
		&outcome.Name, &source, &outcome.Event, &outcome.Action, &outcome.Verdict, &outcome.Reason,
	}, func() error {
		outcome.Into, outcome.Name = into[source], w.nameOf(source, outcome.Name)
		found = append(found, outcome)
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return found
}

// into returns what has rows, by instance.
func (w *world) into() map[string][]string {
	w.t.Helper()
	rows, err := w.pool.Query(w.t.Context(), `
		select distinct split_part(key, ':', 1), what
		  from (select entity_key, 'pull_request' from pawl.pull_request
		        union all select pull_request, 'review' from pawl.pull_request_review
		        union all select pull_request, 'thread' from pawl.review_thread
		        union all select entity_key, 'comment' from pawl.comment
		        union all select commit_key, 'check' from pawl.commit_check
		        union all select entity_key, 'merge group' from pawl.commit_rollup where merge_group is not null
		        union all select entity_key, 'repository' from pawl.repository
		        union all select pull_request, 'link' from pawl.issue_link
		        union all select entity_key, 'component' from pawl.status_component
		        union all select entity_key, 'incident' from pawl.status_incident) as row (key, what)`)
	if err != nil {
		w.t.Fatal(err)
	}
	found := make(map[string][]string)
	var instance, what string
	if _, err := pgx.ForEachRow(rows, []any{&instance, &what}, func() error {
		found[instance] = append(found[instance], what)
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	for _, names := range found {
		slices.Sort(names)
	}
	return found
}
