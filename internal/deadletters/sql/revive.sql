-- Its key is held by it still: nobody else can have had the effect.
update pawl.mutation
   set state = 'pending',
       attempt = 0,
       settled_at = null,
       next_attempt_at = now(),
       reason = 'retried by a person'
 where id = $1
   and state = 'dead'
