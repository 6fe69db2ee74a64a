select idempotency_key, id, state, transition_id
  from pawl.mutation
 where idempotency_key = any($1)
   and state not in ('skipped', 'cancelled')
