-- A dead record does not count: appended again, it is folded again.
select d.source, d.delivery_id, d.body_hash
  from unnest($1::text[], $2::text[]) as k (source, delivery_id)
  join pawl.delivery d
    on d.source = k.source
   and d.delivery_id = k.delivery_id
 where d.verdict <> 'dead'
