-- Two live comments under one pull request carry the marker of one mutation that
-- is done. $1 key, $2 pull request, $3 pattern of the marker.
update pawl.mutation
   set state = 'pending', settled_at = null, next_attempt_at = now(),
       reason = 'two comments carry its marker; to be looked at again'
 where idempotency_key = $1
   and entity_key = $2
   and kind in ('comment', 'bridge_comment')
   and state = 'done'
   and (select count(*)
          from pawl.comment c
         where c.parent = $2
           and c.state = 'live'
           and c.body like $3) > 1
