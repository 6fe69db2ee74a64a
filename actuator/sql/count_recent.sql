-- The mutations of one entity within the last hour, by rule: those that had or
-- may have an effect.
select rule, count(*)
  from pawl.mutation
 where entity_key = $1
   and created_at > now() - interval '1 hour'
   and state not in ('planned', 'skipped', 'cancelled')
 group by rule
