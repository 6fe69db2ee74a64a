-- A key that an earlier mutation holds opens nothing (I10). Ids grow in the
-- order of the arrays: an entity's mutations are done in the order of ids. One
-- that is beyond a limit is opened dead, and waits for a person.
with opened as (
  insert into pawl.mutation (entity_key, rule, kind, params, idempotency_key, position,
                             transition_id, transition, state, next_attempt_at, created_at,
                             reason, on_refusal, settled_at)
  select m.entity_key, m.rule, m.kind, m.params::json, m.idempotency_key, m.position,
         $7, m.transition::json, m.state, now() + make_interval(secs => m.delay), now(),
         nullif(m.reason, ''), m.on_refusal, case when m.state = 'dead' then now() end
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[],
                $8::text[], $9::text[], $10::float8[], $11::text[], $12::text[])
         with ordinality as m (entity_key, rule, kind, params, idempotency_key, position,
                               transition, state, delay, reason, on_refusal, place)
   order by m.place
  on conflict (idempotency_key) where state not in ('skipped', 'cancelled') do nothing
  returning id, entity_key, idempotency_key, state, reason, transition
), buried as (
  insert into pawl.dead_letter (stage, entity_key, source, delivery_id, mutation_id, reason, created_at)
  select 'actuator', entity_key, transition->'cause'->>'source', transition->'cause'->>'delivery_id', id, reason, now()
    from opened
   where state = 'dead'
)
select idempotency_key from opened
