-- The mutations of one entity that wait for their time.
select id, rule, transition
  from pawl.mutation
 where entity_key = $1
   and state = 'waiting'
   and next_attempt_at <> 'infinity'
 order by id
   for update
