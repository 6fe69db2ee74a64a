-- What was really opened because of the transitions since a time. One that was
-- cancelled because an earlier one of its decision was refused is told apart, and
-- so is one that a limit opened dead.
select m.id, m.entity_key, m.rule, m.kind, m.position, m.params, m.idempotency_key, m.state, coalesce(m.reason, ''),
       t.id, t.entity_key, t.kind, t.delivery_id,
       coalesce((t.value -> 'cause' ->> 'received_at')::timestamptz, t.folded_at),
       coalesce((t.value -> 'pull_request' ->> 'repository') || '#' || (t.value -> 'pull_request' ->> 'number'), ''),
       m.state = 'cancelled' and exists (
         select from pawl.mutation earlier
          where earlier.transition_id = m.transition_id
            and earlier.rule = m.rule
            and earlier.position < m.position
            and earlier.state in ('skipped', 'dead')),
       m.state = 'dead' and m.claimed_at is null
  from pawl.mutation m
  join pawl.transition t on t.id = m.transition_id
 where t.folded_at >= $1
 order by m.id
