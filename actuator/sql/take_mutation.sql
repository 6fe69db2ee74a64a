-- Renews the lease and claims the entity's oldest unsettled mutation, if it is
-- due. $1 entity, $2 fence, $3 owner, $4 length of the lease. A mutation that is
-- claimed already was left by an actor that is gone: what became of it is
-- unknown, and the attempt above 1 says so.
with held as (
  update pawl.lease
     set expires_at = now() + $4::interval
   where entity_key = $1
     and fence = $2
  returning entity_key
), next as (
  select m.id, m.next_attempt_at
    from held
    join pawl.mutation m using (entity_key)
   where m.state in ('pending', 'claimed')
   order by m.id
   limit 1
)
update pawl.mutation m
   set state = 'claimed', fence = $2, claimed_by = $3, claimed_at = now(), attempt = m.attempt + 1
  from next
 where m.id = next.id
   and next.next_attempt_at <= now()
returning m.id, m.entity_key, m.rule, m.kind, m.params, m.idempotency_key, m.transition_id, m.attempt, m.created_at,
          m.transition,
          coalesce((select json_build_object('PullRequest', row_to_json(p),
                                             'Comment', case when m.kind = 'bridge_comment' then (
                                               select row_to_json(c) from pawl.comment c where c.entity_key = m.params->>'comment') end)
                      from pawl.pull_request p where p.entity_key = m.entity_key),
                   (select json_build_object('Component', row_to_json(c)) from pawl.status_component c where c.entity_key = m.entity_key),
                   (select json_build_object('Incident', row_to_json(i)) from pawl.status_incident i where i.entity_key = m.entity_key)),
          (select coalesce(json_agg(json_build_object('kind', s.kind, 'params', s.params) order by s.position), '[]')
             from pawl.mutation s
            where s.transition_id = m.transition_id
              and s.rule = m.rule
              and s.position < m.position
              and s.state = 'done')
