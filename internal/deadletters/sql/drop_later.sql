-- The later mutations of its decision that wait for a person.
update pawl.mutation later
   set state = 'cancelled',
       settled_at = now(),
       reason = 'the mutation it waited for was dropped'
  from pawl.mutation dead
 where dead.id = $1
   and later.transition_id = dead.transition_id
   and later.rule = dead.rule
   and later.position > dead.position
   and later.state = 'waiting'
   and later.next_attempt_at = 'infinity'
