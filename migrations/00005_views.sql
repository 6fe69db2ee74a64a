-- Views for people.

-- +goose Up
create view pawl.pull_request_timeline as
  select d.entity_key,
         d.received_at as at,
         'delivery' as what,
         d.event || coalesce('.' || d.action, '') as name,
         d.verdict as outcome,
         d.reason,
         d.delivery_id,
         d.log_partition,
         d.log_offset
    from pawl.delivery d
  union all
  select coalesce(t.value -> 'comment' ->> 'parent', t.entity_key),
         t.folded_at,
         'transition',
         t.kind,
         coalesce(t.from_value, '') || ' → ' || coalesce(t.to_value, ''),
         null,
         t.delivery_id,
         t.log_partition,
         t.log_offset
    from pawl.transition t
  union all
  select m.entity_key,
         coalesce(m.settled_at, m.claimed_at, m.created_at),
         'mutation',
         m.rule || ': ' || m.kind,
         m.state,
         m.reason,
         null,
         null,
         null
    from pawl.mutation m;

comment on view pawl.pull_request_timeline is 'Everything that happened to a pull request: deliveries with their verdicts, transitions, mutations. Select by entity_key, order by at.';

create view pawl.consumer_lag as
  select c.topic,
         c.log_partition,
         c.next_offset as checkpoint,
         c.log_end,
         greatest(c.log_end - c.next_offset, 0) as lag_records,
         c.last_event_at,
         c.owner,
         c.stopped_reason,
         c.updated_at
    from pawl.checkpoint c;

comment on view pawl.consumer_lag is 'Records that the projector has still to fold, per partition, as of its last fetch.';

-- +goose Down
drop view pawl.consumer_lag;
drop view pawl.pull_request_timeline;
