-- Their time has come: they are decided again by whoever claims them.
update pawl.mutation
   set state = 'pending'
 where state = 'waiting'
   and next_attempt_at <= now()
