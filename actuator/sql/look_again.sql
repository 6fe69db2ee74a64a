-- A late actor made an effect that it could not settle: whoever settled the
-- mutation as done meanwhile may have made it too. Asks for another look.
update pawl.mutation
   set state = 'pending', settled_at = null, next_attempt_at = now(),
       reason = 'a late actor made the effect too; to be looked at again'
 where id = $1
   and state = 'done'
