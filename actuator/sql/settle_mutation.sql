-- Ends a claim. Both the mutation and the lease must still be under the fence
-- of the claim; otherwise nothing changes and 0 is returned (I9).
with settled as (
  update pawl.mutation m
     set state = $3::text,
         reason = nullif($4::text, ''),
         attempt = m.attempt - $5::int,
         next_attempt_at = now() + $6::interval,
         settled_at = case when $3::text in ('done', 'skipped', 'dead') then now() end
   where m.id = $1
     and m.fence = $2
     and m.state = 'claimed'
     and exists (select from pawl.lease l where l.entity_key = m.entity_key and l.fence = $2)
  returning m.id, m.entity_key, m.transition
), buried as (
  insert into pawl.dead_letter (stage, entity_key, source, delivery_id, mutation_id, reason, value, created_at)
  select 'actuator', entity_key, transition->'cause'->>'source', transition->'cause'->>'delivery_id', id,
         $4::text, $7::bytea, now()
    from settled
   where $3::text = 'dead'
)
select count(*) from settled
