-- A key that an earlier mutation holds opens nothing (I10). Ids grow in the
-- order of the arrays: an entity's mutations are done in the order of ids.
insert into pawl.mutation (entity_key, rule, kind, params, idempotency_key, position,
                           transition_id, transition, state, next_attempt_at, created_at)
select m.entity_key, m.rule, m.kind, m.params::json, m.idempotency_key, m.position,
       $7, $8::json, $9, now(), now()
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[])
       with ordinality as m (entity_key, rule, kind, params, idempotency_key, position, place)
 order by m.place
on conflict (idempotency_key) where state not in ('skipped', 'cancelled') do nothing
returning idempotency_key
