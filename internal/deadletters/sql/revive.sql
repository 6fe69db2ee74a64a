-- Its key is held by it still: nobody else can have had the effect. It may have
-- had it itself, in an attempt whose answer was lost, so one that was attempted is
-- looked at before its condition is asked: that is what an attempt above 1 does.
update pawl.mutation
   set state = 'pending',
       attempt = least(attempt, 1),
       settled_at = null,
       next_attempt_at = now(),
       reason = 'retried by a person'
 where id = $1
   and state = 'dead'
