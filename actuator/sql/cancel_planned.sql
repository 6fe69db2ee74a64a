-- What was only planned had no effect, so it must not keep its key from what
-- will have one (I11).
update pawl.mutation
   set state = 'cancelled', reason = 'was planned only; a later transition opened it in mode act', settled_at = now()
 where idempotency_key = any($1)
   and state = 'planned'
