-- A contrary state came before their time: the keys are given back (I11).
update pawl.mutation m
   set state = 'cancelled',
       reason = c.reason,
       settled_at = now()
  from unnest($1::bigint[], $2::text[]) as c (id, reason)
 where m.id = c.id
   and m.state = 'waiting'
returning m.kind, m.state
