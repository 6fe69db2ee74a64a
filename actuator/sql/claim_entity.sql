-- The entity whose oldest unsettled mutation is due longest and whose lease is
-- free. $1 owner, $2 length of the lease. No row: nothing is due. A row without
-- a fence: another actor was faster with this one.
with due as (
  select m.entity_key
    from pawl.mutation m
   where m.state in ('pending', 'claimed')
     and m.next_attempt_at <= now()
     and not exists (
           select from pawl.mutation earlier
            where earlier.entity_key = m.entity_key
              and earlier.id < m.id
              and earlier.state in ('pending', 'claimed'))
     and not exists (
           select from pawl.lease l
            where l.entity_key = m.entity_key
              and l.expires_at > now())
   order by m.next_attempt_at, m.id
   limit 1
     for update of m skip locked
), taken as (
  insert into pawl.lease as l (entity_key, owner, fence, expires_at)
  select entity_key, $1, 1, now() + $2::interval
    from due
  on conflict (entity_key) do update
     set owner = excluded.owner, fence = l.fence + 1, expires_at = excluded.expires_at
   where l.expires_at <= now()
  returning l.entity_key, l.fence
)
select due.entity_key, taken.fence
  from due
  left join taken using (entity_key)
