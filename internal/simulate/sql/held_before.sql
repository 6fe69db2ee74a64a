-- The mutations of some entities that hold their keys since before the time.
select m.entity_key, m.rule, m.idempotency_key, m.created_at
  from pawl.mutation m
 where m.entity_key = any ($1)
   and m.state not in ('skipped', 'cancelled')
   and not exists (
         select from pawl.transition t
          where t.id = m.transition_id
            and t.folded_at >= $2)
 order by m.id
